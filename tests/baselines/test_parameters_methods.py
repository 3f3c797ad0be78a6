"""Methods that see parameters, on models whose gradient is known."""

import numpy as np
import pytest
import torch

from facetwise.baselines import GradientInput, IntegratedGradients, Saliency
from facetwise.errors import InputError
from facetwise.models import PLNN, LogisticModelTree, openbox

RNG = np.random.default_rng(0)
X = RNG.uniform(size=(300, 5))
Y = (X[:, 0] > X[:, 1]) + (X[:, 2] > 0.7).astype(int)
ROWS = X[:4]
TARGETS = np.array([0, 1, 2, 1])


def module():
    """A small network of PyTorch, in 64 bits."""
    torch.manual_seed(0)
    layers = torch.nn.Linear(5, 7), torch.nn.ReLU(), torch.nn.Linear(7, 3)
    return torch.nn.Sequential(*layers).double().eval()


MODELS = {
    "relu": lambda: PLNN((7,), epochs=2, seed=0).fit(X, Y),
    "prelu": lambda: PLNN((7, 6), "prelu", epochs=2, seed=0).fit(X, Y),
    "maxout": lambda: PLNN((7,), "maxout", epochs=2, seed=0).fit(X, Y),
    "tree": lambda: LogisticModelTree(min_samples_split=100).fit(X, Y),
    "module": module,
}


def gradients(model, rows):
    """Gradients (n, d) of the targets' logits, by openbox."""
    shape = {"input_shape": (5,)} if isinstance(model, torch.nn.Module) else {}
    W = openbox(model, **shape)(rows).W
    return W[np.arange(len(rows)), np.resize(TARGETS, len(rows))]


@pytest.mark.parametrize("name", MODELS)
def test_derivatives(name):
    """Saliency and Gradient × Input are made of the gradients that openbox reads."""
    model = MODELS[name]()
    G = gradients(model, ROWS)
    saliency = Saliency()(model, ROWS, TARGETS)
    product = GradientInput()(model, ROWS, TARGETS)
    assert np.allclose(saliency.values, np.abs(G), rtol=0, atol=1e-12)
    assert np.allclose(product.values, G * ROWS, rtol=0, atol=1e-12)
    assert np.abs(G).max() > 1e-3


@pytest.mark.parametrize("name", ["relu", "prelu", "maxout", "module"])
def test_integrated_gradients_add_up(name):
    """On a continuous model they sum to the rise of the logit from black."""
    model = MODELS[name]()
    found = IntegratedGradients(steps=2000)(model, ROWS, TARGETS)
    shape = {"input_shape": (5,)} if isinstance(model, torch.nn.Module) else {}
    Z = openbox(model, **shape).logits(np.vstack([ROWS, np.zeros_like(ROWS)]))
    rise = (Z[:4] - Z[4:])[np.arange(4), TARGETS]
    assert np.allclose(found.values.sum(axis=1), rise, rtol=0, atol=5e-3)
    assert found.queries.tolist() == [2000] * 4


def test_integrated_gradients_of_a_tree():
    """A tree jumps at its splits: the mean is of its leaves' slopes on the way."""
    model = MODELS["tree"]()
    found = IntegratedGradients(steps=400)(model, ROWS, TARGETS)
    way = (np.arange(4000) + 0.5) / 4000
    mean = [
        openbox(model)(way[:, None] * x).W[:, c].mean(axis=0) * x
        for x, c in zip(ROWS, TARGETS, strict=True)
    ]
    assert np.allclose(found.values, mean, rtol=0, atol=0.02 * np.abs(mean).max())
    assert len(model.tree_.W) > 1


@pytest.mark.parametrize("target", [-1, 3])
def test_a_class_that_is_not_there_is_refused(target):
    """As by the methods that see scores, and not by an error of some library."""
    with pytest.raises(InputError, match="classes 0 to 2"):
        Saliency()(module(), ROWS, target)


def test_a_module_of_32_bits_is_asked_in_32_bits():
    """Rows are given in the type that a module has."""
    model = module()
    exact = GradientInput()(model, ROWS, TARGETS).values
    single = GradientInput()(model.float(), ROWS, TARGETS).values
    assert np.allclose(single, exact, rtol=0, atol=1e-6)
    assert not np.array_equal(single, exact)
