"""Django system checks: configuration mistakes, each with an id, a clear sentence and a remedy.

Errors stop every command; warnings are printed. Checks that query a server run only with `check --deploy --tag broker
--tag schema`, as the containers do before they serve.
"""

import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import redis
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.urls import get_resolver

SHORTEST_KEY = 50
PLACEHOLDERS = ("change-me", "changeme", "secret", "django-insecure")
LOCAL_HOSTS = {"localhost", "127.0.0.1", "[::1]", "::1", "testserver", ".localhost"}
NETWORK_FILE_SYSTEMS = {"9p", "afs", "cifs", "fuse.sshfs", "nfs", "nfs4", "smb3", "smbfs"}
MOUNTS = Path("/proc/self/mounts")


def install() -> None:
    """Register all checks; called once by the app's configuration."""
    for check in (secret_key, key_is_shared_by_all_machines, debug_is_local, allowed_hosts):
        register(check, Tags.security)
    for check in (oidc_is_whole, proxies_agree, site_has_a_name, settings_take_effect, path_is_free):
        register(check, Tags.security)
    register(port_is_served, Tags.security)
    for check in (database_is_on_a_local_disk, folders_are_writable, bucket_can_be_used, variables_are_known):
        register(check, Tags.files)
    register(broker_keeps_messages, "broker", deploy=True)
    register(schema_is_current, "schema", deploy=True)


def secret_key(**_: object) -> list[CheckMessage]:
    key = settings.SECRET_KEY
    if key.lower().startswith(PLACEHOLDERS):
        problem = "EVALSITE_SECRET_KEY is a published example value."
    elif len(key) < SHORTEST_KEY or len(set(key)) < 10:
        problem = (
            f"EVALSITE_SECRET_KEY is too short or too simple; it needs at least {SHORTEST_KEY} characters."
        )
    else:
        return []
    hint = 'Generate one: python -c "import secrets; print(secrets.token_urlsafe(64))"'
    return [Error(problem, hint=hint, id="evalsite.E001")]


def debug_is_local(**_: object) -> list[CheckMessage]:
    remote_hosts = sorted(set(settings.ALLOWED_HOSTS) - LOCAL_HOSTS)
    if settings.HOST not in LOCAL_HOSTS:
        remote_hosts.append(settings.HOST)
    if not settings.DEBUG or not remote_hosts:
        return []
    problem = (
        f"EVALSITE_DEBUG shows code and settings with every error, and others can reach {remote_hosts[0]}."
    )
    return [Error(problem, hint="Unset EVALSITE_DEBUG, or serve localhost only.", id="evalsite.E002")]


def path_is_free(**_: object) -> list[CheckMessage]:
    """A path like an address of ours would be taken for it where a proxy strips the path."""
    if not settings.PATH:
        return []  # without loading every page, as most commands need none
    ours = {found[0].partition("/")[0] for found, *_ in _addresses() if found}
    if settings.PATH.split("/")[1] not in ours | {"static"}:
        return []
    problem = f"The path of EVALSITE_URL, {settings.PATH}, begins like an address of the site itself."
    return [Error(problem, hint="Choose another path, such as /evals.", id="evalsite.E014")]


def _addresses() -> Iterator[Any]:
    for name in (known := get_resolver().reverse_dict):
        yield from (possible for possible, *_ in known.getlist(name))


def proxies_agree(**_: object) -> list[CheckMessage]:
    """Web speaks no TLS, so whoever answers https is a proxy, whose name for each client must be trusted."""
    if not settings.HTTPS or settings.TRUSTED_PROXIES:
        return []
    problem = "EVALSITE_URL begins with https, but EVALSITE_TRUSTED_PROXIES is 0: all people share the limits of one."
    hint = "Set EVALSITE_TRUSTED_PROXIES to the number of proxies in front of web."
    return [Warning(problem, hint=hint, id="evalsite.W015")]


def port_is_served(**_: object) -> list[CheckMessage]:
    """Warn if links, the first sign-in among them, name a port of this machine at which web does not listen."""
    address = urlsplit(settings.URL)
    port = address.port or 80
    is_here = address.hostname in LOCAL_HOSTS and not settings.HTTPS and not settings.TRUSTED_PROXIES
    if not is_here or port == settings.PORT:
        return []
    problem = f"EVALSITE_URL names port {port} of this machine, but web listens at port {settings.PORT}."
    hint = f"Set PORT={port}, or EVALSITE_TRUSTED_PROXIES if a proxy listens there."
    return [Warning(problem, hint=hint, id="evalsite.W020")]


def allowed_hosts(**_: object) -> list[CheckMessage]:
    hosts = settings.ALLOWED_HOSTS
    if "*" in hosts:
        problem = "EVALSITE_ALLOWED_HOSTS is *, so links in pages can be made to point anywhere."
        return [Error(problem, hint="Set the host in EVALSITE_URL instead.", id="evalsite.E003")]
    if no_names := [host for host in hosts if "/" in host or (":" in host and not host.endswith("]"))]:
        problem = f"EVALSITE_ALLOWED_HOSTS has {no_names[0]!r}, which no request names as its host."
        hint = "Write host names only, such as eval.example.com, without https:// and without a port."
        return [Error(problem, hint=hint, id="evalsite.E016")]
    return []


def site_has_a_name(**_: object) -> list[CheckMessage]:
    """Warn if others can connect, and every name by which they could is refused."""
    if settings.HOST in LOCAL_HOSTS or settings.GIVEN_URL or set(settings.ALLOWED_HOSTS) - LOCAL_HOSTS:
        return []
    problem = (
        f"EVALSITE_HOST={settings.HOST} lets others connect, but pages answer only to the name localhost."
    )
    hint = "Set EVALSITE_URL to the address that people type."
    return [Warning(problem, hint=hint, id="evalsite.W018")]


def settings_take_effect(**_: object) -> list[CheckMessage]:
    """Warn of settings that do nothing, because the one that they belong to is missing."""
    way_out, client = settings.EVALSITE_WAY_OUT, settings.OIDC_CLIENT
    set_of = {
        "EVALSITE_NO_PROXY": ("EVALSITE_PROXY", way_out.direct, way_out.proxy),
        "EVALSITE_OIDC_CLIENT_ID": ("EVALSITE_OIDC_ISSUER", client["client_id"], settings.OIDC_ISSUER),
        "EVALSITE_OIDC_CLIENT_SECRET": ("EVALSITE_OIDC_ISSUER", client["secret"], settings.OIDC_ISSUER),
        "EVALSITE_OIDC_DOMAINS": ("EVALSITE_OIDC_ISSUER", settings.OIDC_DOMAINS, settings.OIDC_ISSUER),
    }
    return [
        Warning(
            f"{name} has no effect without {needed}.",
            hint=f"Set {needed} too, or unset {name}.",
            id="evalsite.W019",
        )
        for name, (needed, value, needed_value) in set_of.items()
        if value and not needed_value
    ]


def database_is_on_a_local_disk(**_: object) -> list[CheckMessage]:
    database = settings.DATABASES["default"]
    if not database["ENGINE"].endswith("sqlite3"):
        return []
    kind = file_system(Path(database["NAME"]).parent)
    if kind not in NETWORK_FILE_SYSTEMS:
        return []
    problem = (
        f"The SQLite database is on a network file system ({kind}), where its write-ahead log can lose data."
    )
    hint = "Set EVALSITE_DATA to a folder on a local disk, or DATABASE_URL to a PostgreSQL database."
    return [Error(problem, hint=hint, id="evalsite.E004")]


def file_system(folder: Path) -> str:
    """The type of the file system of `folder` (that of its longest mount point); "" if unknown."""
    if not MOUNTS.exists():
        return ""
    path, best = folder.resolve(), (0, "")
    for line in MOUNTS.read_text().splitlines():
        _, point, kind, *_ = line.split()
        mounted = Path(point.replace("\\040", " "))
        if path.is_relative_to(mounted):
            best = max(best, (len(mounted.parts), kind))
    return best[1]


def folders_are_writable(**_: object) -> list[CheckMessage]:
    folders = {"EVALSITE_DATA": settings.DATA, "EVALSITE_STORAGE": settings.MEDIA_ROOT}
    return [
        Error(
            f"The folder {folder} is not writable for this user.",
            hint=f"Make the folder writable for this user, or set {name} to another folder.",
            id="evalsite.E005",
        )
        for name, folder in folders.items()
        if not os.access(folder, os.W_OK | os.X_OK)
    ]


def bucket_can_be_used(**_: object) -> list[CheckMessage]:
    if not settings.STORAGE.startswith("s3://") or find_spec("storages"):
        return []
    problem = "EVALSITE_STORAGE begins with s3://, and the extra `s3` is not installed."
    hint = 'Run: pip install "django-storages[s3]"'
    return [Error(problem, hint=hint, id="evalsite.E017")]


def broker_keeps_messages(**_: object) -> list[CheckMessage]:
    """Warn if Redis may evict messages. An unavailable Redis does not prevent the start."""
    url = settings.CELERY_BROKER_URL
    # Evalsite itself configures the private Redis behind a socket.
    if not url.startswith(("redis:", "rediss:")):
        return []
    client = redis.Redis.from_url(url, socket_connect_timeout=1, socket_timeout=1, retry=None)
    try:
        policy = client.config_get("maxmemory-policy").get("maxmemory-policy", "noeviction")
    except redis.RedisError:
        return []
    finally:
        client.close()
    if policy == "noeviction":
        return []
    problem = f"The Redis at BROKER_URL evicts keys ({policy}); messages to the workers can be lost."
    hint = "Start Redis with: --maxmemory-policy noeviction"
    return [Warning(problem, hint=hint, id="evalsite.W006")]


def schema_is_current(**_: object) -> list[CheckMessage]:
    try:
        executor = MigrationExecutor(connection)
    except DatabaseError as error:
        hint = "Check DATABASE_URL, and check that the database server is running."
        return [Error(f"The database cannot be reached: {error}", hint=hint, id="evalsite.E008")]
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if not plan:
        return []
    problem = f"The database is older than this program: {len(plan)} migrations are not applied."
    return [Error(problem, hint="Run: python manage.py migrate", id="evalsite.E007")]


def variables_are_known(**_: object) -> list[CheckMessage]:
    hint = "Check the spelling; docs/configuration.md lists all variables."
    return [
        Warning(
            f"There is no setting named {name}, so this environment variable has no effect.",
            hint=hint,
            id="evalsite.W009",
        )
        for name in settings.UNKNOWN_VARIABLES
    ]


def key_is_shared_by_all_machines(**_: object) -> list[CheckMessage]:
    """Warn if each machine has its own secret key, so that none can decrypt the secrets of others."""
    if settings.GIVEN_SECRET_KEY or settings.DATABASES["default"]["ENGINE"].endswith("sqlite3"):
        return []
    problem = "EVALSITE_SECRET_KEY is not set, so the key in this machine's data folder protects the secrets."
    hint = "Set the same EVALSITE_SECRET_KEY for web, workers and beat."
    return [Warning(problem, hint=hint, id="evalsite.W010")]


def oidc_is_whole(**_: object) -> list[CheckMessage]:
    """Refuse an incomplete OpenID Connect configuration: its button would fail, or be missing."""
    issuer = settings.OIDC_ISSUER
    if not issuer:
        return []
    if not settings.OIDC:
        problem = "EVALSITE_OIDC_ISSUER is set, and the extra `oidc` is not installed."
        return [
            Error(
                problem,
                hint="Install the packages of requirements/oidc.txt; docs/security.md has the command.",
                id="evalsite.E011",
            )
        ]
    host = urlsplit(issuer).hostname
    if not issuer.startswith("https://") and host not in LOCAL_HOSTS:
        return [Error("EVALSITE_OIDC_ISSUER does not begin with https://.", id="evalsite.E012")]
    if not all(settings.OIDC_CLIENT.values()):
        problem = "EVALSITE_OIDC_CLIENT_ID or EVALSITE_OIDC_CLIENT_SECRET is missing."
        return [Error(problem, hint="Your provider supplies both values.", id="evalsite.E013")]
    return []
