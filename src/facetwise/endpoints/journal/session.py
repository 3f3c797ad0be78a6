"""One run in a journal, from where it stands now: recalls answers, and keeps new ones.

A question is known by its content and by how often the run has asked it before. One
that is asked again on purpose reaches the service again, and when the run is resumed
its answers come back in their order.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from os import PathLike, fspath
from pathlib import Path

from facetwise.endpoints.journal.connection import connect, told
from facetwise.endpoints.journal.identity import Answer, Identity, call_digest, packed
from facetwise.endpoints.journal.transaction import transaction
from facetwise.errors import JournalError

ASKED = "CREATE TEMP TABLE asked (question BLOB PRIMARY KEY, times) WITHOUT ROWID"
"""What this session has asked: on disk, since memory should not grow with a run."""

COUNT = """
INSERT INTO temp.asked VALUES (?, 1)
ON CONFLICT (question) DO UPDATE SET times = times + 1
RETURNING times - 1
"""

RECALL = """
SELECT scores, call FROM answers WHERE run = ? AND question = ? AND occurrence = ?
"""

BEGIN = """
INSERT OR IGNORE INTO runs
    (identity, endpoint, settings, shape, instances, seed, begun)
VALUES (?, ?, ?, ?, ?, ?, ?)
"""

KNOWN = "SELECT id, seed, finished FROM runs WHERE identity = ?"


@dataclass(frozen=True, slots=True)
class Recalled:
    """A question with its occurrence, and its scores if they are known."""

    question: bytes
    occurrence: int
    scores: bytes | None


def utc() -> str:
    """The time as text."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class Session:
    """A run begun or taken up again, by one process; safe under threads.

    `seed` is that of the run as it was begun first, and `finished` tells whether it
    once came to its end. Several processes may work on the same run: what one of them
    has kept is the answer for all.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        identity: Identity,
        seed: int,
        resume: bool = False,
        now: Callable[[], str] = utc,
    ) -> None:
        self.path = fspath(path)
        if resume and not Path(path).exists():
            raise JournalError(f"There is no journal at {self.path} to resume from.")
        self._now = now
        self._lock = threading.Lock()
        self._broken: JournalError | None = None
        self._connection = connect(self.path)
        try:
            with told(self.path):
                if resume:
                    self._check_known(identity)
                self._run, self.seed, self.finished = self._begin(identity, seed)
        except BaseException:
            self._connection.close()
            raise

    def recall(self, questions: Sequence[bytes]) -> list[Recalled]:
        """Count questions that are about to be asked, with the answers already kept."""
        with self._lock, told(self.path):
            if self._broken is not None:
                raise self._broken
            with transaction(self._connection):
                return [self._recall(question) for question in questions]

    def keep(self, answers: Sequence[Answer]) -> list[bytes]:
        """Keep the answers of one call; the scores that now count for each of them."""
        with self._lock:
            try:
                with told(self.path), transaction(self._connection, "BEGIN IMMEDIATE"):
                    return self._keep(answers)
            except JournalError as error:
                self._broken = error  # nothing more is asked that could not be kept
                raise

    def finish(self) -> None:
        """Note that the run came to its end."""
        with self._lock, told(self.path):
            self._connection.execute(
                "UPDATE runs SET finished = ? WHERE id = ?", (self._now(), self._run)
            )

    def close(self) -> None:
        """Close the file."""
        with self._lock, told(self.path):
            self._connection.close()

    def _check_known(self, identity: Identity) -> None:
        known = self._connection.execute(KNOWN, (identity.hash,)).fetchone()
        if known is None:
            raise JournalError(
                f"The journal {self.path} does not hold this run: one is resumed with "
                "the model, the rows and the settings that it was begun with. Take "
                "those, or begin anew without resuming."
            )

    def _begin(self, identity: Identity, seed: int) -> tuple[int, int, bool]:
        execute = self._connection.execute
        execute(ASKED)
        with transaction(self._connection, "BEGIN IMMEDIATE"):
            execute(
                BEGIN,
                (
                    identity.hash,
                    identity.endpoint,
                    identity.text,
                    identity.shape,
                    packed(identity.instances),
                    json.dumps(seed),
                    self._now(),
                ),
            )
            run, kept, finished = execute(KNOWN, (identity.hash,)).fetchone()
        return run, json.loads(kept), finished is not None

    def _recall(self, question: bytes) -> Recalled:
        execute = self._connection.execute
        (occurrence,) = execute(COUNT, (question,)).fetchone()
        found = execute(RECALL, (self._run, question, occurrence)).fetchone()
        return Recalled(question, occurrence, found and found[0])

    def _keep(self, answers: Sequence[Answer]) -> list[bytes]:
        connection, run = self._connection, self._run
        call = connection.execute(
            "INSERT INTO calls (run, answers, at, digest) VALUES (?, ?, ?, ?)",
            (run, len(answers), self._now(), call_digest(answers)),
        ).lastrowid
        before = connection.total_changes
        connection.executemany(
            "INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?, ?)",
            [(run, question, times, call, y) for question, times, y in answers],
        )
        if connection.total_changes - before == len(answers):
            return [y for _, _, y in answers]
        return self._settle(call, answers)

    def _settle(self, call: int | None, answers: Sequence[Answer]) -> list[bytes]:
        """Another process was first with some of these: its answers count."""
        execute = self._connection.execute
        kept = [
            execute(RECALL, (self._run, *answer[:2])).fetchone() for answer in answers
        ]
        ours = [a for a, (_, by) in zip(answers, kept, strict=True) if by == call]
        execute(
            "UPDATE calls SET answers = ?, digest = ? WHERE id = ?",
            (len(ours), call_digest(ours), call),
        )
        return [scores for scores, _ in kept]
