"""`facetwise demo`: a first look."""

from __future__ import annotations

import click

import facetwise.demo
from facetwise.cli.command import Command


@click.command(cls=Command)
def demo() -> None:
    """Show what facetwise does, on this machine and without a network.

    Example: facetwise demo
    """
    facetwise.demo.main()
