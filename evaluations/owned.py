"""Naming, renaming, deleting and restoring, for all named objects of a project."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import count, groupby
from typing import Any, TypeVar

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from .errors import Conflict, Invalid, Refusal
from .ingest import clean
from .models import Run
from .models.fields import name_key
from .models.owned import Named, Owned
from .undo import UNDO as UNDO
from .values import LONGEST_NAME

Thing = TypeVar("Thing", bound=Owned)
Name = TypeVar("Name", bound=Named)

# Characters without a shape, with which two names look the same or a name is shown in another direction
INVISIBLE = dict.fromkeys(
    (
        *map(ord, "\u00ad\u061c\u180e\u200b\u200e\u200f\u3164\ufeff\uffa0"),
        *range(0x202A, 0x202F),
        *range(0x2060, 0x2070),
    )
)
JOINERS = "\u200c\u200d"  # join or separate letters of some scripts


def save_named(owned: Name) -> Name:
    """Save a new or renamed object; raises `Conflict` if its name is taken in its project."""
    owned.name = checked_name(owned.name)
    try:
        with transaction.atomic():
            owned.save()
    except IntegrityError as clash:
        kind = str(owned._meta.verbose_name)
        article = "An" if kind[0] in "aeiou" else "A"
        message = f"{article} {kind} named “{owned.name}” already exists."
        raise Conflict("name_taken", message, fields={"name": [message]}) from clash
    return owned


def rename(owned: Name, name: str) -> Name:
    """Rename an object like `save_named`; if the new name is refused, the object keeps its old one."""
    old, owned.name = owned.name, name
    try:
        return save_named(owned)
    except Refusal:
        owned.name = old
        raise


def free_name(objects: QuerySet[Any], name: str, endings: Iterable[str]) -> str:
    """The name with the first ending that makes it unique among `objects`, shortened to leave room for the ending."""
    names = _with_endings(name, endings)
    return next(free for free in names if not objects.filter(name_key=name_key(free)).exists())


def _with_endings(name: str, endings: Iterable[str]) -> Iterator[str]:
    return (name[: LONGEST_NAME - len(ending)].rstrip() + ending for ending in endings)


def numbered(first: Sequence[str] = ("",), later: str = " {}") -> Iterator[str]:
    """Endings to try: those in `first`, then `later` with the numbers from 2."""
    yield from first
    yield from (later.format(number) for number in count(2))


def visible(name: str) -> str:
    """The name without invisible characters and outer blanks."""
    return _without_idle_joiners(name.translate(INVISIBLE).strip()).strip()


def _without_idle_joiners(name: str) -> str:
    """The name without joiners where they have no effect: beside printable ASCII, and at an end."""
    if not any(joiner in name for joiner in JOINERS):
        return name
    runs = [(joins, "".join(run)) for joins, run in groupby(name, JOINERS.__contains__)]
    edges = ["", *(run[-1] for _, run in runs)], [*(run[0] for _, run in runs[1:]), ""]
    return "".join(
        run
        for (joins, run), before, after in zip(runs, *edges, strict=False)
        if not joins or not (_is_plain(before) or _is_plain(after))
    )


def _is_plain(edge: str) -> bool:
    """Whether a character is printable ASCII; also the end of a text."""
    return " " <= edge <= "~" or not edge


def distinct(names: Iterable[str], used_names: Iterable[str] = ()) -> dict[str, str]:
    """The visible form of each name, none of them among `used_names`; those that would look the same are numbered.

    >>> distinct(["GPT\u200b", "GPT"])
    {'GPT': 'GPT', 'GPT\u200b': 'GPT 2'}
    """
    forms, used = dict[str, str](), {*used_names}
    for name in sorted(dict.fromkeys(names), key=lambda name: visible(name) != name):
        forms[name] = next(
            free for free in _with_endings(visible(name) or "unnamed", numbered()) if free not in used
        )
        used.add(forms[name])
    return forms


def checked_name(name: str) -> str:
    """The visible name; raises `Invalid` if it is empty, too long or unreadable."""
    name = visible(clean(name)) if isinstance(name, str) else ""
    if not any(character.isprintable() and not character.isspace() for character in name):
        raise Invalid("required", "A name is needed.", fields={"name": ["A name is needed."]})
    if len(name) > LONGEST_NAME:
        raise Invalid(
            "max_length",
            f"A name can have at most {LONGEST_NAME} characters.",
            fields={"name": [f"At most {LONGEST_NAME} characters."]},
        )
    return name


def require_newest(name: str, newest: int, newest_was: int | None) -> None:
    """Raise `Conflict` if somebody saved a version since the writer read the newest one; None checks nothing."""
    if newest_was is not None and newest_was != newest:
        message = f"v{newest} of {name} was saved in the meantime."
        hint = f"What you typed is still here. Save again to make it v{newest + 1}."
        raise Conflict("changed_meanwhile", message, hint=hint)


def hold(owned: Owned) -> None:
    """Lock an object against deletion until the transaction ends; raises `Conflict` if it was deleted.

    Several are locked in this order: dataset, experiment, run.
    """
    rows = type(owned).objects.select_for_update(no_key=True)
    if rows.values_list("deleted_at", flat=True).get(pk=owned.pk) is not None:
        raise Conflict("deleted", f"This {owned._meta.verbose_name} was deleted.", hint="Restore it first.")


def delete(owned: Owned, open_runs: QuerySet[Run], parts: QuerySet[Any] | None = None) -> None:
    """Mark an object and its `parts` as deleted; `restore` undoes it within `UNDO`. `Conflict` while a run needs it."""
    with transaction.atomic():
        hold(owned)
        deleted_parts = [] if parts is None else list(parts.select_for_update(no_key=True).order_by("pk"))
        if open_runs.filter(status__in=Run.OPEN, deleted_at=None).exists():
            kind = owned._meta.verbose_name
            raise Conflict(
                "in_use",
                f"A run in progress uses this {kind}.",
                hint="Cancel the run, or wait until it ends.",
            )
        now = timezone.now()
        for row in (*deleted_parts, owned):
            type(row).objects.filter(pk=row.pk).update(deleted_at=now)


def restore(owned: Thing) -> Thing:
    """Restore an object deleted within `UNDO`, with its parts; `Conflict` if its name is taken."""
    with transaction.atomic():
        deleted_at = type(owned).objects.select_for_update().get(pk=owned.pk).deleted_at
        check_restorable(deleted_at)
        owned.check_above()
        _bring_back(owned)
        for part in owned.parts():
            if part.deleted_at == deleted_at:
                _bring_back(part)
        owned.go_on()
    return owned


def _bring_back(owned: Owned) -> None:
    owned.deleted_at, owned.restored_at = None, timezone.now()
    save_named(owned) if isinstance(owned, Named) else owned.save(update_fields=["deleted_at", "restored_at"])


def check_restorable(deleted_at: datetime | None) -> None:
    if deleted_at is None:
        raise Conflict("not_deleted", "This is not deleted.")
    if timezone.now() - deleted_at > UNDO:
        raise Conflict("too_late", f"This was deleted more than {UNDO.days} days ago.")
