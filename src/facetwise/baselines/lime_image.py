"""LIME for images as its authors published it, in the package `lime`.

As in the paper each pixel is a segment by itself, so that there is a weight for each,
and a hidden pixel is black. What is drawn, its weights and the regression are those of
the package. Its images alone are made here, all at once instead of pixel by pixel,
which is several times as fast and gives the same numbers.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from facetwise.baselines.asking import Answer, Instance, explain_each
from facetwise.baselines.record import Attributed, Sees
from facetwise.core.messages import Floats
from facetwise.errors import InputError
from facetwise.extras import extra

BLACK = 0.0


@dataclass(frozen=True, slots=True)
class LimeImage:
    """`shape` is that of an image in grey; `samples` is the number that it asks."""

    shape: tuple[int, int] = (28, 28)
    samples: int = 1000
    seed: int = 0
    sees: ClassVar[Sees] = "scores"

    def __call__(self, model: Any, X: ArrayLike, targets: ArrayLike) -> Attributed:
        """Weights (n, d) of the pixels' presence for the probability of the target."""
        return explain_each(self, self._one, model, X, targets, self.seed)

    def _one(self, instance: Instance) -> Answer:
        d = len(instance.x)
        if d != self.shape[0] * self.shape[1]:
            raise InputError(
                f"An image of {self.shape[0]} x {self.shape[1]} pixels has not {d} "
                "features. Pass LimeImage(shape=...)."
            )

        def classify(images: Floats) -> Floats:
            # The package makes three equal channels of a grey image.
            return instance.scores(images[..., 0].reshape(len(images), d))

        explained = _explainer(instance.seed).explain_instance(
            instance.x.reshape(self.shape),
            classify,
            labels=(instance.target,),
            top_labels=None,
            hide_color=BLACK,
            num_features=d,
            num_samples=self.samples,
            segmentation_fn=lambda image: np.arange(d).reshape(self.shape),
        )
        values = np.empty(d)
        pixels, weights = zip(*explained.local_exp[instance.target], strict=True)
        values[list(pixels)] = weights
        return Answer(values)


def _explainer(seed: np.random.SeedSequence) -> Any:
    package = extra("paper", "lime.lime_image")
    state = np.random.RandomState(seed.generate_state(4))
    explainer = package.LimeImageExplainer(feature_selection="none", random_state=state)
    explainer.data_labels = functools.partial(masked, state)
    return explainer


def masked(
    state: np.random.RandomState,
    image: Floats,
    hidden: Floats,
    segments: NDArray[np.intp],
    classify: Callable[[Floats], Floats],
    samples: int,
    batch_size: int,
) -> tuple[NDArray[np.intp], Floats]:
    """Which segments (samples, s) are shown, the first time all, and the scores."""
    s = int(segments.max()) + 1
    shown = state.randint(0, 2, samples * s).reshape(samples, s)
    shown[0] = 1
    visible = shown[:, segments][..., None] == 1
    return shown, classify(np.where(visible, image, hidden))
