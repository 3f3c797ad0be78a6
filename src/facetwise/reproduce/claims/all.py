"""Every claim, in the order of the paper; ours last."""

from __future__ import annotations

from facetwise.reproduce.claims import (
    accuracy,
    bounds_hold,
    critical_distance,
    facetwise_never_worse,
    gradient_input_better,
    integrated_consistent,
    iterations,
    lime_poorer,
    nearer_is_purer,
    no_golden_distance,
    openapi_consistent,
    openapi_effective,
    openapi_exact,
    openapi_pure,
    patterns,
    ridge_worse,
    saliency_worst,
    sparsity,
    termination,
)

CLAIMS = {
    module.CLAIM.name: module.CLAIM
    for module in (
        accuracy,
        iterations,
        termination,
        sparsity,
        patterns,
        saliency_worst,
        gradient_input_better,
        lime_poorer,
        openapi_effective,
        openapi_consistent,
        integrated_consistent,
        nearer_is_purer,
        no_golden_distance,
        openapi_pure,
        openapi_exact,
        ridge_worse,
        critical_distance,
        facetwise_never_worse,
        bounds_hold,
    )
}
"""By their names."""
