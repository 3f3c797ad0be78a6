"""What all commands have in common: errors as one line, and a way to see more."""

from __future__ import annotations

from typing import Any

import click

from facetwise.cli.failing import DEBUG, failures_told

TYPED = "facetwise.typed"
"""Where a context keeps the words of the command line."""


class Commands(click.Group):
    """A group of commands whose failures are told in one line."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse, and note what was typed."""
        ctx.meta.setdefault(TYPED, tuple(args))
        with failures_told(ctx):
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that was named."""
        with failures_told(ctx):
            return super().invoke(ctx)


class Command(click.Command):
    """A command that takes `--debug`."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.params.append(
            click.Option(
                ["--debug"],
                is_flag=True,
                is_eager=True,
                expose_value=False,
                callback=_note_debug,
                help="Show the traceback of an error.",
            )
        )


def _note_debug(ctx: click.Context, option: click.Parameter, debug: bool) -> None:
    ctx.meta[DEBUG] = debug
