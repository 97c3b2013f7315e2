"""`evalsite upload`: creates a dataset from a file."""

from pathlib import Path
from typing import Any

import click

from .. import lines
from ..session import Session, connected, json_object, mapping_of, pairs, reads, refuses_rows, waits


@click.command("upload")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--name", help="Name of the dataset; by default that of the file.")
@click.option("--input", "inputs", multiple=True, metavar="COLUMN", help="A column of inputs; repeatable.")
@click.option("--reference", multiple=True, metavar="COLUMN", help="A column of references; repeatable.")
@click.option("--metadata", multiple=True, metavar="COLUMN", help="A further column to keep; repeatable.")
@click.option("--id", "ids", metavar="COLUMN", help="The column with the keys of the examples.")
@click.option(
    "--output",
    "outputs",
    multiple=True,
    metavar="VARIANT[=COLUMN]",
    help="The outputs of a variant: a column, or a JSONPath such as v2=$.v2.text; repeatable.",
)
@click.option(
    "--mapping",
    metavar="JSON|NAME",
    help="Further parts of the mapping as JSON (see docs/api.md), or @FILE. Or the name of a saved"
    " mapping, without other options.",
)
@reads
@click.option(
    "--defaults", is_flag=True, help="Import a file that can be read in several ways with the defaults."
)
@click.option("--schema", metavar="JSON", help="Allowed values of columns as JSON Schema, or @FILE.")
@click.option("--dry-run", is_flag=True, help="Show what FILE would create without creating it.")
@refuses_rows
@click.option(
    "--evaluator",
    "evaluators",
    multiple=True,
    help="Name, id or kind of an evaluator that scores the runs; repeatable.",
)
@waits
@connected
def command(
    session: Session,
    file: Path,
    outputs: tuple[str, ...],
    mapping: str | None,
    schema: str | None,
    ids: str | None,
    dry_run: bool,
    defaults: bool,
    **options: Any,
) -> None:
    """Create a dataset from FILE: CSV, TSV, JSON Lines, JSON or Parquet, gzipped or not, or a workbook.

    Without column options, the server uses the roles that its upload page suggests.
    """
    columns: dict[str, Any] = {"key": ids, "outputs": pairs(outputs), "mapping": mapping_of(mapping)}
    on_bytes = session.bytes_shown(f"Uploading {file.name}")
    if dry_run:
        parts = {part: options[part] for part in ("inputs", "reference", "metadata")}
        preview = session.client.preview(
            file, **columns, **parts, reading=options["reading"], on_bytes=on_bytes
        )
        return session.answer(preview, *lines.preview(preview))
    dataset = session.client.upload(
        file,
        **columns,
        schema=json_object(schema, "--schema"),
        ask=not defaults,
        on_bytes=on_bytes,
        on_state=session.state_shown(file.name),
        **options,
    )
    session.upload_page(dataset)
    return session.answer(dataset, *lines.dataset(dataset))
