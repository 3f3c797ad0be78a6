"""Data is looked for where users say, and where their platform keeps such things."""

import sys
from pathlib import Path

import pytest

from facetwise.datasets.folders import cache, folders
from facetwise.errors import DataError

HOME = Path("/home/somebody")


@pytest.fixture(autouse=True)
def somebody(monkeypatch):
    """A user without any settings."""
    monkeypatch.setattr(Path, "home", lambda: HOME)
    for name in ["FACETWISE_DATA", "XDG_CACHE_HOME", "LOCALAPPDATA"]:
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("platform", "settings", "expected"),
    [
        ("linux", {}, HOME / ".cache/facetwise"),
        ("linux", {"XDG_CACHE_HOME": "/var/tmp/c"}, Path("/var/tmp/c/facetwise")),
        ("linux", {"XDG_CACHE_HOME": "relative"}, HOME / ".cache/facetwise"),
        ("linux", {"XDG_CACHE_HOME": ""}, HOME / ".cache/facetwise"),
        ("darwin", {"XDG_CACHE_HOME": "/x"}, HOME / "Library/Caches/facetwise"),
        ("win32", {}, HOME / "AppData/Local/facetwise/Cache"),
        ("win32", {"LOCALAPPDATA": "/L"}, Path("/L/facetwise/Cache")),
    ],
)
def test_the_cache(platform, settings, expected, monkeypatch):
    """The cache lies where the conventions of the platform have it."""
    monkeypatch.setattr(sys, "platform", platform)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    assert cache() == expected


def test_the_named_folder_comes_first(monkeypatch, tmp_path):
    """The folder that FACETWISE_DATA names is looked into before the cache."""
    assert folders() == [cache()]
    monkeypatch.setenv("FACETWISE_DATA", str(tmp_path))
    assert folders() == [tmp_path, cache()]


@pytest.mark.parametrize("name", ["gone", "file"])
def test_a_name_that_is_no_folder(monkeypatch, tmp_path, name):
    """A slip in FACETWISE_DATA is told, and does not end in a download."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("FACETWISE_DATA", str(tmp_path / name))
    with pytest.raises(DataError, match=f"{name}, which is not a folder"):
        folders()
