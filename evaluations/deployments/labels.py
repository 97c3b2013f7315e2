"""Labels on prompt versions, such as `production`: which version a program gets, and which it got when."""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, QuerySet

from evaluations import leases, owned
from evaluations.access import audit, permissions
from evaluations.errors import Invalid, NotFound
from evaluations.linear import Pattern
from evaluations.models import Project, Prompt, PromptLabel, PromptVersion
from evaluations.models.fields import name_key
from evaluations.models.project import Principal
from evaluations.prompts import prompts
from evaluations.webhooks import events

PRODUCTION = "production"
NEWEST = "latest"  # names the newest version of each prompt; nobody can move it
FORM = Pattern(r"[a-z0-9][a-z0-9._-]{0,39}")
RULE = "A label has 1 to 40 small letters, digits, dots, hyphens and underscores, and begins with a letter or digit."
MOST_LABELS = 50  # on the versions of one prompt, and protected in one project


@dataclass(frozen=True)
class Found:
    """A version that a program asked for by name; without a label if it named the number."""

    version: PromptVersion
    label: PromptLabel | None = None


def checked(label: str) -> str:
    """The label; raises `Invalid` if it is none."""
    if not FORM.fullmatch(label):
        raise Invalid("invalid", RULE, fields={"label": [RULE]})
    if label == NEWEST:
        message = f"“{NEWEST}” always names the newest version."
        raise Invalid("invalid", message, fields={"label": [message]})
    return label


# ---- moving --------------------------------------------------------------------------------------------------


def move(prompt: Prompt, who: Principal, label: str, number: int) -> tuple[PromptLabel, bool]:
    """Put a label on a version, taking it from another; returns it, and whether anything changed.

    A protected label needs an administrator.
    """
    with transaction.atomic():
        current = _held(prompt, who, label)
        version = prompts.version_of(prompt, number)
        if current and current.version_id == version.pk:
            return current, False
        if current is None and now_of(prompt).count() >= MOST_LABELS:
            message = f"A prompt can have at most {MOST_LABELS} labels."
            raise Invalid("too_many", message, fields={"label": [message]})
        person = permissions.person(who)
        _end(current, person)
        moved = PromptLabel.objects.create(prompt=prompt, name=label, version=version, set_by=person)
        events.prompt_label_moved(prompt, label, current.version if current else None, version)
    return moved, True


def take_away(prompt: Prompt, who: Principal, label: str) -> None:
    """Take a label from its version; the history stays. Raises `NotFound` if no version has it."""
    with transaction.atomic():
        current = _held(prompt, who, label)
        if current is None:
            raise NotFound("not_found", f"No version of {prompt.name} has the label “{label}”.")
        _end(current, permissions.person(who))
        events.prompt_label_moved(prompt, label, current.version, None)


def _held(prompt: Prompt, who: Principal, label: str) -> PromptLabel | None:
    """The label as it is now, with the prompt locked until the transaction ends."""
    audit.note(label=checked(label))
    permissions.require(who, prompt.project, "admin" if label in prompt.project.protected_labels else "write")
    owned.hold(prompt)
    Prompt.objects.select_for_update().get(pk=prompt.pk)
    return now_of(prompt).filter(name=label).select_related("version").first()


def _end(current: PromptLabel | None, person: User | None) -> None:
    if current:
        current.ended_at, current.ended_by = leases.now(), person
        current.save(update_fields=["ended_at", "ended_by"])


# ---- reading -------------------------------------------------------------------------------------------------


def now_of(prompt: Prompt) -> QuerySet[PromptLabel]:
    """The labels of a prompt that are in force."""
    return prompt.labels.filter(ended_at=None)


def history(prompt: Prompt) -> QuerySet[PromptLabel]:
    """Every label that a version of the prompt has or had, newest first."""
    return prompt.labels.select_related("prompt", "version", "set_by", "ended_by").order_by("-pk")


def by_name(project: Project, name: str, label: str = "", number: int | None = None) -> Found:
    """The version with a label, or with a number, of the prompt with this name, in one query; raises `NotFound`."""
    here = {"prompt__project": project, "prompt__deleted_at": None, "prompt__name_key": name_key(name)}
    if number is not None or label == NEWEST:
        chosen = F("prompt__version") if number is None else number
        version = PromptVersion.objects.filter(number=chosen, **here).select_related("prompt").first()
        if version:
            return Found(version)
    else:
        in_force = PromptLabel.objects.filter(name=label, ended_at=None, **here)
        if found := in_force.select_related("version__prompt", "prompt").first():
            return Found(found.version, found)
    raise _not_found(project, name, f"version {number}" if number else f"version with the label “{label}”")


def _not_found(project: Project, name: str, what: str) -> NotFound:
    if not Prompt.objects.live().filter(project=project, name_key=name_key(name)).exists():
        return NotFound("unknown_prompt", f"The project has no prompt named “{name}”.")
    return NotFound("unknown_label", f"The prompt “{name}” has no {what}.")


# ---- which labels are protected ------------------------------------------------------------------------------


def protect(project: Project, labels: list[str]) -> None:
    """Set the labels of a project that only administrators move."""
    if len(labels) > MOST_LABELS:
        message = f"At most {MOST_LABELS} labels can be protected."
        raise Invalid("invalid", message, fields={"protected_labels": [message]})
    for label in labels:
        if not FORM.fullmatch(label) or label == NEWEST:
            message = f"“{label[:80]}” cannot be protected. {RULE}"
            raise Invalid("invalid", message, fields={"protected_labels": [message]})
    project.protected_labels = sorted(set(labels))
    project.save(update_fields=["protected_labels"])
