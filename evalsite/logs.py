"""Logging: formatters, filters, and their configuration."""

import json
import logging
from datetime import UTC, datetime
from typing import Any

from evaluations import request_ids
from evaluations.linear import SPACE, Pattern

SECRETS = Pattern(
    rf"(?i)(\bbearer[{SPACE}]+|\bevk_[a-z0-9]{{4,8}}_|\bsk-|/signin/link/|/invite/|/rate/|/s/)[^{SPACE}\"']+"
    rf"|(://[^/{SPACE}:@]*:)[^{SPACE}@/]+(@)"
)


def mask(text: str) -> str:
    return SECRETS.sub(lambda match: "".join(filter(None, (match[1], match[2], "***", match[3]))), text)


class MaskSecrets(logging.Filter):
    """Masks keys, tokens, links that need no account and passwords in addresses, in every record."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = mask(record.getMessage()), None
        return True


class ShortenHostErrors(logging.Filter):
    """Shortens requests with a wrong Host header to one warning: anybody can send one, and the site is not at fault."""

    def filter(self, record: logging.LogRecord) -> bool:
        request = getattr(record, "request", None)
        if record.name == "django.security.DisallowedHost":
            is_first = request is None or not hasattr(request, "host_was_logged")
            if request is not None:
                request.host_was_logged = True
            record.levelno, record.levelname, record.exc_info = logging.WARNING, "WARNING", None
            return is_first
        return not (record.name == "django.request" and hasattr(request, "host_was_logged"))


class OmitDueTasks(logging.Filter):
    """Omits records of due tasks: the sweep alone would log a line every 15 seconds."""

    def filter(self, record: logging.LogRecord) -> bool:
        return not record.getMessage().startswith("Scheduler: Sending due task")


def timestamp(record: logging.LogRecord) -> str:
    return (
        datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    )


def request_id(record: logging.LogRecord) -> str:
    """The id in the response to a request, for log records about it."""
    return getattr(getattr(record, "request", None), "id", "") or request_ids.current.get()


class TextFormatter(logging.Formatter):
    """Lines such as `2026-11-20T08:15:30.123Z INFO name: message`; only a stack trace has more lines."""

    def format(self, record: logging.LogRecord) -> str:
        message = record.getMessage().replace("\r", "\\r").replace("\n", "\\n")
        line = f"{timestamp(record)} {record.levelname} {record.name}: {message}"
        if request_id(record):
            line += f" [{request_id(record)}]"
        if record.exc_info:
            line += "\n" + mask(self.formatException(record.exc_info))
        return line


class JSONFormatter(logging.Formatter):
    """One JSON object a line: time, level, logger, message and, after an exception, its stack trace."""

    def format(self, record: logging.LogRecord) -> str:
        entry = {
            "time": timestamp(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if request_id(record):
            entry["request_id"] = request_id(record)
        if record.exc_info:
            entry["trace"] = mask(self.formatException(record.exc_info))
        return json.dumps(entry, ensure_ascii=False)


def as_json(logger: str, line: str) -> str:
    """A line that no logger wrote, in the form of those that one did."""
    return JSONFormatter().format(logging.makeLogRecord({"name": logger, "msg": line, "levelname": "INFO"}))


def configuration(form: str, level: str) -> dict[str, Any]:
    """Django's LOGGING setting: one line per record on stdout, as "text" or "json"."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {
            "due": {"()": OmitDueTasks},
            "hosts": {"()": ShortenHostErrors},
            "mask": {"()": MaskSecrets},
        },
        "formatters": {"text": {"()": TextFormatter}, "json": {"()": JSONFormatter}},
        "handlers": {
            "stdout": {
                "class": "logging.StreamHandler",
                "stream": "ext://sys.stdout",
                "filters": ["hosts", "mask"],
                "formatter": form,
            },
        },
        "root": {"handlers": ["stdout"], "level": level},
        "loggers": {
            "django": {"handlers": [], "propagate": True},
            "celery.beat": {"filters": ["due"]},
            "celery.worker.strategy": {"level": "WARNING"},
            "celery.app.trace": {"level": "WARNING"},
            "httpx2": {"level": "WARNING"},  # one line for every call of a model server
            "waitress": {"level": "WARNING"},  # otherwise one line for every client that disconnects early
            "waitress.queue": {"level": "ERROR"},  # and one for every request that waits for a thread
        },
    }
