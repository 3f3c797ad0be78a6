"""The pages for users run as they stand, and point at what is there."""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import warnings
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from facetwise import Status

with warnings.catch_warnings():
    # Libraries that pages compare with complain about one another as they are loaded.
    warnings.simplefilter("ignore")
    for library in ("lime.lime_tabular", "shap"):
        if find_spec(library.partition(".")[0]):
            import_module(library)

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SOURCES = [*ROOT.glob("src/**/*.py"), *ROOT.glob("benchmarks/*.py"), ROOT / "Makefile"]

TESTED_APART = {"tables.md"}
"""Pages whose examples print what differs between machines; a test knows what."""

# An example, and what it prints if a block of text follows at once.
EXAMPLE = re.compile(
    r"^```python\n(?P<code>.*?)^```\n(?:\n```text\n(?P<output>.*?)^```\n)?", re.M | re.S
)
LINK = re.compile(r"\[[^\]]*\]\((?P<page>[^)#:]*)(?:#(?P<heading>[^)]*))?\)")
FILE = re.compile(r"`((?:core|benchmarks|tests|tables|datasets)/\w+\.py)`")
CONSTANT = re.compile(r"`([A-Z][A-Z_]{3,})`")
LENIENT = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

Names = dict[str, object]


def name_of(page: Path) -> str:
    """A page's path from the root of the project."""
    return page.relative_to(ROOT).as_posix()


def run_session(session: str, names: Names, where: str) -> str:
    """Run an example that has prompts; complaints about what it shows."""
    test = doctest.DocTestParser().get_doctest(session, names, where, where, 0)
    complaints = io.StringIO()
    runner = doctest.DocTestRunner(optionflags=LENIENT)
    runner.run(test, out=complaints.write, clear_globs=False)
    names.update(test.globs)
    return complaints.getvalue()


def run_script(code: str, output: str | None, names: Names, where: str) -> str:
    """Run an example without prompts; complaints about what it prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, where, "exec", dont_inherit=True), names)
    if doctest.OutputChecker().check_output(output or "", printed.getvalue(), LENIENT):
        return ""
    return f"{where} shows\n{output}\nand prints\n{printed.getvalue()}"


def run_page(text: str, name: str) -> list[str]:
    """Run a page's examples in their order, with the same names; all complaints."""
    names: Names = {"__name__": name}
    complaints = []
    for example in EXAMPLE.finditer(text):
        line = text.count("\n", 0, example.start()) + 2
        where, code = f"{name}, line {line}", example["code"]
        if code.startswith(">>>"):
            complaints.append(run_session(code, names, where))
        else:
            complaints.append(run_script(code, example["output"], names, where))
    return [complaint for complaint in complaints if complaint]


def anchors(page: Path) -> set[str]:
    """What a link can name in a page: its headings, in small letters and dashes."""
    headings = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.M)
    words = [re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings]
    return {heading.replace(" ", "-") for heading in words}


@pytest.mark.parametrize(
    "page", [p for p in PAGES if p.name not in TESTED_APART], ids=name_of
)
def test_examples_run(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every example runs after those above it, and prints what the page shows."""
    monkeypatch.chdir(tmp_path)  # where the files that it writes may lie
    complaints = run_page(page.read_text("utf-8"), name_of(page))
    assert not complaints, "\n".join(complaints)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    """A link within the project names a page that is there, and a heading on it."""
    for link in LINK.finditer(page.read_text("utf-8")):
        target = page.parent / link["page"] if link["page"] else page
        assert target.exists(), link[0]
        assert not link["heading"] or link["heading"] in anchors(target), link[0]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_names_are_those_of_the_code(page: Path) -> None:
    """Files and constants that a page names can be found in the source."""
    text = page.read_text("utf-8")
    for file in FILE.findall(text):
        assert (ROOT / "src/facetwise" / file).exists() or (ROOT / file).exists(), file
    source = "\n".join(path.read_text("utf-8") for path in SOURCES)
    for constant in CONSTANT.findall(text):
        assert re.search(rf"\b{constant}\b", source), constant


def test_index_names_every_page() -> None:
    """docs/README.md leads to all the other pages."""
    index = (ROOT / "docs/README.md").read_text("utf-8")
    linked = {link["page"] for link in LINK.finditer(index)}
    assert {p.name for p in PAGES if p.name != "README.md"} <= linked


def test_every_status_is_told() -> None:
    """docs/statuses.md has a section for each status, and the README a word."""
    sections = re.findall(
        r"^## (\w+)$", (ROOT / "docs/statuses.md").read_text("utf-8"), re.M
    )
    assert sections == [status.name for status in Status]
    readme = (ROOT / "README.md").read_text("utf-8")
    assert all(f"`{status.name}`" in readme for status in Status)


# The checks can fail -----------------------------------------------------------------


def test_wrong_output_is_seen() -> None:
    """An example that prints something else than the page shows is reported."""
    script = "```python\nx = 1\nprint(x)\n```\n\n```text\n2\n```\n"
    session = "```python\n>>> 1 + 1\n3\n\n```\n"
    assert len(run_page(script, "page")) == 1
    assert len(run_page(session, "page")) == 1
    assert run_page(script.replace("2", "1") + session.replace("3", "2"), "page") == []


def test_names_carry_over() -> None:
    """An example may use what an earlier one on its page defined."""
    page = "```python\nx = 1\n```\n\n```python\n>>> y = x + 1\n```\n"
    assert run_page(page + "```python\nassert (x, y) == (1, 2)\n```\n", "page") == []


def test_unshown_output_is_seen() -> None:
    """A script that prints needs a block that shows what."""
    assert len(run_page("```python\nprint(1)\n```\n", "page")) == 1
