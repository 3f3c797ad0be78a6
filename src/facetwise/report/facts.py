"""What a page is told of an explanation: names and settings, and numbers by the row.

Notation
--------
n, d, C    rows, features, scores
K          affine functions that a row has: one for each rival, or one for the target
l          what they are at the instance: log-odds, or the output      (n, K)
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from facetwise.core.messages import Floats
from facetwise.core.response import Response
from facetwise.core.status import Status
from facetwise.errors import InputError
from facetwise.explanation import Explanation, class_labels, labels, typical_steps
from facetwise.markup import legible
from facetwise.report.packing import packed, rounded_up
from facetwise.report.pieces import pieces
from facetwise.report.plain import PLAIN, standing

ImageShape = tuple[int, ...] | Literal["square"] | None

TOLD = (
    *("model", "method", "response", "confidence", "precision", "seed", "started"),
    *("seconds", "queries", "calls", "max_queries", "versions"),
)
"""Settings and costs in `meta` that a reader is told, where they are there."""


def facts(explanation: Explanation, image_shape: ImageShape) -> dict[str, Any]:
    """All that JSON holds well."""
    meta, d = explanation.meta, explanation.values.shape[1]
    return {
        "about": {name: _told(meta[name]) for name in TOLD if name in meta},
        "rows": len(explanation),
        "features": _features(explanation, image_shape),
        "categories": _categories(explanation),
        "classes": [legible(name) for name in class_labels(explanation)],
        "image": _image(image_shape, d),
        "statuses": [_status(status) for status in Status],
        "status": _numbers(explanation.status),
        "pairStatus": _numbers(explanation.pairwise_status),
        "target": explanation.target.tolist(),
        "contrast": explanation.contrast.tolist(),
        "piece": pieces(explanation).tolist(),
        "queries": explanation.queries.tolist(),
        "radius": _finite(explanation.radius),
        "floor": _finite(explanation.floor),
        "typical": _finite(typical_steps(explanation)),
        "base": _finite(explanation.base_values),
        **{name: _finite(_domain(explanation, name)) for name in LIMITS},
    }


def numbers(explanation: Explanation) -> dict[str, str]:
    """All that a page computes with, to the last digit; bounds are rounded up."""
    arrays: dict[str, NDArray[Any]] = {
        "data": explanation.data,
        "values": explanation.values,
        "bound": rounded_up(explanation.error_bound),
    }
    if _competes(explanation):
        D, base, bound = _pairs(explanation)
        n, K, d = D.shape
        arrays["pairs"] = D.reshape(n, K * d)
        arrays["pairBase"], arrays["pairBound"] = base, rounded_up(bound)
        arrays["odds"] = base + np.einsum(
            "nkd,nd->nk", np.nan_to_num(D), explanation.data
        )
    else:
        effects = np.nan_to_num(explanation.values) * explanation.data
        odds = explanation.base_values + effects.sum(axis=1)
        arrays["odds"] = odds[:, None]
    return {name: packed(array) for name, array in arrays.items()}


LIMITS = {"scale": 1.0, "lower": -np.inf, "upper": np.inf, "step": 0.0}
"""What `meta` has of the domain, and what it is where nothing was said."""


def _competes(explanation: Explanation) -> bool:
    """Whether classes compete, so that rows have an affine function a rival."""
    kind = explanation.meta.get("response")
    return kind is not None and Response(kind).softmax


def _pairs(explanation: Explanation) -> tuple[Floats, Floats, Floats]:
    """Weights (n, K, d), intercepts and bounds (n, K): rivals in order, no target."""
    n, C, _ = explanation.pairwise.shape
    # Where the target is not known no pair is either, and any class can be left out.
    own = np.maximum(explanation.target, 0)
    rivals = np.array([[c for c in range(C) if c != t] for t in own], dtype=np.intp)
    at = np.arange(n)[:, None], rivals.reshape(n, max(C - 1, 0))
    return (
        explanation.pairwise[at],
        explanation.pairwise_base[at],
        explanation.pairwise_bound[at],
    )


def _domain(explanation: Explanation, name: str) -> Floats:
    d = explanation.values.shape[1]
    known = explanation.meta.get(name, LIMITS[name])
    return np.broadcast_to(np.asarray(known, dtype=np.float64), (d,))


def _features(explanation: Explanation, image_shape: ImageShape) -> list[str]:
    shape = _image(image_shape, explanation.values.shape[1])
    if shape is None or explanation.feature_names is not None:
        return [legible(name) for name in labels(explanation)]
    height, width, channels = shape
    places = np.indices((height, width, channels)).reshape(3, -1).T + 1
    of = ", channel {2}" if channels > 1 else ""
    return [f"pixel {{0}}, {{1}}{of}".format(*place) for place in places]


def _categories(explanation: Explanation) -> dict[int, list[str]]:
    """Texts that codes stand for, by the place of their feature."""
    texts, names = explanation.meta.get("categories") or {}, labels(explanation)
    return {names.index(name): [legible(t) for t in texts[name]] for name in texts}


def _image(image_shape: ImageShape, d: int) -> tuple[int, int, int] | None:
    """Height, width and channels of the images that rows are, if they are."""
    if image_shape is None:
        return None
    side = round(d**0.5)
    shape = (side, side) if image_shape == "square" else tuple(image_shape)
    height, width, channels = (*shape, 1)[:3] if len(shape) in (2, 3) else (0, 0, 0)
    if height * width * channels != d or min(shape) < 1 or channels not in (1, 3):
        raise InputError(
            f"image_shape needs (height, width) or (height, width, 3) that multiply to "
            f"the {d} features, or 'square'; got {image_shape!r}."
        )
    return height, width, channels


def _status(status: Status) -> dict[str, str]:
    return {
        "title": status.title,
        "plain": PLAIN[status],
        "sentence": str(status),
        "standing": standing(status),
    }


def _numbers(statuses: NDArray[np.object_]) -> Any:
    """Statuses by their place in the list of all."""
    places = {status: i for i, status in enumerate(Status)}
    return np.vectorize(places.__getitem__, otypes=[int])(statuses).tolist()


def _finite(array: Floats) -> list[float | None]:
    """Numbers as JSON has them: nothing for those that are not finite."""
    return [float(v) if np.isfinite(v) else None for v in array]


def _told(value: Any) -> Any:
    """A setting as text or a number that JavaScript holds."""
    if isinstance(value, dict):
        return {legible(name): _told(entry) for name, entry in value.items()}
    if value is None or (isinstance(value, float) and np.isfinite(value)):
        return value
    # Seeds have more digits than numbers in JavaScript.
    small = isinstance(value, int) and abs(value) < 2**53
    return value if small else legible(value)
