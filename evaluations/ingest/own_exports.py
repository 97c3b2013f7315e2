"""Files that Evalsite itself wrote of a run or an experiment, as tables or as objects, read as what they were.

position, key, question, answer, "v1 output", "v1 Label", "v1 Label passed", "v1 Label status", "v1 Label version",
"v1 run", …, dataset, dataset_version

Outputs are those of their variants. Scores stand beside them and count where nothing is known to be right; what says
how they came about is left out.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from evaluations.values import PARTS

from .batch import Row
from .column_names import words_of
from .likely import has_numbers
from .looked_at import Guess
from .score_words import LOWER, OF_CALLS

FIRST = ("position", "key")
OUTPUT = "output"
BEHIND = (" passed", " status", " version")  # the columns behind that of each score
LABEL, ABOUT = " label", "about"
VARIANT = "variant"
OF_DATASET = ("dataset", "dataset_version")
ORIGIN = ("run", VARIANT, *OF_DATASET)
USAGE, TAKEN = "usage", ("latency_ms", "tokens_in", "tokens_out", "cost")  # what answers took
BESIDE = (*TAKEN, "cached", "error", "partial_output", "reasoning")
OF_RUN, OF_EXPERIMENT = (*PARTS, OUTPUT, "scores", "versions"), (*PARTS, "variants")
Columns = tuple[tuple[str, str, str], ...]


class Own(NamedTuple):
    """Variants, each with the column of its outputs; scores, each with its variant and name; what is left out.

    Of objects also the `parts`: columns of what is asked, right or beside it, each with its part and its name there.
    """

    has_objects: bool
    outputs: tuple[tuple[str, str], ...]
    scores: Columns
    left_out: tuple[str, ...]
    parts: Columns = ()

    @property
    def is_of_run(self) -> bool:
        return len(self.outputs) == 1 and self.outputs[0][1] == OUTPUT


def find(rows: Sequence[Row]) -> Own | None:
    """What Evalsite wrote; None of any other file.

    >>> label = {"v1 Label": 1, "v1 Label passed": True, "v1 Label status": "scored", "v1 Label version": 1}
    >>> find([{"position": 1, "key": "a", "q": "2?", "v1 output": "2"} | label]).scores
    (('v1 Label', 'v1', 'Label'),)
    >>> find([{"position": 1, "key": "a", "q": "2?", "v1 output": "2", "v1 Label": 1}])
    """
    if not rows or tuple(rows[0])[:2] != FIRST:
        return None
    if {*rows[0]} >= {*OF_EXPERIMENT} or {*rows[0]} >= {*OF_RUN}:
        return _of_objects(rows)
    return _of_table(rows[0])


def with_columns(row: Row, own: Own) -> tuple[Row, dict[str, str]]:
    """The row with columns for its outputs and scores, and the former by variant; those of a table are there."""
    if not own.has_objects:
        return row, dict(own.outputs)
    found = Row((name, row[name]) for name in (*FIRST, *ORIGIN) if name in row)
    columns = {(part, name): column for column, part, name in own.parts}
    for part in PARTS:
        inside = row.get(part)
        for name, value in inside.items() if isinstance(inside, dict) else ():
            found[columns.get((part, name), f"{part}.{name}")] = value
    answers, outputs = _answers(row), dict(own.outputs)
    for variant, column in outputs.items():
        found[column] = answers.get(variant, {}).get(OUTPUT)
    for column, variant, name in own.scores:
        score = answers.get(variant, {}).get("scores", {}).get(name)
        found[column] = score.get("value") if isinstance(score, dict) else None
    for variant in outputs:
        taken = answers.get(variant, {})
        taken = {**taken, **(taken.get(USAGE) or {})}
        found |= {f"{_beginning(variant, own)}{name}": taken[name] for name in TAKEN if name in taken}
    return found, outputs


def taken(outputs: Iterable[tuple[str, str]], columns: Collection[str]) -> dict[str, Guess]:
    """The roles of what answers took, by their names alone: the first answers may lack it, as those from a cache do.

    >>> taken([("v1", "v1 output")], ["v1 output", "v1 cost"])["v1 cost"][::2]
    ('cost', 'v1')
    """
    named = {
        f"{column.removesuffix(OUTPUT)}{name}": (name, variant)
        for variant, column in outputs
        for name in TAKEN
    }
    return {
        column: Guess(name, "the export names it so", variant)
        for column, (name, variant) in named.items()
        if column in columns
    }


def guesses(scores: Mapping[str, tuple[str, str]], rows: Sequence[Row]) -> dict[str, Guess]:
    """The roles of scores, by column with variant and name, that no reference lets compute again."""
    found = {}
    for column, (variant, name) in scores.items():
        cells = [value for row in rows if (value := row.get(column)) not in (None, "")]
        if cells and has_numbers(cells):
            role = "low score" if words_of(name) & LOWER - OF_CALLS else "score"
            found[column] = Guess(
                role, "it is a score of the export, and nothing is known to be right", variant, name
            )
    return found


# ---- objects -------------------------------------------------------------------------------------------------


def _of_objects(rows: Sequence[Row]) -> Own | None:
    answers = _answers(rows[0])
    if not answers or not all(isinstance(one, dict) and OUTPUT in one for one in answers.values()):
        return None
    is_of_run = OUTPUT in rows[0]
    outputs = tuple((variant, OUTPUT if is_of_run else f"{variant} {OUTPUT}") for variant in answers)
    scores = tuple(
        (name if is_of_run else f"{variant} {name}", variant, name)
        for variant, one in answers.items()
        for name in one.get("scores", {})
    )
    free = {column for column, _, _ in scores}.isdisjoint(
        {*FIRST, *PARTS, *(column for _, column in outputs)}
    )
    left_out = (FIRST[0], *(ORIGIN if is_of_run else (name for name in OF_DATASET if name in rows[0])))
    taken = {*FIRST, *ORIGIN, *(column for _, column in outputs), *(column for column, _, _ in scores)}
    return Own(True, outputs, scores, left_out, _parts(rows, taken)) if free else None


def _parts(rows: Sequence[Row], taken: set[str]) -> Columns:
    """The columns of what the parts of examples hold, named as there, or with the part before a name that is taken."""
    found = dict[tuple[str, str], str]()
    for row in rows:
        for part in PARTS:
            inside = row.get(part)
            for name in inside if isinstance(inside, dict) else ():
                if (part, name) not in found:
                    found[part, name] = f"{part}.{name}" if name in {*taken, *found.values()} else name
    return tuple((column, part, name) for (part, name), column in found.items())


def _answers(row: Mapping[str, Any]) -> dict[str, Any]:
    """The answers of a row by variant; that of a run that an older export does not name has its column's name."""
    variants = row.get("variants")
    if isinstance(variants, dict):
        return variants
    answer = {name: row[name] for name in (OUTPUT, "scores", USAGE, *TAKEN) if name in row}
    return {f"{row.get(VARIANT) or OUTPUT}": answer}


def _beginning(variant: str, own: Own) -> str:
    return "" if own.is_of_run else f"{variant} "


# ---- tables --------------------------------------------------------------------------------------------------


def _of_table(first: Row) -> Own | None:
    """A header in which everything from the first output on is what an export writes in this order."""
    names = [*first]
    start = next((at for at, name in enumerate(names) if _is_output(name)), len(names))
    outputs, scores, left_out = list[tuple[str, str]](), list[tuple[str, str, str]](), [FIRST[0]]
    while start < len(names):
        column = names[start]
        if not _is_output(column):
            return None
        beginning = column.removesuffix(OUTPUT)
        own_name = f"{first[VARIANT] or ''}" if VARIANT in names[start:] else ""
        variant = beginning.strip() or own_name or OUTPUT
        outputs.append((variant, column))
        start += 1
        for score, behind in _scores(names[start:], beginning):
            scores.append((score, variant, score.removeprefix(beginning)))
            left_out += behind
            start += 1 + len(behind)
        around = [f"{beginning}{name}" for name in (*BESIDE, ABOUT, ORIGIN[0])]
        around += OF_DATASET if beginning else ORIGIN[1:]
        while start < len(names) and names[start] in around:
            left_out += [] if names[start].removeprefix(beginning) in TAKEN else [names[start]]
            start += 1
    is_own = bool(outputs) and (bool(scores) or {*OF_DATASET} <= {*left_out})
    return Own(False, tuple(outputs), tuple(scores), tuple(left_out)) if is_own else None


def _is_output(name: str) -> bool:
    return name == OUTPUT or name.endswith(f" {OUTPUT}")


def _scores(names: Sequence[str], beginning: str) -> Iterator[tuple[str, list[str]]]:
    """The scores with which some names begin, each with the columns behind it."""
    at = 0
    while at < len(names) and names[at].startswith(beginning):
        behind = [f"{names[at]}{end}" for end in BEHIND]
        if [*names[at + 1 : at + 1 + len(behind)]] != behind:
            return
        label = f"{names[at]}{LABEL}"
        behind += [label] if names[at + 1 + len(behind) : at + 2 + len(behind)] == [label] else []
        yield names[at], behind
        at += 1 + len(behind)
