"""What a run will take, told before anything is sent."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from facetwise.asking import Plan


@dataclass(frozen=True, slots=True)
class Rates:
    """What rows and calls cost in money and time, as far as it is known."""

    row_price: float | None
    call_price: float | None
    call_seconds: float | None
    rows_per_second: float | None
    calls_per_second: float | None

    def price(self, rows: int, calls: int) -> float | None:
        """What so many rows and calls cost."""
        if self.row_price is None and self.call_price is None:
            return None
        return rows * (self.row_price or 0.0) + calls * (self.call_price or 0.0)

    def seconds(self, rows: int, calls: int) -> float | None:
        """How long they take if one call follows another, within the limits."""
        times = [
            amount / rate
            for amount, rate in (
                (rows, self.rows_per_second),
                (calls, self.calls_per_second),
            )
            if rate
        ]
        if self.call_seconds is not None:
            times.append(calls * self.call_seconds)
        return max(times, default=None)


def as_json(plan: Plan, rates: Rates) -> dict[str, Any]:
    """The estimate, for programs."""
    return {
        **asdict(plan),
        "seconds": rates.seconds(plan.queries, plan.calls),
        "price": rates.price(plan.queries, plan.calls),
    }


def text(plan: Plan, rates: Rates) -> str:
    """The estimate, for people."""
    seconds = rates.seconds(plan.queries, plan.calls)
    price = rates.price(plan.queries, plan.calls)
    lines = [
        f"rows       {plan.rows:,}, with {plan.moving:,} features that may move",
        f"questions  about {plan.queries:,}, {_at_most(plan.max_queries)}",
        f"calls      about {plan.calls:,}, {_at_most(plan.max_calls)}",
    ]
    if seconds is None:
        lines.append("time       not known; --call-seconds gives an estimate")
    else:
        lines.append(f"time       about {duration(seconds)}, one call after another")
    if price is not None:
        lines.append(f"price      about {price:,.2f}{_dearest(plan, rates)}")
    return "\n".join(lines)


def line(plan: Plan) -> str:
    """The budget in a sentence."""
    return (
        f"Rows: {plan.rows:,}. They take about {plan.queries:,} questions, "
        f"{_at_most(plan.max_queries)}; and about {plan.calls:,} calls, "
        f"{_at_most(plan.max_calls)}."
    )


def duration(seconds: float) -> str:
    """A time in the unit that suits it."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def _at_most(limit: int | None) -> str:
    return "without a limit" if limit is None else f"at most {limit:,}"


def _dearest(plan: Plan, rates: Rates) -> str:
    if plan.max_queries is None or plan.max_calls is None:
        return ""
    return f", at most {rates.price(plan.max_queries, plan.max_calls):,.2f}"
