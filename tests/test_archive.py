"""Arrays and a note go through one file unchanged; anything else is named."""

import json

import numpy as np
import pytest

from facetwise import InputError
from facetwise.archive import Archive

ARCHIVE = Archive("thing", 3, "thing", "Thing.save")


def both(note, arrays):
    """The note, and arrays as they are."""
    return note, {name: arrays[name] for name in ("a", "words")}


def test_there_and_back(tmp_path):
    """Numbers are exact, text stays text, and the note says which format it is."""
    path = tmp_path / "thing.npz"
    arrays = {"a": np.array([0.1, np.nan, -0.0]), "words": np.array(["ä", "b"])}
    ARCHIVE.write(path, {"name": None}, arrays)
    note, found = ARCHIVE.read(path, both)
    assert note == {"name": None, "thing": 3}
    assert found["a"].tobytes() == arrays["a"].tobytes()
    assert found["words"].tolist() == ["ä", "b"]


def test_a_plain_path_keeps_its_ending(tmp_path):
    """A file is written where it was asked for, whatever its name ends with."""
    ARCHIVE.write(str(tmp_path / "plain"), {}, {})
    assert [path.name for path in tmp_path.iterdir()] == ["plain"]


def test_another_format_is_told(tmp_path):
    """A file of a later version says so, and is not half read."""
    path = tmp_path / "later.npz"
    Archive("thing", 4, "thing", "Thing.save").write(path, {}, {})
    with pytest.raises(InputError, match=r"later\.npz has format 4; .* reads format 3"):
        ARCHIVE.read(path, both)


@pytest.mark.parametrize(
    "content", [b"", b"text", b"PK\x03\x04 cut off"], ids=["empty", "text", "zip"]
)
def test_what_is_no_archive_is_named(tmp_path, content):
    """The message names the file, and what was expected of it."""
    path = tmp_path / "other.npz"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"other\.npz is no saved thing.*Thing\.save"):
        ARCHIVE.read(path, both)


def test_another_kind_of_archive_is_named(tmp_path):
    """A file that something else wrote is not taken for this."""
    path = tmp_path / "other.npz"
    Archive("stranger", 3, "stranger", "Stranger.save").write(path, {}, {})
    with pytest.raises(InputError, match="is no saved thing"):
        ARCHIVE.read(path, both)


def test_nothing_is_unpickled(tmp_path):
    """Objects in a file are refused, since reading them could run code."""
    path = tmp_path / "objects.npz"
    about = np.array(json.dumps({"thing": 3}))
    np.savez(path, about=about, a=np.array([{}], dtype=object), words=np.zeros(1))
    with pytest.raises(InputError, match="is no saved thing"):
        ARCHIVE.read(path, both)
