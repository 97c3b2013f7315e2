"""Builds and stores entries of the audit log: actor, action, object, time. Bodies of requests are never stored.

`web.audited` calls `record_request` once for every request that changed something.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.db.models import Model
from django.db.models.signals import post_save
from django.dispatch import receiver
from django.http.response import HttpResponseBase

from evaluations.models import (
    ApiKey,
    AuditEntry,
    Comment,
    Connection,
    Dataset,
    Evaluator,
    Experiment,
    Gate,
    Invitation,
    Judging,
    LabelTask,
    Launch,
    Membership,
    Price,
    Project,
    Prompt,
    Run,
    SavedMapping,
    SavedView,
    SecondFactor,
    ShareLink,
    Split,
    Trial,
    Upload,
    Webhook,
)
from evaluations.models.project import Principal

# The model of an id in an address, by the first word of its route.
AUDITED_MODELS: dict[str, type[Model]] = {
    "ask": Experiment,
    "comment": Comment,
    "connection": Connection,
    "dataset": Dataset,
    "evaluator": Evaluator,
    "example": Dataset,
    "experiment": Experiment,
    "factor": SecondFactor,
    "gate": Gate,
    "invitation": Invitation,
    "judging": Judging,
    "key": ApiKey,
    "labelset": Evaluator,
    "labeltask": LabelTask,
    "launch": Launch,
    "mapping": SavedMapping,
    "member": Membership,
    "person": User,
    "price": Price,
    "prompt": Prompt,
    "run": Run,
    "scores": Run,
    "share": ShareLink,
    "split": Split,
    "trial": Trial,
    "upload": Upload,
    "variant": Experiment,
    "view": SavedView,
    "webhook": Webhook,
}
RECORDED = {Project, *AUDITED_MODELS.values()}
VERBS = {"list": "create", "detail": "change"}

Answer = TypeVar("Answer", bound=HttpResponseBase)


def unrecorded(response: Answer, changes_nothing: bool = True) -> Answer:
    """The response, marked as one that reports no change: of a dry run, an estimate or a draft."""
    response.is_unrecorded = changes_nothing  # type: ignore[attr-defined] # `web.audited` reads it
    return response


@dataclass
class Watched:
    """The objects created and the details noted during one request."""

    created: list[Model] = field(default_factory=list)
    notes: dict[str, Any] = field(default_factory=dict)


_watched: ContextVar[Watched | None] = ContextVar("watched", default=None)


@contextmanager
def watching() -> Iterator[Watched]:
    """Collect created objects and noted details in this context."""
    watched = Watched()
    token = _watched.set(watched)
    try:
        yield watched
    finally:
        _watched.reset(token)


@receiver(post_save)
def _saved(sender: type[Model], instance: Model, created: bool, **more: Any) -> None:
    if created and sender in RECORDED and (watched := _watched.get()):
        watched.created.append(instance)


def note(**details: Any) -> None:
    """Add details to the entry of this request, such as the new role; never a secret."""
    if watched := _watched.get():
        watched.notes |= details


def action_of(route: str, method: str) -> str:
    """One word for the same action on a page and in the API.

    >>> action_of("api-dataset-detail", "DELETE"), action_of("dataset-delete", "POST")
    ('dataset-delete', 'dataset-delete')
    >>> action_of("api-run-list", "POST"), action_of("connection-detail", "POST")
    ('run-create', 'connection-change')
    >>> action_of("api-prompt-label", "DELETE"), action_of("prompt-label-remove", "POST")
    ('prompt-label-remove', 'prompt-label-remove')
    """
    noun, _, verb = route.removeprefix("api-").partition("-")
    word = VERBS.get(verb, verb)
    if method == "DELETE":
        word = "delete" if verb == "detail" else f"{word}-remove"
    return f"{noun}-{word}".removesuffix("-")


def thing_at(route: str, address: dict[str, Any]) -> Model | None:
    """The object with the id in an address, else its project."""
    model = AUDITED_MODELS.get(route.removeprefix("api-").partition("-")[0])
    if model and "pk" in address:
        return model._default_manager.filter(pk=address["pk"]).first()
    return Project.objects.filter(slug=address["slug"]).first() if "slug" in address else None


def record(
    principal: Principal | None, action: str, target: Model | None, request_id: str = "", **details: Any
) -> AuditEntry:
    """Store an entry; `target` may already be gone from the database."""
    key = principal if isinstance(principal, ApiKey) else None
    actor = key.owner if key else principal
    actor_fields = {"actor": actor, "actor_name": str(actor or key or ""), "api_key": key}
    return _store(action, target, details, request_id=request_id, **actor_fields)


def record_chore(chore: str, action: str, target: Model, **details: Any) -> AuditEntry:
    """Store an entry of an automatic action, with the chore's name as the actor."""
    return _store(action, target, details, actor_name=chore)


def _store(action: str, target: Model | None, details: dict[str, Any], **actor_fields: Any) -> AuditEntry:
    project = target if isinstance(target, Project) else getattr(target, "project", None)
    return AuditEntry.objects.create(
        project=project, action=action, details=details, **actor_fields, **_named(target)
    )


def _named(target: Model | None) -> dict[str, Any]:
    if target is None:
        return {"object_type": "", "object_name": ""}
    kind = str(target._meta.verbose_name)
    return {"object_type": kind, "object_id": target.pk, "object_name": _name(target)[:200]}


def _name(target: Model) -> str:
    return target.filename if isinstance(target, Upload) else str(target)


def record_request(
    principal: Principal, action: str, context: Model | None, watched: Watched, request_id: str
) -> AuditEntry:
    """Store the entry of a request: about the first object it created, else about the one in its address."""
    first, *further_objects = [*watched.created, context] if watched.created else [context]
    related = [
        _named(related_object)
        for related_object in further_objects
        if related_object is not None and related_object != _project(first)
    ]
    details = watched.notes | ({"with": related} if related else {})
    return record(principal, action, first, request_id, **details)


def _project(target: Model | None) -> Project | None:
    return getattr(target, "project", None)


def record_signin(action: str, user: User | None, request_id: str, address: str) -> AuditEntry:
    """Store a sign-in, a sign-out or a failed sign-in; the last has no actor and names the account that was tried."""
    actor = None if action == "signin-failed" else user
    return record(actor, action, user, request_id, address=address)
