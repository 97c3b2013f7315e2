"""Results of other tools: uploaded, scored, and held beside the tool's own summary."""

from pathlib import Path
from typing import TYPE_CHECKING

from .answers import Imported
from .errors import Refused
from .transport import OnBytes
from .waiting import OnState

if TYPE_CHECKING:
    from .client import Client

NOT_FOUND = 404


def import_file(
    site: "Client",
    file: Path,
    name: str | None,
    *,
    timeout: float | None,
    on_bytes: OnBytes | None,
    on_state: OnState,
) -> Imported:
    """The dataset of a file, and what became of the tool's own figures where the file is of a known tool."""
    dataset = site.upload(file, name, timeout=timeout, on_bytes=on_bytes, on_state=on_state)
    experiment = dataset["experiment"]
    if experiment is None:
        return {"dataset": dataset, "source": None}
    site.wait_for_runs(experiment, timeout=timeout, on_state=on_state)
    try:
        return {"dataset": dataset, "source": site.source(experiment)}
    except Refused as refusal:
        if refusal.status != NOT_FOUND:
            raise
        return {"dataset": dataset, "source": None}
