"""The tokens of a call."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Tokens:
    """Tokens as the server counted them: `cached` is a part of `input`, `reasoning` of `output`."""

    input: int
    output: int
    cached: int = 0
    reasoning: int = 0
