"""Lets as many calls run at a time as a service bears."""

from __future__ import annotations

import threading
from collections import deque

from facetwise.core.messages import Floats
from facetwise.endpoints.endpoint import Endpoint
from facetwise.endpoints.halt import Halt
from facetwise.endpoints.layer import Layer


class Concurrency(Layer):
    """Holds calls back while too many are under way.

    The number halves when the service says that it is busy, and grows by one for every
    round of calls that it does not: the rule by which TCP shares a line.
    """

    def __init__(self, inner: Endpoint, most: int, halt: Halt) -> None:
        super().__init__(inner)
        self._most = most
        self._halt = halt
        self._allowed = float(most)
        self._under_way = 0
        self._halvings = 0
        self._line: deque[object] = deque()
        self._room = threading.Condition()
        self._call = threading.local()

    @property
    def allowed(self) -> int:
        """Calls that may be under way now."""
        return int(self._allowed)

    def scores(self, X: Floats) -> Floats:
        """Scores (n, C), asked for when there is room."""
        began = self._enter()
        try:
            scores = self._inner.scores(X)
        except BaseException:
            self._halt.put_up()  # before those who wait are let in
            self._leave()
            raise
        self._leave(grows=began)
        return scores

    def _enter(self) -> int:
        """Wait for room; the number of halvings that the call begins after.

        Whoever came first goes first, or threads that ask all the time would leave no
        room for a question in between, such as whether the model is still the same.
        """
        place = object()
        with self._room:
            self._line.append(place)
            try:
                self._room.wait_for(lambda: self._is_next(place))
            finally:
                self._line.remove(place)
                self._room.notify_all()  # there may be room for the next one too
            self._halt.check()
            self._under_way += 1
            self._call.began = self._halvings
            return self._halvings

    def _is_next(self, place: object) -> bool:
        return self._line[0] is place and self._under_way < self.allowed

    def _leave(self, grows: int | None = None) -> None:
        """Make room, and more of it if nothing was busy since so many halvings."""
        with self._room:
            self._under_way -= 1
            if grows == self._halvings:
                self._allowed = min(self._most, self._allowed + 1.0 / self._allowed)
            self._room.notify_all()

    def busy(self) -> None:
        """Hear from a call under way, in its own thread, that the service is busy."""
        with self._room:
            # Calls sent together are refused together: that is one piece of news.
            if self._call.began == self._halvings:
                self._halvings += 1
                self._allowed = max(1.0, self._allowed / 2.0)
            self._call.began = self._halvings
