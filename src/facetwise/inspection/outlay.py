"""What explaining many rows of a service would take."""

from __future__ import annotations

from dataclasses import dataclass

from facetwise.asking import usual_batch
from facetwise.endpoints.estimate import COARSE, USUAL, estimate
from facetwise.inspection.speed import Speed
from facetwise.run import in_waves


@dataclass(frozen=True, slots=True)
class Outlay:
    """Questions, calls and seconds for so many rows, by estimate."""

    rows: int
    questions: int
    calls: int
    seconds: float

    @property
    def sentences(self) -> list[str]:
        """What there is to say."""
        return [
            f"Explaining {self.rows:,} rows would take about {self.questions:,} "
            f"questions in {self.calls:,} calls, and {_lasting(self.seconds)} of the "
            "service's time, one call after the other."
        ]


def outlay(rows: int, d: int, coarse: bool, speed: Speed) -> Outlay:
    """For so many rows of d moving features."""
    batch = usual_batch(d)
    batch = min(batch, speed.most_rows or batch)
    cost = COARSE if coarse else USUAL
    asked, calls = estimate(rows, d, batch, len(in_waves(rows, d)), cost)
    seconds = asked / speed.rows_a_second + calls * speed.latency
    return Outlay(rows, asked, calls, seconds)


def _lasting(seconds: float) -> str:
    for unit, name in [(3600.0, "hours"), (60.0, "minutes")]:
        if seconds >= 2.0 * unit:
            return f"{seconds / unit:.0f} {name}"
    return f"{seconds:.2g} seconds"
