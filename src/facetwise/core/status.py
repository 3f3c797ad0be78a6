"""How a recovery ended: the outcomes, each with the sentence that a user reads."""

from __future__ import annotations

from enum import Enum


class Status(Enum):
    """The outcome for one instance, or for one pair of classes.

    The value is the whole sentence; ``str(status)`` gives it. Only ``CERTIFIED`` and
    ``PARTLY_CERTIFIED`` carry a bound that holds for the weights of the model.
    """

    CERTIFIED = (
        "Certified: check points drawn after the answer was fixed agree with it, and "
        "each weight lies within its error bound."
    )
    PARTLY_CERTIFIED = (
        "Partly certified: some classes score too low or too coarsely to be compared "
        "with. The values compare the explained class with one rival, the strongest "
        "that could be certified; see `contrast`."
    )
    SMOOTH = (
        "Smooth, or too small to tell: close to the instance the answers bend as a "
        "smooth function does, or the linear piece is too small to be told from one. "
        "The values are the gradient. Likely causes: tanh, GELU, sigmoid or softplus "
        "layers, kernels, an averaged ensemble. Read the values as local only."
    )
    ON_BOUNDARY = (
        "On a boundary: slopes change however closely the instance is approached, so "
        "it lies on the border of two linear regions, or nearer to one than numbers "
        "can resolve. Move the instance a little and ask again."
    )
    PIECEWISE_CONSTANT = (
        "Piecewise constant: around the instance, and a thousand times farther than "
        "the first step, the answers do not change as far as their digits show, so "
        "every weight is given as zero, without a bound. Likely causes: decision trees "
        "and boosted trees; or a service that clips or rounds its scores, or rounds "
        "its inputs to wide steps. Give `Domain(scale=...)` if larger steps make sense."
    )
    TOO_COARSE = (
        "Too coarse: the answers carry too few digits for the linear region around "
        "the instance, so no useful bound can be given. Likely causes: rounded or "
        "32-bit scores, a service that rounds its inputs, a boundary very close by. "
        "Ask the service for more digits, or set `Domain(scale=...)` to typical steps."
    )
    SATURATED = (
        "Saturated: the scores needed are 0 or 1, or clipped to a fixed value, so "
        "their log-odds carry nothing. Ask the service for log-probabilities, logits "
        "or unclipped scores."
    )
    UNSTABLE = (
        "Unstable: the same question gets different answers, and they differ by too "
        "much for a useful bound. Likely causes: a random model, dropout left on, "
        "several versions behind one address. Fix the service's seed, or ask one of "
        "its replicas."
    )
    CHANGED = (
        "Model changed: a question asked again got another answer than before, and "
        "keeps it. The model was probably replaced meanwhile. Ask again."
    )
    REFUSED = (
        "Refused by the service: some points near the instance got no usable scores "
        "(NaN, infinite, or outside the range of the response kind). Check that the "
        "instance is valid input, and that `response` names what the scores are."
    )
    OUT_OF_BUDGET = (
        "Out of budget: `max_queries` or `max_calls` was reached before this instance "
        "was finished. Raise it, or explain fewer instances."
    )
    NOT_ASKED = (
        "Not asked: the run ended before this instance was started, or finished. "
        "Explain it again by itself."
    )
    UNVERIFIED = (
        "Unverified: Algorithm 1 of the paper solved its equations within its fixed "
        "tolerance. It gives no bound, so the values carry no certificate. Use "
        "method='facetwise' for one."
    )
    NO_SOLUTION = (
        "No solution: Algorithm 1 of the paper reached its limit of iterations without "
        "equations that can be solved. The instance may lie on a boundary, or the "
        "answers may carry too few digits for its tolerance."
    )

    @property
    def title(self) -> str:
        """The few words that the sentence begins with, such as "On a boundary"."""
        return self.value.partition(":")[0]

    @property
    def sure(self) -> bool:
        """Whether values of this status carry a certificate."""
        return self in (Status.CERTIFIED, Status.PARTLY_CERTIFIED)

    def __str__(self) -> str:
        return self.value
