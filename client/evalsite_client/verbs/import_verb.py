from pathlib import Path
from typing import Any

import click

from .. import lines
from ..session import Session, connected, waits


@click.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--name", help="Name of the dataset; by default that of the file.")
@waits
@connected
def command(session: Session, file: Path, **given: Any) -> None:
    """Take over the results of another tool from FILE; the server recognises its format by its shape."""
    dataset = session.client.upload(
        file,
        on_bytes=session.bytes_shown(f"Uploading {file.name}"),
        on_state=session.state_shown(file.name),
        **given,
    )
    session.answer(dataset, *lines.dataset(dataset))
