"""Connections to OpenAI-compatible servers: checked addresses, and keys that are stored and never shown."""

from collections import defaultdict
from dataclasses import asdict, dataclass
from datetime import datetime
from decimal import Decimal
from types import EllipsisType
from typing import Any

import orjson
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from evaluations import clients, owned, secretbox
from evaluations.access import limits, permissions
from evaluations.clients import Guard, ServiceError, check_url
from evaluations.clients.way import Way
from evaluations.errors import Conflict, Invalid
from evaluations.models import Connection, Evaluator, EvaluatorVersion, Project, Prompt
from evaluations.models.project import Principal
from evaluations.prompts import prompts
from evaluations.values import stored_json

from . import local_servers

TESTS = 10  # tests per minute and person, so that nobody can scan a network with them


@dataclass(frozen=True)
class Extras:
    """What a connection adds to its requests; None keeps what is stored. An `api_version` means Azure."""

    api_version: str | None = None
    headers: dict[str, str] | None = None
    query: dict[str, str] | None = None


NO_EXTRAS = Extras()


def create(
    project: Project,
    user: User | None,
    name: str,
    base_url: str,
    api_key: str = "",
    price_per_million: Decimal | None = None,
    extras: Extras = NO_EXTRAS,
) -> Connection:
    """Create a connection; the first one of a project becomes its default."""
    check(base_url, api_key, extras)
    return store(project, user, name, base_url, api_key, price_per_million, extras)


def check(base_url: str, api_key: str, extras: Extras = NO_EXTRAS) -> None:
    """Raise `Invalid` for an invalid address, key or extra. This resolves names: never call it in a transaction."""
    check_address(base_url)
    check_key(api_key)
    check_extras(extras)


def store(
    project: Project,
    user: User | None,
    name: str,
    base_url: str,
    api_key: str = "",
    price_per_million: Decimal | None = None,
    extras: Extras = NO_EXTRAS,
) -> Connection:
    """Create a connection without checking it; call `check` first."""
    with transaction.atomic():
        connection = Connection(
            project=project,
            created_by=user,
            name=name,
            base_url=base_url,
            price_per_million=price_per_million,
        )
        owned.save_named(connection)
        _set_key(connection, api_key)
        _set_extras(connection, extras)
        Project.objects.filter(pk=project.pk, default_connection=None).update(default_connection=connection)
    return connection


def change(
    connection: Connection,
    *,
    name: str | None = None,
    base_url: str | None = None,
    api_key: str | None = None,
    price_per_million: Decimal | EllipsisType | None = ...,
    extras: Extras = NO_EXTRAS,
) -> Connection:
    """Change the given fields; a price of None removes the price.

    A new address requires the key and the headers again: the old ones must not be sent to it. What the last test found
    holds for neither another address nor another key.
    """
    before = state(connection)
    check_extras(extras)
    if base_url is not None and base_url != connection.base_url:
        _set_address(connection, base_url, has_new_key=api_key is not None, extras=extras)
    if api_key is not None or connection.base_url != before[1]:
        connection.last_test = {}
    connection.name = connection.name if name is None else name
    if not isinstance(price_per_million, EllipsisType):
        connection.price_per_million = price_per_million
    with transaction.atomic():
        if state(Connection.objects.select_for_update().get(pk=connection.pk)) != before:
            raise Conflict(
                "changed_meanwhile",
                "Someone else has changed the connection in the meantime.",
                hint="Reload the connection, then change it.",
            )
        owned.save_named(connection)
        if api_key is not None:
            check_key(api_key)
            _set_key(connection, api_key)
        _set_extras(connection, extras)
    return connection


def _set_address(connection: Connection, base_url: str, *, has_new_key: bool, extras: Extras) -> None:
    if connection.encrypted_key and not has_new_key:
        message = "The stored key is never sent to a changed URL. Enter the key again."
        raise Invalid("key_required", message, fields={"api_key": [message]})
    if connection.encrypted_headers and extras.headers is None:
        message = "The stored headers are never sent to a changed URL. Enter them again, or remove them."
        raise Invalid("headers_required", message, fields={"headers": [message]})
    check_address(base_url)
    connection.base_url = base_url


def state(connection: Connection) -> tuple[Any, ...]:
    """The values that identify a state of a connection, for its ETag and to detect concurrent changes."""
    return (
        connection.name,
        connection.base_url,
        connection.key_set_at,
        connection.price_per_million,
        connection.api_version,
        stored_json(connection.query),
        connection.encrypted_headers,
    )


def make_default(connection: Connection) -> None:
    Project.objects.filter(pk=connection.project_id).update(default_connection=connection)


def delete(connection: Connection) -> None:
    """Hide the connection; `Conflict` while the newest version of an evaluator or a prompt uses it.

    Older versions do not count: they score nothing new.
    """
    if evaluator := _user_of(connection):
        raise Conflict("in_use", f"The evaluator “{evaluator.name}” uses this connection.")
    if prompt := prompts.user_of(connection):
        raise Conflict("in_use", f"The prompt “{prompt.name}” uses this connection.")
    Connection.objects.filter(pk=connection.pk).update(deleted_at=timezone.now())
    Project.objects.filter(default_connection=connection).update(default_connection=None)


def _user_of(connection: Connection) -> Evaluator | None:
    """An evaluator whose newest version uses the connection."""
    return next(iter(_named_by_evaluators(connection.project_id)[connection.pk]), None)


def _named_by_evaluators(project: int) -> dict[int, list[Evaluator]]:
    """By connection, the evaluators whose newest version names it."""
    evaluators = Evaluator.objects.live().filter(project=project)
    newest = EvaluatorVersion.objects.filter(evaluator__in=evaluators, number=F("evaluator__version"))
    found = defaultdict[int, list[Evaluator]](list)
    for version in newest.select_related("evaluator"):
        if named := version.config.get("connection"):
            found[named].append(version.evaluator)
    return found


@dataclass(frozen=True)
class Users:
    """The live objects that name a connection: the newest versions of `evaluators` and `prompts`, and `judges`."""

    evaluators: list[Evaluator]
    judges: list[Evaluator]
    prompts: list[Prompt]


def users(project: int) -> dict[int, Users]:
    """Who names each connection of a project (its id); who uses the default without naming it does not count."""
    found = defaultdict[int, Users](lambda: Users([], [], []))
    for pk, evaluators in _named_by_evaluators(project).items():
        found[pk].evaluators.extend(evaluators)
    for judge in Evaluator.objects.live().filter(project=project, connection__isnull=False):
        found[judge.connection_id or 0].judges.append(judge)
    for version in prompts.naming_connections(project):
        found[version.connection_id or 0].prompts.append(version.prompt)
    return found


def guard() -> Guard:
    """The address policy of this site."""
    return Guard(settings.PROVIDER_ALLOWED_HOSTS, out=settings.EVALSITE_WAY_OUT)


def _guard() -> Guard:
    """The address policy of connections: that of the site, and servers on this machine that were allowed."""
    return Guard([*settings.PROVIDER_ALLOWED_HOSTS, *local_servers.entries()], out=settings.EVALSITE_WAY_OUT)


def check_address(base_url: str) -> None:
    try:
        check_url(base_url, _guard())
    except ServiceError as error:
        raise Invalid(error.code, error.message, fields={"base_url": [error.message]}) from error


def check_key(api_key: str) -> None:
    try:
        clients.check_key(api_key)
    except ServiceError as error:
        raise Invalid(error.code, error.message, fields={"api_key": [error.message]}) from error


def check_extras(extras: Extras) -> None:
    try:
        clients.extras.check_headers(extras.headers or {})
        clients.extras.check_query(extras.query or {})
        clients.extras.check_api_version(extras.api_version or "")
    except ServiceError as error:
        field = error.code.removeprefix("invalid_")
        raise Invalid(error.code, error.message, fields={field: [error.message]}) from error


def _set_extras(connection: Connection, extras: Extras) -> None:
    if extras.api_version is not None:
        connection.api_version = extras.api_version
    if extras.query is not None:
        connection.query = extras.query
    if extras.headers is not None:
        sealed = secretbox.seal(connection.pk, stored_json(extras.headers)) if extras.headers else ""
        connection.encrypted_headers, connection.header_names = sealed, list(extras.headers)
    connection.save(update_fields=["api_version", "query", "encrypted_headers", "header_names"])


def way_of(connection: Connection) -> Way:
    """How the server is called; raises `ServiceError` if the headers cannot be decrypted."""
    headers: dict[str, str] = {}
    if connection.encrypted_headers:
        try:
            headers = orjson.loads(secretbox.unseal(connection.pk, connection.encrypted_headers))
        except secretbox.Unreadable as error:
            message = f"The headers of “{connection.name}” can no longer be decrypted. Enter them again."
            raise ServiceError(message, permanent=True, code="key_unreadable") from error
    return Way(headers, connection.query, connection.api_version)


def _set_key(connection: Connection, api_key: str) -> None:
    connection.encrypted_key = secretbox.seal(connection.pk, api_key) if api_key else ""
    connection.key_ending = api_key[-4:] if len(api_key) >= 12 else ""
    connection.key_set_at = timezone.now() if api_key else None
    connection.save(update_fields=["encrypted_key", "key_ending", "key_set_at"])


def key_of(connection: Connection) -> str:
    """The decrypted key, to be used for a call only; raises `ServiceError` if it cannot be decrypted."""
    if not connection.encrypted_key:
        return ""
    try:
        return secretbox.unseal(connection.pk, connection.encrypted_key)
    except secretbox.Unreadable as error:
        message = f"The key of “{connection.name}” can no longer be decrypted. Enter it again."
        raise ServiceError(message, permanent=True, code="key_unreadable") from error


def client(connection: Connection) -> "clients.OpenAIClient":
    """The guarded embeddings client of a connection; raises `ServiceError` if its key cannot be read."""
    return clients.OpenAIClient(connection.base_url, key_of(connection), _guard(), way=way_of(connection))


def chat_client(connection: Connection, in_flight: int) -> "clients.ChatClient":
    """The guarded chat client of a connection; raises `ServiceError` if its key cannot be read."""
    return clients.ChatClient(
        connection.base_url, key_of(connection), _guard(), connections=in_flight, way=way_of(connection)
    )


def probe(connection: Connection, model: str, by: Principal) -> "clients.Probe":
    """Test the connection within five seconds: list its models and, if one is given, call it; the result is kept.

    A failure of the server is part of the result, not an exception.
    """
    tester = permissions.person(by)
    name = f"person {tester.pk}" if tester else f"key {by.pk}"
    limits.require(f"connection test {name}", TESTS, f"A connection can be tested {TESTS} times a minute.")
    try:
        with limits.one_of(limits.SERVER_CALLS, "Too many calls to connections at once."):
            found = client(connection).probe(model)
    except ServiceError as error:
        found = clients.Probe(False, error.message, error.code)
    connection.last_test = asdict(found) | {"at": timezone.now().isoformat()}
    Connection.objects.filter(pk=connection.pk).update(last_test=connection.last_test)
    return found


@dataclass(frozen=True)
class Test:
    probe: "clients.Probe"
    at: datetime


def last_test(connection: Connection) -> Test | None:
    """What the last test of the connection found, and when."""
    if not connection.last_test:
        return None
    kept = dict(connection.last_test)
    at = datetime.fromisoformat(kept.pop("at"))
    return Test(clients.Probe(**kept), at)
