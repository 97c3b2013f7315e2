"""Finds the brackets and commas of JSON in its bytes, before any value is built."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

WINDOW = 1 << 16  # bytes that are searched together
QUOTE, COMMA = b'",'
_STEP = np.zeros(256, np.int8)
_STEP[list(b"[{")] = 1
_STEP[list(b"]}")] = -1
_IS_MARK = _STEP != 0
_IS_MARK[[QUOTE, COMMA]] = True


class Marks(NamedTuple):
    """Brackets and commas outside texts: offset, type (1 opening, -1 closing, 0 comma), and the depth after each."""

    offsets: NDArray[np.intp]
    steps: NDArray[np.int8]
    depths: NDArray[np.int64]


class Structure:
    """Follows the nesting of a JSON text that arrives in chunks."""

    def __init__(self) -> None:
        self.depth = 0
        self.escape = b""  # a backslash at the end of the previous chunk
        self._in_text = False

    def read(self, chunk: bytes) -> tuple[bytes, Marks]:
        """The chunk with its marks; a backslash at its end is moved to the next chunk."""
        chunk = self.escape + chunk
        # Escapes are blanked out, pairs of backslashes first: each remaining quote begins or ends a text.
        plain = chunk.replace(b"\\\\", b"__").replace(b'\\"', b"__") if b"\\" in chunk else chunk
        self.escape = b"\\" if plain.endswith(b"\\") else b""
        if self.escape:
            chunk, plain = chunk[:-1], plain[:-1]
        return chunk, self._marks(np.frombuffer(plain, np.uint8))

    def _marks(self, codes_of_bytes: NDArray[np.uint8]) -> Marks:
        offsets = np.flatnonzero(_IS_MARK[codes_of_bytes])
        codes = codes_of_bytes[offsets]
        is_quote = codes == QUOTE
        in_text = (np.cumsum(is_quote) + self._in_text) % 2 == 1
        if len(offsets):
            self._in_text = bool(in_text[-1])
        outside = ~(in_text | is_quote)
        steps = _STEP[codes[outside]]
        depths = self.depth + np.cumsum(steps, dtype=np.int64)
        if len(depths):
            self.depth = int(depths[-1])
        return Marks(offsets[outside], steps, depths)


def windows(text: bytes) -> Iterator[Marks]:
    structure = Structure()
    for start in range(0, len(text), WINDOW):
        yield structure.read(text[start : start + WINDOW])[1]
