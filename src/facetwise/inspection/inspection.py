"""The record of an inspection, as text and as JSON can hold it."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from facetwise.inspection.inputs import Inputs
from facetwise.inspection.noise import Noise
from facetwise.inspection.outlay import Outlay
from facetwise.inspection.scores import Scores
from facetwise.inspection.shape import Shape
from facetwise.inspection.speed import Speed
from facetwise.jsonable import jsonable

WIDTH = 78
MARGIN = 10


@dataclass(frozen=True, slots=True)
class Inspection:
    """What a few questions have shown of a model.

    `name` tells protocol and address, `rows` and `features` what was asked about;
    `made_up` says that no rows were given. A part that was left out is None, and
    `left_out` has the reason. `questions` and `calls` were sent in all.
    """

    name: str
    rows: int
    features: int
    made_up: bool
    scores: Scores
    noise: Noise | None
    inputs: Inputs | None
    speed: Speed | None
    shape: Shape | None
    outlay: Outlay | None
    left_out: Mapping[str, str]
    questions: int
    calls: int
    seconds: float

    def text(self) -> str:
        """All of it in sentences, a paragraph for each part."""
        made_up = ", which were made up: pass some of your own" if self.made_up else ""
        asked = (
            f"Asked {self.questions:,} questions in {self.calls:,} calls, "
            f"{self.seconds:.1f} seconds, about {self.rows:,} rows of "
            f"{self.features:,} features{made_up}."
        )
        parts = {"asked": [asked]} | {
            name: [self.left_out[name]] if part is None else part.sentences
            for name, part in self._parts.items()
        }
        return "\n".join([self.name, *(_paragraph(n, s) for n, s in parts.items())])

    def as_json(self) -> dict[str, Any]:
        """All of it as JSON can hold it; `text` has the sentences of each part."""
        told: dict[str, Any] = jsonable(asdict(self), infinity=lambda _: None)
        for name, part in self._parts.items():
            if part is not None:
                told[name]["text"] = part.sentences
        if self.shape is not None:
            told["shape"]["piecewise_linear"] = self.shape.piecewise_linear
        return told

    @property
    def _parts(
        self,
    ) -> dict[str, Scores | Noise | Inputs | Speed | Shape | Outlay | None]:
        return {
            "scores": self.scores,
            "noise": self.noise,
            "inputs": self.inputs,
            "speed": self.speed,
            "shape": self.shape,
            "outlay": self.outlay,
        }


def _paragraph(name: str, sentences: list[str]) -> str:
    return textwrap.fill(
        " ".join(sentences),
        WIDTH,
        initial_indent=f"  {name:<{MARGIN - 2}}",
        subsequent_indent=" " * MARGIN,
        break_long_words=False,
        break_on_hyphens=False,
    )
