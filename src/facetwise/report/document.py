"""An explanation as one file for a browser, which asks no one for anything.

The page is put together from the files in `page/`. Its content policy allows exactly
the script and the style in it, by their hashes, and nothing else: no network, no
handlers in attributes, no text that is read as HTML. What comes from the explanation
is data to the page; it is never markup.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from importlib.resources import files
from os import PathLike
from pathlib import Path
from string import Template
from typing import Any

from facetwise.explanation import Explanation
from facetwise.markup import legible
from facetwise.report.facts import ImageShape, facts, numbers

PAGE = files("facetwise.report") / "page"

STYLES = ("base", "overview", "rows", "detail", "print")
SCRIPTS = (
    # from the bottom up, as each uses those before it
    *(
        "text",
        "numbers",
        "elements",
        "arrays",
        "facts",
        "record",
        "score",
        "box",
        "measure",
    ),
    *("mark", "image", "feature", "whatif", "table", "rival", "detail"),
    *("about", "drivers", "rows", "list", "theme", "main"),
)

POLICY = (
    "default-src 'none'; script-src 'sha256-{script}'; style-src 'sha256-{style}'; "
    "base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)


def write(
    explanation: Explanation,
    path: str | PathLike[str],
    *,
    image_shape: ImageShape = None,
    title: str = "What drove these decisions",
) -> None:
    """Write a report that opens in any browser, from disk and without a network.

    Parameters
    ----------
    explanation
        What to report. Every row is in the file, with all of its numbers.
    path
        Where to, such as "rows.html".
    image_shape
        Say so if rows are images: (height, width) or (height, width, 3), or "square"
        for the one that d features make. Weights are then shown as a picture, too.
    title
        The heading.
    """
    page = _page(explanation, image_shape, title)
    # Line ends as they are: the hashes are of these very bytes.
    Path(path).write_text(page, encoding="utf-8", newline="\n")


def _page(explanation: Explanation, image_shape: ImageShape, title: str) -> str:
    style, script = _joined(STYLES, "css"), _joined(SCRIPTS, "js")
    known = {**facts(explanation, image_shape), "title": legible(title)}
    blocks = [_block("facts", "application/json", _json(known))]
    for name, text in numbers(explanation).items():
        blocks.append(_block(name, "text/plain", text))
    return Template(_file("page.html")).substitute(
        policy=POLICY.format(script=_hash(script), style=_hash(style)),
        title=html.escape(legible(title)),
        style=style,
        script=script,
        blocks="\n".join(blocks),
    )


def _file(name: str) -> str:
    return (PAGE / name).read_text("utf-8").replace("\r\n", "\n")


def _joined(names: tuple[str, ...], ending: str) -> str:
    """Several files of the page as one."""
    return "\n".join(_file(f"{name}.{ending}") for name in names)


def _hash(text: str) -> str:
    """What a content policy knows a script or a style by."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _json(content: Any) -> str:
    """JSON that no parser of HTML takes for the end of its element."""
    text = json.dumps(content, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e")


def _block(name: str, kind: str, text: str) -> str:
    # Browsers do not run scripts of other types; they are data to the page.
    return f'<script type="{kind}" id="{name}">{text}</script>'
