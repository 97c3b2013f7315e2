"""Converts runs to tables of pyarrow and pandas, if these are installed."""

import io
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from .errors import Mistaken
from .transport import Transport

Filters = Mapping[str, str | float | None]


def arrow(transport: Transport, run: int, filters: Filters) -> Any:
    """The rows of a run as a pyarrow.Table, with the types of the server's Parquet export."""
    parquet = _installed("pyarrow.parquet", "arrow")
    content = io.BytesIO()
    transport.download(f"runs/{run}/export/", {"format": "parquet", **filters}, content)
    content.seek(0)
    return parquet.read_table(content)


def pandas(transport: Transport, run: int, filters: Filters) -> Any:
    """The rows of a run as a pandas.DataFrame."""
    _installed("pandas", "pandas")
    return arrow(transport, run, filters).to_pandas()


def _installed(module: str, extra: str) -> Any:
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise Mistaken(
            f"{error.name} is not installed. Run: pip install 'evalsite-client[{extra}]'"
        ) from error
