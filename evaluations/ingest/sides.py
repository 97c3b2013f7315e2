"""Pairs of answers whose models change sides from row to row, as in battles of an arena: model_a, answer_a, model_b, …

Their columns become one for each model, and what names the better side names the model.
"""

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any, NamedTuple

from evaluations.conversations.messages import conversation

from .batch import Row
from .likely import has_numbers
from .looked_at import is_named_as_variant, parts_of, text_of_cell, words_of
from .parted import MOST_VARIANTS, value_of
from .preferred import named
from .role_words import MODEL_WORDS, OF_CHOICES
from .suggest import TELL_APART

MARKS = (
    *(("a", "b"), ("1", "2"), ("left", "right"), ("first", "second"), ("links", "rechts")),
    *(("gauche", "droite"), ("izquierda", "derecha"), ("chosen", "rejected")),
)
ASKED = "prompt"  # the column of messages with which both conversations of a row begin
BETTER = "preferred"  # the column of the better model, where one side is always the better one
MOST_OTHER = 0.05  # share of the cells that may name neither side
HALF = 0.5
Pair = tuple[str, str]


class Sides(NamedTuple):
    """The pairs of columns: of the models, of their answers, and what is said about each; `better` names a side.

    It is empty where the first side of each row is the better one, and None where nothing says so.
    """

    models: Pair
    answers: Pair
    about: tuple[Pair, ...] = ()
    better: str | None = None


def find(rows: Sequence[Row]) -> Sides | None:
    """The sides of rows whose models change.

    >>> names = ["small", "large"] * 5
    >>> rows = [{"model_a": a, "model_b": b, "text_a": f"{n}", "text_b": f"no {n}", "winner": "model_b"}
    ...         for n, (a, b) in enumerate(zip(names, names[1:]))]
    >>> find(rows)
    Sides(models=('model_a', 'model_b'), answers=('text_a', 'text_b'), about=(), better='winner')
    >>> find(rows[::2])
    """
    columns = [*dict.fromkeys(name for row in rows for name in row)]
    for marks in MARKS:
        pairs = [*_pairs(columns, marks)]
        models = next((pair for pair in pairs if _are_models(pair, rows)), None)
        answers = [pair for pair in pairs if pair != models and _are_answers(pair, rows)] if models else []
        if models and answers:
            texts = max(answers, key=lambda pair: _length(pair, rows))
            about = tuple(pair for pair in pairs if pair not in (models, texts))
            is_first = "" if "chosen" in marks else None
            taken = {name for pair in pairs for name in pair}
            better = (name for name in columns if name not in taken and _names_a_side(name, models, rows))
            return Sides(models, texts, about, next(better, is_first))
    return None


def with_columns(row: Row, sides: Sides) -> tuple[Row, dict[str, str]]:
    """The row with a column for each of its models, instead of two sides, and these columns by model.

    >>> row = {"q": "a", "model_a": "x", "model_b": "y", "text_a": "1", "text_b": "2", "winner": "model_b"}
    >>> with_columns(row, Sides(("model_a", "model_b"), ("text_a", "text_b"), (), "winner"))
    ({'q': 'a', 'model_a': 'x', 'model_b': 'y', 'winner': 'y', 'x': '1', 'y': '2'}, {'x': 'x', 'y': 'y'})
    """
    names = models_of(row, sides)
    if not names:
        return row, {}
    taken = {name for pair in (sides.answers, *sides.about) for name in pair}
    arranged = Row((name, value) for name, value in row.items() if name not in taken)
    if sides.better == "":
        arranged[BETTER] = names[0]
    elif sides.better is not None:
        arranged[sides.better] = _better(row.get(sides.better), sides.models, names)
    answers: list[Any] = [row.get(column) for column in sides.answers]
    if shared := _shared(answers):
        arranged.setdefault(ASKED, _bare(answers[0][:shared]))
        answers = [_bare(answer[shared:]) for answer in answers]
    outputs = {name: f"{name} answer" if name in arranged else name for name in names}
    for place, own in enumerate(outputs.values()):
        arranged[own] = answers[place]
        for pair in sides.about:
            rest = " ".join(one for one in parts_of(pair[0]) if one in parts_of(pair[1]))
            arranged[f"{own} {rest}"] = row.get(pair[place])
    return arranged, outputs


def models_of(row: Row, sides: Sides) -> list[str]:
    """The names of the two models of a row; empty if it does not name two."""
    names = [text_of_cell(row.get(column)) for column in sides.models]
    return names if all(names) and names[0] != names[1] else []


def _shared(conversations: Sequence[Any]) -> int:
    """How many messages before the last ones two conversations begin with that are the same; 0 of anything else."""
    if not all(
        isinstance(one, list) and all(isinstance(item, dict) for item in one) for one in conversations
    ):
        return 0
    pairs = [*zip(*conversations, strict=False)]
    same = takewhile(
        lambda pair: all(pair[0].get(name) == pair[1].get(name) for name in ("role", "content")), pairs
    )
    count = sum(1 for _ in same)
    return max(min(count, *(len(one) - 1 for one in conversations)), 0)


def _bare(messages: list[dict[str, Any]]) -> Any:
    """The text of a single message; several as they are."""
    text = messages[0].get("content")
    return text if len(messages) == 1 and isinstance(text, str) else messages


def _better(cell: Any, models: Pair, names: Sequence[str]) -> Any:
    """The name of the better one of two models, both joined by "=" if none is; the cell itself if it names neither."""
    weights = named(cell, names) or named(cell, models)
    if weights is None:
        return cell
    if weights[0] == HALF:
        return f"{names[0]} = {names[1]}"
    return names[0] if weights[0] > HALF else names[1]


def _pairs(columns: Sequence[str], marks: Pair) -> Iterator[Pair]:
    """Columns whose names differ in one word alone, which are the marks; of chosen and rejected also the marks."""
    by_words = {tuple(filter(None, parts_of(name))): name for name in columns}
    for words, name in by_words.items():
        for place, word in enumerate(words):
            if word == marks[0]:
                other = by_words.get((*words[:place], marks[1], *words[place + 1 :]))
                if other and (len(words) > 1 or "chosen" in marks):
                    yield name, other


def _are_models(pair: Pair, rows: Sequence[Row]) -> bool:
    """Whether two columns hold names of a few models, different ones in nearly all rows, that change."""
    named_pairs = [tuple(text_of_cell(row.get(name)) for name in pair) for row in rows]
    present = [names for names in named_pairs if all(names)]
    every = {name for names in present for name in names}
    if len(present) * 2 < len(rows) or not 1 < len(every) <= MOST_VARIANTS or len(every) * 2 > len(present):
        return False
    if has_numbers([*every]) or len({*present}) == 1:
        return False
    is_called = bool(
        words_of(pair[0]) & (MODEL_WORDS | TELL_APART | {"generator", "name", "policy", "source"})
    )
    are_named = sum(map(is_named_as_variant, every)) * 2 >= len(every)
    differ = sum(first != second for first, second in present)
    return (is_called or are_named) and differ * 20 >= len(present) * 19


def _are_answers(pair: Pair, rows: Sequence[Row]) -> bool:
    """Whether both columns hold texts or conversations, most of them different."""
    cells = [value for row in rows for name in pair if (value := row.get(name)) not in (None, "")]
    texts = {text_of_cell(cell) for cell in cells}
    are_texts = all(isinstance(cell, str) or conversation(value_of(cell)) for cell in cells[:40])
    return bool(cells) and are_texts and not has_numbers(cells) and len(texts) * 3 > len(cells)


def _length(pair: Pair, rows: Sequence[Row]) -> int:
    return sum(len(text_of_cell(row.get(name))) for row in rows for name in pair)


def _names_a_side(name: str, models: Pair, rows: Sequence[Row]) -> bool:
    """Whether a column says which side, or which model, is the better one."""
    if not words_of(name) & OF_CHOICES:
        return False
    cells = [(row.get(name), [text_of_cell(row.get(one)) for one in models]) for row in rows]
    cells = [(cell, names) for cell, names in cells if cell not in (None, "") and all(names)]
    others = sum(named(cell, models) is None and named(cell, names) is None for cell, names in cells)
    return bool(cells) and others <= MOST_OTHER * len(cells)
