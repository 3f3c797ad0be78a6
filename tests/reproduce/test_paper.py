"""One call makes tables, figures and the page; the page reads the table alone."""

import json
import os

import pytest

from facetwise.reproduce import command, paper, table
from facetwise.reproduce.claims.all import CLAIMS
from facetwise.reproduce.figures import all as figures

from .conftest import made_up

ONE = ("--datasets", "fashion-mnist", "--models", "plnn")
PNG = b"\x89PNG"


def present(folder, rows, claims=tuple(CLAIMS)):
    """A folder of results with these lines, shown."""
    table.write(folder / "results.csv", rows)
    about = {"instances": 4, "seed": 0}
    (folder / "request.json").write_text(json.dumps(about), "utf-8")
    return paper.present(folder, claims)


def test_everything_is_on_one_page(tmp_path):
    """All figures are drawn and linked, all claims are told with their verdicts."""
    verdicts = present(tmp_path, made_up())
    page = (tmp_path / "index.html").read_text("utf-8")
    drawn = sorted((tmp_path / "figures").iterdir())
    assert len(drawn) == 9
    for path in drawn:
        assert path.read_bytes().startswith(PNG)
        assert f"figures/{path.name}" in page
    assert [v.claim.name for v in verdicts] == list(CLAIMS)
    for verdict in verdicts:
        assert f"<h3>{verdict.claim.name}: <b class=" in page
    assert page.count("<h3>") == len(CLAIMS) + 4
    assert "<script" not in page


def test_a_part_of_the_methods_is_enough(tmp_path):
    """Figures that there are no numbers for are left out, and so are other claims."""
    rows = [row for row in made_up() if row[2] == "zoo" and row[1] == "lmt"]
    verdicts = present(tmp_path, rows, ["no-golden-distance"])
    drawn = {path.name for path in (tmp_path / "figures").iterdir()}
    assert drawn == {"figure-5.png", "figure-6.png", "figure-7.png", "costs.png"}
    assert len(verdicts) == 1


def test_one_cell_is_drawn_alone(results):
    """A single data set and model has figures too."""
    alone = table.Table(results().cells[:1])
    for name, draw in figures.figures(alone):
        assert len(draw(alone).axes) >= 1, name


def test_names_are_escaped(tmp_path, monkeypatch):
    """A name that looks like markup is shown as it is."""
    rows = [("mnist", "lmt", "zoo", "1e-4", "1", "questions", 5.0)]
    monkeypatch.setattr(table, "PAPER_NAMES", {"mnist": "<b>M</b>"})
    present(tmp_path, rows)
    page = (tmp_path / "index.html").read_text("utf-8")
    assert "&lt;b&gt;M&lt;/b&gt; (LMT)" in page


def test_the_command(small, tmp_path, capsys):
    """Options choose; it prints the verdicts, and the folder holds all results."""
    out = tmp_path / "out"
    options = ["--instances", "3", *ONE]
    claims = ["--claims", "no-golden-distance", "accuracy"]
    assert command.main([*options, *claims, "--out", os.fspath(out)]) == 0
    names = {path.name for path in out.iterdir()}
    assert names == {
        "pieces", "figures", "results.csv", "summary.csv", "request.json", "index.html"
    }  # fmt: skip
    assert len(list((out / "pieces").iterdir())) == 3  # zoo alone, with three h
    printed = capsys.readouterr().out
    assert "Figure 5" in printed
    assert "Table 1" in printed
    assert "Figure 7" not in printed


def test_ctrl_c_is_no_traceback(small, tmp_path, monkeypatch, capsys):
    """It says that the command takes the work up again, and leaves with 130."""

    def stop(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "reproduce", stop)
    options = ["--instances", "3", *ONE, "--out", os.fspath(tmp_path)]
    assert command.main(options) == 130
    assert "takes it up again" in capsys.readouterr().err


@pytest.mark.parametrize("options", [["--instances", "0"], ["--instances", "61"]])
def test_errors_are_one_line(options, small, tmp_path, capsys):
    """What cannot be done is said, without a traceback."""
    assert command.main([*ONE, *options, "--out", os.fspath(tmp_path)]) == 1
    assert "between 1 and 60" in capsys.readouterr().err
