"""Pictures of explanations, drawn with matplotlib (the extra `plot`).

Each function takes an explanation and returns the axes that it drew on. Bars are solid
where a row is certified and hatched where it is not; red raises the score, blue lowers
it. Bounds are error bars where they are large enough to be seen.
"""

from facetwise.plot.bar import bar
from facetwise.plot.compare import compare
from facetwise.plot.heatmap import heatmap
from facetwise.plot.summary import summary
from facetwise.plot.waterfall import waterfall

__all__ = ["bar", "compare", "heatmap", "summary", "waterfall"]
