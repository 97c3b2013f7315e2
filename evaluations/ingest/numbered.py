"""Several answers of each variant to an example, which nothing tells apart: they are numbered, as samples.

Harnesses that ask a model several times write a row for each answer, with the id of the task and the model alone.
"""

from collections import Counter
from collections.abc import Sequence
from statistics import median

from .batch import Row
from .cell_texts import text_of_cell
from .known_names import OTHER_KEYS, REPETITIONS
from .looked_at import ENOUGH
from .suggest import is_called_variant, plain, roles

SAMPLE = "sample"
MOST_VARIANTS = 100
Numbered = tuple[str, str, str]  # the columns of the example and of the variant, and the new one


def find(rows: Sequence[Row]) -> Numbered | None:
    """The columns of the example and the variant whose rows are to be numbered; None where another tells them apart.

    >>> said = [{"task_id": n // 4, "model": "ab"[n % 2], "answer": f"{n}"} for n in range(24)]
    >>> find(said), find([row | {"seed": n // 2 % 2} for n, row in enumerate(said)])
    (('task_id', 'model', 'sample'), None)
    >>> find([{"task_id": n // 2, "model": "ab"[n % 2], "answer": f"{n}"} for n in range(24)])
    """
    columns = [*dict.fromkeys(name for row in rows for name in row)]
    if len(rows) < ENOUGH or SAMPLE in columns or any(plain(name) in REPETITIONS for name in columns):
        return None
    parts = roles(columns)
    keys = [name for name in columns if parts[name] == "key" or plain(name) in OTHER_KEYS]
    keys += [name for name in columns if parts[name] == "inputs"]
    texts = {name: [text_of_cell(row.get(name)) for row in rows] for name in columns}
    pairs = ((key, name) for name in filter(is_called_variant, columns) for key in keys if key != name)
    return next(((key, name, SAMPLE) for key, name in pairs if _are_repeated(texts, key, name)), None)


def _are_repeated(texts: dict[str, list[str]], key: str, variant: str) -> bool:
    """Whether variants have several rows for most examples, which differ, and not in a column of few values alone."""
    variants, rows = texts[variant], [*zip(texts[key], texts[variant], strict=True)]
    if not all(variants) or not all(texts[key]) or not 2 <= len({*variants}) <= MOST_VARIANTS:
        return False
    counts = Counter(rows)
    examples_of = Counter(of_key for of_key, _ in counts)
    if median(counts.values()) < 2 or median(examples_of.values()) < 2:
        return False
    others = [column for name, column in texts.items() if name not in (key, variant)]
    if any(
        len({*column}) <= min(MOST_VARIANTS, len(rows) // 2)
        and len({*zip(rows, column, strict=True)}) == len(rows)
        for column in others
    ):
        return False
    return len({*zip(rows, *others, strict=True)}) > len(counts)


class Numbering:
    """Numbers the rows of a file, read once from the start: the first of each example and variant is 1."""

    def __init__(self, found: Numbered) -> None:
        self._key, self._variant, self._name = found
        self._seen = Counter[int]()

    def with_number(self, row: Row) -> Row:
        pair = hash((text_of_cell(row.get(self._key)), text_of_cell(row.get(self._variant))))
        self._seen[pair] += 1
        return Row(row) | {self._name: self._seen[pair]}
