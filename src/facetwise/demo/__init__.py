"""The tour: a lender's hidden model is served, questioned over HTTP, and reported on.

It needs no network beyond this machine, and leaves one file, the report, in the folder
that it is started in.
"""

from facetwise.demo.tour import REPORT, main

__all__ = ["REPORT", "main"]
