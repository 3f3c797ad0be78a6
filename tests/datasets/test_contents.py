"""No content is handed out before its checksum was found to be right."""

import gzip
import hashlib

import numpy as np
import pytest

import facetwise.datasets.contents as module
from facetwise.datasets.contents import File, contents
from facetwise.errors import DataError

CONTENT = np.random.default_rng(1).bytes(5000)
SHA256 = hashlib.sha256(CONTENT).hexdigest()


def test_a_plain_file(tmp_path):
    """A file that is not packed is handed out as it is."""
    (tmp_path / "file.csv").write_bytes(CONTENT)
    assert contents(tmp_path / "file.csv", File("file.csv", (SHA256,))) == CONTENT


@pytest.mark.parametrize("level", [0, 1, 9])
def test_however_it_is_packed(tmp_path, level):
    """The checksum is that of what is in the file, not of how it was packed."""
    path = tmp_path / "whatever"
    path.write_bytes(gzip.compress(CONTENT, level, mtime=level))
    assert contents(path, File("file.gz", (SHA256,))) == CONTENT


def test_any_way_of_writing_it(tmp_path):
    """A file may be written in several ways, each with its checksum."""
    other = hashlib.sha256(b"other").hexdigest()
    (tmp_path / "file").write_bytes(CONTENT)
    assert contents(tmp_path / "file", File("file", (other, SHA256))) == CONTENT


def test_every_bit_counts(tmp_path):
    """A single bit that differs, wherever it is, is enough to refuse a file."""
    path, file = tmp_path / "file", File("file", (SHA256,))
    for bit in np.random.default_rng(2).integers(8 * len(CONTENT), size=100):
        changed = bytearray(CONTENT)
        changed[bit // 8] ^= 1 << bit % 8
        path.write_bytes(changed)
        with pytest.raises(DataError, match="damaged"):
            contents(path, file)


def test_a_packed_file_cut_anywhere(tmp_path):
    """No beginning of a packed file is taken for all of it."""
    path, packed = tmp_path / "file.gz", gzip.compress(CONTENT)
    for length in range(0, len(packed), 97):
        path.write_bytes(packed[:length])
        with pytest.raises(DataError, match=r"file\.gz (cannot be read|is damaged)"):
            contents(path, File("file.gz", (SHA256,)))


def test_what_the_error_says(tmp_path):
    """It names the file, the checksum that was expected, and the one that was found."""
    path = tmp_path / "file.gz"
    path.write_bytes(gzip.compress(b"other"))
    with pytest.raises(DataError) as told:
        contents(path, File("file.gz", (SHA256,)))
    found = hashlib.sha256(b"other").hexdigest()
    assert all(word in str(told.value) for word in [str(path), SHA256, found])


def test_what_cannot_be_read(tmp_path):
    """A folder where a file should be is an error that names it."""
    with pytest.raises(DataError, match="cannot be read"):
        contents(tmp_path, File("file", (SHA256,)))


def test_what_is_not_there(tmp_path):
    """A file that is not there is no damaged one: it can be looked for elsewhere."""
    with pytest.raises(FileNotFoundError):
        contents(tmp_path / "file", File("file", (SHA256,)))


def test_what_never_ends_when_unpacked(tmp_path, monkeypatch):
    """No more is unpacked than the largest file holds, and that is then refused."""
    monkeypatch.setattr(module, "LARGEST", 1000)
    path = tmp_path / "file.gz"
    path.write_bytes(gzip.compress(bytes(10**6)))
    first = hashlib.sha256(bytes(1000)).hexdigest()
    with pytest.raises(DataError, match=first):
        contents(path, File("file.gz", (SHA256,)))
