"""Every outcome is something that a person can read and act on."""

import re

import pytest

from facetwise.core.status import Status

HELP = re.compile(
    r"[Ll]ikely causes?:|\b(?:may|must) lie\b|"
    r"\b(?:Ask|Check|Explain|Fix|Give|Move|Raise|Read|Set|Use)\b|; see `"
)


@pytest.mark.parametrize("status", Status, ids=lambda status: status.name)
def test_text_is_what_is_shown(status):
    """A status shown is its text: its name in words, a colon, whole sentences."""
    text = str(status)
    assert text == status.value
    head, _, told = text.partition(": ")
    assert re.fullmatch(r"[A-Z][a-z]+[a-z ,]*", head)
    assert re.fullmatch(r"(?s)[\w`].*\.", told)
    assert len(told.split()) >= 10
    assert "  " not in text


@pytest.mark.parametrize(
    "status",
    [status for status in Status if status is not Status.CERTIFIED],
    ids=lambda status: status.name,
)
def test_text_helps(status):
    """Whatever is less than certified names a likely cause, or what to do next."""
    assert HELP.search(str(status))


def test_texts_differ():
    """No two outcomes read alike."""
    assert len({str(status).partition(":")[0] for status in Status}) == len(Status)


def test_what_is_named_in_a_text_exists():
    """Arguments and fields that a text sends people to are really there."""
    import facetwise

    known = {
        *facetwise.Explanation.__dataclass_fields__,
        *facetwise.Explainer.__init__.__annotations__,
    }
    named = {
        word
        for status in Status
        for word in re.findall(r"`(\w+)`", str(status))
        if word != "Domain"
    }
    assert named <= known
