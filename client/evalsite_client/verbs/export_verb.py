"""`evalsite export`: writes a dataset, experiment or run into a file."""

from pathlib import Path

import click

from ..answers import Kind
from ..session import Session, connected, pairs, written


@click.command("export")
@click.argument("kind", type=click.Choice(["dataset", "experiment", "run"]))
@click.argument("reference", metavar="ID_OR_NAME")
@click.option(
    "--format",
    "form",
    type=click.Choice(["csv", "jsonl", "json", "parquet", "xlsx"]),
    help="Format of the file. Default: by the name of the file.",
)
@click.option(
    "--filter",
    "filters",
    multiple=True,
    metavar="NAME=VALUE",
    help="A filter of a run, such as passed=false or min[exact match]=0.5; repeatable.",
)
@click.option("--split", help="For a dataset: only the examples of this split, by name or id.")
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
    kind: Kind,
    reference: str,
    form: str | None,
    filters: tuple[str, ...],
    split: str | None,
    target: Path | None,
) -> None:
    """Write a dataset, an experiment or a run to a file."""
    chosen = form or (target.suffix.removeprefix(".") if target else "") or "csv"
    target = target or Path(f"{kind}-{reference}.{chosen}".replace("/", "-"))
    shown = session.bytes_shown(f"Writing {target}")
    narrowed = pairs(filters) | ({"split": split} if split else {})
    written(
        session,
        target,
        lambda path: session.client.export(kind, reference, path, chosen, on_bytes=shown, **narrowed),
    )
