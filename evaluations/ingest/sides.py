"""Pairs of answers whose models change sides from row to row, as in battles of an arena: model_a, answer_a, model_b, …

Their columns become one for each model, and what names the better side names the model.
"""

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any, NamedTuple

from evaluations.conversations.messages import conversation

from .batch import Row
from .cell_texts import text_of_cell
from .column_names import is_named_as_variant, words_in_order, words_of
from .known_names import TELL_APART, VARIANTS
from .likely import has_numbers, number_of
from .looked_at import FEW_TEXTS
from .parted import MOST_VARIANTS
from .preferred import AND, named
from .role_words import OF_CHOICES
from .several_raters import RATERS
from .suggest import plain
from .whole_answers import has_fields_of, value_of

NUMBERS = ("1", "2")  # beside which 0 is a tie
MARKS = (
    *(("a", "b"), NUMBERS, ("left", "right"), ("first", "second"), ("links", "rechts")),
    *(("gauche", "droite"), ("izquierda", "derecha"), ("chosen", "rejected")),
)
ASKED = "prompt"  # the column of messages with which both conversations of a row begin
ASKS, ANSWERS = "\n\nHuman:", "\n\nAssistant:"  # the marks of conversations that are texts
PREFERRED = (
    "preferred"  # the column of the better model, where one side always is or several people said which
)
OF_MODELS = TELL_APART | {
    "agent",
    "assistant",
    "author",
    "by",
    "from",
    "generator",
    "name",
    "policy",
    "source",
}
UNDIVIDED = ("モデル", "システム", "模型", "모델")  # the same inside names whose words no blanks divide
MOST_SIDES = 4  # a side, the other one, as good, as bad
SHORT = 2  # letters before a number that is no mark
MOST_OTHER = 0.05  # share of the cells that may name neither side
HALF = 0.5
REPEATED = 0.6  # of the rows of judges, the most that have answers of their own
Pair = tuple[str, str]


class Sides(NamedTuple):
    """The pairs of columns: of the models, of their answers, and what is said about each.

    The columns `better` name a side; where they are `scales`, numbers below zero name the first one and those above it
    the second. `is_first` where the first side of each row is the better one.
    """

    marks: Pair
    models: Pair
    answers: Pair
    about: tuple[Pair, ...] = ()
    better: tuple[str, ...] = ()
    scales: tuple[str, ...] = ()
    is_first: bool = False

    @property
    def preferred(self) -> str:
        """The column that names the better model of each row; "" if there is none."""
        if self.is_first or len(self.better) > 1:
            return PREFERRED
        return next(iter((*self.better, *self.scales)), "")

    @property
    def settled(self) -> tuple[str, ...]:
        """The columns of which nothing is left to say: of the models, and of the people whose majority counts."""
        return (*self.models, *(self.better if len(self.better) > 1 else ()))


def find(rows: Sequence[Row]) -> Sides | None:
    """The sides of rows whose models change.

    >>> names = ["small", "large"] * 5
    >>> rows = [{"model_a": a, "model_b": b, "text_a": f"{n} is", "text_b": f"no {n}", "winner": "ab"[n % 3 % 2]}
    ...         for n, (a, b) in enumerate(zip(names, names[1:]))]
    >>> found = find(rows)
    >>> found.models, found.answers, found.better
    (('model_a', 'model_b'), ('text_a', 'text_b'), ('winner',))
    >>> find(rows[::2])
    """
    columns = [*dict.fromkeys(name for row in rows for name in row)]
    for marks in MARKS:
        pairs = [pair for pair in pairs_of(columns, marks) if not all(map(_is_rater, pair))]
        named_pairs = [pair for pair in pairs if _are_models(pair, rows)]
        models = min(named_pairs, key=lambda pair: _length(pair, rows), default=None)
        answers = [pair for pair in pairs if pair != models and are_answers(pair, rows)] if models else []
        if models and answers:
            texts = max(answers, key=lambda pair: _length(pair, rows))
            about = tuple(pair for pair in pairs if pair not in (models, texts))
            taken = {name for pair in pairs for name in pair}
            others = [name for name in columns if name not in taken]
            scales = tuple(name for name in others if _is_scale(name, rows))
            better = tuple(
                name
                for name in others
                if name not in scales and _names_a_side(name, marks, models, texts, rows)
            )
            if ("chosen" in marks and _are_judged(others, rows)) or _are_of_judges(others, texts, rows):
                return None
            return Sides(marks, models, texts, about, better, scales, "chosen" in marks)
    return None


def _are_judged(columns: Sequence[str], rows: Sequence[Row]) -> bool:
    """Whether two columns or more say A or B: where the chosen text stood, and what judges said of it."""
    said = [{text_of_cell(row.get(name)) for row in rows} - {""} for name in columns]
    return sum(found >= {"A", "B"} and len(found) <= MOST_SIDES for found in said) > 1


def _are_of_judges(columns: Sequence[str], answers: Pair, rows: Sequence[Row]) -> bool:
    """Whether another column names the model of a row, and the same two answers stand in the rows of several of them.

    Then it says which model judges them, as reward models do.
    """
    for name in (one for one in columns if plain(one) in VARIANTS):
        judges = [text_of_cell(row.get(name)) for row in rows]
        pairs = [tuple(text_of_cell(row.get(one)) for one in answers) for row in rows]
        are_few = 1 < len({*judges}) * 2 <= len(rows)
        if are_few and len({*pairs}) < REPEATED * len({*zip(judges, pairs, strict=True)}):
            return True
    return False


def objects(rows: Sequence[Row]) -> tuple[tuple[str, str], ...]:
    """The columns of objects that are the two sides of a row, with the beginning of the names of their fields.

    >>> objects([{"left": {"model": "x", "text": "1"}, "right": {"model": "y", "text": "2"}, "vote": "left"}])
    (('left', 'left '), ('right', 'right '))
    >>> objects([{"gold": {"total": 3}, "model_a": {"total": 3}, "model_b": {"total": 5}}])  # each is one answer
    ()
    """
    columns = [*dict.fromkeys(name for row in rows for name in row)]
    for marks in MARKS:
        for pair in pairs_of(columns, marks):
            cells = [row.get(name) for row in rows for name in pair]
            are_objects = all(isinstance(cell, dict) and not conversation(cell) for cell in cells)
            others = [name for name in columns if name not in pair]
            if are_objects and not has_fields_of(others, rows, cells):
                return tuple((name, f"{name} ") for name in pair)
    return ()


def with_columns(row: Row, sides: Sides) -> tuple[Row, dict[str, str]]:
    """The row with a column for each of its models, instead of two sides, and these columns by model.

    >>> row = {"q": "a", "model_a": "x", "model_b": "y", "text_a": "1", "text_b": "2", "winner": "model_b"}
    >>> with_columns(row, Sides(("a", "b"), ("model_a", "model_b"), ("text_a", "text_b"), (), ("winner",)))
    ({'q': 'a', 'model_a': 'x', 'model_b': 'y', 'winner': 'y', 'x': '1', 'y': '2'}, {'x': 'x', 'y': 'y'})
    """
    names = models_of(row, sides)
    if not names:
        return row, {}
    taken = {name for pair in (sides.answers, *sides.about) for name in pair}
    arranged = Row((name, value) for name, value in row.items() if name not in taken)
    for column in sides.better:
        arranged[column] = _better(
            row.get(column), _named(row.get(column), sides.marks, sides.answers, names), names
        )
    for column in sides.scales:
        arranged[column] = _better(row.get(column), _of_scale(row.get(column)), names)
    if sides.is_first:
        arranged[PREFERRED] = names[0]
    elif len(sides.better) > 1:
        arranged[PREFERRED] = _of_most([arranged[column] for column in sides.better], names)
    asked, answers = _apart([row.get(column) for column in sides.answers])
    if asked is not None:
        arranged.setdefault(ASKED, asked)
    outputs = {name: f"{name} answer" if name in arranged else name for name in names}
    for place, own in enumerate(outputs.values()):
        arranged[own] = answers[place]
        for pair in sides.about:
            words = [[*_with_numbers(words_in_order(column))] for column in pair]
            rest = " ".join(word for word in words[0] if word in words[1])
            arranged[f"{own} {rest}"] = row.get(pair[place])
    return arranged, outputs


def models_of(row: Row, sides: Sides) -> list[str]:
    """The names of the two models of a row; empty if it does not name two."""
    names = [text_of_cell(row.get(column)) for column in sides.models]
    return names if all(names) and names[0] != names[1] else []


def _apart(answers: Sequence[Any]) -> tuple[Any, list[Any]]:
    """The messages with which two conversations begin, and what follows them in each; None of anything else."""
    if all(isinstance(one, str) for one in answers):
        begin = answers[0][
            : sum(1 for _ in takewhile(lambda signs: signs[0] == signs[1], zip(*answers, strict=False)))
        ]
        end = begin.rfind(ANSWERS) + len(ANSWERS)
        if end < len(ANSWERS):
            return None, [*answers]
        return begin[: end - len(ANSWERS)].removeprefix(ASKS).strip(), [one[end:].strip() for one in answers]
    if not all(isinstance(one, list) and all(isinstance(item, dict) for item in one) for one in answers):
        return None, [*answers]
    pairs = zip(*answers, strict=False)
    same = takewhile(
        lambda pair: all(pair[0].get(name) == pair[1].get(name) for name in ("role", "content")), pairs
    )
    count = max(min(sum(1 for _ in same), *(len(one) - 1 for one in answers)), 0)
    if not count:
        return None, [*answers]
    return _bare(answers[0][:count]), [_bare(one[count:]) for one in answers]


def _bare(messages: list[dict[str, Any]]) -> Any:
    """The text of a single message; several as they are."""
    text = messages[0].get("content")
    return text if len(messages) == 1 and isinstance(text, str) else messages


def _of_scale(cell: Any) -> list[float] | None:
    """The weights of two sides by a number: below zero the first one is better."""
    number = number_of(cell)
    if number is None:
        return None
    return [HALF, HALF] if number == 0 else [float(number < 0), float(number > 0)]


def _better(cell: Any, weights: Sequence[float] | None, names: Sequence[str]) -> Any:
    """The name of the better one of two models, both joined by "=" if none is; the cell itself without weights."""
    if weights is None:
        return cell
    if weights[0] == HALF:
        return AND.join(names)
    return names[0] if weights[0] > HALF else names[1]


def _of_most(said: Sequence[Any], names: Sequence[str]) -> Any:
    """What most of several people said; both names if as many said each."""
    counts = [said.count(name) for name in names]
    if not any(said):
        return None
    return AND.join(names) if counts[0] == counts[1] else names[counts.index(max(counts))]


def pairs_of(columns: Sequence[str], marks: Pair) -> Iterator[Pair]:
    """Columns whose names differ in one word alone, which are the marks; of longer ones also the marks themselves."""
    by_words = {tuple(_with_numbers(words_in_order(name))): name for name in columns}
    for words, name in by_words.items():
        for place, word in enumerate(words):
            if word == marks[0]:
                other = by_words.get((*words[:place], marks[1], *words[place + 1 :]))
                if other and (len(words) > 1 or len(marks[0]) > 1):
                    yield name, other


def _with_numbers(words: Sequence[str]) -> Iterator[str]:
    """The words, those that end in a number in two: response1."""
    for word in words:
        stem = word.rstrip("12")
        is_numbered = len(stem) > SHORT and stem != word and stem.isalpha()  # "v1" is a version
        yield from (stem, word[len(stem) :]) if is_numbered else (word,)


def _are_models(pair: Pair, rows: Sequence[Row]) -> bool:
    """Whether two columns hold names of a few models, different ones in nearly all rows, that change."""
    named_pairs = [tuple(text_of_cell(row.get(name)) for name in pair) for row in rows]
    present = [names for names in named_pairs if all(names)]
    every = {name for names in present for name in names}
    if len(present) * 2 < len(rows) or not 1 < len(every) <= MOST_VARIANTS or len(every) * 2 > len(present):
        return False
    if has_numbers([*every]) or len({*present}) == 1:
        return False
    is_called = bool(words_of(pair[0]) & OF_MODELS) or any(one in pair[0] for one in UNDIVIDED)
    are_named = sum(map(is_named_as_variant, every)) * 2 >= len(every)
    differ = sum(first != second for first, second in present)
    return (is_called or are_named) and differ * 20 >= len(present) * 19


def are_answers(pair: Pair, rows: Sequence[Row]) -> bool:
    """Whether both columns hold texts or conversations, of which several are different."""
    cells = [value for row in rows for name in pair if (value := row.get(name)) not in (None, "")]
    texts = {text_of_cell(cell) for cell in cells}
    are_texts = all(isinstance(cell, str) or conversation(value_of(cell)) for cell in cells[:40])
    return bool(cells) and are_texts and not has_numbers(cells) and len(texts) > FEW_TEXTS


def _length(pair: Pair, rows: Sequence[Row]) -> int:
    return sum(len(text_of_cell(row.get(name))) for row in rows for name in pair)


def _named(cell: Any, marks: Pair, answers: Pair, names: Sequence[str]) -> list[float] | None:
    """The weights of two sides by a cell that names one, its model or the column of its answer; None if none."""
    if number_of(cell) == 0 and marks == NUMBERS:
        return [HALF, HALF]
    return named(cell, names) or named(cell, answers) or named(cell, marks)


def _names_a_side(name: str, marks: Pair, models: Pair, answers: Pair, rows: Sequence[Row]) -> bool:
    """Whether nearly all cells of a column say which side, or which model, is the better one, and not always the same.

    Numbers do so only in a column that is named for it.
    """
    cells = [(row.get(name), [text_of_cell(row.get(one)) for one in models]) for row in rows]
    cells = [(cell, names) for cell, names in cells if cell not in (None, "") and all(names)]
    if has_numbers([cell for cell, _ in cells]) and not (words_of(name) & OF_CHOICES or _is_rater(name)):
        return False
    weights = [_named(cell, marks, answers, names) for cell, names in cells]
    firsts = {one[0] for one in weights if one is not None}
    return len(firsts) > 1 and weights.count(None) <= MOST_OTHER * len(cells)


def _is_rater(name: str) -> bool:
    """Whether a name is that of one of several people: annotator1."""
    return any(word[-1:].isdecimal() and word.rstrip("0123456789") in RATERS for word in words_of(name))


def _is_scale(name: str, rows: Sequence[Row]) -> bool:
    """Whether a column named for preferences has whole numbers below and above zero."""
    numbers = [number_of(value) for row in rows if (value := row.get(name)) not in (None, "")]
    known = [number for number in numbers if number is not None]
    is_named = bool(words_of(name) & OF_CHOICES)
    return is_named and bool(known) and len(known) == len(numbers) and min(known) < 0 < max(known)
