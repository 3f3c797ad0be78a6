"""Data sets to train models on and to explain: images and tables, ready to use.

Where each comes from, its licence, and how tables become numbers is told in
docs/datasets.md.
"""

from facetwise.datasets.images import fashion_mnist, mnist
from facetwise.datasets.record import Dataset, ImagePart, Images, Table, TablePart
from facetwise.datasets.tabular import churn, credit, hmda

__all__ = [
    "Dataset",
    "ImagePart",
    "Images",
    "Table",
    "TablePart",
    "churn",
    "credit",
    "fashion_mnist",
    "hmda",
    "mnist",
]
