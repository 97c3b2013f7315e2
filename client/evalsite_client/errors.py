"""The exceptions of this package, each with its exit code on the command line."""

from collections.abc import Mapping
from typing import Any, ClassVar


class EvalsiteError(Exception):
    """Base of all errors of this package."""

    exit_code: ClassVar[int]
    code: str = "error"

    def as_dict(self) -> dict[str, Any]:
        """The error as `--json` prints it, in the shape of the server's errors."""
        return {"error": {"code": self.code, "message": str(self)}}


class Unfinished(EvalsiteError):
    """The work failed, was cancelled, or stopped at a limit. `job` is its last state."""

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
    """The message, the hint, and sentences about fields beyond the message, which often repeats the first of them."""
    fields: Mapping[str, Any] = error.get("fields") or {}
    message = error["message"]
    message = next((f"{name}: {message}" for name, texts in fields.items() if message in texts), message)
    unmentioned = {
        name: [text for text in map(str, texts) if text not in message] for name, texts in fields.items()
    }
    sentences = [f"{name}: {' '.join(texts)}" for name, texts in unmentioned.items() if texts]
    return f"{' '.join(str(part) for part in (message, error.get('hint'), *sentences) if part)} [{error['code']}]"


class Unreachable(EvalsiteError):
    """The server did not answer, or was busy or broken, for as long as `patience` lasted."""

    exit_code = 6
    code = "unreachable"


class TimedOut(EvalsiteError):
    """The work took longer than the caller wanted to wait; the server continues it."""

    exit_code = 7
    code = "timed_out"


class NotConfigured(EvalsiteError):
    """No address or key is set, or others can read the file that contains them."""

    exit_code = 64
    code = "not_configured"


class Mistaken(EvalsiteError):
    """An invalid argument, such as a name that no object has."""

    exit_code = 64
    code = "usage"
