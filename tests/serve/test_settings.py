"""Settings that cannot be are named before anything listens."""

import pytest

from facetwise import InputError
from facetwise.serve import Settings


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("max_rows", 0),
        ("max_bytes", -1),
        ("threads", 0),
        ("idle_seconds", 0.0),
        ("port", 65536),
        ("port", -1),
        ("latency", -0.1),
        ("fail_rate", 1.5),
        ("fail_rate", float("nan")),
        ("decimals", -1),
        ("name", ""),
        ("name", "a/b"),
        ("name", "a b"),
        ("token", "  "),
    ],
)
def test_what_cannot_be_is_named(name, given):
    """The message has the name of the setting."""
    with pytest.raises(InputError, match=name):
        Settings(**{name: given})


def test_a_token_is_not_shown():
    """What a token is cannot be read off the settings' text."""
    assert "s3cret" not in repr(Settings(token="s3cret"))


def test_only_this_machine_is_served_by_default():
    """Nobody else can reach a server unless that is asked for."""
    assert Settings().host == "127.0.0.1"
