"""Text from anywhere, made safe to show: names that say what is in them, HTML."""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Iterable, Sequence

JOINERS = "\u200c\u200d"
"""Invisible, and part of how words and emoji are written."""

HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
"""Categories of characters that show nothing, or change how others are shown."""

EMPTY = "(empty)"


def legible(text: object) -> str:
    """Text in which nothing is hidden: control characters are spelled out.

    Marks that turn the direction of writing, line breaks, NUL and halves of surrogate
    pairs would let a name look like another one, or break what it is shown in.

    >>> legible("income" + chr(0) + chr(0x202E))
    'income⟨U+0000⟩⟨U+202E⟩'
    """
    return "".join(map(_visible, str(text))) or EMPTY


def table(caption: str, head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """A table in HTML; no cell can be anything but text."""
    return (
        f"<table><caption>{_safe(caption)}</caption>"
        f"<thead>{_line('th', head)}</thead>"
        f"<tbody>{''.join(_line('td', line) for line in lines)}</tbody></table>"
    )


def _visible(character: str) -> str:
    if character in JOINERS or unicodedata.category(character) not in HIDDEN:
        return character
    return f"⟨U+{ord(character):04X}⟩"


def _line(tag: str, cells: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{_safe(c)}</{tag}>' for c in cells)}</tr>"


def _safe(text: str) -> str:
    # Names that are written from right to left must not reorder their neighbours.
    return f"<bdi>{html.escape(legible(text))}</bdi>"
