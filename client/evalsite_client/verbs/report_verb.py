"""`evalsite report`: writes the report of a comparison."""

from pathlib import Path
from typing import Literal

import click

from ..session import Session, compares, connected, written


@click.command("report")
@compares
@click.option(
    "--format",
    "form",
    type=click.Choice(["html", "json"]),
    default="html",
    show_default=True,
    help="Format of the report.",
)
@click.option(
    "-o",
    "--to",
    "target",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file to write; - for standard output.",
)
@connected
def command(
    session: Session,
    baseline: str,
    runs: tuple[str, ...],
    experiment: str | None,
    split: str | None,
    form: Literal["html", "json"],
    target: Path | None,
) -> None:
    """Write a report of a comparison to one file. The HTML report works offline."""
    written(
        session,
        target or Path(f"report.{form}"),
        lambda path: session.client.report(
            baseline, *runs, experiment=experiment, split=split, target=path, format=form
        ),
    )
