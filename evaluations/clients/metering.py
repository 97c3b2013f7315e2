"""What calls cost, for a caller who keeps accounts."""

from collections.abc import Sequence
from typing import Any, Protocol


class Meter(Protocol):
    """Each call is reserved before it is made and settled once, both in the caller's thread."""

    def reserve(self, texts: Sequence[str]) -> Any:
        """Whatever `settle` needs; raises ServiceError where the call may not be made."""

    def settle(self, reservation: Any, tokens: int | None) -> None:
        """0 tokens for a call that is free; None where nobody knows what it costs."""


class Unmetered:
    """For callers who keep none."""

    def reserve(self, texts: Sequence[str]) -> None:
        return None

    def settle(self, reservation: None, tokens: int | None) -> None:
        return None
