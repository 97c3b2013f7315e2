"""The errors of this package, each with its exit code on the command line."""

from collections.abc import Mapping
from typing import Any, ClassVar


class EvalsiteError(Exception):
    """Base of all errors of this package."""

    exit_code: ClassVar[int]
    code: str = "error"

    def as_dict(self) -> dict[str, Any]:
        """The error as `--json` prints it, in the shape in which the server answers."""
        return {"error": {"code": self.code, "message": str(self)}}


class Unfinished(EvalsiteError):
    """The work failed, was cancelled or stopped at a limit. `job` is its last state."""

    exit_code = 4
    code = "unfinished"

    def __init__(self, message: str, job: Mapping[str, Any]) -> None:
        super().__init__(message)
        self.job = job


class Refused(EvalsiteError):
    """The server refused the request. `error` has code, message and perhaps hint, where and fields."""

    exit_code = 5

    def __init__(self, status: int, error: Mapping[str, Any]) -> None:
        super().__init__(_sentence(error))
        self.status, self.error = status, error
        self.code = str(error["code"])

    def as_dict(self) -> dict[str, Any]:
        return {"error": dict(self.error)}


def _sentence(error: Mapping[str, Any]) -> str:
    """The message, the hint, and what the fields say beyond the message, which often names the first of them."""
    fields: Mapping[str, Any] = error.get("fields") or {}
    message = error["message"]
    message = next((f"{name}: {message}" for name, texts in fields.items() if message in texts), message)
    others = {
        name: [text for text in map(str, texts) if text not in message] for name, texts in fields.items()
    }
    sentences = [f"{name}: {' '.join(texts)}" for name, texts in others.items() if texts]
    return f"{' '.join(str(part) for part in (message, error.get('hint'), *sentences) if part)} [{error['code']}]"


class Unreachable(EvalsiteError):
    """No answer from the server, or only that it is busy or broken, for as long as `patience` lasted."""

    exit_code = 6
    code = "unreachable"


class TimedOut(EvalsiteError):
    """The work went on for longer than the caller wanted to wait; the server continues it."""

    exit_code = 7
    code = "timed_out"


class NotConfigured(EvalsiteError):
    """No address or key is known, or the file that has them can be read by others."""

    exit_code = 64
    code = "not_configured"


class Mistaken(EvalsiteError):
    """An argument that cannot be right, such as a name that nothing has."""

    exit_code = 64
    code = "usage"
