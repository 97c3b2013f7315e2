"""Mappings of columns that a project stores: under a name, or for its next file with the same header."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet

from evaluations import ingest, leases, owned
from evaluations.errors import Conflict, Invalid, NotFound
from evaluations.experiments import advice
from evaluations.jsonpath import PathError
from evaluations.models import Dataset, Evaluator, Project, Run, SavedMapping
from evaluations.models.fields import name_key
from evaluations.numerals import grouped, whole
from evaluations.values import canonical_json, stored_json

from . import column_paths
from .columnmap import ColumnMap

MOST_MAPPINGS = (
    200  # per project: named ones, and as many unnamed ones, of which the least recently used are deleted
)
LONGEST = 100_000  # characters
WITHOUT_COLUMNS = ("lower_is_better", "labels", "evaluators")  # the parts that name no column


# ---- saved under a name ------------------------------------------------------------------------------------


def live(project: Project) -> QuerySet[SavedMapping]:
    """The named mappings that are not deleted."""
    return SavedMapping.objects.live().filter(project=project).exclude(name_key="")


def create(project: Project, user: User | None, name: str, mapping: dict[str, Any]) -> SavedMapping:
    if live(project).count() >= MOST_MAPPINGS:
        raise Conflict("too_many_mappings", f"A project can have at most {MOST_MAPPINGS} saved mappings.")
    saved = SavedMapping(project=project, created_by=user, name=name, mapping=checked(project, mapping))
    owned.save_named(saved)
    return saved


def change(
    saved: SavedMapping, *, name: str | None = None, mapping: dict[str, Any] | None = None
) -> SavedMapping:
    """Change the fields that are not None. Imported files stay as they are."""
    if mapping is not None:
        saved.mapping = checked(saved.project, mapping)
    owned.rename(saved, saved.name if name is None else name)
    return saved


def delete(saved: SavedMapping) -> None:
    owned.delete(saved, Run.objects.none())


def named(project: Project, id_or_name: str) -> SavedMapping:
    """The mapping with this name, else with this id; raises `NotFound`."""
    by_name = live(project).filter(name_key=name_key(id_or_name)).first()
    saved = by_name or live(project).filter(pk=whole(id_or_name) or 0).first()
    if saved is None:
        message = f"The project has no saved mapping “{id_or_name[:200]}”."
        raise NotFound("unknown_mapping", message, fields={"mapping": [message]})
    return saved


def use(project: Project, id_or_name: str) -> SavedMapping:
    """The mapping with this name or id; its last use is now."""
    saved = named(project, id_or_name)
    SavedMapping.objects.filter(pk=saved.pk).update(used_at=leases.now())
    return saved


def offered(project: Project, columns: Sequence[str]) -> list[SavedMapping]:
    """All mappings, last used first; those whose columns are all in the file come before the others."""
    by_use = live(project).order_by("-used_at", "-pk")
    return sorted(by_use, key=lambda saved: bool(missing(saved.mapping, columns)))


# ---- remembered for the next file with the same header ----------------------------------------------------


def header_of(columns: Sequence[str]) -> str:
    return sha256(canonical_json([*columns]).encode()).hexdigest()


def remember(
    project: Project, columns: Sequence[str], mapping: dict[str, Any], dataset: Dataset | None = None
) -> None:
    """Store the mapping that was confirmed for a file with these columns, and the dataset that it went into."""
    header, fields = header_of(columns), {"mapping": mapping, "dataset": dataset, "used_at": leases.now()}
    unnamed = SavedMapping.objects.filter(project=project, name_key="").order_by("-used_at", "-pk")
    if not unnamed.filter(header=header).update(**fields):
        SavedMapping.objects.bulk_create(
            [SavedMapping(project=project, header=header, **fields)], ignore_conflicts=True
        )
    SavedMapping.objects.filter(pk__in=[*unnamed.values_list("pk", flat=True)[MOST_MAPPINGS:]]).delete()


def recall_for(project: Project, file: ingest.Preview) -> dict[str, Any] | None:
    """The mapping last confirmed for the columns of a file, unless Evalsite wrote it: it says itself what they are."""
    return None if file.format.own else recall(project, file.columns)


def recall(project: Project, columns: Sequence[str]) -> dict[str, Any] | None:
    """The mapping last confirmed for these columns; None if there was no such file."""
    remembered = _last(project, columns)
    return remembered.mapping if remembered else None


def recall_evaluators(project: Project, columns: Sequence[str]) -> list[int]:
    """The evaluators of the last file with these columns, the primary one first: the one that decides there by now."""
    remembered = _last(project, columns)
    if remembered is None:
        return []
    scoring: list[int] = remembered.mapping.get("evaluators") or []
    decided = advice.last_decided(remembered.dataset) if remembered.dataset else None
    return [*dict.fromkeys([decided[1].pk, *scoring])] if decided else scoring


def _last(project: Project, columns: Sequence[str]) -> SavedMapping | None:
    return SavedMapping.objects.filter(project=project, name_key="", header=header_of(columns)).first()


# ---- validation without a file, and for a file that lacks columns ------------------------------------------


def checked(project: Project, mapping: dict[str, Any]) -> dict[str, Any]:
    """Validate a mapping without a file; raises `Invalid` if no file could fit it, or an evaluator is missing."""
    if len(stored_json(mapping)) > LONGEST:
        raise Invalid("invalid_mapping", f"The mapping has more than {grouped(LONGEST)} characters.")
    ColumnMap.check(columns_of(mapping), mapping)
    evaluators(project, mapping)
    return mapping


def evaluators(project: Project, mapping: dict[str, Any]) -> list[Evaluator]:
    """The evaluators that a checked mapping names, in its order; raises `Invalid` if the project lacks one."""
    ids = [*dict.fromkeys(mapping.get("evaluators") or ())]
    by_id = Evaluator.objects.live().filter(project=project).in_bulk(ids)
    if lacking := [pk for pk in ids if pk not in by_id]:
        message = f"The mapping names the evaluator {lacking[0]}, which the project does not have."
        raise Invalid("unknown_evaluator", message, fields={"mapping.evaluators": [message]})
    return [by_id[pk] for pk in ids]


def fitting(mapping: dict[str, Any], columns: Sequence[str]) -> tuple[ColumnMap, list[str]]:
    """The mapping, including columns that a file with these columns lacks, and the names of those."""
    missing_columns = missing(mapping, columns)
    return ColumnMap.check([*columns, *missing_columns], mapping), missing_columns


def missing(mapping: dict[str, Any], columns: Sequence[str]) -> list[str]:
    """The columns of a mapping that a file with these columns lacks."""
    missing_columns = (column for part, column in _named(mapping) if not _is_there(part, column, columns))
    return [*dict.fromkeys(missing_columns)]


def columns_of(mapping: dict[str, Any]) -> list[str]:
    """The columns that a mapping names."""
    return [*dict.fromkeys(column for _, column in _named(mapping))]


def _named(mapping: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Pairs of part and column, for each column that a mapping names."""
    for part, sources in mapping.items():
        if part not in WITHOUT_COLUMNS:
            yield from ((part, column) for source in _sources(sources) for column in _columns(source))


def _sources(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    if isinstance(value, list | dict):
        for element in value.values() if isinstance(value, dict) else value:
            yield from _sources(element)


def _columns(source: str) -> list[str]:
    """The column itself, or the one that a path leads into."""
    if not source.startswith(("$.", "$[")):
        return [source]
    try:
        first = column_paths.column_of(source)
    except PathError:
        return []
    return [first] if isinstance(first, str) else []


def _is_there(part: str, column: str, columns: Sequence[str]) -> bool:
    """Whether the file has the column: by name, by a path into it, or with the prefix of an export."""
    return bool({column, f"{part}.{column}"} & {*columns}) or column_paths.named(column, columns) is not None
