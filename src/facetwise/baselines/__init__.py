"""Other methods that explain a model, all behind one interface: those of the paper.

A method is an object with its settings, called with a model, instances X (n, d) and the
class to explain for each. It gives an `Attribution`, and so does `facetwise.Explainer`.
"""

from facetwise.baselines.algorithm1 import Algorithm1
from facetwise.baselines.gradient_input import GradientInput
from facetwise.baselines.integrated_gradients import IntegratedGradients
from facetwise.baselines.lime_image import LimeImage
from facetwise.baselines.log_odds_lime import LogOddsLime
from facetwise.baselines.naive import Naive
from facetwise.baselines.record import Attributed, Attribution, Method
from facetwise.baselines.saliency import Saliency
from facetwise.baselines.zoo import Zoo

__all__ = [
    "Algorithm1",
    "Attributed",
    "Attribution",
    "GradientInput",
    "IntegratedGradients",
    "LimeImage",
    "LogOddsLime",
    "Method",
    "Naive",
    "Saliency",
    "Zoo",
]
