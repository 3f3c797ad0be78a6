"""What finished instances teach those that come after them.

It only ever saves questions: nothing in it enters a certificate. A run teaches it
between its waves, in the order of the instances, so that what an instance is asked
depends on the seed and on the instances before it, and on no batch.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from facetwise.core.designs import Design
from facetwise.core.messages import Floats, Mask
from facetwise.core.patience import Patience
from facetwise.core.recovered import Asked, Local, Recovered
from facetwise.core.regions import Known, Regions
from facetwise.core.response import LogOdds
from facetwise.core.span import Span
from facetwise.core.status import Status


class Memory:
    """Known regions, and the subspace that their weights span."""

    def __init__(self, classes: int, moving: Mask, scale: Floats) -> None:
        self._classes, self._moving, self._scale = classes, moving, scale[moving]
        self._regions, self._patience = Regions(classes, self._scale), Patience()
        self._span = Span()

    def recall(
        self,
        x: Floats,
        l: Floats,  # noqa: E741  the paper's letter
        slack: Floats,
        read: LogOdds,
    ) -> list[Known]:
        """Regions that may be that of x (d,), which was answered l (K,)."""
        if self._patience.is_resting:
            return []
        return self._regions.explaining(x[self._moving], l, slack, read)

    def design(self, rng: np.random.Generator) -> Design | None:
        """Directions to probe along: the subspace known so far, if there is one."""
        return self._span.directions(rng)

    def learn(self, found: Sequence[tuple[LogOdds, Floats, Recovered]]) -> None:
        """Take in what was found around instances x (d,), in their order."""
        weights, bounds = [], []
        self._judge([record for _, _, record in found])
        for read, x, record in found:
            sure = {
                rival: pair
                for rival, pair in record.pairs.items()
                if pair.status is Status.CERTIFIED
            }
            if not sure or record.recalled is not None:
                continue
            self._learn_region(read, x, sure, record)
            if record.asked is not Asked.INSIDE:
                weights += [p.D[self._moving] * self._scale for p in sure.values()]
                bounds += [pair.bound for pair in sure.values()]
        if weights:
            self._span.learn(np.column_stack(weights), np.array(bounds))

    def _judge(self, records: list[Recovered]) -> None:
        """Hear what a wave made of the regions and of the subspace."""
        self._span.judge(records)
        tried = [record for record in records if record.tried]
        self._patience.judge(tried, [r for r in records if not r.tried])
        for record in tried:
            if record.recalled is not None:
                self._regions.use(record.recalled)

    def _learn_region(
        self, read: LogOdds, x: Floats, sure: dict[int, Local], found: Recovered
    ) -> None:
        d = len(self._scale)
        T, b = np.full((self._classes, d), np.nan), np.full(self._classes, np.nan)
        sign = 1.0
        if read.rivals:
            # Scores of a softmax count from that of the target.
            T[read.target], b[read.target], sign = 0.0, 0.0, -1.0
        still = ~self._moving
        for c, pair in sure.items():
            T[c] = sign * pair.D[self._moving]
            b[c] = sign * (pair.base + np.nansum(pair.D[still] * x[still]))
        bound = max(pair.bound for pair in sure.values())
        self._regions.learn(x[self._moving], T, b, bound, found.floor, found.radius)
