"""The site is built strictly from docs/, and asks no other host for anything."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from browser import opened

DOCS = Path(__file__).parents[1] / "docs"
STRICT = ("-m", "sphinx", "--fail-on-warning", "--keep-going", "--quiet")

# Elements that make a browser load something at once, and what names it.
LOADING = {
    "script": "src",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "link": "href",
}
ELSEWHERE = re.compile(r"(?:https?:)?//")
IMPORTED = re.compile(r"""(?:url\(\s*|@import\s+)['"]?((?:https?:)?//[^'")\s]+)""")


def built(source: Path, target: Path) -> str:
    """Build a site; complaints, of which any is enough to fail."""
    done = subprocess.run(
        [sys.executable, *STRICT, source, target],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode == 0) == (not done.stderr), done.stderr
    return done.stderr


class Loads(HTMLParser):
    """What a page loads from elsewhere."""

    def __init__(self, page: str) -> None:
        """Read the whole page."""
        super().__init__()
        self.found: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element that loads."""
        place = dict(attrs).get(LOADING.get(tag, "")) or ""
        if ELSEWHERE.match(place):
            self.found.append(place)


def from_elsewhere(file: Path) -> list[str]:
    """Addresses of other hosts that a page or a style makes a browser ask."""
    text = file.read_text("utf-8")
    return IMPORTED.findall(text) + (
        Loads(text).found if file.suffix == ".html" else []
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The site, built without a complaint."""
    pytest.importorskip("sphinx")
    folder = tmp_path_factory.mktemp("site")
    assert built(DOCS, folder) == ""
    yield folder
    shutil.rmtree(folder)


def test_every_page_is_built(site: Path) -> None:
    """Each page of docs/ is in the site, but for the index that GitHub shows."""
    pages = {
        page.relative_to(DOCS).with_suffix(".html")
        for kind in ("*.md", "*.ipynb")
        for page in DOCS.rglob(kind)
    }
    assert len(pages) > 20
    missing = {page for page in pages if not (site / page).exists()}
    assert {page.name for page in missing} == {"README.html"}


def test_nothing_comes_from_other_hosts(site: Path) -> None:
    """No script, style, font or picture is asked of another host."""
    files = [*site.rglob("*.html"), *site.rglob("*.css")]
    assert {f.name: found for f in files if (found := from_elsewhere(f))} == {}


def test_search_works_from_disk(site: Path) -> None:
    """In a browser without a network a search finds its page, with no complaint."""
    with opened() as browser:
        browser.driver.get((site / "search.html").as_uri() + "?q=saturated")
        for _ in range(50):
            browser.settle()
            if titles := browser.texts("ul.search li a"):
                break
        assert any("SATURATED" in title for title in titles)
        assert browser.complaints() == []


@pytest.mark.parametrize("link", ["[a](nowhere.md)", "[a](scope.md#nowhere)"])
def test_broken_links_are_seen(link: str, tmp_path: Path) -> None:
    """A link to a page or to a heading that is not there ends the build."""
    pytest.importorskip("sphinx")
    shutil.copy(DOCS / "conf.py", tmp_path)
    shutil.copy(DOCS / "scope.md", tmp_path)
    shutil.copytree(DOCS / "_static", tmp_path / "_static")
    index = "# A\n\n```{toctree}\nscope\n```\n\n"
    (tmp_path / "index.md").write_text(index + "[a](scope.md)\n", "utf-8")
    assert built(tmp_path, tmp_path / "good") == ""
    (tmp_path / "index.md").write_text(index + link + "\n", "utf-8")
    assert "nowhere" in built(tmp_path, tmp_path / "bad")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.html", '<script src="https://cdn.example/a.js"></script>'),
        ("b.html", '<link rel="stylesheet" href="//fonts.example/b.css">'),
        ("c.css", "@font-face { src: url('https://fonts.example/c.woff') }"),
    ],
)
def test_other_hosts_are_seen(name: str, text: str, tmp_path: Path) -> None:
    """What would be loaded from elsewhere is found, and a mere link is not."""
    (tmp_path / name).write_text(text, "utf-8")
    assert len(from_elsewhere(tmp_path / name)) == 1
    (tmp_path / "link.html").write_text('<a href="https://example.org">a</a>', "utf-8")
    assert from_elsewhere(tmp_path / "link.html") == []
