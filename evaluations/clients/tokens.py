"""Token counts of a call."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Tokens:
    """Tokens by the server's count: `cached` is a part of `input`, `reasoning` a part of `output`."""

    input: int
    output: int
    cached: int = 0
    reasoning: int = 0
