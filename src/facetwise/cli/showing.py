"""What is printed: text in which names from anywhere cannot play tricks."""

from __future__ import annotations

import click

from facetwise.markup import legible


def show(text: str) -> None:
    """Print what was asked for, on standard output."""
    click.echo("\n".join(_safe(line) for line in text.split("\n")))


def tell(text: str) -> None:
    """Print one line about the work on standard error."""
    click.echo(f"facetwise: {_safe(' '.join(text.split()))}", err=True)


def _safe(line: str) -> str:
    """A line in which a terminal finds no codes to obey."""
    return legible(line) if line else line
