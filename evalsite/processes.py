"""Child processes of `evalsite up`, with output under their names, and a time limit for stopping."""

import asyncio
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from functools import partial

from django.conf import settings

from evalsite import logs
from evalsite.lifeline import die_with


class Child:
    """A running program."""

    def __init__(self, name: str, process: asyncio.subprocess.Process) -> None:
        self.name, self.process = name, process
        self.lines = asyncio.create_task(self._copy_lines())

    @classmethod
    async def start(cls, name: str, command: Sequence[str], env: Mapping[str, str]) -> "Child":
        """Start a program in a session of its own, so that Ctrl-C in the terminal reaches only the parent."""
        process = await asyncio.create_subprocess_exec(
            *command,
            env=env,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=partial(die_with, os.getpid()),
        )
        return cls(name, process)

    async def _copy_lines(self) -> None:
        unfinished_line, output = b"", self.process.stdout
        while output and (chunk := await output.read(65536)):
            *lines, unfinished_line = (unfinished_line + chunk).split(b"\n")
            for line in filter(None, lines):
                say(self.name, line.decode(errors="replace"))
        if unfinished_line:
            say(self.name, unfinished_line.decode(errors="replace"))

    async def wait(self) -> int:
        """Wait for the exit code, and until all output is printed."""
        code = await self.process.wait()
        await asyncio.shield(self.lines)
        return code

    def send(self, number: signal.Signals) -> None:
        if self.process.returncode is None:
            self.process.send_signal(number)

    def kill(self) -> None:
        """Kill the program and whatever it started."""
        if self.process.returncode is None:
            os.killpg(self.process.pid, signal.SIGKILL)

    async def stop(self, seconds: float) -> None:
        """Ask the program to end; kill it after `seconds`."""
        self.send(signal.SIGTERM)
        try:
            await asyncio.wait_for(self.process.wait(), seconds)
        except TimeoutError:
            say(self.name, f"did not stop within {seconds:g} s and is killed")
            self.kill()
        await self.wait()


def say(name: str, line: str) -> None:
    """Print a line of a program with its name; as JSON, what is none yet becomes an object with this name."""
    if settings.LOG_FORMAT == "json":
        text = line if line.startswith("{") else logs.as_json(f"evalsite.{name}", line)
    else:
        text = f"{name:<7} | {line}"
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
