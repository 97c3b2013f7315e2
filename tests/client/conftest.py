"""The command line in a process, and servers that answer by script."""

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from evalsite_client.settings import Settings
from evalsite_client.transport import Transport
from evaluations.access import api_keys
from tests.client.scripted import Answer, Scripted
from tests.processes import ROOT


@pytest.fixture(autouse=True)
def _settings_of_nobody(monkeypatch, tmp_path):
    """Ignore the environment and the home folder of the person who runs the tests."""
    for name in ("EVALSITE_URL", "EVALSITE_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def scripted():
    """`scripted(Answer(…), …)` starts a server with these answers."""
    servers: list[Scripted] = []

    def start(*answers: Answer) -> Scripted:
        servers.append(Scripted(*answers))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


@pytest.fixture
def transport_to():
    """`transport_to(address)` is a transport with the key evk_test."""
    transports: list[Transport] = []

    def connect(url: str, **options) -> Transport:
        transports.append(Transport(Settings(url, "evk_test"), **options))
        return transports[-1]

    yield connect
    for transport in transports:
        transport.close()


@pytest.fixture
def key(alice, project) -> str:
    return api_keys.create_key(project, alice, "Client", "write")[1]


@pytest.fixture
def evalsite(tmp_path) -> Callable[..., subprocess.CompletedProcess]:
    """`evalsite("compare", "1", "2", EVALSITE_URL=…)` runs the command in an empty folder."""

    def run(*arguments: object, stdin: str = "", **env: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [sys.executable, "-m", "evalsite_client", *map(str, arguments)],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(ROOT / "client")} | env,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=120,
        )

    return run


@pytest.fixture
def shell(tmp_path, key, live_server) -> dict[str, str]:
    """The environment of a shell in which the client is installed."""
    command = tmp_path / "bin" / "evalsite"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m evalsite_client "$@"\n')
    command.chmod(0o755)
    return {
        "PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "client"),
        "HOME": str(tmp_path),
        "EVALSITE_URL": live_server.url,
        "EVALSITE_KEY": key,
    }
