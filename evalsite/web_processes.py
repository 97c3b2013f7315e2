"""Web processes behind one listening socket: forked, watched, and started again when they end or hang."""

import faulthandler
import logging
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress

from evalsite.lifeline import die_with
from evalsite.pulses import Pulses

log = logging.getLogger("evalsite.server")

LOOKS_EVERY = 1.0  # seconds
HANGS = 20.0  # seconds without a turn of its event loop, after which a process is ended
MOST_DEATHS, DEATHS_WITHIN = 5, 60.0  # seconds
ENDS_WITHIN = 8.0  # seconds after SIGTERM


class WebProcesses:
    """Keeps the processes alive until SIGTERM or SIGINT.

    The application is loaded once, before the forks, so that the processes share its memory and a new one serves at
    once.
    """

    def __init__(self, serve: Callable[[int], None], pulses: Pulses, hangs: float = HANGS) -> None:
        """`serve` runs in each process, with its number; it gives its pulse until SIGTERM."""
        self.serve, self.pulses, self.hangs = serve, pulses, hangs
        self.pids: dict[int, int] = {}  # by number of the process
        self.starts_at = dict.fromkeys(range(pulses.number), 0.0)
        self.deaths: dict[int, list[float]] = {index: [] for index in range(pulses.number)}
        self.is_stopping = self.has_failed = False

    def keep(self, listener: socket.socket) -> bool:
        """Keep all running; returns whether they ended as they should."""
        waking, woken = socket.socketpair()
        for end in (waking, woken):
            end.setblocking(False)
        signal.set_wakeup_fd(woken.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        while not self.is_stopping:
            self._start_due()
            if select.select([waking], [], [], LOOKS_EVERY)[0]:
                waking.recv(1024)
            self._note_deaths()
            self._end_those_that_hang()
        listener.close()
        self._end_all()
        return not self.has_failed

    def _stop(self, *_: object) -> None:
        self.is_stopping = True

    def _start_due(self) -> None:
        for index, at in self.starts_at.items():
            if index not in self.pids and time.monotonic() >= at and not self.is_stopping:
                self._start(index)

    def _start(self, index: int) -> None:
        self.pulses.begin(index)
        parent = os.getpid()
        if pid := os.fork():
            self.pids[index] = pid
            return
        code = 1
        try:
            die_with(parent)
            self._become(index)
            code = 0
        except Exception:
            log.exception("Web process %d fails", index + 1)
        finally:
            with suppress(OSError):
                sys.stdout.flush()
            os._exit(code)  # the parent's clean-up is not ours

    def _become(self, index: int) -> None:
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        faulthandler.register(signal.SIGUSR1)
        self.serve(index)

    def _note_deaths(self) -> None:
        for index, pid in list(self.pids.items()):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                del self.pids[index]
                if not self.is_stopping:
                    self._plan_start(index, os.waitstatus_to_exitcode(status))

    def _plan_start(self, index: int, code: int) -> None:
        """Start the process again: at once, but later and later if it keeps dying; give up if it ends by itself."""
        now = time.monotonic()
        self.deaths[index] = [*(at for at in self.deaths[index] if now - at < DEATHS_WITHIN), now]
        number = len(self.deaths[index])
        if number >= MOST_DEATHS and code > 0:
            log.error("Web process %d ended with code %d, %d times.", index + 1, code, number)
            self.is_stopping = self.has_failed = True
            return
        pause = 0 if number == 1 else 2 ** min(number - 2, 4)
        self.starts_at[index] = now + pause
        log.warning("Web process %d ended with code %d; it starts again in %d s.", index + 1, code, pause)

    def _end_those_that_hang(self) -> None:
        for index, pid in self.pids.items():
            if (silence := self.pulses.silence(index)) > self.hangs:
                log.error("Web process %d hangs for %.0f s and is killed.", index + 1, silence)
                self._send(pid, signal.SIGUSR1)  # it writes what its threads are doing
                time.sleep(0.2)
                self._send(pid, signal.SIGKILL)
                self.pulses.begin(index)

    def _end_all(self) -> None:
        for pid in self.pids.values():
            self._send(pid, signal.SIGTERM)
        deadline = time.monotonic() + ENDS_WITHIN
        while self.pids and time.monotonic() < deadline:
            self._note_deaths()
            time.sleep(0.02)
        for pid in self.pids.values():
            self._send(pid, signal.SIGKILL)
            os.waitpid(pid, 0)

    def _send(self, pid: int, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            os.kill(pid, number)
