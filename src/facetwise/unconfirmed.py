"""Rows whose answers may have come from two models: those since the last good check."""

from __future__ import annotations

from facetwise.interleave import Recovery


class Unconfirmed:
    """Rows that were begun or went on since the model was last seen to be the same."""

    def __init__(self) -> None:
        self.rows: set[int] = set()
        self._under_way: set[int] = set()

    def noted(self, row: int, recovery: Recovery) -> Recovery:
        """The same recovery, noted from its first question to its end."""
        self.rows.add(row)
        self._under_way.add(row)
        result = yield from recovery
        self._under_way.discard(row)
        return result

    def confirm(self) -> None:
        """The model is the same: rows that ended can no longer be in doubt."""
        self.rows = set(self._under_way)
