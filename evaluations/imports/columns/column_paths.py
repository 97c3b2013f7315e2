"""Paths of names and indices to values inside a column: in objects, lists and JSON texts."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any

from evaluations import ingest, jsonpath, strict_json
from evaluations.jsonpath import ABSENT, Path, Step
from evaluations.values import JSON

# limits on the paths that a page offers: number, depth, items of a list
MOST_PATHS, DEEPEST, FIRST_ITEMS = 100, 8, 3


def named(source: str, columns: Sequence[str]) -> tuple[str, Path] | None:
    """The name for the values at a path, and the compiled path; None if the source is not a path into a column.

    >>> named("item.answers[0]", ["item"])[0]
    'item.answers[0]'
    """
    if source in columns or not ("." in source or "[" in source):
        return None
    try:
        path = jsonpath.compile(source)
    except jsonpath.PathError:
        return None
    if not path.plain or len(path.prefix) < 2 or path.prefix[0] not in columns:
        return None
    return path.text.removeprefix("$.").removeprefix("$"), path


def find(batch: ingest.Batch, path: Path) -> list[Any]:
    """The value at the path in each row, `ABSENT` if there is none. JSON texts along the path are parsed."""
    root, inner = path.prefix[0], path.prefix[1:]
    return [_inside(value, inner) for value in batch.column(f"{root}")]


def reader(path: Path) -> Callable[[ingest.Batch], Sequence[JSON]]:
    """A function from a batch to the value of each row, None if there is none."""
    return partial(_values, path=path)


def _values(batch: ingest.Batch, path: Path) -> Sequence[JSON]:
    return [None if value is ABSENT else value for value in find(batch, path)]


def _inside(value: Any, steps: Iterable[Step]) -> Any:
    for step in steps:
        value = jsonpath.look_up(opened(value), (step,))
        if value is ABSENT:
            break
    return value


def opened(value: JSON) -> JSON:
    """The object or list in a JSON text; any other value unchanged."""
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[")):
        return value
    try:
        return strict_json.parse(value.encode())
    except strict_json.JSONError:
        return value


def example(source: str, rows: Iterable[Mapping[str, JSON]]) -> JSON:
    """The first value at a path that is not null."""
    steps = jsonpath.compile(source).prefix
    values = (_inside(dict(row), steps) for row in rows)
    return next((value for value in values if value is not ABSENT and value is not None), None)


def column_of(source: str) -> Step | None:
    """The column that a path begins with.

    >>> column_of("$['6b'].solution"), column_of("$")
    ('6b', None)
    """
    return next(iter(jsonpath.compile(source).prefix), None)


def nested(columns: Iterable[str], rows: Sequence[Mapping[str, JSON]]) -> list[str]:
    """The columns that hold objects, lists, or JSON texts of them."""
    return [name for name in columns if any(isinstance(opened(row.get(name)), dict | list) for row in rows)]


def paths(column: str, rows: Iterable[Mapping[str, JSON]]) -> list[str]:
    """The paths to all values of a column that are neither objects nor lists, in order of appearance.

    >>> paths("item", [{"item": {"question": "2+2?", "answers": ["4", "four"]}}])
    ['$.item.question', '$.item.answers[0]', '$.item.answers[1]']
    """
    leaves = (jsonpath.from_names(steps) for row in rows for steps in _leaves((column,), row.get(column)))
    return list(islice(dict.fromkeys(leaves), MOST_PATHS))


def _leaves(steps: tuple[Step, ...], value: Any) -> Iterator[tuple[Step, ...]]:
    inside = opened(value)
    if not isinstance(inside, dict | list) or len(steps) > DEEPEST:
        if len(steps) > 1:
            yield steps
        return
    members = inside.items() if isinstance(inside, dict) else enumerate(inside[:FIRST_ITEMS])
    for step, member in members:
        yield from _leaves((*steps, step), member)


def beside(used: Iterable[str], rows: Iterable[Mapping[str, JSON]]) -> list[str]:
    """The paths of fields in objects from which some, but not these, are read; without fields of those.

    >>> beside(["$.a.b.c"], [{"a": {"b": {"c": 1, "d": 2}, "e": {"f": 3}}, "g": 4}])
    ['a.b.d', 'a.e']
    """
    prefixes = {jsonpath.compile(path).prefix for path in used}
    opened_columns = {prefix[0] for prefix in prefixes if len(prefix) > 1}
    found = (
        jsonpath.from_names(steps).removeprefix("$.").removeprefix("$")
        for row in rows
        for column in opened_columns & row.keys()
        for steps in _beside((column,), row[f"{column}"], prefixes)
    )
    return list(islice(dict.fromkeys(found), MOST_PATHS))


def _beside(
    steps: tuple[Step, ...], value: Any, used: Collection[tuple[Step, ...]]
) -> Iterator[tuple[Step, ...]]:
    if steps in used:
        return
    if not any(prefix[: len(steps)] == steps for prefix in used):
        yield steps
    elif isinstance(value, dict | list):
        members = value.items() if isinstance(value, dict) else enumerate(value[:FIRST_ITEMS])
        for step, member in members:
            yield from _beside((*steps, step), member, used)


def variants(paths: Iterable[str]) -> dict[str, str]:
    """The variant that each path probably leads to: its column, or the steps in which two paths of a column differ.

    >>> variants(["$.outputs.a.text", "$.outputs.b.text", "$.outputs.b.cost", "$.best.text"])
    {'$.outputs.a.text': 'a', '$.outputs.b.text': 'b', '$.outputs.b.cost': 'outputs', '$.best.text': 'best'}
    """
    steps = {path: list(map(str, jsonpath.compile(path).prefix)) for path in paths}
    ends = Counter((names[0], names[-1]) for names in steps.values() if len(names) > 2)
    return {
        path: ".".join(names[1:-1]) if ends[names[0], names[-1]] > 1 and len(names) > 2 else names[0]
        for path, names in steps.items()
    }
