"""How long to leave what was tried in vain before it is tried again."""

from __future__ import annotations


class Patience:
    """Rests after a wave in which trying did not pay, ever longer while it does not."""

    def __init__(self) -> None:
        self._rest = self._pause = 0

    @property
    def is_resting(self) -> bool:
        """Whether another try has to wait."""
        return self._rest > 0

    def judge(self, tried: int, paid: bool) -> None:
        """Hear how often a wave tried, and whether that paid."""
        self._rest = max(0, self._rest - 1)
        if tried:
            self._pause = 0 if paid else 2 * self._pause + 1
            self._rest = self._pause
