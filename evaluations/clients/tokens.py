"""Token counts of a call."""

from dataclasses import dataclass

MOST = 100_000_000  # ten times the longest context of any model; a higher count is a server's error


@dataclass(frozen=True)
class Tokens:
    """Tokens by the server's count: `cached` is a part of `input`, `reasoning` a part of `output`."""

    input: int
    output: int
    cached: int = 0
    reasoning: int = 0
