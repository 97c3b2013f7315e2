"""The environment variables of the settings, with types and defaults. Nothing else reads the environment."""

import os
import secrets
from pathlib import Path
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

# Set before numpy is loaded: processes and threads already use all cores; more threads would slow them down.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# FileAwareEnv also accepts NAME_FILE, the path of a file with the value, as used for Docker secrets.
env = environ.FileAwareEnv(
    BROKER_URL=(str, ""),
    DATABASE_URL=(str, ""),
    PORT=(int, 8000),
    EVALSITE_ALLOWED_HOSTS=(list, []),
    EVALSITE_ANSWERS_MB=(int, 500),
    EVALSITE_API_RATE=(int, 6000),
    EVALSITE_AUDIT_DAYS=(int, 400),
    EVALSITE_DATA=(str, ""),
    EVALSITE_DEBUG=(bool, False),
    EVALSITE_EMBEDDINGS_MB=(int, 2_000),
    EVALSITE_FAIL_AT=(int, 0),
    EVALSITE_HOST=(str, "127.0.0.1"),
    EVALSITE_IN_FLIGHT=(int, 64),
    EVALSITE_LEASE=(int, 60),
    EVALSITE_LOG_FORMAT=(str, "text"),
    EVALSITE_LOG_LEVEL=(str, "INFO"),
    EVALSITE_PROJECT_CREATION=(bool, True),
    EVALSITE_PROJECT_QUEUE=(int, 1_000),
    EVALSITE_OIDC_CLIENT_ID=(str, ""),
    EVALSITE_OIDC_CLIENT_SECRET=(str, ""),
    EVALSITE_OIDC_DOMAINS=(list, []),
    EVALSITE_OIDC_ISSUER=(str, ""),
    EVALSITE_OIDC_NAME=(str, "single sign-on"),
    EVALSITE_PROVIDER_ALLOWED_HOSTS=(list, []),
    EVALSITE_SECRET_KEY=(str, ""),
    EVALSITE_SECRET_KEY_FALLBACKS=(str, ""),
    EVALSITE_STORAGE=(str, ""),
    EVALSITE_TRUSTED_PROXIES=(int, 0),
    EVALSITE_URL=(str, ""),
    EVALSITE_WORKERS=(int, 0),
)


def read(name: str) -> Any:
    """The value in its type, or the default; a value of another type is refused with the variable's name."""
    try:
        value = env(name)
    except ValueError as problem:
        kind = env.scheme[name][0].__name__
        raise ImproperlyConfigured(f"{name} must be of type {kind}: {problem}.") from problem
    return [item.strip() for item in value if item.strip()] if isinstance(value, list) else value


def choice(name: str, *allowed: str) -> str:
    """The value, which must be one of a few words."""
    value = read(name)
    if value not in allowed:
        raise ImproperlyConfigured(f"{name} is {value!r}; it must be one of {', '.join(allowed)}.")
    return value


def secret(name: str) -> str:
    """The raw value: `env()` would read a leading dollar sign as the name of another variable."""
    return env.ENVIRON.get(name, "").strip()


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
