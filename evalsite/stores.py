"""The stores of data as settings: database, storage of uploads, cache and broker."""

from pathlib import Path
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

from evalsite.addresses import require_encoded

# WAL with IMMEDIATE transactions had 0 "database is locked" in 14,100 transactions of four writers; deferred ones
# failed at once, whatever the timeout. With pages of 16 kB, a million texts take two thirds of the time that they
# take with 4 kB; an existing file keeps its page size. The WAL restarts at 3 000 pages, 49 MB: at 1 000, pages that
# are written repeatedly are moved more often, which made an import a tenth slower.
SQLITE = {
    "ENGINE": "django.db.backends.sqlite3",
    "CONN_MAX_AGE": 60,
    "OPTIONS": {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA page_size=16384; PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; "
        "PRAGMA cache_size=-8000; PRAGMA journal_size_limit=67108864; PRAGMA wal_autocheckpoint=3000",
    },
}

REDIS_AS_BROKER = {
    "socket_connect_timeout": 1,
    "socket_timeout": 5,
    "socket_keepalive": True,
    "health_check_interval": 10,
}


def database(url: str, folder: Path) -> dict[str, Any]:
    """Django's entry for DATABASE_URL: PostgreSQL or SQLite, on both of which every query is tested.

    By default SQLite in `folder`.
    """
    if not url:
        return SQLITE | {"NAME": folder / "evalsite.sqlite3"}
    if url.startswith("sqlite:///"):
        return SQLITE | {"NAME": url.removeprefix("sqlite:///")}
    if not url.startswith(("postgres://", "postgresql://")):
        scheme = url.split(":")[0]
        raise ImproperlyConfigured(
            f"DATABASE_URL begins with {scheme!r}; it must begin with postgresql:// or sqlite:///."
        )
    database: dict[str, Any] = environ.Env.db_url_config(require_encoded("DATABASE_URL", url))
    return database | {"CONN_MAX_AGE": 60, "CONN_HEALTH_CHECKS": True}


def storage(address: str) -> dict[str, Any]:
    """Django's default storage for `EVALSITE_STORAGE`: a folder, or s3://bucket/prefix."""
    if "://" not in address:
        return {"BACKEND": "django.core.files.storage.FileSystemStorage"}
    scheme, _, path = address.partition("://")
    bucket, _, prefix = path.partition("/")
    if scheme != "s3" or not bucket:
        raise ImproperlyConfigured(
            f"EVALSITE_STORAGE is {address!r}; it must be a folder or s3://bucket/prefix."
        )
    options = {"bucket_name": bucket, "location": prefix, "default_acl": None, "querystring_auth": True}
    return {"BACKEND": "evaluations.imports.uploads.bucket.Bucket", "OPTIONS": options}


def broker(url: str) -> str:
    """BROKER_URL, which names a Redis; files are for messages only where `evalsite up` finds none."""
    if url and not url.startswith(("redis://", "rediss://", "redis+socket://", "filesystem://")):
        raise ImproperlyConfigured(
            f"BROKER_URL begins with {url.split(':')[0]!r}; it must begin with redis://, rediss:// (with TLS) or "
            "redis+socket://."
        )
    return require_encoded("BROKER_URL", url)


def is_redis(url: str) -> bool:
    return url.startswith(("redis://", "rediss://", "unix://"))


def cache(redis_url: str) -> dict[str, Any]:
    """Django's cache, in Redis if available. It holds the counters of limits, for which no request should wait."""
    if not is_redis(redis_url):
        return {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
    return {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": redis_url,
        "KEY_PREFIX": "evalsite",
        "OPTIONS": {"socket_connect_timeout": 0.2, "socket_timeout": 0.2},
    }


def files_as_broker(folder: Path) -> dict[str, Any]:
    """Kombu's options for messages that are files in a folder."""
    return {
        "data_folder_in": str(folder),
        "data_folder_out": str(folder),
        "control_folder": str(folder / "control"),
        "polling_interval": 0.05,
    }
