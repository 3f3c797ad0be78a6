"""PLNN: trained from a seed, asked without PyTorch, saved without pickle."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest
import torch
from scipy import special

from facetwise.errors import ExtraError, InputError
from facetwise.models import PLNN
from facetwise.models.layers import Rectifier

ACTIVATIONS = ["relu", "leaky_relu", "prelu", "maxout"]


def blobs(n=300, seed=0):
    """Rows of three classes that are easy to tell apart, and the classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    centres = np.array([[2.0, 0, 0, 0], [0, 2.0, 0, 0], [0, 0, 2.0, 0]])
    return centres[y] + 0.5 * rng.standard_normal((n, 4)), y


X, Y = blobs()


def small(**settings):
    """A network of two hidden layers that trains in an instant."""
    quick = {"seed": 0, "batch_size": 32, "learning_rate": 0.02}
    return PLNN(hidden=(12, 8), **{**quick, **settings})


@pytest.fixture(scope="module", params=ACTIVATIONS)
def fitted(request):
    """A trained network of each activation."""
    return small(activation=request.param, pieces=3).fit(X, Y)


def torch_logits(model, rows):
    """The same network in PyTorch's own words, in 64 bits."""
    h = torch.tensor(rows)
    F = torch.nn.functional
    layers = [
        (torch.tensor(W), torch.tensor(b))
        for W, b in zip(model.network_.weights, model.network_.biases, strict=True)
    ]
    for (W, b), activation in zip(layers, model.network_.activations, strict=False):
        h = F.linear(h, W, b)
        if isinstance(activation, Rectifier):
            h = F.prelu(h, torch.tensor(activation.slope))
        else:
            # F.max_pool1d would pair neighbours, so units come first.
            h = h.unflatten(1, (activation.pieces, -1)).transpose(1, 2)
            h = F.max_pool1d(h, activation.pieces)[:, :, 0]
    return F.linear(h, *layers[-1]).numpy()


def test_it_learns(fitted):
    """Classes that lie apart are told apart, whatever the activation."""
    assert fitted.score(*blobs(seed=1)) > 0.95
    assert fitted.loss_curve_[-1] < fitted.loss_curve_[0]
    assert len(fitted.loss_curve_) == fitted.epochs


def test_logits_are_those_of_pytorch(fitted):
    """NumPy and PyTorch compute the same logits from the same parameters."""
    assert np.allclose(
        fitted.decision_function(X), torch_logits(fitted, X), rtol=0, atol=1e-12
    )


def test_scores_belong_together(fitted):
    """Probabilities, their logarithms and labels all follow from the logits."""
    logits = fitted.decision_function(X)
    assert np.allclose(fitted.predict_proba(X), special.softmax(logits, axis=1))
    assert np.allclose(np.exp(fitted.predict_log_proba(X)), fitted.predict_proba(X))
    assert (fitted.predict(X) == fitted.classes_[logits.argmax(axis=1)]).all()


def test_logarithms_stay_finite():
    """Where a probability is 0 its logarithm is still told."""
    model = small().fit(X, Y)
    far = 1e4 * X[:5]
    assert (model.predict_proba(far) == 0.0).any()
    assert np.isfinite(model.predict_log_proba(far)).all()


@pytest.mark.parametrize("dtype", ["float32", np.float32])
def test_scores_in_32_bits(fitted, dtype):
    """`dtype` sets the arithmetic, of the same weights."""
    wide = fitted.decision_function(X)
    try:
        fitted.dtype = dtype
        for ask in [
            fitted.decision_function,
            fitted.predict_proba,
            fitted.predict_log_proba,
        ]:
            assert ask(X).dtype == np.float32
        assert np.allclose(fitted.decision_function(X), wide, atol=1e-4)
    finally:
        fitted.dtype = "float64"
    assert fitted.decision_function(X).dtype == np.float64


def test_a_seed_settles_everything(fitted):
    """The same seed gives the same network, another seed another."""
    again = PLNN(**fitted.get_params()).fit(X, Y)
    other = PLNN(**{**fitted.get_params(), "seed": 1}).fit(X, Y)
    logits = fitted.decision_function(X)
    assert np.array_equal(logits, again.decision_function(X))
    assert not np.array_equal(logits, other.decision_function(X))


def test_fresh_entropy_is_recorded():
    """Without a seed one is drawn, and gives the same network again."""
    model = small(seed=None, epochs=1).fit(X, Y)
    again = small(seed=model.seed_, epochs=1).fit(X, Y)
    assert np.array_equal(model.decision_function(X), again.decision_function(X))


def test_the_global_state_stays():
    """Training moves neither NumPy's nor PyTorch's own random numbers."""
    state = np.random.get_state()[1].copy(), torch.get_rng_state()  # noqa: NPY002
    small(epochs=1).fit(X, Y)
    assert (np.random.get_state()[1] == state[0]).all()  # noqa: NPY002
    assert torch.equal(torch.get_rng_state(), state[1])


def test_no_hidden_layer_is_logistic_regression():
    """Without hidden units the logits are affine."""
    model = PLNN(hidden=(), seed=0).fit(X, Y)
    middle = model.decision_function((X[:1] + X[1:2]) / 2)
    ends = model.decision_function(X[:2])
    assert np.allclose(middle, ends.mean(axis=0))


def test_weights_of_rows_count():
    """A row of weight 0 counts as if it were not there, up to how batches fall."""
    wrong = (Y + 1) % 3
    weight = np.r_[np.ones(len(X)), np.zeros(len(X))]
    model = small().fit(np.r_[X, X], np.r_[Y, wrong], sample_weight=weight)
    assert model.score(X, Y) > 0.95


# Labels ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "names",
    [
        ["ant", "bee", "cow"],
        [-1, 7, 30],
        [1.0, 2.0, 4.0],
        [False, True],
        [("a", 1), ("a", 2), ("b", 0)],
        ["text", 3, None],
    ],
)
def test_labels_of_any_type(names):
    """What was given as labels is predicted, of the same type."""
    codes = Y % len(names)
    model = small().fit(X, [names[code] for code in codes])
    assert sorted(map(str, model.classes_)) == sorted(map(str, names))
    predicted = model.predict(X)
    assert {type(p) for p in predicted.tolist()} <= {type(name) for name in names}
    assert model.score(X, [names[code] for code in codes]) > 0.95


# Files -------------------------------------------------------------------------------


def test_saved_and_loaded(fitted, tmp_path):
    """A loaded network gives the same scores, bit for bit, and knows its settings."""
    fitted.save(tmp_path / "net.npz")
    loaded = PLNN.load(tmp_path / "net.npz")
    assert np.array_equal(loaded.decision_function(X), fitted.decision_function(X))
    assert loaded.get_params() == fitted.get_params()
    assert loaded.loss_curve_ == fitted.loss_curve_
    assert loaded.seed_ == fitted.seed_


@pytest.mark.parametrize("names", [["a", "b", "c"], [4, 5, 6], ["text", 3, None]])
def test_labels_are_saved(names, tmp_path):
    """Text, numbers, and mixtures of them come back as they were."""
    model = small(epochs=1).fit(X, [names[code] for code in Y])
    model.save(tmp_path / "net.npz")
    loaded = PLNN.load(tmp_path / "net.npz")
    assert loaded.classes_.dtype == model.classes_.dtype
    assert loaded.classes_.tolist() == model.classes_.tolist()


def test_labels_that_need_pickle_are_not_saved(tmp_path):
    """A label that only pickle could keep is named."""
    model = small(epochs=1).fit(X, [("a", int(code)) for code in Y])
    with pytest.raises(InputError, match=r"\('a', 0\) cannot be saved without pickle"):
        model.save(tmp_path / "net.npz")


def damaged(content, how):
    """A file that something happened to."""
    if how == "cut":
        return content[: len(content) // 2]
    if how == "empty":
        return b""
    middle = len(content) // 2
    return content[:middle] + b"\x00" * 40 + content[middle + 40 :]


@pytest.mark.parametrize("how", ["cut", "empty", "overwritten"])
def test_damaged_files_are_named(fitted, tmp_path, how):
    """A file that was cut off or written over is an error that names it."""
    path = tmp_path / "net.npz"
    fitted.save(path)
    path.write_bytes(damaged(path.read_bytes(), how))
    with pytest.raises(InputError, match=r"net\.npz is no saved network"):
        PLNN.load(path)


def test_other_files_are_named(tmp_path):
    """An .npz file of something else is an error that names it."""
    np.savez(tmp_path / "other.npz", weights=np.ones(3))
    with pytest.raises(InputError, match=r"other\.npz is no saved network"):
        PLNN.load(tmp_path / "other.npz")


def test_layers_that_do_not_fit_are_refused(fitted, tmp_path):
    """A whole file whose layers do not fit together is refused as well."""
    path = tmp_path / "net.npz"
    fitted.save(path)
    with np.load(path) as content:
        arrays = dict(content)
    arrays["weights_1"] = arrays["weights_1"][:, 1:]
    np.savez(path, **arrays)
    with pytest.raises(InputError, match=r"net\.npz is no saved network"):
        PLNN.load(path)


def test_later_formats_are_told(fitted, tmp_path):
    """A file of a later version says so."""
    path = tmp_path / "net.npz"
    fitted.save(path)
    with np.load(path) as content:
        arrays = dict(content)
    about = str(arrays["about"]).replace('network": 1', 'network": 2')
    np.savez(path, **{**arrays, "about": np.array(about)})
    with pytest.raises(InputError, match="has format 2"):
        PLNN.load(path)


def test_asked_without_pytorch(tmp_path):
    """A loaded network predicts where neither PyTorch nor scikit-learn is."""
    model = small().fit(X, Y)
    model.save(tmp_path / "net.npz")
    np.save(tmp_path / "X.npy", X)
    code = f"""
        import sys
        sys.modules["torch"] = sys.modules["sklearn"] = None
        import numpy as np
        from facetwise.models import PLNN, openbox
        X = np.load({str(tmp_path / "X.npy")!r})
        model = PLNN.load({str(tmp_path / "net.npz")!r})
        np.save({str(tmp_path / "out.npy")!r}, model.predict_proba(X))
        assert openbox(model)(X).W.shape == (300, 3, 4)
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True)
    assert np.array_equal(np.load(tmp_path / "out.npy"), model.predict_proba(X))


def test_import_is_light():
    """`import facetwise.models` loads neither PyTorch nor scikit-learn."""
    code = """
        import sys
        import facetwise.models
        facetwise.models.PLNN, facetwise.models.openbox
        assert not {"torch", "sklearn"} & set(sys.modules)
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True)


def test_training_needs_the_extra(monkeypatch):
    """Without PyTorch, `fit` says what to install."""
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ExtraError, match=r'pip install "facetwise\[torch\]"'):
        small().fit(X, Y)


# What scikit-learn users expect ------------------------------------------------------


def test_it_can_be_cloned_and_piped():
    """scikit-learn copies its settings, pipes into it, and cross-validates."""
    from sklearn.base import clone
    from sklearn.model_selection import cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    model = clone(small(activation="prelu"))
    assert model.get_params() == small(activation="prelu").get_params()
    assert make_pipeline(StandardScaler(), model).fit(X, Y).score(X, Y) > 0.95
    assert cross_val_score(model, X, Y, cv=3).min() > 0.9


def test_parameters_by_name():
    """They are set by name, and a name that is not theirs is told."""
    assert small().set_params(epochs=3).epochs == 3
    with pytest.raises(InputError, match="no parameter 'layers'"):
        small().set_params(layers=3)


def test_unfitted_models_say_so(tmp_path):
    """Nothing is asked of, saved from or read off a network before it is trained."""
    for ask in [small().predict, small().predict_proba, small().decision_function]:
        with pytest.raises(InputError, match="not fitted yet"):
            ask(X)
    with pytest.raises(InputError, match="not fitted yet"):
        small().save(tmp_path / "net.npz")


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        (X[:, :3], "has 4 features, and X has 3"),
        (X[0], r"two dimensions.*shape \(4,\)"),
        (X[:0], "a row and a feature at least"),
        (np.where(X > 2, np.nan, X), "finite numbers; row"),
        (np.where(X > 2, np.inf, X), "finite numbers; row"),
        (X.astype(str) + "?", "X must be numbers"),
        (X * 1j, "real numbers"),
    ],
)
def test_rows_that_cannot_be_asked(rows, says):
    """Rows of the wrong width, shape or kind are told apart."""
    with pytest.raises(InputError, match=says):
        small(epochs=1).fit(X, Y).predict(rows)


@pytest.mark.parametrize(
    ("rows", "labels", "says"),
    [
        (np.where(X > 2, np.nan, X), Y, "finite numbers; row"),
        (X, np.zeros(300), "one class only"),
        (X[:2], Y, "2 rows in X and 300 labels"),
        (X, Y[:, None], "y must have one dimension"),
        (X, np.where(Y == 0, np.nan, Y), "no label in row"),
        (X, Y + 0.5, "fractions such as"),
        (X, [[code] for code in Y.tolist()], "one dimension"),
        (X, np.array([{}] * 300), "hashable"),
        (X, ["a", float("nan"), *"bc" * 149], "no label in row 1"),
    ],
)
def test_what_cannot_be_trained_on(rows, labels, says):
    """What is missing, unclear or too little is an error before training."""
    with pytest.raises(InputError, match=says):
        small().fit(rows, labels)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"activation": "tanh"}, "activation must be one of relu.*'tanh'"),
        ({"hidden": (3, 0)}, "hidden must be a whole number of at least 1"),
        ({"activation": "maxout", "pieces": 1}, "pieces .* at least 2"),
        ({"activation": "leaky_relu", "slope": -1.0}, "slope must be"),
        ({"epochs": 0}, "epochs"),
        ({"batch_size": 2.5}, "batch_size"),
        ({"learning_rate": 0.0}, "learning_rate .* above zero"),
        ({"weight_decay": np.nan}, "weight_decay .* zero or above"),
        ({"seed": -1}, "seed"),
        ({"dtype": "int8"}, "dtype must be one of"),
        ({"dtype": "double-ish"}, "dtype must be one of"),
    ],
)
def test_settings_that_cannot_be(settings, says):
    """A setting out of range is named, with what it may be."""
    with pytest.raises(InputError, match=says):
        PLNN(**settings).fit(X, Y)


@pytest.mark.parametrize(
    ("weight", "says"),
    [
        (np.ones(3), r"300 numbers.*\(3,\)"),
        (-np.ones(300), "not negative"),
        (np.zeros(300), "above zero somewhere"),
        (np.full(300, np.nan), "finite"),
    ],
)
def test_weights_that_cannot_be(weight, says):
    """Weights of rows are one for each, finite, and not all zero."""
    with pytest.raises(InputError, match=says):
        small().fit(X, Y, sample_weight=weight)


def test_divergence_is_told():
    """A loss that is no longer finite ends the training with advice."""
    with pytest.raises(InputError, match=r"diverged.*similar scales"):
        small().fit(X * 1e38, Y)
