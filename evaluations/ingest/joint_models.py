"""Columns that name both models of a row at once, beside two answers: "small vs large", or "small_large".

Two columns come beside them, with one model each, so that a row has sides (see `sides`).
"""

from collections.abc import Sequence

from .batch import Row
from .cell_texts import text_of_cell
from .column_names import is_named_as_variant
from .looked_at import ENOUGH
from .parted import MOST_VARIANTS
from .sides import MARKS, are_answers, pairs_of

SIGNS = (" vs. ", " vs ", "_vs_", "-vs-", " v ", " / ", " | ", "|", " & ", ",", "__", "_", "/")
SAYS_SO = 5  # of these signs, those that stand between rivals alone
ALL = 0.95  # share of the cells that must name two
JointModels = tuple[str, str, str, str]  # the column, the sign between the names, and the two new columns


def find(rows: Sequence[Row]) -> JointModels | None:
    """The column whose models change, if others have a text of each side.

    >>> names = ["small vs large", "large vs tiny", "tiny vs small"]
    >>> find([{"pair": names[n % 3], "answer_a": f"{n} is it", "answer_b": f"not {n}"} for n in range(12)])
    ('pair', ' vs ', 'model a', 'model b')
    >>> find([{"pair": "small vs large", "answer_a": f"{n} is it", "answer_b": f"not {n}"} for n in range(12)])
    """
    if len(rows) < ENOUGH:
        return None
    columns = [*dict.fromkeys(name for row in rows for name in row)]
    marks = next((m for m in MARKS if any(are_answers(pair, rows) for pair in pairs_of(columns, m))), None)
    new = [f"model {mark}" for mark in marks or ()]
    if not new or {*new} & {*columns}:
        return None
    first, second = new
    found = ((name, sign, first, second) for name in columns if (sign := _sign(name, rows)))
    return next(found, None)


def with_models(row: Row, found: JointModels) -> Row:
    """The row with both models.

    >>> with_models({"pair": "x vs y"}, ("pair", " vs ", "model a", "model b"))
    {'pair': 'x vs y', 'model a': 'x', 'model b': 'y'}
    """
    column, sign, *names = found
    models = _models(row, column, sign)
    return Row(row) | dict(zip(names, models, strict=True)) if models else row


def _sign(name: str, rows: Sequence[Row]) -> str:
    """The sign between two names in nearly all cells of a column, of models that meet several others; else ""."""
    for place, sign in enumerate(SIGNS):
        pairs = [found for row in rows if (found := _models(row, name, sign))]
        models = {one for pair in pairs for one in pair}
        if len(pairs) < ALL * len(rows) or len({*pairs}) < 2 or not 2 <= len(models) <= MOST_VARIANTS:
            continue
        meet_others = all(sum(one in pair for pair in {*pairs}) > 1 for one in models)
        if place < SAYS_SO or (meet_others and sum(map(is_named_as_variant, models)) * 2 > len(models)):
            return sign
    return ""


def _models(row: Row, name: str, sign: str) -> tuple[str, str] | None:
    parts = [part.strip() for part in text_of_cell(row.get(name)).split(sign)]
    return (parts[0], parts[1]) if len(parts) == 2 and all(parts) and parts[0] != parts[1] else None
