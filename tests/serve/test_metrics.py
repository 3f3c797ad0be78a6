"""What a server does is counted, in the form that Prometheus reads."""

from facetwise.serve.metrics import Metrics


def test_what_is_counted():
    """Requests by status, rows and seconds add up."""
    metrics = Metrics()
    metrics.count(200, 10, 0.25)
    metrics.count(200, 5, 0.25)
    metrics.count(503, 0, 0.5)
    lines = metrics.text().splitlines()
    assert 'facetwise_requests_total{status="200"} 2' in lines
    assert 'facetwise_requests_total{status="503"} 1' in lines
    assert "facetwise_rows_total 15" in lines
    assert "facetwise_request_seconds_total 1.000000" in lines
