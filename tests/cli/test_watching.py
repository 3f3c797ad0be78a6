"""Before a run and during it, what it takes is told."""

from facetwise.asking import Plan
from facetwise.cli import planning
from facetwise.cli.watching import line

PLAN = Plan(100, 4, 4096, 3000, 50, 6000, 100)
UNLIMITED = Plan(100, 4, 4096, 3000, 50, None, None)


def rates(**known):
    """What rows and calls cost."""
    names = planning.Rates.__dataclass_fields__
    return planning.Rates(**{name: known.get(name) for name in names})


def test_the_line_tells_rows_certificates_questions_and_time():
    """Half-way after ten seconds, ten are to go."""
    times = iter([0.0, 10.0])
    text = line(PLAN, lambda: next(times))(50, 100, 1500, 49).rstrip()
    assert text == (
        "50 of 100 rows; 49 certified; 1,500 questions, at most 4,500 left; about "
        "10 s to go"
    )


def test_the_end_has_no_time_left():
    """A shorter line covers the one before it, and nothing is left at the end."""
    text = line(UNLIMITED, lambda: 0.0)(100, 100, 1500, 100)
    assert text.rstrip() == "100 of 100 rows; 100 certified; 1,500 questions"
    assert len(text) == 79


def test_the_slowest_limit_tells_the_time():
    """Rows, calls and latency each take their time; the longest counts."""
    assert "time       not known" in planning.text(PLAN, rates())
    assert rates(rows_per_second=10.0).seconds(3000, 50) == 300
    assert rates(rows_per_second=10.0, calls_per_second=0.1).seconds(3000, 50) == 500
    assert rates(rows_per_second=10.0, call_seconds=7.0).seconds(3000, 50) == 350


def test_the_price_has_a_limit():
    """The price is told by estimate, and at most."""
    told = planning.text(PLAN, rates(row_price=0.5, call_price=2.0))
    assert "about 1,600.00, at most 3,200.00" in told
    assert "at most" not in planning.text(UNLIMITED, rates(row_price=1.0))
    assert rates().price(1, 1) is None


def test_times_have_the_unit_that_suits_them():
    """Seconds, minutes, hours."""
    told = [planning.duration(seconds) for seconds in (45, 600, 9000)]
    assert told == ["45 s", "10 min", "2.5 h"]
