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
    help="append adds what the dataset lacks, merge also changes examples with a known key, mirror also removes "
    "what the file lacks.",
)
@click.option("--dry-run", is_flag=True, help="Count what would change, but change nothing.")
@click.option(
    "--mapping",
    metavar="JSON|NAME",
    help="Default: the columns that the dataset has; @FILE reads it. Or the name of a saved mapping.",
)
@click.option("--on-error", type=click.Choice(["reject", "skip"]), default="reject", show_default=True)
@click.option("--duplicates", type=click.Choice(["keep", "skip", "fail"]), default="keep", show_default=True)
@click.option("--timeout", type=click.FloatRange(min=0), metavar="SECONDS", help="Wait no longer than this.")
@connected
def command(session: Session, dataset: str, file: Path, mapping: str | None, **options: Any) -> None:
    """Read FILE into DATASET, which gets a new version if anything changes."""
    change = session.client.update(
        dataset,
        file,
        mapping=mapping_of(mapping),
        on_bytes=session.bytes_shown(f"Uploading {file.name}"),
        on_state=session.state_shown(file.name),
        **options,
    )
    session.answer(change, *lines.change(change))
