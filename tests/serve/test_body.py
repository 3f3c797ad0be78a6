"""Bodies are unpacked within limits, whatever they claim to be."""

import gzip
import io
import zlib

import pytest

from facetwise.serve.body import unpacked
from facetwise.serve.problem import Problem

TEXT = b"rows " * 100


def read(content, encoding="", most=10_000):
    """Unpack a body."""
    return unpacked(io.BytesIO(content), encoding, most)


@pytest.mark.parametrize("encoding", ["", "identity", " Identity "])
def test_plain_bodies_pass(encoding):
    """What is not packed is handed on."""
    assert read(TEXT, encoding) == TEXT


def test_packed_bodies_are_unpacked():
    """gzip and deflate are both known."""
    assert read(gzip.compress(TEXT), "gzip") == TEXT
    assert read(zlib.compress(TEXT), "deflate") == TEXT


@pytest.mark.parametrize(
    ("content", "encoding", "status"),
    [
        (gzip.compress(bytes(10**7), mtime=0), "gzip", 413),
        (TEXT, "gzip", 400),
        (gzip.compress(TEXT, mtime=0)[:-9], "gzip", 400),
        (b"", "gzip", 400),
        (TEXT, "br", 415),
        (TEXT, "gzip, gzip", 415),
    ],
)
def test_hostile_bodies(content, encoding, status):
    """One that swells, lies, or ends early is a problem of the one who sent it."""
    with pytest.raises(Problem) as caught:
        read(content, encoding)
    assert caught.value.status == status


def test_the_limit_itself_is_allowed():
    """A body of just the most bytes passes, and one more does not."""
    packed = gzip.compress(TEXT)
    assert read(packed, "gzip", most=len(TEXT)) == TEXT
    with pytest.raises(Problem):
        read(packed, "gzip", most=len(TEXT) - 1)
