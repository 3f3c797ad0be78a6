"""The names of `facetwise.models` are there, and fetched when they are asked for."""

import pytest

from facetwise import models


@pytest.mark.parametrize("name", models.__all__)
def test_names_are_there(name):
    """Each public name is a documented thing of that name."""
    assert getattr(models, name).__name__ == name
    assert getattr(models, name).__doc__
    assert name in dir(models)


def test_other_names_are_not():
    """What does not exist is missed as in any module."""
    with pytest.raises(AttributeError, match="has no attribute 'LMT'"):
        models.LMT  # noqa: B018
