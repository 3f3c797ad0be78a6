"""`facetwise reproduce`: the paper, done again."""

from __future__ import annotations

import click

from facetwise.reproduce.command import run


@click.command(add_help_option=False, context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def reproduce(ctx: click.Context, arguments: tuple[str, ...]) -> None:
    """Do the paper's tables and figures again, and judge its claims.

    Its options are those of `python -m facetwise.reproduce`, which reads them.

    Example: facetwise reproduce --instances 50
    """
    run(arguments, ctx.command_path)
