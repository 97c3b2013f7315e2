"""The server's address and the API key: from arguments, the environment, or a file that only its owner can read."""

import contextlib
import json
import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from .errors import NotConfigured


@dataclass(frozen=True)
class Settings:
    """The address of the site, without a slash at its end, and an API key."""

    url: str
    key: str = field(repr=False)


def file() -> Path:
    """The path of the settings file: evalsite/client.json in XDG_CONFIG_HOME, by default ~/.config."""
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "evalsite" / "client.json"


def load(url: str | None = None, key: str | None = None) -> Settings:
    """The settings: arguments first, then EVALSITE_URL and EVALSITE_KEY, then the file.

    The key in the file is sent only to the address in the file.
    """
    url, key = or_environment(url, key)
    if url and key:
        return Settings(site(url), key)
    stored = _read(file())
    if stored is None or (url and site(url) != stored.url):
        raise NotConfigured(
            f"No {'API key' if url else 'address'} is set. Set EVALSITE_URL and EVALSITE_KEY, or run: evalsite login"
        )
    return Settings(stored.url, key or stored.key)


def or_environment(url: str | None, key: str | None) -> tuple[str | None, str | None]:
    """The arguments, with missing ones taken from the environment."""
    return url or os.environ.get("EVALSITE_URL"), key or os.environ.get("EVALSITE_KEY")


def site(url: str) -> str:
    """The address of a site in its stored form; refused if it is invalid. That of the API is taken for its site's.

    >>> site("https://eval.example.com/api/v1/")
    'https://eval.example.com'
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise NotConfigured(
            f"{url!r} is not the address of a site. An address looks like https://eval.example.com"
        )
    return url.rstrip("/").removesuffix("/api/v1").rstrip("/")


def _read(path: Path) -> Settings | None:
    try:
        with path.open() as stored:
            if os.name == "posix" and os.fstat(stored.fileno()).st_mode & 0o077:
                raise NotConfigured(f"Other users can read the key in {path}. Run: chmod 600 {path}")
            values = json.load(stored)
        return Settings(site(values["url"]), str(values["key"]))
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise NotConfigured(f"{path} cannot be read. Run: evalsite login") from error


def store(settings: Settings) -> Path:
    """Write the file, readable by its owner only."""
    path = file()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    number, name = tempfile.mkstemp(dir=path.parent)  # mkstemp creates it with mode 0600
    try:
        with os.fdopen(number, "w") as target:
            json.dump({"url": settings.url, "key": settings.key}, target)
        Path(name).replace(path)
    except OSError:
        with contextlib.suppress(FileNotFoundError):
            Path(name).unlink()
        raise
    return path
