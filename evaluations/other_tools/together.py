"""Several exports of one tool, in a ZIP archive or sent at once, as one: their examples, and a variant for each run."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from itertools import zip_longest
from pathlib import PurePosixPath
from typing import BinaryIO, NamedTuple

from evaluations.ingest import FileError
from evaluations.ingest.file_names import apart
from evaluations.values import JSON

from . import members
from .evaluation import Answers, Evaluation, Figure, Grader, Item, Variant, digest, distinct, refused

COMMON = (
    0.5  # of the examples of the smaller export, those that two of the same examples have in common at least
)
SHOWN = 80  # characters of the end of a path
NAMELESS = "none"  # the variant of an export that names none
HOW = "Upload one of them. “Add a variant” on its experiment takes a further one with the same examples."
Read = Callable[[BinaryIO], Evaluation | None]
Identity = tuple[str | bytes, int]


@dataclass(frozen=True)
class _Export:
    """The contents of one file; `ids` say which example each item is, `label` what sets the file's name apart."""

    path: str
    evaluation: Evaluation
    ids: list[Identity]
    label: str = ""

    @property
    def quoted(self) -> str:
        return f"“{self.path[-SHOWN:]}”"


class _Run(NamedTuple):
    """A variant of one file; `name` and `nth` say which one it becomes."""

    name: str
    nth: int  # among those of its name on the examples of one group
    group: int
    export: _Export
    variant: Variant


def evaluation(file: BinaryIO, read: Read) -> Evaluation:
    """All exports of an archive as one; `read` gives the contents of one file, or None if it is no export.

    Raises `FileError` if some have no examples in common with any other.
    """
    exports, left = _exports(file, read)
    groups = _groups(exports)
    if alone := [group[0] for group in groups if len(group) == 1]:
        others = [export for export in exports if export is not alone[0]]
        problem = f"{alone[0].quoted} has other examples than {others[0].quoted}"
        problem += f" and {len(others) - 1} more." if len(others) > 1 else "."
        raise refused(exports[0].evaluation.tool, problem, HOW)
    items, places = _items(groups)
    runs = [*_runs(groups)]
    notes = dict.fromkeys(note for export in exports for note in export.evaluation.notes)
    if left:
        notes[f"Not imported: {', '.join(f'“{path[-SHOWN:]}”' for path in left[:10])}."] = None
    return replace(
        exports[0].evaluation,
        items=items,
        variants=_variants(runs, places),
        graders=_graders([grader for export in exports for grader in export.evaluation.graders]),
        figures=_figures(runs),
        notes=[*notes],
    )


def _exports(file: BinaryIO, read: Read) -> tuple[list[_Export], list[str]]:
    """The exports with answers, and the paths of the other files."""
    found, left = list[_Export](), list[str]()
    for path, content in members.contents(file):
        try:
            contents = read(BytesIO(content))
        except FileError as error:
            message = f"“{path[-SHOWN:]}”: {error.message}"
            raise FileError(error.code, message, error.where, hint=error.hint) from error
        if contents and contents.variants:
            found.append(_Export(path, contents, [*_ids(contents.items)]))
        else:
            left.append(path)
    if len(found) < 2:
        message = "Fewer than two of the files have answers that can be read."
        raise FileError("other_tool", message, hint="Upload the file with the answers by itself.")
    labels = apart([f"{PurePosixPath(export.path).with_suffix('')}" for export in found])
    return [replace(export, label=label) for export, label in zip(found, labels, strict=True)], left


def _ids(items: Sequence[Item]) -> Iterator[Identity]:
    """The key of each item, else its inputs, with the number among equal ones."""
    count = Counter[str | bytes]()
    for item in items:
        one: str | bytes = digest(item.inputs) if item.key is None else item.key
        count[one] += 1
        yield one, count[one]


# ---- examples ---------------------------------------------------------------------------------------------------


def _groups(exports: Sequence[_Export]) -> list[list[_Export]]:
    """The exports of the same examples together, such as those of one task."""
    groups = list[list[_Export]]()
    for export in exports:
        group = next((one for one in groups if any(_are_of_same(export, other) for other in one)), None)
        if group is None:
            groups.append([export])
        else:
            group.append(export)
    return groups


def _are_of_same(one: _Export, other: _Export) -> bool:
    """Whether most examples of the smaller export are in the other, and ask the same there."""
    first, second = (dict(zip(export.ids, export.evaluation.items, strict=True)) for export in (one, other))
    same = sum(_asks_the_same(item, second[found]) for found, item in first.items() if found in second)
    return same > 0 and same >= COMMON * min(len(first), len(second))


def _asks_the_same(one: Item, other: Item) -> bool:
    """Whether two items have an input in common: another may be written anew, such as options in another order."""
    return any(
        name in other.inputs and other.inputs[name] == value for name, value in one.inputs.items()
    ) or (not one.inputs and not other.inputs)


def _of_task(item: Item, task: str) -> Item:
    """The item with the name of its task, if there are several: each may count its keys from 1."""
    if not task:
        return item
    key = None if item.key is None else f"{task} {item.key}"
    metadata: dict[str, JSON] = {"task": task}
    return replace(item, key=key, metadata=metadata | item.metadata)


def _items(groups: Sequence[Sequence[_Export]]) -> tuple[list[Item], list[dict[Identity, int]]]:
    """All examples, and by group the place of each."""
    tasks = distinct([group[0].evaluation.name for group in groups]) if len(groups) > 1 else [""]
    items, places = list[Item](), list[dict[Identity, int]]()
    for group, task in zip(groups, tasks, strict=True):
        of_group = dict[Identity, int]()
        for export in group:
            for one, item in zip(export.ids, export.evaluation.items, strict=True):
                if one not in of_group:
                    of_group[one] = len(items)
                    items.append(_of_task(item, task))
        places.append(of_group)
    return items, places


# ---- variants ---------------------------------------------------------------------------------------------------


def _runs(groups: Sequence[Sequence[_Export]]) -> Iterator[_Run]:
    """Each variant of each file; one of a name that another file of the group has gets what sets its file apart."""
    for number, group in enumerate(groups):
        count = Counter(variant.name for export in group for variant in export.evaluation.variants)
        nth = Counter[str]()
        for export in group:
            for variant in export.evaluation.variants:
                name = variant.name
                if name == NAMELESS or (count[name] > 1 and name in export.label):
                    name = export.label or name
                elif count[name] > 1:
                    name = f"{name} {export.label}".strip()
                nth[name] += 1
                yield _Run(name, nth[name], number, export, variant)


def _names(runs: Sequence[_Run]) -> dict[tuple[str, int], str]:
    """The name of each variant."""
    found = dict.fromkeys((run.name, run.nth) for run in runs)
    return dict(zip(found, distinct([name for name, _ in found]), strict=True))


def _variants(runs: Sequence[_Run], places: Sequence[dict[Identity, int]]) -> list[Variant]:
    """A variant for each name, with the answers of its runs on all tasks."""
    names, found = _names(runs), dict[str, Variant]()
    for run in runs:
        place = [places[run.group][one] for one in run.export.ids]
        repetitions = [
            {place[index]: answer for index, answer in answers.items()} for answers in run.variant.repetitions
        ]
        name = names[run.name, run.nth]
        about = {"file": run.export.path[-SHOWN:]} | run.variant.about
        known = found.get(name, Variant(name, about, []))
        found[name] = replace(known, repetitions=[*_added(known.repetitions, repetitions)])
    return [*found.values()]


def _added(known: Sequence[Answers], more: Sequence[Answers]) -> Iterator[Answers]:
    for one, other in zip_longest(known, more):
        yield (one or {}) | (other or {})


def _graders(graders: Sequence[Grader]) -> list[Grader]:
    """The graders by name; one that the files compute differently has no formula."""
    found = dict[str, Grader]()
    for grader in graders:
        known = found.setdefault(grader.name, replace(grader, failed=0))
        formula, why = known.formula, known.why
        if formula != grader.formula:
            formula, why = None, known.why or grader.why or "the files compute it differently"
        found[grader.name] = replace(known, formula=formula, why=why, failed=known.failed + grader.failed)
    return [*found.values()]


def _figures(runs: Sequence[_Run]) -> list[Figure]:
    """The figures of the files by the names here; none for a variant of several tasks, each of which has its own."""
    names = _names(runs)
    figures = [
        replace(figure, variant=names[run.name, run.nth])
        for run in runs
        for figure in run.export.evaluation.figures
        if figure.variant == run.variant.name
    ]
    count = Counter((figure.variant, figure.grader) for figure in figures)
    return [figure for figure in figures if count[figure.variant, figure.grader] == 1]
