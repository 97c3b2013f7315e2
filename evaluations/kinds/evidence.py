"""Three real rows scored by the advised kind and by kinds that people would expect: what each of them calls right."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from evaluations.mapping import Contexts
from evaluations.values import JSON, Column, text_of

from . import get
from .config import ConfigError
from .near_misses import differs_only_in

MOST_PAIRS, LONGEST, SHOWN = 60, 2_000, 3  # pairs that are looked at; characters of a side; rows
EXPECTED = ("exact_match", "contains", "levenshtein_similarity")
HALF = 0.5
Values = list[float | None] | None


class Pair(NamedTuple):
    """An output with its reference, and the inputs of their example by name, as far as an evaluator reads them."""

    output: JSON
    reference: JSON
    input: JSON = None


class Line(NamedTuple):
    """The scores of the shown rows by one kind, None without; `remarks` where the advised kind says the opposite.

    A line that reads texts by other than the usual `mapping` has it; one that `is_empty` gives none of all rows that
    were looked at anything.
    """

    kind: str
    title: str
    is_advised: bool
    values: list[float | None]
    remarks: list[str]
    mapping: dict[str, Any] | None = None
    is_empty: bool = False

    @property
    def cells(self) -> list[tuple[float | None, str]]:
        return list(zip(self.values, self.remarks, strict=True))

    @property
    def finds_nothing(self) -> bool:
        """Whether a kind that people would expect gives none of the rows anything, the shown ones and the others."""
        return not self.is_advised and self.mapping is None and self.is_empty


class Looser(NamedTuple):
    """The same kind, reading texts so that case, spaces and punctuation do not count."""

    title: str
    mapping: dict[str, Any]
    score: Callable[[Sequence[Pair]], Values]


class Slips(NamedTuple):
    """Of `wrong` answers, `near` ones differ from the reference only in `what`."""

    what: str
    near: int
    wrong: int


class Evidence(NamedTuple):
    """`rows` are outputs with their references on which kinds differ; the first of `lines` is the advised kind's.

    `verdicts` say what that one calls right and wrong, empty for one that decides nothing. `near` says in what little a
    wrong row differs from its reference, and `slips` counts these, if they are most of the wrong ones.
    """

    rows: list[tuple[str, str]]
    lines: list[Line]
    verdicts: list[bool | None]
    near: list[str]
    slips: Slips | None = None


def one_answer(reference: JSON) -> list[JSON]:
    return [reference]


def evidence(
    kind: str,
    pairs: Sequence[Pair],
    title: str = "",
    score: Callable[[Sequence[Pair]], Values] | None = None,
    answers: Callable[[JSON], Sequence[JSON]] = one_answer,
    looser: Looser | None = None,
) -> Evidence | None:
    """The evidence for an advised kind; None with fewer than three usable pairs, or if the kind needs settings.

    An evaluator that exists has a `title` of its own, and its own `score`; nothing is called right by one that
    does not decide between right and wrong. `answers` gives the right answers in a reference, of which one is enough.
    `looser` is another reading, which has a line where most wrong answers differ in no more than it ignores.
    """
    usable = _usable(pairs)
    advised = (score(usable) if score else _scores(kind, usable, answers)) if len(usable) >= SHOWN else None
    if advised is None:
        return None
    decides = score is None or all(value in (None, 0, 1) for value in advised)
    near = [
        _near(pair, answers) if decides and value is not None and value < HALF else ""
        for pair, value in zip(usable, advised, strict=True)
    ]
    slips = _slips(near, advised)
    lines = _lines(kind, usable, answers, advised)
    if slips and looser and (values := looser.score(usable)):
        lines.insert(0, Line(kind, looser.title, False, values, [], looser.mapping))
    shown = _parting(advised, [line.values for line in lines], [_text(pair.output) for pair in usable])
    lines = [Line(kind, title or get(kind).title, True, advised, []), *lines]
    judged = [advised[index] for index in shown]
    return Evidence(
        rows=[(_text(pair.output), _text(pair.reference)) for pair in map(usable.__getitem__, shown)],
        lines=[_shown(line, shown, judged if decides else None) for line in lines],
        verdicts=[None if value is None else value >= HALF for value in judged] if decides else [],
        near=[near[index] for index in shown],
        slips=slips,
    )


def _usable(pairs: Sequence[Pair]) -> list[Pair]:
    """Different short rows with both sides; no row is shown twice where there are three different ones."""
    usable = [pair for pair in pairs[: 4 * MOST_PAIRS] if _is_usable(pair)]
    distinct = list({(_text(pair.output), _text(pair.reference)): pair for pair in reversed(usable)}.values())
    return (distinct[::-1] if len(distinct) >= SHOWN else usable)[:MOST_PAIRS]


def _lines(
    kind: str,
    usable: Sequence[Pair],
    answers: Callable[[JSON], Sequence[JSON]],
    advised: Sequence[float | None],
) -> list[Line]:
    """The scores of all usable rows by the other kinds; by the advised one as it is, if other settings are advised."""
    scored = {other: _scores(other, usable, answers) for other in EXPECTED}
    return [
        Line(other, get(other).title, False, values, [])
        for other, values in scored.items()
        if values is not None and (other != kind or values != advised)
    ]


def _shown(line: Line, shown: Sequence[int], judged: Sequence[float | None] | None) -> Line:
    """The line with the shown rows alone; with remarks, if the advised kind has `judged` them."""
    values = [line.values[index] for index in shown]
    has_remarks = judged is not None and not line.is_advised and line.mapping is None
    remarks = list(map(_remark, judged or (), values)) if has_remarks else [""] * len(shown)
    return line._replace(values=values, remarks=remarks, is_empty=not any(line.values))


def _near(pair: Pair, answers: Callable[[JSON], Sequence[JSON]]) -> str:
    return differs_only_in(_text(pair.output), [*map(_text, answers(pair.reference))])


def _slips(near: Sequence[str], advised: Sequence[float | None]) -> Slips | None:
    """How many wrong answers differ in the same little; None if these are not most of them."""
    wrong = sum(value is not None and value < HALF for value in advised)
    [(what, count)] = Counter(filter(None, near)).most_common(1) or [("", 0)]
    return Slips(what, count, wrong) if count > wrong / 2 else None


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
    advised: Sequence[float | None], others: Sequence[Sequence[float | None]], texts: Sequence[str]
) -> list[int]:
    """Three rows on which the kinds differ most: one that is right, one that is wrong, and one of another text.

    Where all are right, or all are wrong, the second is the one whose score is farthest from the first.

    The last is one of which the kinds say something else than of the others, where there is such a row.
    """
    every = range(len(advised))
    apart = [sum(_apart(advised[index], other[index]) for other in others) for index in every]
    order = sorted(every, key=lambda index: (-apart[index], index))
    said = [tuple((values[index] or 0.0) >= HALF for values in (advised, *others)) for index in every]
    right = [index for index in order if (score := advised[index]) is not None and score >= HALF]
    wrong = [index for index in order if (score := advised[index]) is not None and score < HALF]
    chosen = [rows[0] for rows in (right, wrong) if rows]
    if len(chosen) == 1:
        first = chosen[0]
        farthest = max(order, key=lambda index: _apart(advised[first], advised[index]))
        chosen += [farthest] if farthest != first else []
    while len(chosen) < SHOWN:
        left = [index for index in order if index not in chosen]
        of_other_texts = [index for index in left if texts[index] not in {texts[one] for one in chosen}]
        differing = [index for index in of_other_texts if said[index] not in {said[one] for one in chosen}]
        chosen.append((differing or of_other_texts or left)[0])
    return chosen


def _apart(score: float | None, other: float | None) -> float:
    return 0.0 if score is None or other is None else abs(score - other)


def _remark(judged: float | None, value: float | None) -> str:
    if judged is None or value is None or (judged >= HALF) == (value >= HALF):
        return ""
    return "right, but low" if judged >= HALF else "wrong, but high"
