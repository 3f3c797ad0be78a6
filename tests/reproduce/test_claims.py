"""Each claim is judged by its rule, and can fail."""

import pytest

from facetwise.reproduce.claims.all import CLAIMS
from facetwise.reproduce.claims.claim import Claim, Finding, Outcome, Verdict
from facetwise.reproduce.methods import METHODS
from facetwise.reproduce.table import Table

HOLD = {
    "accuracy": {},
    "iterations": {"iterations": None},
    "termination": {},
    "sparsity": {},
    "patterns": {},
    "saliency-worst": {"saliency_effect": 0.1},
    "gradient-input-better": {"gradient_input_effect": 0.6},
    "lime-poorer": {"lime_effect": 0.4},
    "openapi-effective": {"algorithm_1_effect": 0.6},
    "openapi-consistent": {"algorithm_1_cosine_similarity": 0.95},
    "integrated-consistent": {"integrated_gradients_cosine_similarity": 0.95},
    "nearer-is-purer": {"zoo 1e-2 RD": 0.5},
    "no-golden-distance": {},
    "openapi-pure": {},
    "openapi-exact": {"algorithm_1_L1Dist": 1e-10},
    "ridge-worse": {"ridge_lime_L1Dist": 100.0},
    "critical-distance": {
        f"{m} {h} L1Dist": 1.0
        for m in ("naive", "zoo", "linear lime")
        for h in ("1e-2", "1e-8")
    },
    "facetwise-never-worse": {"facetwise_questions": 700.0},
    "bounds-hold": {},
}
"""Results under which a claim is confirmed, where made-up ones are not enough."""

FAIL = {
    "termination": {"algorithm_1_answered": 0.0},
    "patterns": {"pattern": -1.0},
    "saliency-worst": {"saliency_effect": 0.6},
    "gradient-input-better": {"gradient_input_effect": 0.4},
    "lime-poorer": {"lime_effect": 0.6},
    "openapi-effective": {"algorithm_1_effect": 0.4},
    "openapi-consistent": {"lime_cosine_similarity": 0.99},
    "integrated-consistent": {"saliency_cosine_similarity": 0.99},
    "nearer-is-purer": {"RD": 0.5},
    "openapi-pure": {"RD": 1.0},
    "openapi-exact": {"algorithm_1_L1Dist": 1.0},
    "ridge-worse": {"ridge_lime_L1Dist": 1e-12},
    "critical-distance": {"L1Dist": 1.0},
    "bounds-hold": {"within": 0.0},
}
"""Results under which a claim is contradicted."""


def outcome(name, table):
    """The outcome of a claim."""
    return Verdict.on(CLAIMS[name], table).outcome


def by_model(results, lmt, plnn):
    """A table whose trees and networks differ."""
    cells = [c for c in results(**lmt).cells if c.model == "lmt"]
    cells += [c for c in results(**plnn).cells if c.model == "plnn"]
    return Table(tuple(cells))


SPECIAL = {"iterations", "sparsity", "no-golden-distance"}


@pytest.mark.parametrize("name", [name for name in CLAIMS if name not in SPECIAL])
def test_a_claim_that_holds_is_confirmed(name, results):
    """Where the figures are as the claim has them, it is confirmed in every place."""
    changes = {k.replace(" ", "_"): v for k, v in HOLD[name].items()}
    assert outcome(name, results(**changes)) is Outcome.CONFIRMED


@pytest.mark.parametrize("name", FAIL)
def test_a_claim_that_fails_is_contradicted(name, results):
    """Where the figures are otherwise, it is contradicted."""
    assert outcome(name, results(**FAIL[name])) is Outcome.CONTRADICTED


def test_iterations_are_compared_with_each_of_the_papers(results):
    """9.5 is near 10.3, 8.6 and 10.8 and far from 6.0; 30 is near none."""
    assert outcome("iterations", results()) is Outcome.DIFFERS
    assert outcome("iterations", results(iterations=30.0)) is Outcome.CONTRADICTED


def test_sparsity_and_golden_distances_compare_models(results):
    """Trees have more zeros and need no smaller h than 1e-4, networks do."""
    sparse = by_model(results, {"zero_weights": 0.9}, {"zero_weights": 0.1})
    dense = by_model(results, {"zero_weights": 0.1}, {"zero_weights": 0.9})
    assert outcome("sparsity", sparse) is Outcome.CONFIRMED
    assert outcome("sparsity", dense) is Outcome.CONTRADICTED
    near = by_model(results, {}, {"zoo_RD": 0.005})
    assert outcome("no-golden-distance", near) is Outcome.CONFIRMED
    assert outcome("no-golden-distance", results()) is Outcome.DIFFERS


@pytest.mark.parametrize(
    "changes",
    [
        {"facetwise_L1Dist": 1.0},
        {"facetwise_questions": 900.0},
        {"facetwise_seconds": 9.0},
        {"facetwise_answered": 0.5},
        {"facetwise_effect": 0.4},
        {"facetwise_cosine_similarity": 0.89},
    ],
)
def test_facetwise_is_held_to_every_measure(changes, results):
    """Being worse in one measure alone is told."""
    assert outcome("facetwise-never-worse", results(**changes)) is Outcome.DIFFERS


@pytest.mark.parametrize("name", CLAIMS)
def test_what_was_not_measured_is_not_judged(name):
    """An empty table confirms nothing and contradicts nothing."""
    assert outcome(name, Table(())) is Outcome.NOT_MEASURED


@pytest.mark.parametrize("name", CLAIMS)
def test_claims_say_what_they_need(name, results):
    """Their methods are known, and the figures of these are enough to judge."""
    claim = CLAIMS[name]
    assert claim.name == name
    assert set(claim.methods) <= set(METHODS)
    needed = [
        (cell.data_set, cell.model, *key, instance, value)
        for cell in results().cells
        for key, values in cell.values.items()
        for instance, value in values.items()
        if key[0] in (*claim.methods, "")
    ]
    rows = [(d, m, method, s, i, what, v) for d, m, method, s, what, i, v in needed]
    assert outcome(name, Table.of(rows)) is not Outcome.NOT_MEASURED


def test_places_decide_together():
    """All, some or none of the findings hold."""

    def of(*holds):
        findings = [Finding("here", "", h) for h in holds]
        claim = Claim("", "", "", "", (), lambda table: findings)
        return Verdict.on(claim, Table(())).outcome

    assert of(True, True) is Outcome.CONFIRMED
    assert of(True, False) is Outcome.DIFFERS
    assert of(False, False) is Outcome.CONTRADICTED
