"""A file is the first that is found, or is fetched; one that is bad is named."""

import hashlib

import pytest

from facetwise.datasets.contents import File
from facetwise.datasets.finding import content_of
from facetwise.datasets.folders import cache
from facetwise.errors import DataError

CONTENT = b"0,1\n"


@pytest.fixture
def given(tmp_path, monkeypatch):
    """A folder that FACETWISE_DATA names, and an empty cache."""
    folder = tmp_path / "given"
    (folder / "set").mkdir(parents=True)
    monkeypatch.setenv("FACETWISE_DATA", str(folder))
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    return folder


@pytest.fixture
def file(home):
    """A file that a home has, too."""
    home.content = CONTENT
    return File("set/file.csv", (hashlib.sha256(CONTENT).hexdigest(),), (home.url,))


def test_in_the_named_folder(given, file, home):
    """What is in the named folder is neither downloaded nor copied."""
    (given / file.path).write_bytes(CONTENT)
    assert content_of(file) == CONTENT
    assert home.asked == []
    assert not cache().exists()


def test_downloaded_once(given, file, home):
    """What is nowhere is downloaded into the cache, and found there ever after."""
    assert content_of(file) == CONTENT
    assert content_of(file) == CONTENT
    assert len(home.asked) == 1
    assert (cache() / file.path).read_bytes() == CONTENT
    assert list((given / "set").iterdir()) == []


def test_nowhere(given, file, home):
    """What is nowhere and cannot be fetched is told with all places searched."""
    home.status = 404
    with pytest.raises(DataError, match="HTTP Error 404") as told:
        content_of(file)
    assert f"{file.path} is not in {given} or {cache()}. " in str(told.value)
    assert "put the file at" in str(told.value)


@pytest.mark.parametrize("where", ["given", "cache"])
def test_a_bad_file_is_not_passed_over(given, file, home, where):
    """A damaged file is named with what to do, though a good one could be had."""
    path = (given if where == "given" else cache()) / file.path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(CONTENT[:-1])
    with pytest.raises(DataError, match="Delete it or put the right one") as told:
        content_of(file)
    assert str(path) in str(told.value)
    assert home.asked == []
    assert path.read_bytes() == CONTENT[:-1]


def test_a_folder_in_its_place(given, file):
    """A folder of the file's name is named; it is not taken for a missing file."""
    (given / file.path).mkdir()
    with pytest.raises(DataError, match=r"file\.csv cannot be read"):
        content_of(file)


def test_a_file_in_place_of_its_folder(given, file):
    """A file of the folder's name is told of, and no download hides it."""
    (given / "set").rmdir()
    (given / "set").write_text("")
    with pytest.raises(DataError, match="Not a directory"):
        content_of(file)
