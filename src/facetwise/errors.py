"""What can go wrong by misuse or by a model that is gone.

    FacetwiseError
    ├── InputError        what was passed in cannot be used
    ├── ResponseError     the scores are not what they were said to be, or ambiguous
    ├── ModelError        the model raised an exception of its own
    ├── EndpointError     a service cannot be reached, or refuses to answer
    ├── JournalError      a journal cannot be written or read, or is of another model
    ├── ExtraError        an optional library is not installed
    └── DataError         a data set is missing, damaged, or cannot be downloaded

An outcome that is merely not certified is no exception: see `Status`.
"""

from __future__ import annotations

from typing import Any


class FacetwiseError(Exception):
    """Base of every error that facetwise raises on purpose.

    `explanation` holds what was finished when a run broke off, the other rows marked
    as not asked; it is None when the model had not answered anything usable yet.
    """

    explanation: Any | None = None


class InputError(FacetwiseError, ValueError):
    """Something that was passed in cannot be used; the message says what to pass."""


class ResponseError(FacetwiseError, ValueError):
    """The scores are ambiguous, or not what `response` says they are."""


class ModelError(FacetwiseError, RuntimeError):
    """The model raised; the cause is chained."""


class EndpointError(FacetwiseError, RuntimeError):
    """A service cannot be used; the message says what it answered and what to try."""


class JournalError(FacetwiseError, RuntimeError):
    """A journal cannot be used; the message says why, and what to do."""


class ExtraError(FacetwiseError, ImportError):
    """An optional library is not installed; the message says what to install."""


class DataError(FacetwiseError, RuntimeError):
    """A data set is missing or damaged; the message says what to put where."""
