"""`evalsite update`: appends, merges or mirrors a file into a dataset."""

from pathlib import Path
from typing import Any

import click

from .. import lines
from ..session import Session, connected, mapping_of, refuses_rows


@click.command("update")
@click.argument("dataset")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--mode",
    type=click.Choice(["append", "merge", "mirror"]),
    required=True,
    help="append adds new examples, merge also changes examples whose key exists, mirror also removes "
    "examples that the file lacks.",
)
@click.option("--dry-run", is_flag=True, help="Count the changes without making them.")
@click.option(
    "--mapping",
    metavar="JSON|NAME",
    help="The mapping as JSON, @FILE, or the name of a saved mapping. Default: the columns of the dataset.",
)
@refuses_rows
@click.option("--timeout", type=click.FloatRange(min=0), metavar="SECONDS", help="Maximum waiting time.")
@connected
def command(session: Session, dataset: str, file: Path, mapping: str | None, **options: Any) -> None:
    """Update DATASET from FILE. If anything changes, this creates a new version."""
    change = session.client.update(
        dataset,
        file,
        mapping=mapping_of(mapping),
        on_bytes=session.bytes_shown(f"Uploading {file.name}"),
        on_state=session.state_shown(file.name),
        **options,
    )
    session.answer(change, *lines.change(change))
