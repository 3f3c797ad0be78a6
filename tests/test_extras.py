"""A library that is not installed is missed by name, with what to install."""

import sys

import numpy as np
import pytest

import facetwise as fw
from facetwise.extras import extra

AWS = "runtime.sagemaker.eu-west-1.amazonaws.com"


def service(X):
    """A linear regression."""
    return X @ [1.0, 2.0]


@pytest.mark.parametrize(
    ("library", "use", "name"),
    [
        ("pandas", lambda explained: explained.to_frame(), "table"),
        ("polars", lambda explained: explained.to_frame(kind="polars"), "table"),
        ("shap", fw.to_shap, "shap"),
        ("httpx", lambda _: fw.connect("http://127.0.0.1:1/v2/models/m"), "remote"),
        ("grpc", lambda _: fw.connect("grpc://127.0.0.1:1/m"), "grpc"),
        ("botocore", lambda _: fw.connect(f"https://{AWS}/endpoints/m"), "aws"),
    ],
)
def test_what_to_install(library, use, name, monkeypatch):
    """The error names the extra, and is one of facetwise and an ImportError."""
    explained = fw.Explainer(service, seed=0)(np.ones((1, 2)))
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(fw.ExtraError, match=rf'pip install "facetwise\[{name}\]"'):
        use(explained)
    assert issubclass(fw.ExtraError, fw.FacetwiseError | ImportError)


def test_a_library_that_lacks_something_itself(tmp_path, monkeypatch):
    """What is missing inside an installed library is not taken for the library."""
    (tmp_path / "half_a_library.py").write_text("import the_other_half")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="the_other_half"):
        extra("table", "half_a_library")


def test_arrays_need_no_extra(monkeypatch):
    """Without pandas and polars arrays are explained as ever."""
    for library in ["pandas", "polars"]:
        monkeypatch.setitem(sys.modules, library, None)
    assert fw.Explainer(service, seed=0)(np.ones((1, 2))).certified.all()
