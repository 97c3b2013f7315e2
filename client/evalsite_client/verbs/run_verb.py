"""`evalsite run`: adds the outputs of a variant to an experiment."""

from pathlib import Path
from typing import Any

import click

from .. import lines
from ..session import Session, connected, json_object, reads, waits


@click.command("run")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--experiment", required=True, help="Name or id of the experiment.")
@click.option(
    "--variant",
    help="Name of the variant; not if rows name it by --long. Default, without columns: its model.",
)
@click.option("--output", metavar="COLUMN", help="The column with the outputs; by default output.")
@click.option("--id", "ids", metavar="COLUMN", help="The column with the keys of the examples.")
@click.option("--position", metavar="COLUMN", help="The column with the positions of the examples.")
@click.option("--in-order", is_flag=True, help="Rows are in the order of the examples.")
@click.option("--split", help="The outputs are for this split of the dataset, by name or id.")
@click.option(
    "--about", metavar="JSON", help="Description of the variant as JSON (model, commit, notes), or @FILE."
)
@click.option(
    "--for-gate",
    is_flag=True,
    help="A pipeline sends it to be checked by a gate: it is kept apart from the variants.",
)
@reads
@waits
@connected
def command(
    session: Session,
    file: Path,
    output: str | None,
    ids: str | None,
    position: str | None,
    in_order: bool,
    about: str | None,
    reading: dict[str, Any],
    **options: Any,
) -> None:
    """Add the outputs in FILE as a variant of an experiment, and score them with its evaluators.

    FILE is read as the first file of the experiment was, unless you say how its rows match the examples. With --long,
    FILE has several outputs for each example, and each variant or repetition in it becomes a run.
    """
    chosen = [bool(ids), bool(position), in_order, "long" in reading].count(True)
    if chosen > 1 or (output and not chosen):
        raise click.UsageError(
            "Choose how rows match examples: one of --id, --position, --in-order and --long."
        )
    if chosen and not options["variant"] and "variant" not in reading.get("long", ""):
        raise click.UsageError("Name the --variant, or by --long the column that names it.")
    is_mapped = chosen and "long" not in reading
    columns = {"output": output or "output", "key": ids, "position": position} if is_mapped else {}
    run = session.client.run(
        outputs=file,
        columns={part: column for part, column in columns.items() if column},
        about=json_object(about, "--about"),
        reading=reading,
        on_bytes=session.bytes_shown(f"Uploading {file.name}"),
        on_state=session.state_shown(file.name),
        **options,
    )
    session.page("run", run["id"])
    session.answer(run, *lines.run(run))
