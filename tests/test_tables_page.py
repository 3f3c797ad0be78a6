"""The examples of docs/tables.md run as they stand, and show what the page says."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

PAGE = Path(__file__).parents[1] / "docs" / "tables.md"


@pytest.fixture(scope="module")
def page():
    """All names after the page's examples, run one after the other."""
    names = {}
    for example in re.findall(
        r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S
    ):
        exec(compile(example, str(PAGE), "exec"), names)
    return names


def test_applicants_are_explained(page):
    """Most of the rows are certified in their own columns, text left where it is."""
    explanation = page["explanation"]
    assert explanation.certified.mean() >= 0.9
    assert explanation.feature_names == tuple(page["table"].columns)
    frozen = np.isin(explanation.feature_names, page["text"])
    sure = explanation.values[explanation.certified]
    assert (np.isnan(sure) == frozen).all()


def test_frames_hold_what_was_explained(page):
    """A line a weight, and a column a feature after one pivot."""
    assert isinstance(page["weights"], pd.DataFrame)
    assert len(page["weights"]) == page["explanation"].values.size
    wide = page["wide"][list(page["explanation"].feature_names)]
    assert np.array_equal(wide, page["explanation"].values, equal_nan=True)


def test_categories_are_compared(page):
    """Log-odds of both rows are those that the model gives them."""
    if not page["compared"].certified.all():
        pytest.skip("this machine trained a network with a boundary just there")
    probability = page["model"].predict_proba(page["both"])[:, 1]
    truth = np.log(probability / (1.0 - probability))
    assert np.allclose(page["log_odds"], truth, rtol=0, atol=1e-8)


def test_the_encoder_stays_outside(page):
    """The slope in an encoded column is the network's own, by hand."""
    outside, model = page["outside"], page["model"]
    scale, network = model[1], model[2]
    W, V = network.coefs_
    for i in np.flatnonzero(outside.certified):
        z = scale.transform(page["encoded"][i : i + 1]) @ W + network.intercepts_[0]
        truth = (W * (z > 0)) @ V[:, 0] / scale.scale_
        assert (np.abs(outside.values[i] - truth) <= outside.error_bound[i]).all()
    assert outside.certified.mean() >= 0.9
