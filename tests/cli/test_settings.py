"""`facetwise.toml` says what need not be typed, and what is typed counts first."""

import json
from pathlib import Path

import pytest

from typed import typed

DRY = ["explain", "rows.csv", "--dry-run", "--json"]


def write(text, place="."):
    """A settings file."""
    (Path(place) / "facetwise.toml").write_text(text)


def dry(*words):
    """What a dry run tells."""
    done = typed(*DRY, *words)
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout), done.stderr


def test_commands_become_short(folder):
    """Address, limits and domain are taken from the file, which is named."""
    write(
        '[endpoint]\nurl = "http://127.0.0.1:9/v2/models/m"\n'
        '[explain]\nmax-queries = 77\nfeatures = ["debt", "age", "income"]\n'
        '[domain]\nfrozen = ["age"]\n'
    )
    told, said = dry()
    assert (told["max_queries"], told["moving"]) == (77, 2)
    assert "facetwise.toml" in said


def test_what_is_typed_counts_first(folder):
    """An option that is typed replaces that of the file, a model its address too."""
    write('[endpoint]\nurl = "http://127.0.0.1:9/"\n[explain]\nmax-queries = 77\n')
    assert dry("--max-queries", 88)[0]["max_queries"] == 88
    assert dry("--model", "m.npz")[0]["max_queries"] == 77
    (folder / "d.toml").write_text('frozen = ["age"]')
    write('[endpoint]\nurl = "http://127.0.0.1:9/"\n[domain]\nfrozen = [0, 1]\n')
    assert dry("--domain", "d.toml")[0]["moving"] == 3


def test_the_nearest_file_is_taken(folder, monkeypatch):
    """A file in the working folder comes before those above; files lie beside it."""
    write('[explain]\nmodel = "m.npz"\nmax-queries = 1\n')
    below = folder / "a" / "b"
    below.mkdir(parents=True)
    (below / "rows.csv").write_bytes((folder / "rows.csv").read_bytes())
    monkeypatch.chdir(below)
    assert dry()[0]["max_queries"] == 1
    write('[explain]\nmodel = "../../m.npz"\nmax-queries = 2\n')
    assert dry()[0]["max_queries"] == 2
    assert dry("--settings", "../../facetwise.toml")[0]["max_queries"] == 1


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[endpoint", "not proper toml"),
        ("url = 1", "takes the sections"),
        ("[endpoints]\n", "takes the sections"),
        ("[endpoint]\nurll = 1", "'urll'"),
        ("[explain]\nmax-queries = 'many'", "max-queries"),
        ("[domain]\nlowest = 1", "no 'lowest'"),
        ("[domain]\nfrozen = ['height']", "'height'"),
        ("[domain]\ntypical = 'gone.csv'", "no file"),
    ],
)
def test_mistakes_are_named(folder, text, says):
    """What a settings file has wrong is told with its name, and nothing is asked."""
    write(text)
    done = typed(*DRY, "--model", "m.npz")
    assert done.exit_code == 2
    assert says in done.stderr


def test_a_file_that_is_not_there(folder):
    """Settings that were named and are missing are a mistake."""
    assert typed(*DRY, "--model", "m.npz", "--settings", "gone.toml").exit_code == 2
