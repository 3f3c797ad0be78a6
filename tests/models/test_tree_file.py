"""A saved tree comes back bit for bit, and no other file is taken for one."""

from dataclasses import fields

import numpy as np
import pytest

from facetwise.errors import InputError
from facetwise.models import LogisticModelTree, tree_file

LABELS = [
    np.array([0, 1]),
    np.array([-1.0, 2.0]),
    np.array([False, True]),
    np.array(["no", "yes"]),
    np.array(["no", "yes"], dtype=object),
]


def trained(labels=LABELS[0]):
    """A small tree with more than one leaf."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 3))
    codes = ((X[:, 0] > 0) ^ (X[:, 1] > 0.5)).astype(int)
    return LogisticModelTree(penalty=0.2).fit(X, labels[codes]), X


@pytest.mark.parametrize("labels", LABELS, ids=lambda a: f"{a.dtype}-{a[0]!r}")
def test_everything_comes_back(tmp_path, labels):
    """Arrays, classes, parameters and answers are those that were saved."""
    model, X = trained(labels)
    model.save(tmp_path / "tree.npz")
    again = LogisticModelTree.load(tmp_path / "tree.npz")
    for field in fields(model.tree_):
        mine, theirs = (
            getattr(model.tree_, field.name),
            getattr(again.tree_, field.name),
        )
        assert mine.dtype == theirs.dtype
        assert np.array_equal(mine, theirs)
    assert len(model.tree_.weight) > 1
    assert again.get_params() == model.get_params()
    assert again.n_iter_ == model.n_iter_
    assert again.n_features_in_ == 3
    assert again.classes_.dtype == model.classes_.dtype
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    assert np.array_equal(again.predict(X), model.predict(X))


def test_parameters_of_numpy_come_back(tmp_path):
    """Numbers that a search over parameters leaves behind can be saved."""
    model, _ = trained()
    model.set_params(penalty=np.float32(0.5), max_iter=np.int64(7))
    model.save(tmp_path / "tree.npz")
    again = LogisticModelTree.load(tmp_path / "tree.npz")
    assert (again.penalty, again.max_iter) == (0.5, 7)


def test_feature_names_come_back(tmp_path):
    """A tree trained on named columns still asks for them."""
    pd = pytest.importorskip("pandas")
    _, X = trained()
    table = pd.DataFrame(X, columns=["a", "b", "c"])
    model = LogisticModelTree().fit(table, X[:, 0] > 0)
    model.save(tmp_path / "tree.npz")
    again = LogisticModelTree.load(tmp_path / "tree.npz")
    assert list(again.feature_names_in_) == ["a", "b", "c"]
    assert np.array_equal(again.predict(table), model.predict(table))
    with pytest.raises(ValueError, match="feature names"):
        again.predict(table.rename(columns={"a": "z"}))


def test_labels_that_need_pickle_are_refused(tmp_path):
    """A label that JSON would change is named, and no file is left."""
    model, _ = trained()
    labels = np.empty(2, dtype=object)
    labels[:] = [b"no", b"yes"]
    with pytest.raises(InputError, match="b'no' cannot be saved without pickle"):
        tree_file.write(tmp_path / "tree.npz", model.tree_, labels, {})
    assert not (tmp_path / "tree.npz").exists()


@pytest.mark.parametrize("share", [0.0, 0.3, 0.999])
def test_cut_off_files_are_named(tmp_path, share):
    """A file that lacks its end is refused by name."""
    trained()[0].save(tmp_path / "tree.npz")
    whole = (tmp_path / "tree.npz").read_bytes()
    (tmp_path / "part.npz").write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(InputError, match=r"part\.npz is no saved tree"):
        LogisticModelTree.load(tmp_path / "part.npz")


def test_other_files_are_named(tmp_path):
    """Another .npz file, or another version's, is refused by name."""
    np.savez(tmp_path / "other.npz", a=np.zeros(3))
    with pytest.raises(InputError, match=r"other\.npz is no saved tree"):
        LogisticModelTree.load(tmp_path / "other.npz")
    np.savez(tmp_path / "next.npz", about=np.array('{"facetwise_tree": 99}'))
    with pytest.raises(InputError, match=r"next\.npz has format 99"):
        LogisticModelTree.load(tmp_path / "next.npz")


def test_a_missing_file_is_missing(tmp_path):
    """A path that leads nowhere stays the error that Python has for it."""
    with pytest.raises(FileNotFoundError):
        LogisticModelTree.load(tmp_path / "none.npz")
