"""The id of the request that this thread answers, for log records of code that does not see the request."""

from contextvars import ContextVar

current: ContextVar[str] = ContextVar("request_id", default="")
