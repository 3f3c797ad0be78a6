"""A claim, what was found of it, and the verdict: by rules that are written down."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from facetwise.reproduce.table import Cell, Table


class Outcome(StrEnum):
    """What becomes of a claim."""

    CONFIRMED = "confirmed"
    DIFFERS = "differs"
    CONTRADICTED = "contradicted"
    NOT_MEASURED = "not measured"


@dataclass(frozen=True, slots=True)
class Finding:
    """Our figures in one place, and whether the claim holds there."""

    where: str
    figures: str
    holds: bool


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement of the paper, in our words where it is not quoted.

    `place` is the figure, table or section; `rule` says when it holds, in words;
    `methods` are those whose figures are needed.
    """

    name: str
    place: str
    statement: str
    rule: str
    methods: tuple[str, ...]
    judge: Callable[[Table], Iterable[Finding]]


@dataclass(frozen=True, slots=True)
class Verdict:
    """A claim and all findings. It is confirmed if it holds everywhere, contradicted if
    it holds nowhere, and differs if it holds in some places only.
    """

    claim: Claim
    findings: tuple[Finding, ...]

    @classmethod
    def on(cls, claim: Claim, table: Table) -> Verdict:
        """The verdict that the table allows."""
        return cls(claim, tuple(claim.judge(table)))

    @property
    def outcome(self) -> Outcome:
        """Confirmed, contradicted, or something between."""
        holds = [finding.holds for finding in self.findings]
        if not holds:
            return Outcome.NOT_MEASURED
        if all(holds):
            return Outcome.CONFIRMED
        return Outcome.DIFFERS if any(holds) else Outcome.CONTRADICTED


def by_cell(
    judge: Callable[[Cell], Iterable[Finding]],
) -> Callable[[Table], Iterator[Finding]]:
    """A judge of tables from one of cells."""

    def judge_all(table: Table) -> Iterator[Finding]:
        for cell in table.cells:
            yield from judge(cell)

    return judge_all


def told(figures: dict[str, float]) -> str:
    """Figures by name, as a verdict shows them."""
    return ", ".join(f"{name} {value:.4g}" for name, value in figures.items())
