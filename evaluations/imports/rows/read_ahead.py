"""Runs an iterator in a process of its own, one item ahead of its consumer.

Reading and storing take about the same time in an import; two processes do both at once.
"""

import gc
import os
import pickle
import signal
import traceback
from collections.abc import Callable, Generator, Iterator
from typing import Any, BinaryIO, NoReturn, TypeVar

Item = TypeVar("Item")


class ProcessEnded(Exception):
    """The process was killed before the iterator ended."""


def read_ahead(function: Callable[..., Iterator[Item]], *arguments: Any) -> Generator[Item, None, None]:
    """Yield and raise what `function(*arguments)` does, in another process; raises `ProcessEnded` when that is killed.

    The process is a fork, because a fresh interpreter takes half a second to import what is here already, and Celery's
    workers may start no other. It inherits its parent's connections, and must not use them; code that does not use
    Django never does. Close the iterator, or the process waits for the garbage collector.

    A thread may checkpoint SQLite at the moment of the fork (`checkpoints.py`). The child has the forking thread only,
    and never needs a lock that the other thread may hold, of SQLite or its connection; Python and the C library free
    their own locks in the child. Of 1 000 forks beside a thread that checkpoints without a pause none hung.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        _run(writing, function, arguments)
    os.close(writing)
    try:
        with open(reading, "rb") as stream:
            yield from _received(stream)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _received(stream: BinaryIO) -> Iterator[Any]:
    while True:
        try:
            event, item = pickle.load(stream)
        except (EOFError, pickle.UnpicklingError) as cut:
            raise ProcessEnded("The process that reads ahead was killed.") from cut
        if event == "end":
            return
        if event == "problem":
            raise item
        yield item


def _run(writing: int, function: Callable[..., Iterator[Any]], arguments: tuple[Any, ...]) -> NoReturn:
    """Run the function in the child, without the parent's handlers for signals and exit."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends this process.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # The parent is gone: end silently.
    gc.freeze()  # Garbage collection would touch, and so copy, inherited memory.
    try:
        with open(writing, "wb") as out:
            for message in _messages(function, arguments):
                # Pickle before writing, so that the next item is ready when the parent asks.
                out.write(pickle.dumps(message, pickle.HIGHEST_PROTOCOL))
                out.flush()
    except BaseException:  # noqa: BLE001 - this process can report it in no other way
        traceback.print_exc()
    finally:
        os._exit(0)


def _messages(
    function: Callable[..., Iterator[Any]], arguments: tuple[Any, ...]
) -> Iterator[tuple[str, Any]]:
    try:
        for item in function(*arguments):
            yield "item", item
        yield "end", None
    except Exception as problem:  # noqa: BLE001 - raised again by the parent
        yield "problem", problem
