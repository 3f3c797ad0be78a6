"""The tour tells a newcomer what was found, and what it tells is true."""

import re
import threading
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import facetwise as fw
from facetwise import ExtraError, InputError
from facetwise.cli.main import main as facetwise
from facetwise.demo import REPORT, lime, main
from facetwise.demo.hidden import network as trained
from facetwise.demo.questions import denied, directions, exchanged, why_denied
from facetwise.demo.telling import at_most
from facetwise.demo.tour import leave_report
from facetwise.models import openbox
from facetwise.serve import Settings, serve


@pytest.fixture(scope="module")
def data():
    """The table that the tour's models learn."""
    return fw.datasets.hmda()


@pytest.fixture(scope="module")
def network(data):
    """The tour's network."""
    return trained(data)


def slopes(network, X):
    """The network's own weights (n, d) of the log-odds of a denial."""
    scaler, layers = network
    W = openbox(layers)(scaler.transform(X)).W
    return (W[:, 1] - W[:, 0]) / scaler.scale_


@pytest.fixture(scope="module")
def explanation(network, data):
    """Why the network denies what it denies, asked over HTTP."""
    with serve(network, Settings(port=0)) as server:
        endpoint = fw.connect(server.url)
        rows = denied(endpoint, data.test.X)
        return why_denied(endpoint, rows, data, seed=0)


@pytest.fixture
def told(tmp_path, monkeypatch, capsys):
    """What the tour prints."""
    monkeypatch.chdir(tmp_path)
    main()
    out, err = capsys.readouterr()
    assert err == ""
    return out


def flat(text):
    """A text as one line, however it was wrapped."""
    return " ".join(text.split())


def test_weights_are_those_of_the_network(network, explanation):
    """Nearly all denials are certified, and their bounds hold of the true slopes."""
    sure = explanation.certified
    assert sure.mean() > 0.9
    off = np.abs(explanation.values - slopes(network, explanation.data))
    assert (off <= explanation.error_bound)[sure].all()


def test_directions_are_those_of_the_network(network, explanation):
    """Raising and lowering are counted as the signs of the true slopes are."""
    truth = slopes(network, explanation.data[explanation.certified])
    raises, lowers = directions(explanation)
    assert raises.tolist() == (truth > 0).sum(axis=0).tolist()
    assert lowers.tolist() == (truth < 0).sum(axis=0).tolist()


def test_weights_within_their_bound_have_no_direction(explanation):
    """A weight that may be zero neither raises nor lowers, nor does one unbounded."""
    wide = {"error_bound": np.abs(explanation.values) * 2}
    assert not np.any(directions(_with(explanation, **wide)))
    none = {"certified": np.zeros(len(explanation), dtype=bool)}
    assert not np.any(directions(_with(explanation, **none)))


def _with(explanation, **changes):
    """An explanation of which some fields are others."""

    class Changed:
        def __getattr__(self, name):
            return changes[name] if name in changes else getattr(explanation, name)

    return Changed()


def test_exchanges_change_one_entry_alone():
    """Both values of the entry are asked for every row, and no other entry moves."""
    asked = []

    class Model:
        def scores(self, X):
            asked.append(X.copy())
            return np.column_stack([1 - X[:, 1], X[:, 1]])

    X = np.array([[5.0, 0.0, 7.0], [6.0, 1.0, 8.0]])
    assert exchanged(Model(), X, 1).tolist() == [[0, 0], [1, 1]]
    for rows, entry in zip(asked, (0.0, 1.0), strict=True):
        assert (rows[:, 1] == entry).all()
        assert (rows[:, [0, 2]] == X[:, [0, 2]]).all()


@pytest.mark.parametrize("size", [3e-12, 1e-9, 9.99e-10, 0.5, 1.0, 7.0])
def test_bounds_are_never_rounded_down(size):
    """What is printed is at least the bound, and at most ten times as much."""
    assert size <= float(at_most(size)) <= 10 * size
    assert at_most(0.0) == "0"


def test_the_tour_tells_its_findings(told, network, explanation, data):
    """Counts, certainty and exchanged decisions are as the model itself has them."""
    text, rows = flat(told), data.test.X
    n = int((network.predict(rows) == 1).sum())
    assert f"denies {n} of {len(rows)} applicants" in text
    assert f"{explanation.certified.sum()} of {n} are certified" in text
    assert "with a confidence of 99.9999 %" in text
    both = np.repeat(rows[None], 2, axis=0)
    j = data.feature_names.index("afam=yes")
    both[0, :, j], both[1, :, j] = 0, 1
    no, yes = (network.predict(part) == 1 for part in both)
    assert f"{(yes & ~no).sum()} are denied with 1 alone" in text
    assert f"{(no & ~yes).sum()} with 0 alone" in text


def test_the_tour_fits_a_terminal(told):
    """No line but that of the report's place is longer than 78 characters."""
    lines = [line for line in told.splitlines() if REPORT not in line]
    assert max(map(len, lines)) <= 78


def test_the_tour_leaves_a_report_and_nothing_else(told):
    """It names the one file that it wrote, and no server or thread is left."""
    report = Path(re.search(rf"^  (.*{REPORT})$", told, re.M)[1])
    assert list(Path.cwd().iterdir()) == [report]
    assert "Why the network denied these mortgages" in report.read_text("utf-8")
    assert not [t for t in threading.enumerate() if t.name.startswith("facetwise")]


def test_a_report_that_cannot_be_written_is_told(explanation, tmp_path):
    """An error names the place, and says what to do."""
    with pytest.raises(InputError, match="folder of your own"):
        leave_report(explanation, tmp_path)  # which is a folder


def test_the_tour_says_what_weights_are_not(told):
    """It speaks neither of fairness nor of causes, and says so."""
    assert "does not say that a decision was fair or unfair" in flat(told)


def test_the_tour_goes_on_without_lime(told, data, capsys, monkeypatch):
    """A plain sentence stands where LIME's answer would, which else is three runs."""
    pytest.importorskip("lime")
    assert len(re.findall(r"\(place \d+\)", told)) == lime.RUNS

    def missing(name, library):
        raise ExtraError("not installed")

    monkeypatch.setattr(lime, "extra", missing)
    lime.tell_lime(None, data.test.X[0], data)
    assert "LIME is not installed" in capsys.readouterr().out


def test_what_it_advises_works(told, network, data):
    """The commands that it ends with run as they stand, on a service of one's own."""
    np.savetxt("rows.csv", data.test.X[:2], delimiter=",")
    lines = told.partition("Try it on")[2].splitlines()[1:]
    commands = [line.split("#")[0].split() for line in lines if line.strip()]
    assert [words[:2] for words in commands] == [
        ["facetwise", "serve"],
        ["facetwise", "inspect"],
        ["facetwise", "explain"],
    ]
    with serve(network, Settings(port=0)) as server:
        there = server.url.partition("/v2/")[0]
        for words in commands[1:]:
            asked = [there if "127.0.0.1" in word else word for word in words[1:]]
            told = CliRunner().invoke(facetwise, asked)
            assert told.exit_code == 0, told.output
    assert Path("my.html").exists()


def test_it_tells_the_same_again(told, tmp_path, capsys):
    """Two tours print the same, but for the ports, and for how fast the service was."""
    main()
    changes = re.compile(r"127\.0\.0\.1:\d+/v2/models/mortgage|[\d.,]+ (m?s|seconds)\b")
    speed = re.compile(r"  speed .*?(?=  shape )", re.S)
    again, before = (
        flat(changes.sub("", speed.sub("", text)))
        for text in (capsys.readouterr().out, told)
    )
    assert again == before
