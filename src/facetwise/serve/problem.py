"""What is answered to a request that cannot be served."""

from __future__ import annotations


class Problem(Exception):
    """A status of HTTP, and a sentence for whoever asked."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence
