"""The one error of this room."""


class ServiceError(Exception):
    """A server that could not be asked, or would not answer.

    `permanent`: asking again is useless until somebody changes something. `retry_after`: seconds for which
    the server asked to be left alone. The message may be shown to users; it never holds the key.
    """

    def __init__(self, message: str, *, permanent: bool, code: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.permanent = permanent
        self.code = code
        self.retry_after = retry_after


class Interrupted(Exception):
    """Whoever took the answers wanted no more: those under way were waited for, the rest was not asked for."""
