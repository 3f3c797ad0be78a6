"""What is handed over: weights, their bounds, and how sure each row is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from facetwise.archive import Archive, Arrays, Note
from facetwise.core.messages import Floats, Ints, Mask
from facetwise.core.recovered import Recovered
from facetwise.core.response import Response
from facetwise.core.status import Status
from facetwise.errors import InputError
from facetwise.markup import table
from facetwise.tables.libraries import Kind, library

Statuses = NDArray[np.object_]

ARCHIVE = Archive("facetwise", 1, "explanation", "Explanation.save")

AT_A_GLANCE = 10
"""Rows that a notebook shows of an explanation."""

NOTHING = "\N{EN DASH}"
"""What stands where there is nothing to show."""

STRONGEST = 3
"""Features that it shows of each."""

READ_WITH = ("status", "certified", "target", "contrast")
"""What a weight is of, and how sure: it stands beside each weight in a frame."""


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """Explanations of n instances with d features, for a model of C scores.

    Attributes
    ----------
    values
        (n, d) decision features of the explained class, in raw units. NaN where a
        feature is frozen or nothing could be recovered.
    base_values, base_bound
        (n,) the matching intercept, and how far it may be off.
    error_bound
        (n, d) each weight is within this of the truth; NaN where there is no bound.
    scaled_bound
        (n,) bound on ‖scale∘(values - truth)‖₂.
    status, certified
        (n,) a `Status`, whose text is a sentence, and whether values carry a
        certificate.
    contrast
        (n,) -1 where values compare with all other classes, or with none; else the one
        rival they compare with.
    target
        (n,) the explained class, or output; -1 where the predicted one is not known,
        since the row was never asked.
    pairwise, pairwise_base, pairwise_bound, pairwise_status
        (n, C, d), (n, C), (n, C), (n, C): the target against each rival by itself.
    radius
        (n,) half-width of the box that was checked, in scaled units.
    floor
        (n,) the most by which an answer that was checked may miss values and base.
    queries, designs
        (n,) questions asked, and sets of probes among them; for Algorithm 1, its
        iterations.
    data
        (n, d) the instances. A frozen column that is not numbers has codes, places in
        the list of its values: `meta["categories"][name]`.
    feature_names, class_names
        names, or None.
    meta
        seed, settings, cost and versions.
    """

    values: Floats
    base_values: Floats
    base_bound: Floats
    error_bound: Floats
    scaled_bound: Floats
    status: Statuses
    contrast: Ints
    target: Ints
    pairwise: Floats
    pairwise_base: Floats
    pairwise_bound: Floats
    pairwise_status: Statuses
    radius: Floats
    floor: Floats
    queries: Ints
    designs: Ints
    data: Floats
    feature_names: tuple[str, ...] | None
    class_names: tuple[str, ...] | None
    meta: dict[str, Any]

    @property
    def certified(self) -> Mask:
        """(n,) whether values carry a certificate."""
        return np.array([status.sure for status in self.status], dtype=bool)

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, rows: int | slice | Sequence[int] | Mask) -> Explanation:
        """The explanation of some rows; of one row it is still one of n = 1."""
        if isinstance(rows, int | np.integer):
            if not -len(self) <= rows < len(self):
                raise IndexError(f"Row {rows} of an explanation of {len(self)} rows.")
            rows = [int(rows)]
        chosen = {name: getattr(self, name)[rows] for name in _per_row()}
        return replace(self, **chosen)

    def __repr__(self) -> str:
        return f"<Explanation of {self._told()}>"

    def _repr_html_(self) -> str:
        """The first rows at a glance, for notebooks."""
        caption = f"Explanation of {self._told()}"
        if len(self) > AT_A_GLANCE:
            caption += f"; the first {AT_A_GLANCE} rows"
        head = ("row", "status", "explains", "strongest weights", "each off by at most")
        return table(caption, head, _glance(self[:AT_A_GLANCE]))

    def _told(self) -> str:
        """How many rows there are, and how they ended."""
        n, d = self.values.shape
        counts = {
            s.name: int(np.sum(self.status == s)) for s in dict.fromkeys(self.status)
        }
        told = ", ".join(f"{count} {name.lower()}" for name, count in counts.items())
        return f"{n} rows, {d} features: {told}"

    def to_frame(
        self,
        per: Literal["feature", "row"] = "feature",
        kind: Kind | None = None,
    ) -> Any:
        """A frame with a line for each feature of each row, or for each row.

        Lines per feature have its `data` (NaN for text), `weight` and `error_bound`;
        lines per row have the intercept, the bounds and the cost. Both say what the
        weights are of: classes go by their names where there are any, and `contrast`
        is then empty instead of -1. `row` counts from 0 and joins the two.

        `kind` is "pandas" or "polars"; None takes the library of the table that was
        explained, or else pandas.
        """
        if per not in ("feature", "row"):
            raise InputError(f"per must be 'feature' or 'row'; got {per!r}.")
        columns = row_lines(self) if per == "row" else feature_lines(self)
        return library(kind or self.meta.get("table") or "pandas").frame(columns)

    def save(self, path: str | PathLike[str]) -> None:
        """Write everything to one .npz file, floats exact and without pickle."""
        arrays = {name: getattr(self, name) for name in _per_row()}
        for name in ("status", "pairwise_status"):
            arrays[name] = np.vectorize(lambda s: s.name, otypes=["U32"])(arrays[name])
        about = {
            "feature_names": self.feature_names,
            "class_names": self.class_names,
            "meta": self.meta,
        }
        ARCHIVE.write(path, about, arrays)


def load(path: str | PathLike[str]) -> Explanation:
    """Read what `Explanation.save` wrote."""
    return ARCHIVE.read(path, _restored)


def _restored(about: Note, content: Arrays) -> Explanation:
    arrays = {name: content[name] for name in _per_row()}
    for name in ("status", "pairwise_status"):
        arrays[name] = np.vectorize(Status.__getitem__, otypes=[object])(arrays[name])
    for name in ("feature_names", "class_names"):
        arrays[name] = about[name] and tuple(about[name])
    return Explanation(**arrays, meta=about["meta"])


def assemble(
    recovered: Sequence[Recovered],
    data: Floats,
    classes: int,
    feature_names: tuple[str, ...] | None,
    class_names: tuple[str, ...] | None,
    meta: dict[str, Any],
) -> Explanation:
    """One explanation of the instances data (n, d) from a record of each."""
    n, d = data.shape
    pairwise = np.full((n, classes, d), np.nan)
    pairwise_base, pairwise_bound = np.full((2, n, classes), np.nan)
    pairwise_status = np.empty((n, classes), dtype=object)
    for i, record in enumerate(recovered):
        pairwise_status[i] = record.status
        for rival, pair in record.pairs.items():
            pairwise[i, rival] = pair.D
            pairwise_base[i, rival] = pair.base
            pairwise_bound[i, rival] = pair.bound
            pairwise_status[i, rival] = pair.status
    local = [record.local for record in recovered]
    status = np.empty(n, dtype=object)
    status[:] = [record.status for record in recovered]
    return Explanation(
        values=_rows([p.D for p in local], (n, d)),
        base_values=np.array([p.base for p in local]),
        base_bound=np.array([p.base_bound for p in local]),
        error_bound=_rows([p.weight_bound for p in local], (n, d)),
        scaled_bound=np.array([p.bound for p in local]),
        status=status,
        contrast=np.array([r.contrast for r in recovered], dtype=np.intp),
        target=np.array([r.target for r in recovered], dtype=np.intp),
        pairwise=pairwise,
        pairwise_base=pairwise_base,
        pairwise_bound=pairwise_bound,
        pairwise_status=pairwise_status,
        radius=np.array([r.radius for r in recovered]),
        floor=np.array([r.floor for r in recovered]),
        queries=np.array([r.queries for r in recovered], dtype=np.intp),
        designs=np.array([r.designs for r in recovered], dtype=np.intp),
        data=data,
        feature_names=feature_names,
        class_names=class_names,
        meta=meta,
    )


def shown(explanation: Explanation) -> NDArray[np.object_]:
    """The instances (n, d) for people to read: text where `data` has codes for it."""
    data = explanation.data.astype(object)
    for j, texts in _coded(explanation).items():
        data[:, j] = np.array(texts, dtype=object)[explanation.data[:, j].astype(int)]
    return data


def labels(explanation: Explanation) -> list[str]:
    """Names of the features, with numbers for names where there are none."""
    d = explanation.values.shape[1]
    return [*(explanation.feature_names or (f"feature {j}" for j in range(d)))]


def class_labels(explanation: Explanation) -> list[str]:
    """Names of the classes or outputs, with numbers for names where there are none."""
    if explanation.class_names:
        return [*explanation.class_names]
    kind = explanation.meta.get("response")
    count = explanation.pairwise.shape[1]
    if kind == Response.BINARY and count == 1:
        return ["positive"]  # the one score is its probability
    what = "output" if kind == Response.REGRESSION else "class"
    return [f"{what} {c}" for c in range(count)]


def typical_steps(explanation: Explanation) -> Floats:
    """By how much each feature (d,) differs between rows: effects of so much compare.

    The range of the middle half of its values; of all, where those are one value; and
    the scale that was asked with, or 1, where all rows have the same.
    """
    data, d = explanation.data, explanation.data.shape[1]
    scale = np.broadcast_to(explanation.meta.get("scale", 1.0), (d,)).astype(float)
    if len(data) == 0:
        return scale
    low, high = np.quantile(data, [0.25, 0.75], axis=0)
    spread = np.where(high > low, high - low, np.ptp(data, axis=0))
    return np.where(spread > 0.0, spread, scale)


def _coded(explanation: Explanation) -> dict[int, list[str]]:
    """Features whose data are codes, and the texts that these stand for."""
    texts = explanation.meta.get("categories", {})
    return {labels(explanation).index(name): texts[name] for name in texts}


def row_lines(explanation: Explanation) -> dict[str, Any]:
    """Columns of a table with a line for each row."""
    target, contrast = explanation.target, explanation.contrast
    if explanation.class_names:
        # The last entry, which is no class, is what -1 points at.
        names = np.array([*explanation.class_names, None], dtype=object)
        target, contrast = names[target], names[contrast]
    return {
        "row": np.arange(len(explanation)),
        "status": [status.name for status in explanation.status],
        "certified": explanation.certified,
        "target": target.tolist(),
        "contrast": contrast.tolist(),
        "base_value": explanation.base_values,
        "base_bound": explanation.base_bound,
        "scaled_bound": explanation.scaled_bound,
        "radius": explanation.radius,
        "floor": explanation.floor,
        "queries": explanation.queries,
        "designs": explanation.designs,
    }


def _glance(explanation: Explanation) -> Iterable[tuple[str, ...]]:
    """A line of a few words for each row."""
    rows, names = row_lines(explanation), labels(explanation)
    effects = np.nan_to_num(np.abs(explanation.values * typical_steps(explanation)))
    order = np.argsort(-effects, axis=1, kind="stable")[:, :STRONGEST]
    for i, status in enumerate(explanation.status):
        target, rival = rows["target"][i], rows["contrast"][i]
        known = explanation.target[i] >= 0
        why = f"{target} and not {rival}" if explanation.contrast[i] >= 0 else target
        D, bound = explanation.values[i], explanation.error_bound[i]
        weights = [f"{names[j]} {D[j]:+.3g}" for j in order[i] if np.isfinite(D[j])]
        sure = explanation.certified[i]
        yield (
            str(i),
            status.title,
            str(why) if known else NOTHING,
            ", ".join(weights) or NOTHING,
            f"{np.nanmax(bound):.1e}" if sure and np.isfinite(bound).any() else NOTHING,
        )


def feature_lines(explanation: Explanation) -> dict[str, Any]:
    """Columns of a table with a line for each feature of each row."""
    n, d = explanation.values.shape
    data = explanation.data.copy()
    data[:, [*_coded(explanation)]] = np.nan
    rows = row_lines(explanation)
    return {
        "row": np.repeat(rows["row"], d),
        "feature": labels(explanation) * n,
        "data": data.ravel(),
        "weight": explanation.values.ravel(),
        "error_bound": explanation.error_bound.ravel(),
        **{name: [v for v in rows[name] for _ in range(d)] for name in READ_WITH},
    }


def _rows(rows: Iterable[Floats], shape: tuple[int, int]) -> Floats:
    return np.array(list(rows), dtype=np.float64).reshape(shape)


def _per_row() -> list[str]:
    """Names of the fields that have an entry for each row."""
    whole = {"feature_names", "class_names", "meta"}
    return [f.name for f in fields(Explanation) if f.name not in whole]
