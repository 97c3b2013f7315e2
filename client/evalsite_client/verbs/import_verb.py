"""`evalsite import`: imports the results of another tool."""

from pathlib import Path

import click

from .. import lines
from ..session import Session, connected


@click.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--name", help="Name of the dataset; by default that of the file.")
@click.option("--dry-run", is_flag=True, help="Show the contents of FILE without importing it.")
@click.option("--timeout", type=click.FloatRange(min=0), metavar="SECONDS", help="Maximum waiting time.")
@connected
def command(session: Session, file: Path, name: str | None, dry_run: bool, timeout: float | None) -> None:
    """Import the results of another tool from FILE, such as OpenAI Evals, promptfoo or Inspect.

    The server recognises the tool by the format of the file. When scoring has ended, the figures of the tool's own
    summary are printed next to those of Evalsite.
    """
    if dry_run:
        preview = session.client.preview(file, on_bytes=session.bytes_shown(f"Uploading {file.name}"))
        return session.answer(preview, *lines.preview(preview))
    imported = session.client.import_file(
        file,
        name,
        timeout=timeout,
        on_bytes=session.bytes_shown(f"Uploading {file.name}"),
        on_state=session.state_shown(file.name),
    )
    session.upload_page(imported["dataset"])
    return session.answer(imported, *lines.imported(imported))
