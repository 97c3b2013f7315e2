"""What a file is: magic bytes first, then encoding, then the delimiter."""

from collections.abc import Mapping
from typing import Any, BinaryIO

from .formats import Format, Limits


def sniff(
    file: BinaryIO,
    filename: str,
    overrides: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
    whole: bool = True,
) -> Format:
    """How to read the file; `whole` checks the encoding to its last byte, else only the first megabyte."""
    raise NotImplementedError
