"""The interface by which callers account for the cost of calls."""

from collections.abc import Sequence
from typing import Any, Protocol


class Meter(Protocol):
    """Accounts for calls: each is reserved before it is made and settled once, both in the caller's thread."""

    def reserve(self, texts: Sequence[str]) -> Any:
        """Reserve a call; returns the argument for `settle`. Raises `ServiceError` if the call may not be made."""

    def settle(self, reservation: Any, tokens: int | None) -> None:
        """Settle a call: 0 tokens if it is free, None if its cost is unknown."""


class Unmetered:
    """A meter that keeps no accounts."""

    def reserve(self, texts: Sequence[str]) -> None:
        return None

    def settle(self, reservation: None, tokens: int | None) -> None:
        return None
