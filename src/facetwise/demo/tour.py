"""The whole job, from the model that is served to the report."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from facetwise import datasets
from facetwise.datasets.record import Table
from facetwise.demo.hidden import network, tree
from facetwise.demo.lime import RUNS, tell_lime
from facetwise.demo.questions import (
    SENSITIVE,
    denied,
    directions,
    exchanged,
    why_denied,
)
from facetwise.demo.telling import heading, how_sure, ranking, say, tell_exchange
from facetwise.endpoints.connect import connect
from facetwise.endpoints.endpoint import Endpoint
from facetwise.errors import InputError
from facetwise.explanation import Explanation
from facetwise.inspection.inspector import inspect
from facetwise.report import write
from facetwise.serve import Settings, serve

REPORT = "facetwise-demo.html"

SEED = 0
"""So that the tour tells the same each time. An audit leaves the seed to chance."""

FEW = 3
"""Applicants that show what the service is like."""

ADVICE = """\
Try it on a model of your own:

  facetwise serve model.joblib       # puts it behind HTTP, if it is not yet
  facetwise inspect http://127.0.0.1:8080 --rows rows.csv
  facetwise explain rows.csv --endpoint http://127.0.0.1:8080 --report my.html"""


def audit_network(endpoint: Endpoint, data: Table) -> Explanation:
    """Everything that there is to say about one model."""
    applicants, j = data.test.X, data.feature_names.index(SENSITIVE)
    seen = inspect(endpoint, applicants[:FEW], domain=data.domain, seed=SEED)
    print(seen.text(), end="\n\n")
    explanation = why_denied(endpoint, denied(endpoint, applicants), data, SEED)
    heading("Why were they denied?")
    say(f"""It denies {len(explanation)} of {len(applicants)} applicants that it was not
        trained on. Around each, the model is a linear rule, which facetwise recovers
        from answers alone. {how_sure(explanation)}""")
    say("""A weight says how the log-odds of denial (0 is even odds) change with a
        feature, at this applicant. Below: a typical step of each feature, by how much
        it moves the log-odds for the median applicant, and for how many it raises and
        lowers them, beyond the bound.""")
    print(ranking(explanation, np.asarray(data.domain.scale)), end="\n\n")
    raises, lowers = (counts[j] for counts in directions(explanation))
    heading("Does being African-American drive denials?")
    say(f"""At {raises} of the {explanation.certified.sum()} certified applicants,
        {SENSITIVE} raises the log-odds of denial; at {lowers} it lowers them. That is
        as certain as the bound above. But a slope at 0 or 1 is not yet what exchanging
        the two does, since another rule may hold on the way. So the model is asked.""")
    decisions = exchanged(endpoint, applicants, j)
    tell_exchange(decisions)
    say("""This says what moved the model's score. It does not say that a decision was
        fair or unfair, nor what caused what in the world.""")
    turned = applicants[decisions[0] != decisions[1]]
    heading(f"What does LIME say? (the weight of {SENSITIVE}, {RUNS} runs)")
    tell_lime(endpoint, turned[0] if len(turned) else applicants[0], data)
    return explanation


def audit_tree(endpoint: Endpoint, data: Table) -> Explanation:
    """The same question to another model, in short."""
    applicants, j = data.test.X, data.feature_names.index(SENSITIVE)
    explanation = why_denied(endpoint, denied(endpoint, applicants), data, SEED)
    raises, lowers = (counts[j] for counts in directions(explanation))
    say(f"""It denies {len(explanation)}. {how_sure(explanation)} {SENSITIVE} raises the
        log-odds at {raises}, and lowers them at {lowers}.""")
    tell_exchange(exchanged(endpoint, applicants, j))
    return explanation


def behind_http(
    model: Any, audit: Callable[[Endpoint, Table], Explanation], data: Table
) -> Explanation:
    """Serve a model on a free port, audit it by its address alone, and stop it."""
    with serve(model, Settings(name="mortgage", port=0)) as server:
        say(f"""It answers at {server.url}, and nothing else is known of it from here
            on.""")
        return audit(connect(server.url), data)


def leave_report(explanation: Explanation, path: Path) -> None:
    """Write the report, and say where it is."""
    try:
        write(explanation, path, title="Why the network denied these mortgages")
    except OSError as error:
        raise InputError(
            f"The report cannot be written to {path} ({error.strerror}). Start the "
            "tour in a folder of your own."
        ) from error
    say("""Every applicant of the network with all weights, bounds, and sliders to try
        other entries. It opens in a browser, from disk:""")
    print(f"  {path}\n")


def main() -> None:
    """Show the whole job, on this machine."""
    data = datasets.hmda()
    heading("A lender's model behind an API")
    say(f"""A neural network was trained on {len(data.train):,} applications for a
        mortgage (Boston, 1990) and put behind HTTP on this machine.""")
    explanation = behind_http(network(data), audit_network, data)
    heading("Another model: a tree with a linear rule in each leaf")
    behind_http(tree(data), audit_tree, data)
    heading("The report")
    leave_report(explanation, Path(REPORT).absolute())
    print(ADVICE)
