"""Counts what a server does, in the text that Prometheus reads."""

from __future__ import annotations

import threading
from collections import Counter


class Metrics:
    """Requests by status, rows answered and seconds spent, from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: Counter[int] = Counter()
        self._rows = 0
        self._seconds = 0.0

    def count(self, status: int, rows: int, seconds: float) -> None:
        """Note a request that was answered."""
        with self._lock:
            self._requests[status] += 1
            self._rows += rows
            self._seconds += seconds

    def text(self) -> str:
        """All of it, a line each."""
        with self._lock:
            requests = [
                f'facetwise_requests_total{{status="{status}"}} {count}'
                for status, count in sorted(self._requests.items())
            ]
            lines = [
                "# TYPE facetwise_requests_total counter",
                *requests,
                "# TYPE facetwise_rows_total counter",
                f"facetwise_rows_total {self._rows}",
                "# TYPE facetwise_request_seconds_total counter",
                f"facetwise_request_seconds_total {self._seconds:.6f}",
            ]
        return "\n".join(lines) + "\n"
