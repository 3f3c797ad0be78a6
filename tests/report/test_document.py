"""A report is one file that holds its numbers exactly and lets nothing else in."""

import base64
import hashlib
import json
import re

import numpy as np
import pytest

import facetwise as fw
import problems as zoo
from facetwise import InputError, Status
from facetwise.report.document import PAGE, SCRIPTS, STYLES
from facetwise.report.plain import PLAIN
from records import explanation, without

MODEL = zoo.random_network(np.random.default_rng(0), 4, 3, 1, 8)
X = np.random.default_rng(1).standard_normal((6, 4))
GIVEN = fw.Explainer(zoo.probabilities(MODEL), seed=0)(X)


@pytest.fixture
def written(tmp_path):
    """The text of a report."""

    def write(given=GIVEN, **settings):
        path = tmp_path / "rows.html"
        fw.report.write(given, path, **settings)
        return path.read_bytes().decode("utf-8")

    return write


def told(page):
    """The facts of a page, as JSON has them."""
    return json.loads(re.search(r'id="facts">(.*?)</script>', page, re.S)[1])


def decoded(page, name, width):
    """The numbers of a page, a row at a time."""
    text = re.search(rf'id="{name}">(.*?)</script>', page, re.S)[1]
    numbers = np.frombuffer(base64.b64decode(text), "<f8")
    return numbers.reshape(-1, -(-width // 3) * 3)[:, :width]


def test_the_policy_allows_its_own_script_and_style_alone(written):
    """Both go by their hashes; all else, from networks to handlers, is forbidden."""
    page = written()
    policy = re.search(r'Content-Security-Policy" content="(.*?)"', page)[1]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    for tag, rule in [
        (r'<script type="module">(.*?)</script>', "script-src"),
        (r"<style>(.*?)</style>", "style-src"),
    ]:
        digest = hashlib.sha256(re.search(tag, page, re.S)[1].encode()).digest()
        assert rules[rule] == f"'sha256-{base64.b64encode(digest).decode()}'"
    assert rules["default-src"] == "'none'"
    assert "unsafe" not in policy
    assert not re.search(r"\son\w+=|\sstyle=|\ssrc=|\shref=|url\(|@import", page)


def test_numbers_are_exact(written):
    """Data, weights and core parameters are in the file to the last digit."""
    page = written()
    assert np.array_equal(decoded(page, "data", 4), X)
    assert np.array_equal(decoded(page, "values", 4), GIVEN.values)
    pairs = decoded(page, "pairs", 8).reshape(6, 2, 4)
    for i, target in enumerate(GIVEN.target):
        rivals = [c for c in range(3) if c != target]
        assert np.array_equal(pairs[i], GIVEN.pairwise[i, rivals])
        assert np.array_equal(
            decoded(page, "pairBase", 2)[i], GIVEN.pairwise_base[i, rivals]
        )


def test_what_a_reader_is_told(written):
    """Model, time, cost and settings come from the run; long seeds stay whole."""
    about = told(written())["about"]
    for name in ("model", "started", "seconds", "queries", "calls", "confidence"):
        assert about[name] == GIVEN.meta[name]
    given = fw.Explainer(zoo.probabilities(MODEL), seed=2**100)(X[:1])
    assert told(written(given))["about"]["seed"] == str(2**100)


def test_every_status_has_plain_words():
    """There is a sentence for readers who do not know the method for each outcome."""
    assert PLAIN.keys() == set(Status)
    assert len(set(PLAIN.values())) == len(Status)


def test_hostile_names_are_data(written):
    """No name can end the element that it stands in."""
    name = "</script><script>alert(1)</script><!--"
    given = explanation([[1.0]], feature_names=(name,), class_names=(name,) * 3)
    page = written(given, title=name)
    assert page.count("<script") == written(explanation([[1.0]])).count("<script")
    assert told(page)["features"] == [name]
    assert f"<title>{name.replace('<', '&lt;').replace('>', '&gt;')}</title>" in page


def test_rows_without_anything(written):
    """Rows without weights, targets or a known response are no obstacle."""
    given = without(Status.NOT_ASKED, target=np.array([-1]), meta={"response": None})
    facts = told(written(given))
    assert facts["base"] == [None]
    assert facts["target"] == [-1]
    assert told(written(given[:0]))["rows"] == 0


@pytest.mark.parametrize(
    ("shape", "taken"),
    [
        (None, None),
        ("square", [2, 2, 1]),
        ((1, 4), [1, 4, 1]),
        ([4, 1], [4, 1, 1]),
        ((2, 2, 1), [2, 2, 1]),
    ],
)
def test_image_shapes(shape, taken, written):
    """Rows are images when somebody says so, and never by the number of features."""
    facts = told(written(image_shape=shape))
    assert facts["image"] == taken
    assert (facts["features"][0] == "pixel 1, 1") == (taken is not None)


@pytest.mark.parametrize(
    "shape", [(2, 3), (4,), (-2, -2), (1, 2, 2), (0, 0), (2, 2, 1, 1)]
)
def test_image_shapes_that_do_not_fit(shape, written):
    """A shape of another number of features is an error that says what would fit."""
    with pytest.raises(InputError, match="multiply to the 4 features"):
        written(image_shape=shape)


def test_every_file_of_the_page_is_used():
    """The page is made of all the files that lie beside it, and names no other."""
    names = {*(f"{s}.css" for s in STYLES), *(f"{s}.js" for s in SCRIPTS), "page.html"}
    assert names == {file.name for file in PAGE.iterdir()}


def test_the_pages_files_cannot_end_their_element():
    """No script or style has in it what would end it early."""
    for file in PAGE.iterdir():
        if not file.name.endswith(".html"):
            assert not re.search(r"</(script|style)|<!--", file.read_text("utf-8"))
