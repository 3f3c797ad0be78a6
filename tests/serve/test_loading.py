"""Models of every kind answer from their files as they did before."""

import joblib
import numpy as np
import pandas
import pytest
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier

from facetwise import InputError
from facetwise.models import PLNN, LogisticModelTree
from facetwise.serve.loading import TrustWarning, load_model, served

RNG = np.random.default_rng(0)
X = RNG.standard_normal((80, 4))
Y = np.array(["a", "b", "c"])[np.argmax(X[:, :3], axis=1)]


@pytest.fixture(scope="module")
def network():
    """A model of scikit-learn."""
    with pytest.warns(Warning, match="converge"):
        return MLPClassifier((8,), max_iter=5, random_state=0).fit(X, Y)


def test_joblib_comes_with_a_warning(tmp_path, network):
    """A file that can run code is opened with a word on trust."""
    joblib.dump(network, tmp_path / "m.joblib")
    with pytest.warns(TrustWarning, match=r"m\.joblib runs whatever code"):
        model = served(load_model(tmp_path / "m.joblib"))
    assert (model.features, model.classes) == (4, 3)
    assert np.array_equal(model.scores(X), network.predict_proba(X))


def test_columns_keep_their_names(tmp_path):
    """A model trained on a table is asked with one, and warns of nothing."""
    table = pandas.DataFrame(X, columns=list("wxyz"))
    trained = LogisticRegression().fit(table, Y)
    joblib.dump(trained, tmp_path / "m.joblib")
    with pytest.warns(TrustWarning):
        model = served(load_model(tmp_path / "m.joblib"))
    assert np.array_equal(model.scores(X), trained.predict_proba(table))


def test_our_own(tmp_path):
    """Networks and trees that facetwise saved are told apart by themselves."""
    models = [
        PLNN((8,), epochs=1, seed=0).fit(X, Y),
        LogisticModelTree().fit(X, Y),
    ]
    for saved in models:
        saved.save(tmp_path / "m.npz")
        model = served(load_model(tmp_path / "m.npz"))
        assert (model.features, model.classes) == (4, 3)
        assert np.array_equal(model.scores(X), saved.predict_proba(X))


def test_onnx(tmp_path, network):
    """A graph answers as the model it was made from, in its own precision."""
    skl2onnx = pytest.importorskip("skl2onnx")
    types = skl2onnx.common.data_types
    for kind, close in [(types.FloatTensorType, 1e-5), (types.DoubleTensorType, 1e-12)]:
        graph = skl2onnx.to_onnx(
            network,
            initial_types=[("x", kind([None, 4]))],
            options={"zipmap": False},
        )
        (tmp_path / "m.onnx").write_bytes(graph.SerializeToString())
        model = served(load_model(tmp_path / "m.onnx"))
        assert (model.features, model.classes) == (4, 3)
        assert np.abs(model.scores(X) - network.predict_proba(X)).max() < close


def test_onnx_without_scores(tmp_path, network):
    """A graph that answers dictionaries is refused, with the option that helps."""
    skl2onnx = pytest.importorskip("skl2onnx")
    graph = skl2onnx.to_onnx(network, X[:1].astype(np.float32))
    (tmp_path / "m.onnx").write_bytes(graph.SerializeToString())
    with pytest.raises(InputError, match="zipmap"):
        load_model(tmp_path / "m.onnx")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of making such files
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_torchscript(tmp_path, dtype):
    """A module answers what it computes, in its own precision."""
    module = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Softmax(dim=1))
    module = module.to(dtype)
    torch.jit.script(module).save(str(tmp_path / "m.pt"))
    model = served(load_model(tmp_path / "m.pt"))
    expected = module(torch.as_tensor(X, dtype=dtype)).detach().numpy()
    assert (model.features, model.classes) == (None, None)
    assert np.array_equal(model.scores(X), expected)


def test_functions():
    """A function is served as it is, and says nothing of its features."""
    model = served(lambda X: X[:, :2])
    assert (model.features, model.classes) == (None, None)
    assert np.array_equal(model.scores(X), X[:, :2])


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("m.txt", b"", r"ends in \.txt.*\.joblib, \.npz, \.onnx, \.pt"),
        ("model", b"", "ends in nothing"),
        ("m.npz", b"PK", "no model that facetwise saved"),
        (None, b"", "no file"),
    ],
)
def test_files_that_are_no_model(tmp_path, name, content, says):
    """Other files are named, with what was expected."""
    if name:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=says):
        load_model(tmp_path / (name or "gone.npz"))


@pytest.mark.parametrize("name", ["m.onnx", "m.pt"])
def test_damaged_files(tmp_path, name):
    """A file that its library cannot read is named."""
    (tmp_path / name).write_bytes(b"not a model")
    with pytest.raises(InputError, match=f"{name} cannot be read"):
        load_model(tmp_path / name)


def test_an_explanation_is_no_model(tmp_path):
    """Another of our files is told by what it holds."""
    np.savez(tmp_path / "m.npz", about=np.array('{"facetwise": 1}'))
    with pytest.raises(InputError, match="holds facetwise, and no model"):
        load_model(tmp_path / "m.npz")
