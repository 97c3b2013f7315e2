"""Three real rows scored by the advised kind and by kinds that people would expect: what each of them calls right."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from evaluations.mapping import Contexts
from evaluations.values import JSON, Column, text_of

from . import get
from .config import ConfigError

MOST_PAIRS, LONGEST, SHOWN = 60, 2_000, 3  # pairs that are looked at; characters of a side; rows
EXPECTED = ("exact_match", "contains", "levenshtein_similarity")
WORDING = "levenshtein_similarity"
HALF = 0.5
Values = list[float | None] | None


class Pair(NamedTuple):
    """An output with its reference, and the inputs of their example by name, as far as an evaluator reads them."""

    output: JSON
    reference: JSON
    input: JSON = None


class Line(NamedTuple):
    """The scores of the shown rows by one kind, None without; `remarks` where the advised kind says the opposite."""

    kind: str
    title: str
    is_advised: bool
    values: list[float | None]
    remarks: list[str]

    @property
    def cells(self) -> list[tuple[float | None, str]]:
        return list(zip(self.values, self.remarks, strict=True))


class Evidence(NamedTuple):
    """`rows` are outputs with their references on which kinds differ; the first of `lines` is the advised kind's.

    `verdicts` say what that one calls right and wrong, empty for one that decides nothing.
    """

    rows: list[tuple[str, str]]
    lines: list[Line]
    verdicts: list[bool | None]


def one_answer(reference: JSON) -> list[JSON]:
    return [reference]


def evidence(
    kind: str,
    pairs: Sequence[Pair],
    title: str = "",
    score: Callable[[Sequence[Pair]], Values] | None = None,
    answers: Callable[[JSON], Sequence[JSON]] = one_answer,
) -> Evidence | None:
    """The evidence for an advised kind; None with fewer than three usable pairs, or if the kind needs settings.

    An evaluator that exists has a `title` of its own, and its own `score`; nothing is called right by one that
    does not decide between right and wrong. `answers` gives the right answers in a reference, of which one is enough.
    """
    usable = [pair for pair in pairs[: 4 * MOST_PAIRS] if _is_usable(pair)]
    distinct = list({(_text(pair.output), _text(pair.reference)): pair for pair in reversed(usable)}.values())
    usable = (distinct[::-1] if len(distinct) >= SHOWN else usable)[:MOST_PAIRS]  # no row is shown twice
    if len(usable) < SHOWN:
        return None
    advised = score(usable) if score else _scores(kind, usable, answers)
    wording = _scores(WORDING, usable, answers)
    if advised is None or wording is None:
        return None
    shown = _parting(advised, wording, [_text(pair.output) for pair in usable])
    judged = [advised[index] for index in shown]
    decides = score is None or all(value in (None, 0, 1) for value in advised)
    lines = [Line(kind, title or get(kind).title, True, judged, [""] * len(shown))]
    for other in EXPECTED:
        scores = _scores(other, usable, answers) if other != kind else None
        if scores is not None:
            values = [scores[index] for index in shown]
            remarks = list(map(_remark, judged, values)) if decides else [""] * len(shown)
            lines.append(Line(other, get(other).title, False, values, remarks))
    verdicts = [None if value is None else value >= HALF for value in judged] if decides else []
    rows = [(_text(pair.output), _text(pair.reference)) for pair in map(usable.__getitem__, shown)]
    return Evidence(rows, lines, verdicts)


def _is_usable(pair: Pair) -> bool:
    return all(
        value not in (None, "") and len(_text(value)) <= LONGEST for value in (pair.output, pair.reference)
    )


def _text(value: JSON) -> str:
    return text_of(value) or ""


def _scores(kind: str, pairs: Sequence[Pair], answers: Callable[[JSON], Sequence[JSON]]) -> Values:
    """The scores of pairs by the best of the right answers; None if the kind cannot score without settings."""
    try:
        config = get(kind).parse({})
    except ConfigError:
        return None
    every = [(row, pair.output, one) for row, pair in enumerate(pairs) for one in answers(pair.reference)]
    columns = {
        "actual": Column([output for _, output, _ in every]),
        "expected": Column([one for *_, one in every]),
    }
    best: list[float | None] = [None] * len(pairs)
    for (row, *_), value in zip(
        every, optional(get(kind).evaluate(config, columns).values.tolist()), strict=True
    ):
        if value is not None:
            best[row] = max(value, best[row] or 0.0)
    return best


ALL_COLUMNS = ""  # instead of the name of the only one


def contexts_of(pairs: Sequence[Pair], name: str) -> Contexts:
    """The pairs as an evaluator reads them, with their references in the column of this name.

    With ALL_COLUMNS, each reference has the values of all columns by name.
    """
    rows = [
        {
            "output": pair.output,
            "reference": pair.reference if name == ALL_COLUMNS else {name: pair.reference},
            "input": pair.input,
        }
        for pair in pairs
    ]
    first = next((pair.reference for pair in pairs if isinstance(pair.reference, dict)), {})
    return Contexts.of_rows(rows, [*first] if name == ALL_COLUMNS else [name])


def optional(values: Sequence[float]) -> list[float | None]:
    """Scores with None for NaN."""
    return [None if value != value else value for value in values]


def _parting(
    advised: Sequence[float | None], wording: Sequence[float | None], texts: Sequence[str]
) -> list[int]:
    """Three rows: right in the most different words, wrong in the most similar ones, and the first of another text."""
    scored = [
        (score, like or 0.0, index)
        for index, (score, like) in enumerate(zip(advised, wording, strict=True))
        if score is not None
    ]
    right = sorted((like, index) for score, like, index in scored if score >= HALF)
    wrong = sorted((-like, index) for score, like, index in scored if score < HALF)
    chosen = [rows[0][1] for rows in (right, wrong) if rows]
    while len(chosen) < SHOWN:
        said = {texts[index] for index in chosen}
        others = [index for index in range(len(advised)) if index not in chosen]
        chosen.append(next((index for index in others if texts[index] not in said), others[0]))
    return chosen


def _remark(judged: float | None, value: float | None) -> str:
    if judged is None or value is None or (judged >= HALF) == (value >= HALF):
        return ""
    return "right, but low" if judged >= HALF else "wrong, but high"
