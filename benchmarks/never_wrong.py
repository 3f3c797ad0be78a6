"""No certified weight is outside its bound, on any model, instance or service.

Models whose pieces can be read off are put behind services of every kind and explained
from scores alone. The truth at an instance is every piece nearby whose log-odds meet
the model's to the floor that the explanation names; the error is the distance to the
nearest of them. Smooth models must not be called piecewise linear where they bend by
more than ten floors in the box that was checked, and their gradient, too, must be
within its bound.

No probe leaves the domain. Nor is a row called piecewise constant, on a service that
hides no digits, when the model's weights there are not zero.

The bounds have to be of use as well: random instances on services that answer in 64 or
in 32 bits are certified, to a tenth of the weights' norm, and not far above the true
error. Where all true weights are zero there is no such norm, and the instance is not
counted.

In full more than 60,000 instances, about half an hour; --quick about two minutes.
`--only "name"` runs one family, `--only "name:7"` one case of it.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from _cases import FAMILIES, FULL, SINGLE, SOFTMAX, Case, Family
from _harness import Claim, Options, Table, run, zoo
from numpy.typing import NDArray

import facetwise as fw

Array = NDArray[np.float64]
Rng = np.random.Generator

ROUNDING = 1e-13
"""Relative error allowed for in the truth itself, a product of up to seven matrices."""

USEFUL = 0.1
"""Share of the weights' norm that a useful bound does not exceed."""

MOST_LINES = 5
"""Rows of a family that are shown when they are wrong; the others are counted."""

ORDINARY = {FULL: (0.999, 30.0), SINGLE: (0.95, 10.0)}
"""Share of random instances that is certified usefully, and what bound ÷ error may be,
by the digits of the answers."""

BENDS = 10.0
"""Floors of curvature in the box from which on a model must not be called linear."""


# --- What must hold ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Finding:
    """What one row is like: its error and bound, and all that is wrong with it."""

    bounded: bool
    certified: bool
    useful: bool | None
    """None where all true weights are zero, so that no bound is a share of them."""
    error: float
    bound: float
    extra: int
    """Questions beyond d + 2."""
    wrong: tuple[str, ...]
    bent: bool
    """Smooth, certified, and not linear to ten floors."""
    zeroed: bool
    """Called constant although the model is not, and nothing hides that."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Which outputs of the model a row's weights compare."""

    reference: int | None
    target: int
    rivals: dict[int, int]
    """Column of `pairwise` -> the output it compares with."""

    @classmethod
    def of(cls, case: Case, target: int) -> Compared:
        """The comparison that a response kind stands for."""
        if case.response == "binary":
            return cls(0, 1, {0: 0})
        if case.response in SOFTMAX:
            others = [c for c in range(case.model.C) if c != target]
            return cls(target, target, {c: c for c in others})
        return cls(None, target, {target: target})


def inspect(case: Case, told: fw.Explanation, i: int, rng: Rng) -> Finding:
    """Hold one row against the truth."""
    compared = Compared.of(case, int(told.target[i]))
    scale = np.array(told.meta["scale"])
    bound = float(told.scaled_bound[i])
    bounded = bool(np.isfinite(bound))
    size = float(np.linalg.norm(scale * np.nan_to_num(told.values[i])))
    pieces = truth(case, told, i, compared, rng)
    rival = int(told.contrast[i])
    if len(compared.rivals) == 1 and case.response not in SOFTMAX:
        (rival,) = compared.rivals.values()
    missed, wrong = np.nan, ()
    if bounded:
        missed, wrong = errors(told, i, compared, None if rival < 0 else rival, pieces)
    flat = not any(
        np.any(zoo.contrast(pieces[0][0], compared.target, r))
        for r in compared.rivals.values()
    )
    pieced = isinstance(case.model, zoo.PiecewiseLinear)
    constant = told.status[i] is fw.Status.PIECEWISE_CONSTANT
    return Finding(
        bounded=bounded,
        certified=bool(told.certified[i]),
        useful=None if flat else bool(told.certified[i] and bound <= USEFUL * size),
        error=missed,
        bound=bound,
        extra=int(told.queries[i]) - (told.values.shape[1] + 2),
        wrong=wrong,
        bent=bool(told.certified[i]) and bends(case, told, i, compared, rng),
        zeroed=constant and not flat and case.faithful and pieced,
    )


def truth(
    case: Case, told: fw.Explanation, i: int, compared: Compared, rng: Rng
) -> list[zoo.Piece]:
    """Every piece near the instance that meets the model there."""
    x, model = case.sees(told.data[i]), case.model
    if not isinstance(model, zoo.PiecewiseLinear):
        W = model.gradient(x)
        return [(W, model.logits(x[None])[0] - W @ x)]
    # Only what carries a bound has to meet: nothing is said of the other rivals.
    meets = np.full(model.C, np.inf)
    for column, output in compared.rivals.items():
        if np.isfinite(told.pairwise_bound[i, column]):
            meets[output] = told.floor[i]
    if compared.reference == 0 and case.response == "binary":
        meets[1] = meets[0]
    if compared.reference is not None:
        meets = np.delete(meets, compared.reference)
    radius = np.nan_to_num(told.radius[i]) * np.array(told.meta["scale"])
    return zoo.truths(model, x, meets, radius, rng, compared.reference)


def errors(
    told: fw.Explanation,
    i: int,
    compared: Compared,
    rival: int | None,
    near: list[zoo.Piece],
) -> tuple[float, tuple[str, ...]]:
    """Error of the values, and each bound of the row that does not hold."""
    scale, x = np.array(told.meta["scale"]), told.data[i]
    known = np.isfinite(told.values[i])
    values, pieces = of_moved(told.values[i], x, near)

    def miss(piece: zoo.Piece) -> float:
        return zoo.error(values, [piece], compared.target, rival, scale)

    W, b = min(pieces, key=miss)
    D = zoo.contrast(W, compared.target, rival)
    B = zoo.contrast(b[:, None], compared.target, rival)[0]
    slack = ROUNDING * float(np.linalg.norm(scale * D))
    missed, off = miss((W, b)), np.abs(values - D)[known]
    base_off = abs(float(told.base_values[i] - B))
    base_slack = slack * np.linalg.norm(x / scale) + ROUNDING * abs(B)
    wrong = []
    if not missed <= told.scaled_bound[i] * (1 + 1e-9) + slack:
        wrong.append(f"error {missed:.3g} > bound {told.scaled_bound[i]:.3g}")
    allowed = told.error_bound[i, known] * (1 + 1e-9) + slack / scale[known]
    if not np.all(off <= allowed):
        j = int(np.argmax(off / allowed))
        wrong.append(f"weight {j}: {off[j]:.3g} > {allowed[j]:.3g}")
    if not base_off <= told.base_bound[i] * (1 + 1e-9) + base_slack:
        wrong.append(f"base: {base_off:.3g} > {told.base_bound[i]:.3g}")
    for column, output in compared.rivals.items():
        limit = told.pairwise_bound[i, column]
        if np.isnan(limit):
            continue
        D_hat, moved = of_moved(told.pairwise[i, column], x, near)
        missed_pair = zoo.error(D_hat, moved, compared.target, output, scale)
        slack = ROUNDING * float(np.linalg.norm(scale * D_hat))
        if not missed_pair <= limit * (1 + 1e-9) + slack:
            wrong.append(f"against {column}: {missed_pair:.3g} > {limit:.3g}")
    return missed, tuple(wrong)


def of_moved(
    D: Array, x: Array, pieces: list[zoo.Piece]
) -> tuple[Array, list[zoo.Piece]]:
    """Weights and truths in the features that have been moved.

    The others have no weight, NaN, and what they contribute at x is in the base.
    """
    known = np.isfinite(D)
    moved = [(W * known, W @ np.where(known, 0.0, x) + b) for W, b in pieces]
    return np.where(known, D, 0.0), moved


def bends(
    case: Case, told: fw.Explanation, i: int, compared: Compared, rng: Rng
) -> bool:
    """Whether a smooth model bends by more than ten floors in the checked box.

    What pairs a few rounding errors away from the instance show is noise.
    """
    if isinstance(case.model, zoo.PiecewiseLinear):
        return False
    x, half = told.data[i], told.radius[i] * np.array(told.meta["scale"])
    tiny = np.minimum(half, 8 * np.spacing(np.abs(x) + half))
    outputs = [
        output
        for column, output in compared.rivals.items()
        if np.isfinite(told.pairwise_bound[i, column])
    ]

    def log_odds(X: Array) -> Array:
        y = case.model.logits(X)
        own = 0.0 if compared.reference is None else y[:, [compared.target]]
        return own - y[:, outputs]

    def second_difference(h: Array) -> float:
        u = rng.uniform(-1, 1, (200, len(x)))
        u[:100] = np.sign(u[:100])
        pairs = log_odds(x + h * u) + log_odds(x - h * u) - 2 * log_odds(x[None])
        return float(np.abs(pairs).max())

    bend = second_difference(half) - second_difference(tiny)
    return bool(bend > BENDS * told.floor[i])


# --- The run -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Examined:
    """A case, what was told of its instances, and what was found of each."""

    name: str
    case: Case
    told: fw.Explanation
    found: list[Finding]
    astray: float
    """How far a probe went beyond the limits of the domain."""

    def complaints(self) -> Iterator[str]:
        """A line for each row that is wrong or useless, with what shows it again."""
        if self.astray > 0.0:
            yield f'  --only "{self.name}": a probe is {self.astray:.3g} out of limits'
        for i, finding in enumerate(self.found):
            wrong = [*finding.wrong, *(["bends, and is certified"] * finding.bent)]
            wrong += ["not constant"] * finding.zeroed
            if self.case.ordinary and finding.useful is False:
                wrong.append("of no use")
            if wrong:
                (n, d), C = self.case.X.shape, self.case.model.C
                yield (
                    f'  --only "{self.name}" row {i} of {n}: '
                    f"{self.told.status[i].name}, {type(self.case.model).__name__}, "
                    f"{self.case.response}, d = {d}, C = {C}, "
                    f"radius {self.told.radius[i]:.3g}: {'; '.join(wrong[:4])}"
                )


def examine(name: str, family: Family, seed: list[int]) -> Examined:
    """Draw a case from its seed, explain its instances, and inspect them all."""
    rng = np.random.default_rng(seed)
    case = family(rng)
    outside, domain = [0.0], case.domain
    lower = -np.inf if domain.lower is None else domain.lower
    upper = np.inf if domain.upper is None else domain.upper
    step = 0.0 if domain.step is None else domain.step

    def service(X: Array) -> Array:
        beside = np.where(step, np.abs(X - np.rint(X)), 0.0)
        outside.append(
            float(np.maximum(beside, np.maximum(lower - X, X - upper)).max())
        )
        return case.service(X)

    told = fw.Explainer(
        service,
        response=case.response,
        target=case.target,
        domain=case.domain,
        seed=int(rng.integers(2**31)),
        progress=False,
    )(case.X)
    found = [inspect(case, told, i, rng) for i in range(len(told))]
    return Examined(name, case, told, found, max(outside))


def survey(options: Options) -> Iterator[tuple[str, list[Examined]]]:
    """Every family with its cases, as many as it takes for its number of instances."""
    only, _, case = (options.only or "").partition(":")
    for number, (family, (rows, make)) in enumerate(FAMILIES.items()):
        if only not in ("", family):
            continue
        cases: list[Examined] = []
        for k in [int(case)] if case else itertools.count():
            name = f"{family}:{k}"
            cases.append(examine(name, make, [options.seed, number, k]))
            left = (rows // 12 if options.quick else rows) - len(findings(cases))
            if left <= 0:
                break
        yield family, cases


def findings(cases: list[Examined]) -> list[Finding]:
    """All rows of some cases."""
    return [finding for case in cases for finding in case.found]


def benchmark(options: Options) -> Iterator[Claim]:
    """Go through the families, and count."""
    table = Table(
        family=24, rows=6, certified=9, bounded=8, wrong=6, bent=5, zeroed=6,
        bound_to_error=14, useful=7, extra_questions=15,
    )  # fmt: skip
    everything: list[Examined] = []
    for family, cases in survey(options):
        everything += cases
        found = findings(cases)
        table.row(
            family,
            len(found),
            sum(f.certified for f in found),
            sum(f.bounded for f in found),
            sum(bool(f.wrong) for f in found),
            sum(f.bent for f in found),
            sum(f.zeroed for f in found),
            ratio(found),
            f"{share_useful(found):.2%}",
            float(np.mean([f.extra for f in found])),
        )
        complaints = [line for case in cases for line in case.complaints()]
        print(*complaints[:MOST_LINES], sep="\n", end="\n" * bool(complaints))
        if len(complaints) > MOST_LINES:
            print(f"  and {len(complaints) - MOST_LINES} more")
    found = findings(everything)
    if not options.only:
        needed = 5_000 if options.quick else 60_000
        yield Claim("instances", len(found), needed, at_least=True)
    yield Claim("rows outside a bound", sum(bool(f.wrong) for f in found), 0)
    yield Claim("smooth, and certified", sum(f.bent for f in found), 0)
    yield Claim("farthest probe out of limits", max(e.astray for e in everything), 0)
    yield Claim("called constant, and is not", sum(f.zeroed for f in found), 0)
    for digits, (least, most) in ORDINARY.items():
        if ordinary := findings([e for e in everything if e.case.ordinary == digits]):
            useful = share_useful(ordinary)
            what = f"certified usefully, {digits}"
            yield Claim(what, useful, least, at_least=True)
            yield Claim(f"bound ÷ true error, median, {digits}", ratio(ordinary), most)


def share_useful(found: list[Finding]) -> float:
    """Share of the rows with weights that are certified to a tenth of their norm."""
    told = [f.useful for f in found if f.useful is not None]
    return float(np.mean(told)) if told else np.nan


def ratio(found: list[Finding]) -> float:
    """Median of bound ÷ true error."""
    ratios = [f.bound / f.error if f.error else np.inf for f in found if f.certified]
    return float(np.median(ratios)) if ratios else np.nan


if __name__ == "__main__":
    sys.exit(run(__doc__ or "", benchmark))
