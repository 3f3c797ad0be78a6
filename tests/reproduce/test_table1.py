"""Table 1 is printed beside the paper's, and falling short of it is an error."""

from types import SimpleNamespace

import numpy as np
import pytest

from facetwise.reproduce import table1


def models_with(accuracy, monkeypatch):
    """Every target answers with the same accuracy, on train and on test."""
    part = SimpleNamespace(X=np.zeros((1, 1)), y=np.zeros(1))
    model = SimpleNamespace(score=lambda X, y: accuracy)
    found = SimpleNamespace(model=model, data=SimpleNamespace(train=part, test=part))
    monkeypatch.setattr(table1, "target", lambda *names: found)


@pytest.mark.parametrize(("accuracy", "code"), [(0.98, 0), (0.96, 1), (0.5, 1)])
def test_the_exit_code_tells(accuracy, code, monkeypatch, capsys):
    """It is 0 when all four models reach the paper's test accuracy, and else 1."""
    models_with(accuracy, monkeypatch)
    assert table1.main([]) == code
    lines = capsys.readouterr().out.splitlines()[1:]
    short = [line for line in lines if line.endswith("falls short")]
    beaten = [test > accuracy for _, test in table1.PAPER.values()]
    assert (len(lines), len(short)) == (4, sum(beaten))
    assert all(f"{accuracy:.4f}" in line for line in lines)
