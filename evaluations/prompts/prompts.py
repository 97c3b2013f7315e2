"""Prompts: named, with immutable versions."""

from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, QuerySet

from evaluations import owned
from evaluations.errors import NotFound
from evaluations.models import Connection, Dataset, Project, Prompt, PromptVersion, Run

from .content import Content, check


def create(
    project: Project,
    user: User | None,
    name: str,
    content: Content,
    note: str = "",
    dataset: Dataset | None = None,
) -> Prompt:
    """A prompt with its first version."""
    check(content)
    with transaction.atomic():
        prompt = owned.save_named(Prompt(project=project, created_by=user, name=name))
        _store(prompt, user, content, note, dataset)
    return prompt


def add_version(
    prompt: Prompt,
    user: User | None,
    parts: dict[str, Any],
    note: str = "",
    dataset: Dataset | None = None,
) -> tuple[PromptVersion, bool]:
    """Add the next version with these parts; returns it and True, or the newest version and False if nothing differs.

    Omitted parts stay as in the newest version.
    """
    with transaction.atomic():
        owned.hold(prompt)
        prompt.refresh_from_db(from_queryset=Prompt.objects.select_for_update())
        newest = version_of(prompt)
        old = Content.from_version(newest)
        content = check(Content(**old.parts() | parts))
        if content.is_same(old):
            return newest, False
        prompt.version += 1
        prompt.save(update_fields=["version"])
        return _store(prompt, user, content, note, dataset), True


def change(
    prompt: Prompt,
    user: User | None,
    name: str,
    content: Content,
    note: str = "",
    newest_was: int | None = None,
    dataset: Dataset | None = None,
) -> PromptVersion:
    """Rename a prompt and add a version, as far as name and content differ; `newest_was` as for evaluators."""
    with transaction.atomic():
        prompt.refresh_from_db(from_queryset=Prompt.objects.select_for_update())
        owned.require_newest(prompt.name, prompt.version, newest_was)
        if name != prompt.name:
            owned.rename(prompt, name)
        return add_version(prompt, user, content.parts(), note, dataset)[0]


def _store(
    prompt: Prompt, user: User | None, content: Content, note: str, dataset: Dataset | None
) -> PromptVersion:
    parts = content.parts() | {"note": note, "dataset": dataset}
    return PromptVersion.objects.create(prompt=prompt, number=prompt.version, created_by=user, **parts)


def version_of(prompt: Prompt, number: int | None = None) -> PromptVersion:
    """The version with this number, by default the newest; raises `NotFound`."""
    version = prompt.versions.select_related("connection").filter(number=number or prompt.version).first()
    if version is None:
        message = f"{prompt.name} has no version {number}."
        raise NotFound("not_found", message, fields={"version": [message]})
    return version


def duplicate(version: PromptVersion, user: User | None, name: str | None = None) -> Prompt:
    """Create a prompt whose first version equals this one."""
    prompt = version.prompt
    note = f"copied from {prompt.name} v{version.number}"[:200]
    copied = Content.from_version(version)
    return create(prompt.project, user, name or _free_name(prompt), copied, note, version.dataset)


def _free_name(prompt: Prompt) -> str:
    """A free name for a copy: “solve (copy)”, else “solve (copy 2)” and so on."""
    prompts = Prompt.objects.live().filter(project=prompt.project_id)
    return owned.free_name(prompts, prompt.name, owned.numbered([" (copy)"], " (copy {})"))


def user_of(connection: Connection) -> Prompt | None:
    """A prompt whose newest version uses the connection."""
    version = naming_connections(connection.project_id).filter(connection=connection).first()
    return version.prompt if version else None


def naming_connections(project: int) -> QuerySet[PromptVersion]:
    """The newest versions of a project's prompts that name a connection."""
    newest = PromptVersion.objects.filter(
        number=F("prompt__version"), prompt__deleted_at=None, prompt__project=project
    )
    return newest.exclude(connection=None).select_related("prompt")


def delete(prompt: Prompt) -> None:
    """Delete a prompt; the runs it generated stay."""
    owned.delete(prompt, Run.objects.none())
