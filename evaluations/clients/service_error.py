"""Exceptions of the clients of model servers."""

# Errors that cost nothing: refusals before anything was computed, and calls that were never made.
FREE = {
    "unauthorized",
    "forbidden",
    "not_found",
    "refused",
    "too_many",
    "rate_limited",
    "unavailable",
    "deadline",
    "insufficient_quota",
    "moderation",
    "filtered",
    "unsupported_parameter",
}


class ServiceError(Exception):
    """A failed call to a server.

    `permanent`: a retry is useless until somebody changes something. `retry_after`: the seconds that the server
    asked to wait. The message may be shown to users; it never holds the key.
    """

    def __init__(self, message: str, *, permanent: bool, code: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.permanent = permanent
        self.code = code
        self.retry_after = retry_after

    @property
    def is_free(self) -> bool:
        """Whether the call certainly cost nothing. After a timeout, for example, that is unknown."""
        return self.code in FREE


class Interrupted(Exception):
    """Nobody goes on now: calls in progress ended, and no further calls were made.

    The caller stopped the run, or the server's pace allows no call for so many `seconds`.
    """

    def __init__(self, seconds: float = 0.0) -> None:
        super().__init__()
        self.seconds = seconds
