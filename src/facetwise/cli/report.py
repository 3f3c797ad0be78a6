"""`facetwise report`: an explanation as a page for a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from facetwise.cli.command import Command
from facetwise.cli.showing import tell
from facetwise.explanation import load
from facetwise.export import check_place
from facetwise.report.document import write

Shape = tuple[int, ...] | Literal["square"]


def image_shape(
    ctx: click.Context, option: click.Parameter, given: str | None
) -> Shape | None:
    """The shape that was typed, as 28x28, 32x32x3 or square."""
    if given is None:
        return None
    if given == "square":
        return "square"
    sides = given.split("x")
    if len(sides) not in (2, 3) or not all(side.isdecimal() for side in sides):
        raise click.BadParameter(
            f"expected a shape such as 28x28 or 32x32x3, or square; got {given!r}."
        )
    return tuple(map(int, sides))


@click.command(cls=Command)
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("rows.html"),
    show_default=True,
    help="The page to write.",
)
@click.option("--title", help="The heading of the page.")
@click.option(
    "--image-shape",
    metavar="SHAPE",
    callback=image_shape,
    help="Show rows as images: 28x28, 32x32x3 or square.",
)
def report(file: Path, out: Path, title: str | None, image_shape: Shape | None) -> None:
    """Write a report on FILE, an explanation in .npz, that opens in any browser.

    Example: facetwise report rows.npz --out rows.html
    """
    check_place(out, file)
    settings = {} if title is None else {"title": title}
    write(load(file), out, image_shape=image_shape, **settings)
    tell(f"The report is in {out}.")
