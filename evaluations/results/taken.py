"""What an evaluator took out of the outputs of a page: the number, the label or the part that it compared."""

from collections.abc import Sequence

from evaluations.evaluators.apart import LONG
from evaluations.evaluators.recipe import Recipe
from evaluations.mapping import Contexts
from evaluations.reading.forms import form_of
from evaluations.values import text_or_json

from .rows import Row

NOTHING = "nothing"


def taken(recipe: Recipe, rows: Sequence[Row]) -> list[str]:
    """What is read out of each output, `NOTHING` where nothing was found; "" where that is no news.

    That is: without an output, for a long one, and where all of the output was read, but for case and white space.
    """
    if not recipe.takes_part or recipe.kind.is_heavy:
        return [""] * len(rows)
    contexts = Contexts.of_rows(
        [
            {
                "output": row.output if len(text_or_json(row.output)) < LONG else None,
                "input": row.inputs,
                "reference": row.reference,
                "metadata": row.metadata,
            }
            for row in rows
        ]
    )
    return [_news(row, part) for row, part in zip(rows, recipe.taken(contexts), strict=True)]


def _news(row: Row, part: str | None) -> str:
    if part is None or row.output is None or _essence(part) == _essence(text_or_json(row.output)):
        return ""
    form = form_of(row.output)
    if form.is_fenced and form_of(part).value == form.value:
        return ""  # pages show the JSON, not the fence
    return part.strip() or NOTHING


def _essence(text: str) -> str:
    return " ".join(text.casefold().split())
