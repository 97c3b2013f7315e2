"""Scores that a reward model or a judge gave a chosen text and a rejected one: right where the chosen one has more.

Their columns get one beside them that says so, if no column does.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from .batch import Row
from .cell_texts import text_of_cell
from .column_names import words_in_order
from .likely import has_numbers, number_of
from .looked_at import ENOUGH
from .score_words import GRADES, HIGHER

MARKS = (
    *(("chosen", "rejected"), ("preferred", "rejected"), ("preferred", "dispreferred"), ("better", "worse")),
    *(("winner", "loser"), ("gewahlt", "abgelehnt"), ("besser", "schlechter"), ("choisi", "rejete")),
    *(("meilleur", "pire"), ("elegido", "rechazado"), ("mejor", "peor"), ("scelto", "rifiutato")),
    *(("migliore", "peggiore"), ("escolhido", "rejeitado"), ("melhor", "pior"), ("gekozen", "afgewezen")),
    *(("beter", "slechter"), ("採用", "不採用"), ("选中", "拒绝")),
)
RIGHT = "ranked right"
SCORED = GRADES | HIGHER | {"logit", "logits", "logp", "logprob", "logprobs", "reward", "rewards", "scores"}
SAME = 0.98  # share of the rows in which a column of zeros and ones says the same
VERDICTS = {"1": 1, "1.0": 1, "true": 1, "0": 0, "0.0": 0, "false": 0}
PairScores = tuple[tuple[str, str, str], ...]  # the chosen column, the rejected one, and the new one


def find(rows: Sequence[Row]) -> PairScores:
    """The pairs of columns, each with the name of the column that says which is higher.

    >>> rows = [{"id": n, "score_chosen": n % 3, "score_rejected": n % 2 - 0.5} for n in range(12)]
    >>> find(rows)
    (('score_chosen', 'score_rejected', 'ranked right'),)
    >>> find([row | {"ok": int(row["score_chosen"] > row["score_rejected"])} for row in rows])
    ()
    """
    if len(rows) < ENOUGH:
        return ()
    columns = [*dict.fromkeys(name for row in rows for name in row)]
    numbers = [
        name for name in columns if has_numbers([cell for row in rows if (cell := row.get(name)) is not None])
    ]
    pairs = [pair for pair in _pairs(numbers) if len({_verdict(row, pair) for row in rows} - {None}) > 1]
    named = zip(pairs, _names(pairs), strict=False)
    return tuple((*pair, name) for pair, name in named if not _is_said(pair, numbers, rows))


def with_verdicts(row: Row, pairs: PairScores) -> Row:
    """The row with 1 where the chosen text has more, 0 where it has not, and None where a number lacks.

    >>> with_verdicts({"good_chosen": "0,5", "good_rejected": "0,25"}, (("good_chosen", "good_rejected", "right"),))
    {'good_chosen': '0,5', 'good_rejected': '0,25', 'right': 1}
    """
    return Row(row) | {name: _verdict(row, (chosen, rejected)) for chosen, rejected, name in pairs}


def _verdict(row: Row, pair: tuple[str, str]) -> int | None:
    higher, lower = (number_of(text_of_cell(row.get(name))) for name in pair)
    return None if higher is None or lower is None else int(higher > lower)


def _pairs(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Columns whose names differ in a word for the chosen text and one for the rejected text."""
    by_words = {words_in_order(name): name for name in names}
    for words, name in by_words.items():
        for one, other in MARKS:
            beside = by_words.get(tuple(other if word == one else word for word in words))
            if beside and one in words and SCORED & {*words}:
                yield name, beside
                break


def _names(pairs: Sequence[tuple[str, str]]) -> list[str]:
    """The name of each verdict: of several, with the words that tell their models apart."""
    words = [words_in_order(chosen) for chosen, _ in pairs]
    shared = {*words[0]}.intersection(*words) if words else set[str]()
    own = [" ".join(word for word in one if word not in shared) for one in words]
    return (
        [f"{mark} {RIGHT}" for mark in own]
        if all(own) and len({*own}) == len(own) > 1
        else [RIGHT] * len(pairs[:1])
    )


def _is_said(pair: tuple[str, str], names: Sequence[str], rows: Sequence[Row]) -> bool:
    """Whether a column of zeros and ones says already which of the two is higher."""
    known: list[Any] = [_verdict(row, pair) for row in rows]
    for name in names:
        said = [VERDICTS.get(text_of_cell(row.get(name)).casefold()) for row in rows]
        same = sum(one == two for one, two in zip(known, said, strict=True) if one is not None)
        if name not in pair and same >= SAME * (len(known) - known.count(None)):
            return True
    return False
