"""The limits of a child process that reads a binary file, and its messages, lines of JSON on standard output."""

import resource
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import orjson

CPU_SECONDS = 10  # seconds without progress after which the kernel ends the process


def limit_memory(memory: int) -> None:
    """Limit the memory in addition to what the libraries have mapped, which depends on the cores; on Linux only."""
    mapped = Path("/proc/self/statm")
    if mapped.exists():
        limit = int(mapped.read_text().split()[0]) * resource.getpagesize() + memory
        _limit(resource.RLIMIT_AS, limit)


def more_time(seconds: int = CPU_SECONDS) -> None:
    """Allow processor time for the next message."""
    spent = resource.getrusage(resource.RUSAGE_SELF)
    _limit(resource.RLIMIT_CPU, int(spent.ru_utime + spent.ru_stime) + seconds)


def _limit(limited: int, amount: int) -> None:
    """Set the soft limit; a hard limit of the operator stays, because only root may raise it."""
    hard = resource.getrlimit(limited)[1]
    resource.setrlimit(limited, (amount if hard == resource.RLIM_INFINITY else min(amount, hard), hard))


def send(message: dict[str, Any]) -> None:
    sys.stdout.buffer.write(orjson.dumps(message) + b"\n")
    sys.stdout.buffer.flush()


def send_all(messages: Iterable[dict[str, Any]]) -> None:
    """Send messages, each with time for the next, and the end."""
    for message in messages:
        send(message)
        more_time()
    send({"end": True})
