"""A download ends with the right file in its place, or with none and the reason."""

import gzip
import hashlib
import socket

import numpy as np
import pytest

import facetwise.datasets.download as module
from facetwise.datasets.contents import File
from facetwise.datasets.download import download
from facetwise.errors import DataError

CONTENT = np.random.default_rng(0).bytes(200_000)
PACKED = gzip.compress(CONTENT, mtime=0)
HALF = len(PACKED) // 2


def file_of(*homes, content=CONTENT):
    """A file that some homes have."""
    return File("set/file.gz", (hashlib.sha256(content).hexdigest(),), homes)


@pytest.fixture
def path(tmp_path):
    """Where the file is to be, in a folder that is not there yet."""
    return tmp_path / "cache" / "set" / "file.gz"


@pytest.fixture
def part(path):
    """Where it lies while it is incomplete."""
    path.parent.mkdir(parents=True)
    return path.with_name("file.gz.part")


def refused():
    """An address of this machine where nobody answers."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{taken.getsockname()[1]}/file.gz"


@pytest.mark.parametrize("tells_length", [True, False])
def test_all_of_it(home, path, tells_length):
    """A file is fetched, checked, kept as it came, and what it holds is handed back."""
    home.content, home.tells_length = PACKED, tells_length
    assert download(file_of(home.url), path) == CONTENT
    assert path.read_bytes() == PACKED
    assert list(path.parent.iterdir()) == [path]
    assert home.asked == [None]


@pytest.mark.parametrize("there", [1, HALF, len(PACKED) - 1])
@pytest.mark.parametrize("knows_ranges", [True, False])
def test_the_rest_of_it(home, path, part, there, knows_ranges):
    """Only what is missing is asked for, and a home that sends all is as good."""
    home.content, home.knows_ranges = PACKED, knows_ranges
    part.write_bytes(PACKED[:there])
    assert download(file_of(home.url), path) == CONTENT
    assert home.asked == [f"bytes={there}-"]
    assert path.read_bytes() == PACKED
    assert not part.exists()


@pytest.mark.parametrize("more", [0, 5])
def test_nothing_left_to_send(home, path, part, more):
    """Where as much is here as a home has, or more, all of it is fetched again."""
    home.content = PACKED
    part.write_bytes(PACKED + bytes(more))
    assert download(file_of(home.url), path) == CONTENT
    assert home.asked == [f"bytes={len(PACKED) + more}-", None]


def test_goes_on_where_it_broke_off(home, path):
    """What arrived before a connection broke is kept, said, and not fetched again."""
    home.content, home.breaks_off = PACKED, 1000
    with pytest.raises(DataError, match=rf"1,000 of {len(PACKED):,} bytes") as told:
        download(file_of(home.url), path)
    part = path.with_name("file.gz.part")
    assert str(part) in str(told.value)
    assert part.read_bytes() == PACKED[:1000]
    assert not path.exists()
    home.breaks_off = None
    assert download(file_of(home.url), path) == CONTENT
    assert home.asked == [None, "bytes=1000-"]


@pytest.mark.parametrize(
    ("sent", "says"),
    [
        (gzip.compress(b"something else"), "another file"),
        (gzip.compress(CONTENT[:-1]), "another file"),
        (PACKED[:-9], "end-of-stream"),
        (b"<html>Please log in.</html>", "Not a gzipped file"),
        (b"", "another file"),
    ],
    ids=["other", "shorter", "cut", "page", "nothing"],
)
@pytest.mark.parametrize("there", [b"", b"\x1f\x8b and so on"], ids=len)
def test_wrong_bytes(home, path, part, sent, says, there):
    """Bytes that are not those of the file are named and thrown away, every one."""
    home.content = sent
    part.write_bytes(there)
    with pytest.raises(DataError) as told:
        download(file_of(home.url), path)
    assert home.url in str(told.value)
    assert there or says in str(told.value)
    assert list(path.parent.iterdir()) == []


def test_a_wrong_beginning(home, path, part):
    """After a part that belonged to something else, the next call starts afresh."""
    home.content = PACKED
    part.write_bytes(b"no gzip file")
    with pytest.raises(DataError, match="Not a gzipped file"):
        download(file_of(home.url), path)
    assert download(file_of(home.url), path) == CONTENT
    assert home.asked == ["bytes=12-", None]


@pytest.mark.parametrize("status", [403, 404, 500])
def test_a_home_without_the_file(home, path, status):
    """What a home says instead is passed on, with what to do; no empty file is left."""
    home.status = status
    with pytest.raises(DataError) as told:
        download(file_of(home.url), path)
    message = str(told.value)
    assert f"{home.url}: HTTP Error {status}" in message
    assert str(path) in message
    assert "FACETWISE_DATA" in message
    assert list(path.parent.iterdir()) == []


def test_nobody_at_home(path):
    """A refused connection is an error of facetwise that names the address."""
    url = refused()
    with pytest.raises(DataError, match="refused") as told:
        download(file_of(url), path)
    assert url in str(told.value)


def test_a_silent_home(home, path, monkeypatch):
    """A home that says nothing is not waited for without end."""
    monkeypatch.setattr(module, "TIMEOUT", 0.05)
    home.silent = True
    with pytest.raises(DataError, match="timed out"):
        download(file_of(home.url), path)


def test_the_next_home(home, path):
    """Where one home fails the next is asked, and nothing is said of it."""
    home.content = PACKED
    assert download(file_of(refused(), home.url), path) == CONTENT


def test_the_next_home_after_wrong_bytes(home, path):
    """Wrong bytes of one home do not stay in what the next one sends."""
    home.content = gzip.compress(b"something else")
    with pytest.raises(DataError) as told:
        download(file_of(home.url, home.url), path)
    assert str(told.value).count(home.url) == 2
    assert home.asked == [None, None]


@pytest.mark.parametrize("tells_length", [True, False])
def test_progress_goes_to_a_function(home, path, part, tells_length):
    """It hears how much is there, what came earlier included, up to all of it."""
    home.content, home.tells_length = PACKED, tells_length
    part.write_bytes(PACKED[:1000])
    calls = []
    download(file_of(home.url), path, lambda *call: calls.append(call))
    done, total = zip(*calls, strict=True)
    assert done[0] > 1000
    assert list(done) == sorted(done)
    assert calls[-1] == (len(PACKED), len(PACKED))
    assert set(total) == ({len(PACKED)} if tells_length else {None, len(PACKED)})


def test_another_process_was_faster(home, path):
    """Where the file has come into its place meanwhile, it is checked and used."""
    home.content = PACKED

    def meanwhile(done, total):
        path.with_name("file.gz.part").unlink(missing_ok=True)
        path.write_bytes(PACKED)

    assert download(file_of(home.url), path, meanwhile) == CONTENT
    assert list(path.parent.iterdir()) == [path]


def test_somebody_took_it_away(home, path):
    """A part that vanished is an error of facetwise like any other."""
    home.content = PACKED

    def meanwhile(done, total):
        path.with_name("file.gz.part").unlink(missing_ok=True)

    with pytest.raises(DataError, match="No such file"):
        download(file_of(home.url), path, meanwhile)


def test_the_bar():
    """The line names the file, and shows a share only where the whole is known."""
    text = module._bar("set/file.gz")
    assert text(0, 2_000_000) == f"set/file.gz [{' ' * 24}] 0.0 of 2.0 MB "
    assert text(10**6, 2 * 10**6) == f"set/file.gz [{'#' * 12:<24}] 1.0 of 2.0 MB "
    assert text(2 * 10**6, 2 * 10**6) == f"set/file.gz [{'#' * 24}] 2.0 of 2.0 MB "
    assert text(10**6, None) == "set/file.gz  1.0 MB "


def test_nowhere_to_keep_it(home, tmp_path):
    """A cache that cannot be made is an error that names it, before anyone is asked."""
    blocked = tmp_path / "a file"
    blocked.write_text("in the way")
    with pytest.raises(DataError, match=r"cannot be kept in .*a file"):
        download(file_of(home.url), blocked / "set" / "file.gz")
    assert home.asked == []
