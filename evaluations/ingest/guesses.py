"""Guesses the roles that names alone do not settle, from words in names and from the first rows, each with its reason.

The pages of an upload begin with these guesses and say so. An import without a page takes only the roles by name,
because nobody looks at them before it begins.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import orjson

from evaluations.linear import Pattern

from .batch import Row
from .likely import has_numbers
from .role_words import (
    BESIDE_QUESTIONS,
    HIGHER,
    INPUT_WORDS,
    LABEL_NAMES,
    LOWER,
    MODEL_WORDS,
    NOT_OUTPUT,
    OWN_ANSWERS,
    REFERENCE_NAMES,
    REFERENCE_WORDS,
)
from .suggest import INPUTS, VARIANTS, plain

COMPARED = 100  # rows in which an answer is compared with a reference
ENOUGH = 10  # rows from which contents count
CHARACTERS = 2_000  # of each cell, half of them from its end
AGREEMENT = 0.2  # share of what chance leaves, as in Cohen's kappa
MOST_LABELS = 30
ANY_TEXT = 40  # characters from which a text is one although its values repeat

_WORD = Pattern(r"[\p{L}\p{N}]+")
_PARTS = Pattern(r"[^\p{L}\p{N}]+")
_VERSION = Pattern(r"v\d+|\d+b|gpt\d.*|llama\d.*|qwen\d.*|gemini\d.*|claude\d.*")
_OPTIONS = Pattern(r"(?:option|choice|answer|opt|ending)?_?[a-h0-9]")


class Guess(NamedTuple):
    """A role as in `Preview.roles`, or "score" or "low score", and why, in words for the user."""

    role: str
    reason: str


def guesses(columns: Sequence[str], rows: Sequence[Row], named: Mapping[str, str]) -> dict[str, Guess]:
    """The roles, by column, that differ from those by name (`named`), in the order of the file."""
    looked_at = _Columns(columns, rows, dict(named))
    for step in (_keys, _options, _references, _outputs, _own_reference, _label, _copies, _inputs, _scores):
        step(looked_at)
    return {name: looked_at.found[name] for name in columns if name in looked_at.found}


class _Columns:
    """The columns of a file, with their present roles and what was guessed so far."""

    def __init__(self, columns: Sequence[str], rows: Sequence[Row], roles: dict[str, str]) -> None:
        self.columns, self.rows, self.roles = columns, rows, roles
        self.words = {name: {*_PARTS.split(plain(name))} - {""} for name in columns}
        self.found: dict[str, Guess] = {}
        self._cells: dict[str, list[str]] = {}

    def guess(self, name: str, role: str, reason: str) -> None:
        self.roles[name], self.found[name] = role, Guess(role, reason)

    def of(self, *roles: str) -> list[str]:
        return [name for name in self.columns if self.roles[name] in roles]

    @property
    def free(self) -> list[str]:
        """The columns that are metadata so far and may be answers."""
        own = [name for name in self.of("metadata") if not name.startswith("_")]
        return [name for name in own if not self.words[name] & NOT_OUTPUT]

    def cells(self, name: str) -> list[str]:
        """The first cells as texts, "" for none; a list or an object as JSON."""
        if name not in self._cells:
            self._cells[name] = [_text(row.get(name)) for row in self.rows[:COMPARED]]
        return self._cells[name]

    def is_text(self, name: str) -> bool:
        """Whether a column holds texts or structures that nearly all differ."""
        present = [text for text in self.cells(name) if text]
        if not self.has_texts(name):
            return False
        is_long = sum(map(len, present)) > ANY_TEXT * len(present)
        return len(present) * 2 >= len(self.cells(name)) and (
            is_long or len({*present}) * 3 > len(present) * 2
        )

    def has_texts(self, name: str) -> bool:
        """Whether a column holds texts or structures, and not numbers alone."""
        present = [text for text in self.cells(name) if text]
        return bool(present) and not has_numbers(present)

    def names_a_variant(self, name: str) -> bool:
        """Whether a name is like that of a model, a prompt or a version."""
        words = self.words[name]
        return plain(name) not in VARIANTS and (
            bool(words & MODEL_WORDS) or any(_VERSION.fullmatch(word) for word in words)
        )

    def is_made_from(self, name: str, reference: str) -> bool:
        """Whether all rows of a column have all words of the reference, and all or none have nothing else."""
        pairs = [pair for pair in zip(self.cells(name), self.cells(reference), strict=True) if all(pair)]
        equal = sum(answer == expected for answer, expected in pairs)
        return equal in (0, len(pairs)) and all(
            _words(expected) <= _words(answer) for answer, expected in pairs
        )

    def agree(self, name: str, reference: str) -> bool:
        """Whether a column has the words of the reference of its row more often than those of other rows."""
        pairs = [
            (_words(answer), _words(expected))
            for answer, expected in zip(self.cells(name), self.cells(reference), strict=True)
            if answer and expected
        ]
        if len(pairs) < ENOUGH:
            return False
        own = _mean(_recall(answer, expected) for answer, expected in pairs)
        size = len(pairs)
        others = _mean(
            _recall(pairs[row][0], pairs[(row + step) % size][1]) for row in range(size) for step in (1, 3, 7)
        )
        return others < own and own - others >= AGREEMENT * (1 - others)


def _keys(file: _Columns) -> None:
    """A column of ids in which no value repeats, if no name says that it is the key."""
    if file.of("key"):
        return
    for name in file.of("metadata"):
        is_id = file.words[name] & {"id", "idx", "uuid", "guid", "qid", "uid", "index"}
        cells = [_text(row.get(name)) for row in file.rows]
        if is_id and all(cells) and len({*cells}) == len(cells) >= ENOUGH:
            file.guess(name, "key", "the values differ in all rows")
            return


def _options(file: _Columns) -> None:
    """The options of a multiple-choice question: A, B, C, D or option_1, option_2, …"""
    named = [name for name in file.of("metadata", "output") if _OPTIONS.fullmatch(plain(name))]
    asked = [name for name in file.columns if plain(name) in INPUTS | {"question", "ctx"}]
    if len(named) > 2 and asked and file.columns.index(named[0]) > file.columns.index(asked[0]):
        for name in named:
            file.guess(name, "inputs", "it is one of the options of the question")


def _references(file: _Columns) -> None:
    """Columns whose names have a word for what is right."""
    if file.of("reference"):
        return
    by_name = [
        name for name in file.free if plain(name) in REFERENCE_NAMES or file.words[name] & REFERENCE_WORDS
    ]
    answers = [
        name
        for name in file.free
        if file.words[name] & {"answer", "answers"} and not file.names_a_variant(name)
    ]
    for name in (by_name or (answers if len(answers) == 1 else []))[:1]:
        file.guess(name, "reference", "the name is usual for right answers")


def _outputs(file: _Columns) -> None:
    """Columns that agree with a reference before them, or are named after models and versions."""
    references = file.of("reference")
    for name in file.free:
        if _is_input(file, name):
            continue
        is_named = file.names_a_variant(name)
        if hit := next((other for other in references if _answers(file, name, other)), None):
            file.guess(name, "output", f"the rows agree with “{hit[:40]}” more often than by chance")
        elif is_named and (file.is_text(name) or _is_like(file, name, references)):
            file.guess(name, "output", "the name is like that of a model or a version")
    _brothers(file)


def _answers(file: _Columns, name: str, reference: str) -> bool:
    """Whether a column seems to answer what the reference answers; where only contents tell, it stands behind it."""
    if file.names_a_variant(name):
        return file.agree(name, reference)
    is_behind = file.columns.index(name) > file.columns.index(reference)
    is_alike = file.has_texts(name) or not file.has_texts(reference)
    is_copy = _is_copy(file, name, reference) or file.is_made_from(name, reference)
    return is_behind and is_alike and not is_copy and file.agree(name, reference)


def _brothers(file: _Columns) -> None:
    """Columns that are named like an output: "prompt_v2" beside "prompt_v1", "mt_new" beside "mt_old"."""
    outputs = file.of("output")
    for name in file.free:
        like = next((output for output in outputs if _is_brother(file, name, output)), None)
        if like and file.has_texts(name):
            file.guess(name, "output", f"it is named like “{like[:40]}”")


def _is_brother(file: _Columns, name: str, output: str) -> bool:
    stem, other = name.rstrip("0123456789"), output.rstrip("0123456789")
    return stem == other != output or bool(file.words[name] & file.words[output] - VARIANTS)


def _own_reference(file: _Columns) -> None:
    """The one column called solution or response beside outputs of variants: what they should be."""
    own = [name for name in file.of("output") if plain(name) in OWN_ANSWERS]
    if file.of("reference") or len(own) != 1:
        return
    others = [name for name in file.of("output", "metadata") if name != own[0]]
    is_named = plain(own[0]) == "solution" and any(map(file.names_a_variant, others))
    if is_named or any(file.agree(name, own[0]) for name in others if not file.words[name] & NOT_OUTPUT):
        file.guess(own[0], "reference", "columns of variants stand beside it")
        _outputs(file)


def _label(file: _Columns) -> None:
    """A column of labels that outputs hit more often than by chance, if nothing else is the reference."""
    if file.of("reference"):
        return
    for name in file.of("metadata"):
        if plain(name) not in LABEL_NAMES:
            continue
        answers = [
            other for other in file.of("metadata", "output") if other != name and not _is_input(file, other)
        ]
        hits = [other for other in answers if not file.words[other] & NOT_OUTPUT and file.agree(other, name)]
        if hits and not all(_is_copy(file, other, name) for other in hits):
            file.guess(name, "reference", "columns agree with it more often than by chance")
            _outputs(file)
            return


def _copies(file: _Columns) -> None:
    """A reference of numbers whose words stand in another column, with which the outputs agree instead."""
    for reference in file.of("reference"):
        numbers = [text for text in file.cells(reference) if text]
        if not has_numbers(numbers) or len({*numbers}) > MOST_LABELS:
            continue
        for name in file.free:
            if not _is_copy(file, name, reference) or not file.has_texts(name):
                continue
            if any(file.agree(other, name) for other in file.columns if other not in (name, reference)):
                file.guess(name, "reference", f"it has the words for the numbers in “{reference[:40]}”")
                file.guess(reference, "metadata", f"“{name[:40]}” has its words")
                _outputs(file)
                return


def _inputs(file: _Columns) -> None:
    """Columns that are asked about; the first texts of the file if no name says which."""
    words = BESIDE_QUESTIONS if file.of("inputs") else INPUT_WORDS
    for name in filter(file.has_texts, file.free):
        if plain(name) in words or (words is INPUT_WORDS and _is_input(file, name)):
            file.guess(name, "inputs", "the name is usual for what is asked about")
    if not file.of("inputs") and file.of("reference", "output"):
        first = next((name for name in file.free if file.is_text(name)), None)
        if first:
            file.guess(first, "inputs", "it is the first column of texts")


def _scores(file: _Columns) -> None:
    """Columns of numbers that are named after an output and a measure whose direction is known."""
    outputs = {name: file.words[name] for name in file.of("output")}
    for name in file.of("metadata"):
        rest = [file.words[name] - words for words in outputs.values() if words < file.words[name]]
        measure = next((words for words in rest if words & (LOWER | HIGHER)), None)
        if measure and has_numbers([text for text in file.cells(name) if text]):
            role = "low score" if measure & LOWER else "score"
            file.guess(name, role, "it is named after an output and a measure")


def _is_input(file: _Columns, name: str) -> bool:
    return plain(name) in INPUT_WORDS | INPUTS or (
        bool(file.words[name] & (INPUT_WORDS | {"input"}))
        and not file.words[name] & REFERENCE_WORDS
        and not file.words[name] & (MODEL_WORDS - {"prompt", "system", "chat"})
    )


def _is_like(file: _Columns, name: str, references: Iterable[str]) -> bool:
    """Whether the values of a column are, in most rows, among those of a reference."""
    cells = [text for text in file.cells(name) if text]
    return any(
        sum(text in known for text in cells) * 2 > len(cells)
        for reference in references
        for known in [{*file.cells(reference)}]
    )


def _is_copy(file: _Columns, name: str, reference: str) -> bool:
    """Whether each value of one column always stands beside the same value of the other, with few of them."""
    pairs = {*zip(file.cells(name), file.cells(reference), strict=True)}
    names, references = Counter(pair[0] for pair in pairs), Counter(pair[1] for pair in pairs)
    is_one_to_one = max(names.values(), default=0) == max(references.values(), default=0) == 1
    has_few = len(references) * 2 <= len(file.cells(reference))
    return is_one_to_one and has_few and not file.names_a_variant(name)


def _recall(answer: set[str], expected: set[str]) -> float:
    return len(answer & expected) / len(expected) if expected else 0.0


def _mean(values: Iterable[float]) -> float:
    listed = [*values]
    return sum(listed) / len(listed) if listed else 0.0


def _words(text: str) -> set[str]:
    return {match[0].lower() for match in _WORD.finditer(text)}


def _text(value: Any) -> str:
    """A cell as text, at most its first and its last 1 000 characters."""
    text = (
        value
        if isinstance(value, str)
        else ""
        if value is None
        else orjson.dumps(value, default=str).decode()
    )
    text = text.strip()
    half = CHARACTERS // 2
    return text if len(text) <= CHARACTERS else f"{text[:half]} {text[-half:]}"
