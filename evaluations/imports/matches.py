"""Counts how the rows of a file with outputs fit the examples, before anything is stored."""

import unicodedata
from collections import Counter
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import orjson

from evaluations import ingest
from evaluations.models import Experiment, Upload
from evaluations.values import JSON, key_text, text_of

from . import forecasts
from .columns import columnmap
from .outputs import Matching, example_count
from .uploads import formats, uploads

FIRST = 10
SHOWN = 20  # matched rows that a page shows


@dataclass
class Match:
    """Counts of how the rows of a file fit the examples, before anything is stored.

    `matched` examples get an output, `missing` get none; `empty` rows have no output, `extra` rows belong
    to no example, `twice` give an example a second output of one variant. `whole` is false when only a part was read.
    `first_missing` are keys or positions, and `left_out` columns that are not read. Of a long table, `answered` has the
    examples that each variant or repetition answers, and `unnamed` rows name none.
    """

    matched: int = 0
    missing: int = 0
    extra: int = 0
    twice: int = 0
    empty: int = 0
    unnamed: int = 0
    unreadable: int = 0
    whole: bool = True
    first_extra: list[int] = field(default_factory=list)
    # of rows that give a second output: their lines, their examples, and the lines of the first
    first_twice: list[tuple[int, str, int]] = field(default_factory=list)
    differing: int = 0  # rows with another right answer than their example
    first_missing: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    # the key of an unmatched row, and a similar key of an example
    other_spelling: tuple[str, str] | None = None
    first_matched: dict[int, int] = field(default_factory=dict)  # by line, the position of its example
    answered: list[tuple[str, int]] = field(default_factory=list)
    keeps: str = ""  # of two rows of one example, the "first" or the "last"
    twice_lines: list[int] = field(default_factory=list)  # of all rows that give a second output

    @property
    def spelling_note(self) -> str:
        """A note that a key of the file differs from one of an example only in spelling; "" if no key does."""
        if not self.other_spelling:
            return ""
        key, stored = self.other_spelling
        if key.strip() == stored.strip():
            return f"The key “{key}” has different spaces around it than in the dataset."
        if unicodedata.normalize("NFC", key) == unicodedata.normalize("NFC", stored):
            return f"The dataset has the key “{stored}” in another Unicode form (NFC or NFD)."
        return f"The file has the key “{key}”, the dataset “{stored}”; keys must be spelled exactly the same."

    @property
    def startable(self) -> bool:
        is_one_each = not self.twice or bool(self.keeps)
        return self.matched > 0 and is_one_each and not self.unnamed and not self.unreadable


def match(upload: Upload, experiment: Experiment, read: dict[str, Any]) -> Match:
    """Match the rows of the file, read as `checked` says, at most as many as a forecast reads; nothing is stored."""
    result = Match(left_out=read.get("left_out", []), keeps=read.get("keep", ""))
    counting = _Counting(Matching(experiment, read), read)
    with uploads.opened(upload) as file:
        reader = ingest.open_rows(file, ingest.Format.from_dict(upload.format), uploads.LIMITS)
        try:
            for batch in reader.head(forecasts.LOOKED_AT, forecasts.CHARACTERS):
                counting.add(result, batch)
        except ingest.FileError as error:
            raise formats.refusal(error) from error
        result.whole = reader.is_whole
        result.unreadable = reader.error_count
    if "variant" in read:
        result.answered = [*Counter(name for name, _ in counting.answered).items()]
    answered = {position for _, position in counting.answered}
    result.matched = len(answered)
    result.missing = example_count(experiment) - result.matched
    result.differing = _differing(experiment, counting.references)
    if result.whole and result.missing:
        result.first_missing = _first_missing(experiment, answered)
    return result


def _first_missing(experiment: Experiment, answered: Set[int]) -> list[str]:
    """The keys, or else first positions, of the first examples without an output."""
    rows = experiment.examples.order_by("position").values_list("position", "key", "origin").iterator()
    missing = (f"{key or origin or at}" for at, key, origin in rows if at not in answered)
    return list(islice(missing, FIRST))


def _differing(experiment: Experiment, given: Mapping[int, list[str]]) -> int:
    """How many of these right answers, by position, are others than those of the examples."""
    names = _references(experiment)
    if not given:
        return 0
    rows = experiment.examples.values_list("position", "reference").iterator()
    known = ((given[at], orjson.loads(text)) for at, text in rows if at in given)
    return sum(texts != [_as_text(stored.get(name)) for name in names] for texts, stored in known)


def _references(experiment: Experiment) -> dict[str, str]:
    """Where a file like the first one has its right answers, by name."""
    mapping = experiment.first_file.get("mapping")
    first = columnmap.ColumnMap.from_dict(mapping) if mapping else None
    paths = dict(first.paths) if first else {}
    return {name: paths.get(name) or columnmap.of_column(name) for name in first.reference} if first else {}


def _as_text(value: JSON) -> str:
    return (text_of(value) or "").strip()


class _Counting:
    """Counts rows, batch after batch. `answered` are the variants, "" for the only one, and the positions they have."""

    def __init__(self, matching: Matching, read: dict[str, Any]):
        self.matching, self.read = matching, read
        self.output = columnmap.source_of(read, "output")
        self.answered: dict[tuple[str, int], int] = {}  # the lines, in the order of the file
        self.seen = Counter[int]()  # rows of each position
        self.sources = [*_references(matching.experiment).values()]
        self.references: dict[int, list[str]] = {}  # the right answers of the rows that have any, by position

    def add(self, result: Match, batch: ingest.Batch) -> None:
        keys, outputs = self.matching.texts(batch), columnmap.values(batch, self.output)
        positions = self.matching.positions(keys)
        given = zip(*(columnmap.values(batch, source) for source in self.sources), strict=True)
        for position, values in zip(positions, given, strict=False):
            if position is not None and any(texts := [*map(_as_text, values)]):
                self.references.setdefault(position, texts)
        names = batch.column(self.read["variant"]) if self._is_named else [None] * len(keys)
        rows = zip(batch.lines, keys, outputs, positions, names, strict=True)
        for line, key, output, position, name in rows:
            if position is None:
                self._note_extra(result, line, key)
            else:
                self._note(result, line, position, output, name, key)

    @property
    def _is_named(self) -> bool:
        """Whether a column says to which variant or repetition a row belongs."""
        return "variant" in self.read and self.read.get("repeats") != "order"

    def _note_extra(self, result: Match, line: int, key: str | None) -> None:
        result.extra += 1
        if len(result.first_extra) < FIRST:
            result.first_extra.append(line)
            result.other_spelling = result.other_spelling or other_spelling(self.matching, key)

    def _note(
        self, result: Match, line: int, position: int, output: JSON, name: JSON, key: str | None
    ) -> None:
        self.seen[position] += 1
        variant = self._variant(position, name)
        if self._is_named and not variant:
            result.unnamed += 1
        elif output is None:
            result.empty += 1
        elif (variant, position) in self.answered:
            result.twice += 1
            result.twice_lines.append(line)
            if len(result.first_twice) < FIRST:
                first = self.answered[variant, position]
                result.first_twice.append((line, key or f"{position}", first))
        else:
            self.answered[variant, position] = line
            if len(result.first_matched) < SHOWN:
                result.first_matched[line] = position

    def _variant(self, position: int, name: JSON) -> str:
        if self.read.get("repeats") == "order":
            return f"{self.seen[position]}"
        return (key_text(name) or "").strip()


def other_spelling(matching: Matching, key: str | None) -> tuple[str, str] | None:
    """A key that no example has, and one of an example that differs only in Unicode form, blanks or ".0".

    Tables with an empty id turn 1 into 1.0; file names of macOS are decomposed.
    """
    if not key or not matching.by_key:
        return None
    forms = (unicodedata.normalize(form, key) for form in ("NFC", "NFD"))
    spellings = [*forms, key.strip(), key.strip().removesuffix(".0"), f"{key.strip()}.0"]
    stored = matching.keys.positions(spellings)
    return next(((key, spelling) for spelling in spellings if spelling in stored), None)
