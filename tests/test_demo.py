"""The demo tells a newcomer what was found, and what it tells is true."""

import re

import numpy as np
import pytest

import facetwise as fw
from facetwise import Status, demo
from facetwise.report import render


@pytest.fixture(scope="module")
def explanation():
    """What the demo explains."""
    return fw.Explainer(
        demo.lender,
        seed=0,
        feature_names=demo.FEATURES,
        class_names=demo.CLASSES,
    )(demo.APPLICANTS)


def logits(x):
    """The lender's scores of one applicant, rule by rule."""
    income, debt, years, missed = x
    left = max(0.05 * income - 0.02 * debt - 1.0, 0.0)
    strain = max(0.03 * debt - 0.04 * income + 0.5, 0.0)
    experience = max(0.5 * years - 1.0, 0.0)
    trouble = max(1.5 * missed - 1.5, 0.0)
    return np.array(
        [
            -0.6 * left + 1.1 * strain - 0.2 * experience + 1.4 * trouble,
            0.1 * left + 0.3 * strain + 0.1 * experience - 0.2 * trouble,
            0.9 * left - 1.0 * strain + 0.4 * experience - 1.6 * trouble,
        ]
    )


def decision(x, target):
    """Log-odds of a class against the mean of the others."""
    z = logits(x)
    return z[target] - np.delete(z, target).mean()


def test_the_model_is_what_it_says():
    """The lender answers the softmax of its rules, in words for every applicant."""
    z = np.array([logits(x) for x in demo.APPLICANTS])
    expected = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    assert np.allclose(demo.lender(demo.APPLICANTS), expected, rtol=1e-12)


def test_what_is_found_is_true(explanation):
    """The slopes of the rules are within the bounds of three of the applicants."""
    assert explanation.certified.tolist() == [True, True, True, False]
    for i in range(3):
        x, target = demo.APPLICANTS[i], explanation.target[i]
        # Inside a region, differences over any step are slopes.
        steps = 1e-3 * np.eye(4)
        ends = [(decision(x + e, target), decision(x - e, target)) for e in steps]
        slopes = np.array([(up - down) / 2e-3 for up, down in ends])
        assert np.allclose(explanation.values[i], slopes, rtol=1e-8, atol=1e-9)


def test_the_borderline_case_is_one(explanation):
    """The last applicant is where a missed payment begins to count, and is told so."""
    assert explanation.status[3] is Status.ON_BOUNDARY
    x, e = demo.APPLICANTS[3], 1e-3 * np.eye(4)[3]
    target = int(logits(x).argmax())
    up, here, down = (decision(x + step * e, target) for step in (1, 0, -1))
    assert here == pytest.approx(down, rel=1e-12)
    assert abs(up - here) > 1e-4


def test_main_tells_it(capsys, explanation):
    """It prints the question, every applicant, the outcome, and what to do next."""
    demo.main()
    out, err = capsys.readouterr()
    assert err == ""
    assert out.startswith("Four applicants")
    assert render(explanation) in out
    titles = re.findall(r"^Row (\d): why (\w+)\. (.+)\.$", out, re.MULTILINE)
    assert titles == [
        ("0", "approve", "Certified"),
        ("1", "deny", "Certified"),
        ("2", "deny", "Certified"),
        ("3", "approve", "On a boundary"),
    ]
    assert all(out.count(f"  {name} ") == 3 for name in demo.FEATURES)
    assert re.search(r"3 of 4 rows certified, \d+ questions asked", out)


def test_what_it_advises_works(capsys):
    """The lines that it ends with run as they stand, for a model of one's own."""
    demo.main()
    _, advice = capsys.readouterr().out.split("Try your own model:")
    source = "\n".join(line.strip() for line in advice.strip().splitlines())

    class Model:
        def predict_proba(self, X):
            return demo.lender(X)

    exec(source, {"model": Model(), "X": demo.APPLICANTS[:1]})
    assert "1 of 1 rows certified" in capsys.readouterr().out


def test_it_tells_the_same_again(capsys):
    """Two runs print the same text, letter for letter."""
    demo.main()
    first = capsys.readouterr().out
    demo.main()
    assert capsys.readouterr().out == first
