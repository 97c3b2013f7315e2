"""`evalsite update`: appends, merges or mirrors a file into a dataset."""

from pathlib import Path
from typing import Any

import click

from .. import lines
from ..session import Session, connected, mapping_of


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
@click.option(
    "--on-error",
    type=click.Choice(["reject", "skip"]),
    default="reject",
    show_default=True,
    help="What to do if rows cannot be imported: import nothing, or skip them.",
)
@click.option(
    "--duplicates",
    type=click.Choice(["keep", "skip", "fail"]),
    default="keep",
    show_default=True,
    help="What to do with rows that have the same contents as another example.",
)
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
