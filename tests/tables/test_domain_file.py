"""A domain in a file is the one that Python would state."""

import json

import numpy as np
import pytest

from facetwise import Domain, InputError
from facetwise.tables.domain_file import read_domain

NAMES = ("age", "income", "code")
ROWS = np.array([[20.0, 1.0, 5.0], [70.0, 3.0, 5.0], [40.0, 2.0, 5.0]])


@pytest.fixture
def folder(tmp_path):
    """A folder with typical rows."""
    lines = [",".join(NAMES), *(",".join(map(str, row)) for row in ROWS)]
    (tmp_path / "typical.csv").write_text("\n".join(lines))
    return tmp_path


def read(folder, name, text, features=NAMES):
    """The domain of a file with this text."""
    (folder / name).write_text(text)
    return read_domain(folder / name).domain(features)


def test_settings_are_those_of_a_domain(folder):
    """What is stated in TOML or JSON is handed on as it is."""
    expected = Domain(lower={"age": 18}, frozen=["code"], scale=2.0)
    text = 'scale = 2.0\nfrozen = ["code"]\nlower = { age = 18 }'
    assert read(folder, "d.toml", text) == expected
    text = json.dumps({"scale": 2.0, "frozen": ["code"], "lower": {"age": 18}})
    assert read(folder, "d.json", text) == expected


def test_typical_rows_span_a_domain(folder):
    """A table is a domain, with the limits of its columns."""
    found = read_domain(folder / "typical.csv").domain(NAMES[:2])
    assert found.lower == {"age": 20.0, "income": 1.0}
    assert found.upper == {"age": 70.0, "income": 3.0}


def test_what_is_stated_counts_first(folder):
    """Typical rows say what is not stated, feature by feature."""
    text = 'typical = "typical.csv"\nlower = { age = 0 }\nfrozen = ["code"]'
    found = read(folder, "d.toml", text)
    assert found.lower == {"age": 0, "income": 1.0}
    assert found.frozen == ["code"]
    assert found.upper == {"age": 70.0, "income": 3.0}


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("d.toml", "lower = ", "not proper toml"),
        ("d.json", "{", "not proper json"),
        ("d.json", "[1]", "by name"),
        ("d.yaml", "", "ends in .yaml"),
        ("d.toml", "low = 1", "no 'low'"),
        ("d.toml", "typical = 1", "must name a file"),
        ("d.toml", "typical = 'gone.csv'", "no file"),
        ("d.toml", "typical = 'typical.npy'\nlower = {age = 1}", "goes by name"),
    ],
)
def test_mistakes_are_named(folder, name, text, says):
    """What a file has wrong is an error that says so."""
    np.save(folder / "typical.npy", ROWS)
    with pytest.raises(InputError, match=says):
        read(folder, name, text, features=())
