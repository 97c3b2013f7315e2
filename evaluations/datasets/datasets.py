"""Datasets and their immutable versions: created, appended to, edited row by row, deleted with undo."""

import random
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import orjson
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q, QuerySet

from evaluations import bulk, keyset, owned
from evaluations.errors import Conflict, Invalid, TooLarge
from evaluations.files.codes import HINTS
from evaluations.ingest import Limits
from evaluations.models import Dataset, DatasetVersion, Example, Import, Project, Run
from evaluations.models.dataset import ExampleQuerySet
from evaluations.numerals import grouped
from evaluations.owned import save_named
from evaluations.values import JSON, PARTS, by_column, key_text, stored_json, text_of

from . import live_positions, repeated, schemas
from .live_positions import Positions
from .repeated import Duplicates

EXAMPLE_FIELDS = ("dataset_id", "position", "key", "inputs", "reference", "metadata", "added_in")
MOST_AT_ONCE = 10_000
MOST_COLUMNS = Limits.columns


def create(
    project: Project,
    user: User | None,
    name: str,
    examples: Sequence[dict[str, Any]] = (),
    schema: Any = None,
    duplicates: str = Duplicates.KEEP,
) -> Dataset:
    """Create a dataset from these examples; if one is invalid, raises `Invalid` or `Conflict` and stores nothing.

    `duplicates` decides about examples with the contents of an earlier one.
    """
    checked_schema = schemas.checked(schema or {})
    with transaction.atomic():
        dataset = save_named(Dataset(project=project, created_by=user, name=name, schema=checked_schema))
        if examples:
            _add(dataset, user, examples, "created", duplicates=duplicates)
    return dataset


def append(dataset: Dataset, user: User | None, examples: Sequence[dict[str, Any]]) -> Dataset:
    """Add a version with more examples at the end."""
    with transaction.atomic():
        lock(dataset)
        _add(dataset, user, examples, f"{len(examples)} added")
    return dataset


def edit(dataset: Dataset, user: User | None, position: int, changes: dict[str, Any]) -> Example:
    """Add a version with the changed example: a new row with the key, the identity and so the place of the old one."""
    with transaction.atomic():
        lock(dataset)
        example = current(dataset, position)
        example_of(dataset, position).update(removed_in=dataset.version + 1)
        _add(dataset, user, [_parts(example) | changes], f"example {example.name} edited", replaced=example)
    return Example.objects.get(dataset=dataset, position=dataset.last_position)


def remove(dataset: Dataset, user: User | None, position: int) -> Dataset:
    """Add a version without this example; `put_back` undoes it."""
    with transaction.atomic():
        lock(dataset)
        example = current(dataset, position)
        example_of(dataset, position).update(removed_in=dataset.version + 1)
        next_version(dataset, user, -1, f"example {example.name} removed")
    return dataset


def put_back(dataset: Dataset, user: User | None, position: int) -> Example:
    """Add a version with a removed example at its end; `Conflict` unless it was removed."""
    with transaction.atomic():
        lock(dataset)
        example = Example.objects.get(dataset=dataset, position=position)
        if example.removed_in is None or successor(example) is not None:
            raise Conflict("not_deleted", f"Example {position} was not removed.")
        _add(dataset, user, [_parts(example)], f"example {example.name} put back", origin=example.identity)
    return Example.objects.get(dataset=dataset, position=dataset.last_position)


def _parts(example: Example) -> dict[str, Any]:
    return {name: orjson.loads(getattr(example, name)) for name in PARTS} | {"key": example.key}


def examples(dataset: Dataset, version: int | None = None) -> ExampleQuerySet:
    """The examples of a version (the newest, if none is named), in order."""
    return Example.objects.of_version(dataset.pk, version or dataset.version).order_by("position")


def in_place(examples: ExampleQuerySet) -> keyset.Parts:
    """These examples for `keyset.page` by `identity`: an edited one stands where it stood before."""
    bare = examples.order_by()
    return [(bare.filter(origin=None), "position"), (bare.filter(origin__isnull=False), "origin")]


def first(dataset: Dataset, size: int) -> Sequence[Example]:
    """The first examples of the newest version, as people see them."""
    return keyset.page(in_place(examples(dataset)), "identity", size).rows


def neighbours(examples: ExampleQuerySet, example: Example) -> tuple[int | None, int | None]:
    """The positions of the examples before and after this one, as people see them."""
    parts, at = in_place(examples), example.identity
    before = keyset.page(parts, "identity", 1, before=at).rows
    after = keyset.page(parts, "identity", 1, after=at).rows
    return before[0].position if before else None, after[0].position if after else None


def sample(dataset: Dataset, version: int, size: int, seed: int) -> list[int]:
    """The positions of `size` random examples of a version (all, if it has fewer); equal for equal seeds."""
    return drawn(live_positions.of_version(dataset, version), size, seed)


def drawn(candidates: Positions, size: int, seed: int) -> list[int]:
    """`size` random positions out of these (all, if there are fewer); equal for equal seeds."""
    slots = sorted(random.Random(seed).sample(range(len(candidates)), min(size, len(candidates))))
    positions: list[int] = candidates.at(np.array(slots, np.intp)).tolist()
    return positions


def example_of(dataset: Dataset, position: int) -> ExampleQuerySet:
    return Example.objects.of_version(dataset.pk, dataset.version).filter(position=position)


def current(dataset: Dataset, position: int) -> Example:
    """The example at a position, to be changed; `Conflict` if it was edited or removed meanwhile."""
    example = Example.objects.get(dataset=dataset, position=position)
    if example.removed_in is not None:
        now = successor(example)
        raise Conflict(
            "changed_meanwhile",
            f"Example {example.name} was {'removed' if now is None else 'edited'} in version {example.removed_in}.",
            hint="Restore it first, then change it."
            if now is None
            else "Read the newest version of the example, and change that.",
            where={"position": position, "now": now},
        )
    return example


def successor(retired: Example) -> int | None:
    """The position of a retired example in the newest version; None if it was removed."""
    examples = Example.objects.filter(dataset_id=retired.dataset_id)
    now = examples.filter(removed_in=None, origin=retired.identity)
    # For examples edited before the field `origin` existed, only the key tells.
    assert retired.removed_in is not None
    by_key = examples.filter(added_in=retired.removed_in, key=retired.key, key__isnull=False, origin=None)
    return (now | by_key).values_list("position", flat=True).first()


def search(examples: ExampleQuerySet, text: str) -> ExampleQuerySet:
    """The examples with `text` in key, inputs, reference or metadata; case is ignored for ASCII letters only.

    The database stores JSON, so the text is searched in its JSON spelling.
    """
    spelt = orjson.dumps(text).decode()[1:-1]
    anywhere = Q(key__has=text) | Q(inputs__has=spelt) | Q(reference__has=spelt) | Q(metadata__has=spelt)
    return examples.filter(anywhere)


# ---- deleting ----------------------------------------------------------------------------------------------


def delete(dataset: Dataset) -> None:
    """Mark the dataset and its experiments as deleted, and stop imports into it. `Conflict` while a run needs it."""
    experiments = dataset.experiments.filter(deleted_at=None)
    with transaction.atomic():
        # first, because workers lock it first
        dataset.all_imports().update(state=Import.State.DONE, token="")
        owned.delete(dataset, Run.objects.filter(experiment__in=experiments), experiments)


# ---- versions ----------------------------------------------------------------------------------------------


def lock(dataset: Dataset) -> None:
    """Lock the dataset for a change; `Conflict` unless it is ready."""
    dataset.refresh_from_db(from_queryset=Dataset.objects.select_for_update())
    require_ready(dataset)


def require_ready(dataset: Dataset) -> None:
    if dataset.status != Dataset.Status.READY or dataset.imports.exists():
        raise Conflict(
            "dataset_not_ready", "This dataset is being imported.", hint="Wait for the import to end."
        )


def _add(
    dataset: Dataset,
    user: User | None,
    examples: Sequence[dict[str, Any]],
    note: str,
    *,
    replaced: Example | None = None,
    origin: int | None = None,
    duplicates: str = "",
) -> None:
    """Insert examples after the last position as the next version; a single one may keep an earlier `origin`.

    If `duplicates` is "", repeated contents are not searched.
    """
    checked = [check_example(number, example) for number, example in enumerate(examples, 1)]
    if origin is None:  # A restored example need not fit a newer schema.
        schemas.require(dataset.schema, checked)
    columns = merged_columns(dataset.columns, checked)
    check_columns(columns)
    _refuse_known_keys(dataset, [row["key"] for row in checked])
    if duplicates:
        checked, dataset.warnings = repeated.settled(checked, duplicates)
        dataset.save(update_fields=["warnings"])
    _insert(dataset, checked, replaced.identity if replaced else origin)
    dataset.last_position += len(checked)
    dataset.columns = columns
    next_version(dataset, user, len(checked) - (replaced is not None), note)


def _insert(dataset: Dataset, examples: Sequence[dict[str, Any]], origin: int | None) -> None:
    """Store checked examples as rows of the coming version."""
    first, version = dataset.last_position + 1, dataset.version + 1
    rows = (  # A generator, because a list would hold a second copy of all texts.
        (dataset.pk, first + n, row["key"], *(stored_json(row[part]) for part in PARTS), version, origin)
        for n, row in enumerate(examples)
    )
    bulk.insert(Example, (*EXAMPLE_FIELDS, "origin"), rows)


def next_version(dataset: Dataset, user: User | None, more: int, note: str) -> None:
    dataset.version += 1
    dataset.example_count += more
    dataset.save(update_fields=["version", "example_count", "last_position", "columns"])
    DatasetVersion.objects.create(
        dataset=dataset,
        number=dataset.version,
        example_count=dataset.example_count,
        last_position=dataset.last_position,
        note=note,
        created_by=user,
    )


def _refuse_known_keys(dataset: Dataset, keys: Iterable[str | None]) -> None:
    """Raise `Conflict` for the first key that occurs twice: in the batch, or in the dataset."""
    numbered_keys = {number: key for number, key in enumerate(keys, 1) if key is not None}
    live = Example.objects.filter(dataset=dataset, removed_in=None)
    used_keys = set(positions_by(live, "key", list(numbered_keys.values())))
    for number, key in numbered_keys.items():
        if key in used_keys:
            message = f"An example with the key “{key}” already exists."
            raise Conflict("duplicate_key", message, where={"example": number, "key": key})
        used_keys.add(key)


def positions_by(rows: QuerySet[Any], field: str, values: Sequence[Any]) -> dict[Any, int]:
    """The positions of examples or outputs by the value of `field`, for these values.

    Queried in slices: a statement of SQLite takes at most 250 000 values, and a body of 32 MB can hold more.
    """
    by_value: dict[Any, int] = {}
    for first in range(0, len(values), MOST_AT_ONCE):
        matching = rows.filter(**{f"{field}__in": values[first : first + MOST_AT_ONCE]})
        by_value.update(matching.values_list(field, "position"))
    return by_value


def check_example(number: int, example: dict[str, Any]) -> dict[str, Any]:
    """The example with all its parts, and its key as a text. A part is an object or a plain value."""
    metadata = example.get("metadata")
    if metadata is not None and not isinstance(metadata, dict):
        raise Invalid(
            "object_expected", f"Example {number}: metadata must be an object.", where={"example": number}
        )
    parts = {part: {} if (value := example.get(part)) is None else value for part in PARTS}
    cells = {part: by_column(part, value) for part, value in parts.items()}
    check_columns(cells)
    for values in cells.values():
        _check_cells(number, values)
    return parts | {"key": key_text(example.get("key"))}


def merged_columns(columns: dict[str, list[str]], examples: Iterable[dict[str, Any]]) -> dict[str, list[str]]:
    """The known columns and those of these examples, in order of appearance."""
    merged = {part: dict.fromkeys(columns.get(part, ())) for part in PARTS}
    for example in examples:
        for part in PARTS:
            merged[part].update(dict.fromkeys(by_column(part, example[part])))
    return {part: list(names) for part, names in merged.items()}


def _check_cells(number: int, cells: dict[str, JSON]) -> None:
    """Refuse a value longer than a cell of a file may be."""
    for column, value in cells.items():
        size = len(text_of(value) or "")
        if size > Limits.cell_characters:
            message = (
                f"Example {number}: the value of “{column[:80]}” has {grouped(size)} characters;"
                f" a value can have at most {grouped(Limits.cell_characters)}."
            )
            where = {"example": number, "column": column[:80]}
            raise TooLarge("cell_too_large", message, hint=HINTS["cell_too_large"], where=where)


def check_columns(columns: Mapping[str, Collection[str]]) -> None:
    if sum(map(len, columns.values())) > MOST_COLUMNS:
        raise TooLarge(
            "columns_limit",
            f"A dataset can have at most {grouped(MOST_COLUMNS)} columns.",
            hint=HINTS["columns_limit"],
        )
