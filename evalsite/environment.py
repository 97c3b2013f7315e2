"""The environment variables of the settings, with types and defaults. Nothing else reads the environment."""

import ipaddress
import os
import secrets
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

from evalsite.addresses import require_encoded
from evaluations.clients.addresses import Guard
from evaluations.clients.way_out import WayOut, address_of

# Set before numpy is loaded: processes and threads already use all cores; more threads would slow them down.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


SHORTEST_TOKEN = 20  # characters
LAST_PORT = 65_535


@dataclass(frozen=True)
class Setting:
    """A variable with its type, its default, and the words of docs/configuration.md, which `make docs` writes.

    `shown` says what happens without the variable where the default itself does not say it.
    """

    name: str
    type: Callable[[str], Any]
    default: Any
    meaning: str
    shown: str | None = None

    @property
    def default_shown(self) -> str:
        if self.shown is not None:
            return self.shown
        if self.default in ("", []):
            return ""
        return str(self.default).lower() if isinstance(self.default, bool) else str(self.default)


SETTINGS = (
    Setting("PORT", int, 8000, "the port of the pages and the API"),
    Setting(
        "DATABASE_URL",
        str,
        "",
        "`postgresql://user:password@host/name`, or `sqlite:///path`",
        shown="SQLite in the data folder",
    ),
    Setting(
        "BROKER_URL",
        str,
        "",
        "the Redis (6.2 or newer, `maxmemory-policy noeviction`) for messages",
        shown="a private Redis that `up` starts",
    ),
    Setting(
        "EVALSITE_DATA",
        str,
        "",
        "the folder for database, secret key, uploads and collected static files; on a local disk",
        shown="`var/`",
    ),
    Setting("EVALSITE_HOST", str, "127.0.0.1", "the address that the server listens on; 0.0.0.0 for all"),
    Setting(
        "EVALSITE_URL",
        str,
        "",
        "the public address, `https://eval.example.com`: sets allowed hosts, trusted origins, secure "
        "cookies and links",
    ),
    Setting(
        "EVALSITE_ALLOWED_HOSTS",
        list,
        [],
        "further host names, separated by commas",
        shown="that of `EVALSITE_URL`, localhost",
    ),
    Setting(
        "EVALSITE_TRUSTED_PROXIES",
        int,
        0,
        "number of proxies in front of web that are trusted to name the client",
    ),
    Setting(
        "EVALSITE_SECRET_KEY",
        str,
        "",
        "signs sessions; secrets in the database are encrypted with a key derived from it",
        shown="created as `secret-key` in the data folder",
    ),
    Setting(
        "EVALSITE_SECRET_KEY_FALLBACKS",
        str,
        "",
        "older keys, separated by commas: secrets encrypted with them can still be read",
    ),
    Setting(
        "EVALSITE_STORAGE",
        str,
        "",
        "where files wait for their import: a folder that web and workers share, or "
        "`s3://bucket/prefix` with the extra `s3`",
        shown="`uploads/` in the data folder",
    ),
    Setting(
        "EVALSITE_WEB_PROCESSES",
        int,
        2,
        "processes that serve pages and the API behind one port. One that hangs is ended and started again while the "
        "others serve; more use more cores",
    ),
    Setting(
        "EVALSITE_WORKERS",
        int,
        0,
        "processes for imports and scoring",
        shown="one for each core",
    ),
    Setting("EVALSITE_CALLERS", int, 1, "processes for calls to model servers: launches, trials, embeddings"),
    Setting(
        "EVALSITE_EMBEDDINGS_MB",
        int,
        2_000,
        "megabytes of stored embeddings; above that the oldest are removed once an hour, and "
        "paid for again when needed",
    ),
    Setting("EVALSITE_AUDIT_DAYS", int, 400, "days until an entry of the audit log is removed; 0 keeps all"),
    Setting(
        "EVALSITE_ANSWERS_MB",
        int,
        500,
        "megabytes of cached model answers, so that the same request is not paid for twice; above "
        "that the oldest are removed once an hour; 0 keeps none",
    ),
    Setting(
        "EVALSITE_CACHE_MB",
        int,
        200,
        "megabytes that all caches of a process may take together; above that what was used longest ago leaves "
        "first. The page *Workers* shows what they hold",
    ),
    Setting(
        "EVALSITE_API_RATE",
        int,
        6000,
        "calls a minute with one API key, then 429 with Retry-After; 0 for no limit, which also lifts "
        "the limit for calls with unknown keys (60 a minute from one address). With Redis, all web "
        "processes count together; otherwise each counts its share",
    ),
    Setting(
        "EVALSITE_PROMPT_RATE",
        int,
        6000,
        "prompts by name a minute with one API key, counted apart from its other calls; 0 for no limit",
    ),
    Setting(
        "EVALSITE_PROJECT_QUEUE",
        int,
        1_000,
        "runs and files of one project that may be queued or in progress, then 429 with Retry-After; 0 for no limit",
    ),
    Setting("EVALSITE_FILE_ROWS", int, 5_000_000, "rows that a file may have at most"),
    Setting(
        "EVALSITE_FILE_MB",
        int,
        2_048,
        "megabytes that a file may have at most, packed and unpacked; a proxy has a limit of its own",
    ),
    Setting(
        "EVALSITE_IN_FLIGHT",
        int,
        64,
        "calls to model servers that each process for calls makes at once; 8 more to each server that others keep out",
    ),
    Setting("EVALSITE_LEASE", int, 60, "seconds until another worker takes over the work of a lost worker"),
    Setting(
        "EVALSITE_SESSION_HOURS",
        int,
        14 * 24,
        "hours after which a person must sign in again, however busy the session was",
    ),
    Setting(
        "EVALSITE_PROJECT_CREATION",
        bool,
        True,
        "whether everyone with an account can create projects; otherwise only administrators of the site",
    ),
    Setting(
        "EVALSITE_OIDC_ISSUER",
        str,
        "",
        "with the extra `oidc`: the address of an OpenID Connect provider at which people sign in, "
        "see [security.md](security.md#single-sign-on)",
    ),
    Setting("EVALSITE_OIDC_CLIENT_ID", str, "", "the id of this site at the provider"),
    Setting("EVALSITE_OIDC_CLIENT_SECRET", str, "", "the secret that the provider gave"),
    Setting("EVALSITE_OIDC_NAME", str, "single sign-on", "the text on the button"),
    Setting(
        "EVALSITE_OIDC_DOMAINS",
        list,
        [],
        "domains, separated by commas, whose people get an account without an invitation",
    ),
    Setting(
        "EVALSITE_PROVIDER_ALLOWED_HOSTS",
        list,
        [],
        "internal hosts, `host:port`, addresses or networks that connections may call, such as "
        "`localhost:11434`; addresses of cloud metadata never",
    ),
    Setting(
        "EVALSITE_PROXY",
        str,
        "",
        "an HTTP proxy for calls to model servers and webhooks, such as `http://user:password@proxy:3128`; "
        "characters of user name and password are percent-encoded",
    ),
    Setting(
        "EVALSITE_NO_PROXY",
        list,
        [],
        "hosts, domains (`.example.com`), addresses and networks that are called without the proxy; "
        "this machine always is",
    ),
    Setting(
        "EVALSITE_CA_FILE",
        str,
        "",
        "a PEM file with certificates that are trusted for these calls beside those of the system",
    ),
    Setting(
        "EVALSITE_METRICS_TOKEN",
        str,
        "",
        "opens `/metrics` as a bearer token, of at least 20 characters; without one the page does not exist",
    ),
    Setting("EVALSITE_LOG_FORMAT", str, "text", "`json` for one object a line"),
    Setting("EVALSITE_LOG_LEVEL", str, "INFO", "DEBUG, INFO, WARNING or ERROR"),
    Setting("EVALSITE_DEBUG", bool, False, "for developers: error pages with traces; never on a server"),
    Setting("EVALSITE_FAIL_AT", int, 0, "for the crash tests: ends a process at its n-th commit point"),
)

# FileAwareEnv also accepts NAME_FILE, the path of a file with the value, as used for Docker secrets.
env = environ.FileAwareEnv(**{setting.name: (setting.type, setting.default) for setting in SETTINGS})


def read(name: str) -> Any:
    """The value in its type, or the default; a value of another type is refused with the variable's name."""
    _require_one_source(name)
    try:
        value = env(name)
    except ValueError as problem:
        kind = env.scheme[name][0].__name__
        raise ImproperlyConfigured(f"{name} must be of type {kind}: {problem}.") from problem
    if isinstance(value, list):
        return [item.strip() for item in value if item.strip()]
    return value.strip() if isinstance(value, str) else value  # files end with a line break


def _require_one_source(name: str) -> None:
    """Refuse a variable that is given twice, or whose file cannot be read."""
    given = env.ENVIRON.env
    if not (file := given.get(f"{name}_FILE")):
        return
    if given.get(name):
        raise ImproperlyConfigured(f"{name} and {name}_FILE are both set. Unset one of them.")
    try:
        Path(file).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else "It is no text in UTF-8"
        raise ImproperlyConfigured(f"{name}_FILE, {file}, cannot be read: {reason}.") from problem


def at_least(minimum: int, name: str) -> int:
    """The number, which must not be smaller."""
    if (value := read(name)) < minimum:
        raise ImproperlyConfigured(f"{name} is {value}; it must be at least {minimum}.")
    return int(value)


def port(name: str) -> int:
    """The number of a port that clients can name."""
    if (value := at_least(1, name)) > LAST_PORT:
        raise ImproperlyConfigured(f"{name} is {value}; the last port is {LAST_PORT}.")
    return value


def choice(name: str, *allowed: str) -> str:
    """The value, which must be one of a few words."""
    value: str = read(name)
    if value not in allowed:
        raise ImproperlyConfigured(f"{name} is {value!r}; it must be one of {', '.join(allowed)}.")
    return value


def secret(name: str) -> str:
    """The raw value: `env()` would read a leading dollar sign as the name of another variable."""
    _require_one_source(name)
    return str(env.ENVIRON.get(name, "")).strip()


def token(name: str) -> str:
    """A secret that nobody guesses; "" if it is not set."""
    if 0 < len(value := secret(name)) < SHORTEST_TOKEN:
        raise ImproperlyConfigured(f"{name} must have at least {SHORTEST_TOKEN} characters.")
    return value


def unknown() -> list[str]:
    """Variables with our prefix that nothing reads, mostly spelling mistakes. EVALSITE_KEY belongs to the client."""
    read_here = {"EVALSITE_KEY"} | {variable for name in env.scheme for variable in (name, f"{name}_FILE")}
    return sorted(name for name in os.environ if name.startswith("EVALSITE_") and name not in read_here)


def folder(path: str | Path) -> Path:
    """An absolute path of a folder that only this user can read; created if it is missing."""
    folder = Path(path).expanduser().resolve()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as problem:
        raise ImproperlyConfigured(f"The folder {folder} cannot be created: {problem.strerror}.") from problem
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ImproperlyConfigured(f"The folder {folder} is not writable for this user.")
    return folder


def key_kept_in(file: Path) -> str:
    """The secret key in a file of mode 0600, created at the first start.

    Several processes may start at once: the file is linked into place, so that the first one wins and none reads half a
    key.
    """
    if not file.exists():
        draft = file.with_name(f"{file.name}.{os.getpid()}")
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_urlsafe(64))
        try:
            os.link(draft, file)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return file.read_text().strip()


def called_hosts() -> list[str]:
    """The internal hosts that may be called; refuses an entry that names none, such as an address with http://."""
    hosts: list[str] = read("EVALSITE_PROVIDER_ALLOWED_HOSTS")
    try:
        Guard(hosts)
    except ValueError as problem:
        raise ImproperlyConfigured(f"EVALSITE_PROVIDER_ALLOWED_HOSTS: {problem}") from problem
    return hosts


def way_out() -> WayOut:
    """How calls leave the site; refuses a proxy, a list of hosts or a file that cannot be used."""
    proxy, direct, ca_file = read("EVALSITE_PROXY"), read("EVALSITE_NO_PROXY"), read("EVALSITE_CA_FILE")
    try:
        if proxy:
            address_of(require_encoded("EVALSITE_PROXY", proxy))
    except ValueError as problem:
        raise ImproperlyConfigured(f"EVALSITE_PROXY cannot be used: {problem}.") from problem
    try:
        if ca_file:
            ssl.create_default_context(cafile=ca_file)
    except OSError as problem:  # SSLError is one
        raise ImproperlyConfigured(
            f"EVALSITE_CA_FILE cannot be read as certificates: {problem}."
        ) from problem
    for entry in direct:
        if "://" in entry or (entry.count("/") and not _is_network(entry)):
            raise ImproperlyConfigured(
                f"EVALSITE_NO_PROXY cannot have {entry}: it lists hosts, domains, addresses and networks, without http://."
            )
    return WayOut(proxy, tuple(direct), ca_file)


def _is_network(entry: str) -> bool:
    try:
        ipaddress.ip_network(entry, strict=False)
    except ValueError:
        return False
    return True
