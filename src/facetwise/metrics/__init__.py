"""Measures of explanations, the paper's: functions of arrays, whoever explained."""

from facetwise.metrics.consistency import cosine_similarity, nearest_neighbours
from facetwise.metrics.effectiveness import (
    altered,
    change_of_probability,
    label_changed_instances,
)
from facetwise.metrics.exactness import l1_distance
from facetwise.metrics.samples import region_difference, weight_difference

__all__ = [
    "altered",
    "change_of_probability",
    "cosine_similarity",
    "l1_distance",
    "label_changed_instances",
    "nearest_neighbours",
    "region_difference",
    "weight_difference",
]
