"""Models from files: whatever kind it is, rows go in and scores come out."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from facetwise.archive import UNREADABLE
from facetwise.core.messages import Floats
from facetwise.endings import check_ending
from facetwise.endpoints.local import LocalModel
from facetwise.errors import FacetwiseError, InputError
from facetwise.extras import extra
from facetwise.models import network_file, tree_file


class TrustWarning(UserWarning):
    """A file was opened that can run code of its author's choosing."""


@dataclass(frozen=True, slots=True)
class Served:
    """A model as it is served: how many features and scores, where that is known."""

    scores: Callable[[Floats], Floats]
    features: int | None
    classes: int | None


def load_model(path: str | PathLike[str]) -> Any:
    """A model from a file: joblib, ONNX, TorchScript, or one that facetwise saved."""
    file = Path(fspath(path))
    if not file.is_file():
        raise InputError(f"There is no file {file}.")
    load = LOADERS[check_ending(file, LOADERS, "models are read from")]
    try:
        return load(file)
    except FacetwiseError:
        raise
    except Exception as error:
        # Each library has errors of its own for files that are not what they should be.
        raise InputError(
            f"{file.name} cannot be read: {type(error).__name__}: {error}. Expected a "
            "model that the same versions of its libraries wrote."
        ) from error


def served(model: Any) -> Served:
    """A model or a function, ready to be asked; a blank row shows what it answers."""
    names = getattr(model, "feature_names_in_", None)
    asked = LocalModel(model)
    scores = asked.scores if names is None else _by_name(asked, names)
    features = getattr(model, "n_features_in_", None)
    if features is None:
        return Served(scores, None, None)
    return Served(scores, features, scores(np.zeros((1, features))).shape[1])


def _by_name(model: LocalModel, names: Any) -> Callable[[Floats], Floats]:
    """A model that was trained on named columns is asked with such frames."""
    frame = extra("table", "pandas").DataFrame
    return lambda X: model.scores(frame(X, columns=names))


def _joblib(file: Path) -> Any:
    warnings.warn(
        f"Opening {file.name} runs whatever code its author put into it. Open only "
        "files that you made, or whose source you trust.",
        TrustWarning,
        stacklevel=4,
    )
    return extra("sklearn", "joblib").load(file)


def _saved(file: Path) -> Any:
    """A model that facetwise saved; its file says of which kind."""
    try:
        with np.load(file, allow_pickle=False) as content:
            about = json.loads(str(content["about"]))
    except UNREADABLE as error:
        raise InputError(
            f"{file.name} is no model that facetwise saved ({error!r})."
        ) from error
    if network_file.ARCHIVE.key in about:
        from facetwise.models.plnn import PLNN

        return PLNN.load(file)
    if tree_file.ARCHIVE.key in about:
        from facetwise.models.logistic_model_tree import LogisticModelTree

        return LogisticModelTree.load(file)
    raise InputError(f"{file.name} holds {', '.join(about)}, and no model.")


class _Onnx:
    """A model of ONNX with one input and one output of scores."""

    def __init__(self, file: Path) -> None:
        self._session = extra("onnx", "onnxruntime").InferenceSession(
            fspath(file), providers=["CPUExecutionProvider"]
        )
        inputs = self._session.get_inputs()
        outputs = self._session.get_outputs()
        types = {"tensor(float)": np.float32, "tensor(double)": np.float64}
        scores = [o.name for o in outputs if o.type in types]
        if len(inputs) != 1 or inputs[0].type not in types or len(scores) != 1:
            raise InputError(
                f"{file.name} takes {[i.type for i in inputs]} and answers "
                f"{[o.type for o in outputs]}; one tensor of floats each was expected. "
                "Converted from scikit-learn, it needs options={'zipmap': False}."
            )
        self._input, self._type = inputs[0].name, types[inputs[0].type]
        self._output = scores[0]
        width = inputs[0].shape[-1]
        if isinstance(width, int):
            self.n_features_in_ = width

    def scores(self, X: Floats) -> Any:
        """What the graph answers."""
        rows = {self._input: X.astype(self._type)}
        return self._session.run([self._output], rows)[0]


class _TorchScript:
    """A module that was saved with its code; it answers what it computes."""

    def __init__(self, file: Path) -> None:
        self._torch = torch = extra("torch", "torch")
        with warnings.catch_warnings():
            # Files of this kind are many, whatever is thought of making new ones.
            warnings.filterwarnings("ignore", category=DeprecationWarning)
            self._module = torch.jit.load(fspath(file), map_location="cpu").eval()
        first = next(self._module.parameters(), torch.zeros(()))
        self._type = first.dtype

    def scores(self, X: Floats) -> Any:
        """What the module answers."""
        with self._torch.inference_mode():
            answer = self._module(self._torch.as_tensor(X, dtype=self._type))
        return answer.numpy()


LOADERS: dict[str, Callable[[Path], Any]] = {
    ".joblib": _joblib,
    ".npz": _saved,
    ".onnx": _Onnx,
    ".pt": _TorchScript,
}
"""By the ending of a file."""
