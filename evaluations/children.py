"""Child processes for functions that could hold the interpreter: beside them, every other request goes on.

`Pool.run` sends a function of a module and its arguments to a child, which imports no Django, and returns its result.
A child may take a bounded time and memory; one that takes more is killed, and the next call starts another.
"""

import os
import pickle
import resource
import select
import signal
import struct
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from threading import BoundedSemaphore, Lock
from time import monotonic
from typing import Any, BinaryIO, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

MEMORY = 256_000_000  # bytes that a call may take beside what the child takes at its start
LONGEST = 120  # seconds after which a call ends whose parent did not end it
IDLE = 300.0  # seconds without a call after which a child ends
PIECE = 1 << 16
LENGTH = struct.Struct("!Q")


class Busy(Exception):
    """No child became free in time."""


class TooSlow(Exception):
    """The call took too long; its child was killed."""


class TooMuchMemory(Exception):
    """The call took too much memory, or its child was ended by the system."""


class Pool:
    """Up to `size` children of this process, each for one call at a time; started when needed."""

    def __init__(self, size: int) -> None:
        self._free = BoundedSemaphore(size)
        self._lock = Lock()
        self._idle: list[_Child] = []
        self._owner = 0

    def run(self, seconds: float, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The result of a call within `seconds`, waiting included; raises `Busy`, `TooSlow`, `TooMuchMemory`, or what
        the function raises.
        """
        until = monotonic() + seconds
        if not self._free.acquire(timeout=seconds):
            raise Busy()
        try:
            child = self._child()
            try:
                answer = child.ask((function, args, kwargs), until)
                if isinstance(
                    answer, MemoryError
                ):  # A child of which most memory is taken is of no more use.
                    raise TooMuchMemory() from answer
            except BaseException:
                child.kill()
                raise
            with self._lock:
                self._idle.append(child)
        finally:
            self._free.release()
        if isinstance(answer, Exception):
            raise answer
        result: T = answer[0]
        return result

    def _child(self) -> "_Child":
        """An idle child that lives, or a new one; a process that was forked has no children yet."""
        with self._lock:
            if self._owner != os.getpid():
                self._owner, self._idle = os.getpid(), []
            while self._idle:
                child = self._idle.pop()
                if child.is_alive():
                    return child
                child.kill()
        return _Child()

    def close(self) -> None:
        """End the idle children."""
        with self._lock:
            while self._idle:
                self._idle.pop().kill()


class _Child:
    def __init__(self) -> None:
        path = os.pathsep.join(filter(None, sys.path))
        self._process = subprocess.Popen(
            [sys.executable, "-m", "evaluations.children"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"},
            bufsize=0,
        )

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                pipe.close()

    def ask(self, call: object, until: float) -> Any:
        """The answer: a tuple of the result, or an exception."""
        assert self._process.stdin
        try:
            _write(self._process.stdin, pickle.dumps(call), until)
            return pickle.loads(self._read(LENGTH.unpack(self._read(LENGTH.size, until))[0], until))
        except (BrokenPipeError, EOFError) as ended:
            raise TooMuchMemory() from ended

    def _read(self, size: int, until: float) -> bytes:
        assert self._process.stdout
        parts = bytearray()
        while len(parts) < size:
            _await(self._process.stdout, until)
            part = self._process.stdout.read(min(PIECE, size - len(parts)))
            if not part:
                raise EOFError()
            parts += part
        return bytes(parts)


def _await(pipe: BinaryIO | Any, until: float, *, to_write: bool = False) -> None:
    poll = select.poll()  # unlike `select`, for descriptors above 1 024, too
    poll.register(pipe, select.POLLOUT if to_write else select.POLLIN)
    if not poll.poll(max(0.0, until - monotonic()) * 1000):
        raise TooSlow()


def _write(pipe: Any, content: bytes, until: float) -> None:
    message = memoryview(LENGTH.pack(len(content)) + content)
    while message:
        _await(pipe, until, to_write=True)
        message = message[
            pipe.write(message[:4096]) :
        ]  # a pipe that can be written to takes so many bytes at once


# ---- in the child ---------------------------------------------------------------------------------------------


def main() -> None:
    """Answer calls until the parent ends or is silent for long."""
    calls, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints goes to the log
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # a Ctrl-C in the terminal is for the parent, which ends this one
    while select.select([calls], [], [], IDLE)[0] and (head := calls.read(LENGTH.size)):
        answer = pickle.dumps(_answer(calls.read(LENGTH.unpack(head)[0])))
        answers.write(LENGTH.pack(len(answer)) + answer)
        answers.flush()


def _answer(message: bytes) -> Any:
    """The answer of `_Child.ask`. If the parent dies meanwhile, an alarm ends this process."""
    try:
        function, args, kwargs = pickle.loads(message)
        _bound_memory()
        signal.alarm(LONGEST)
        return (function(*args, **kwargs),)
    except Exception as problem:  # noqa: BLE001 (the parent raises it)
        return problem
    finally:
        signal.alarm(0)


def _bound_memory() -> None:
    """Limit the memory of this process to what it has taken before its first call, and `MEMORY`."""
    if resource.getrlimit(resource.RLIMIT_DATA)[1] != resource.RLIM_INFINITY:
        return
    with open("/proc/self/status") as status, suppress(StopIteration):
        kilobytes = next(int(line.split()[1]) for line in status if line.startswith("VmData"))
        resource.setrlimit(resource.RLIMIT_DATA, (kilobytes * 1024 + MEMORY,) * 2)


if __name__ == "__main__":
    main()
