"""Refusals: an exception class for each kind of error answer, all with the same fields.

`code` is stable and documented, `message` says what is wrong, `hint` what to do, `where` the location
(line, column, position), `fields` the sentences per field of a form or body.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any


class Refusal(Exception):
    """A request that cannot be done; nothing was changed."""

    status = 400
    headers: Mapping[str, str] = MappingProxyType({})
    onward: tuple[str, str] | None = None  # words and address by which its page leads on, if not back

    def __init__(
        self,
        code: str,
        message: str,
        *,
        hint: str = "",
        where: dict[str, Any] | None = None,
        fields: dict[str, list[str]] | None = None,
    ):
        super().__init__(message)
        self.code, self.message, self.hint = code, message, hint
        self.where, self.fields = where or {}, fields or {}

    def as_dict(self) -> dict[str, Any]:
        """The error object of pages, API and stored failures, without empty fields."""
        parts = {"hint": self.hint, "where": self.where, "fields": self.fields}
        return {"code": self.code, "message": self.message} | {k: v for k, v in parts.items() if v}


class Invalid(Refusal):
    """A value is invalid."""


class Forbidden(Refusal):
    """The object may be seen but not changed by this person or key."""

    status = 403


class NotFound(Refusal):
    """The object does not exist, or is hidden from this person or key."""

    status = 404


class Conflict(Refusal):
    """The request conflicts with the current state."""

    status = 409


class ChoiceNeeded(Conflict):
    """A question that only the sender can answer; each of `choices` names the field that answers it, and its values."""

    def __init__(self, message: str, choices: list[dict[str, Any]]):
        hint = "Send the field of each choice, or leave out “ask” to import with the defaults."
        super().__init__("choice_needed", message, hint=hint)
        self.choices = choices

    def as_dict(self) -> dict[str, Any]:
        return super().as_dict() | {"choices": self.choices}


class Gone(Refusal):
    """The object was used up or has expired."""

    status = 410


class TooManyRequests(Refusal):
    """A rate limit or a limit on concurrent work was reached; `seconds` until a retry makes sense."""

    status = 429

    def __init__(self, message: str, seconds: int):
        super().__init__("too_many_requests", message, hint=f"Try again in {seconds} seconds.")
        self.headers = {"Retry-After": str(seconds)}


class TooLarge(Refusal):
    """A limit on size was exceeded."""

    status = 413


class StorageFull(Refusal):
    """The disk has no room for the data."""

    status = 507


class StorageUnavailable(Refusal):
    """The storage of uploads does not respond."""

    status = 503
    headers = MappingProxyType({"Retry-After": "5"})
