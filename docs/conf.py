"""How the site is built from these pages: make docs."""

import re

from sphinx.application import Sphinx

from facetwise import __version__

project = "facetwise"
author = "the authors of facetwise"
release = __version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
# GitHub's way into this folder; the site has index.md.
exclude_patterns = ["README.md"]

# Links name headings as they do on GitHub. Mathematics is plain text, as rendering it
# in a browser would take a script from another host.
myst_heading_anchors = 4
myst_enable_extensions: list[str] = []
nb_ipywidgets_js: dict[str, dict[str, str]] = {}
# Notebooks are shown as they were last run: make notebooks.
nb_execution_mode = "off"

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_type_aliases = {"ArrayLike": "ArrayLike"}
maximum_signature_line_length = 72
smartquotes = False
# Docstrings put code between single backticks.
default_role = "code"

html_theme = "furo"
html_title = f"facetwise {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_show_sphinx = False
# Summaries are fetched, which browsers refuse on pages opened from disk.
html_show_search_summary = False


OUTSIDE = re.compile(r"\[([^\]]*)\]\(\.\./([^)#]*)[^)]*\)")
"""A link to a file that is in the repository, and not on the site."""


def named(link: re.Match[str]) -> str:
    """The text of a link, and the file that it leads to."""
    text, file = link.groups()
    return f"`{file}`" if text in file else f"{text} (`{file}`)"


def name_files_outside(app: Sphinx, page: str, source: list[str]) -> None:
    """Name files outside docs/ instead of linking to them."""
    if "/" not in page:
        source[0] = OUTSIDE.sub(named, source[0])


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.connect("source-read", name_files_outside)
