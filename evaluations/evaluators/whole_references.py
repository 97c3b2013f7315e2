"""Warns of evaluators that compare a text with all reference columns at once, joined in one JSON object."""

from collections.abc import Iterable, Sequence
from typing import Any

from evaluations import jsonpath, kinds
from evaluations.mapping.sources import Matched
from evaluations.models import EvaluatorVersion

from .recipe import Recipe

# paths to the whole reference: a single value only if the dataset has one reference column
WHOLE = (("expected",), ("reference",))
NAMED = 5


def warnings(versions: Iterable[EvaluatorVersion], columns: Sequence[str]) -> list[str]:
    """A sentence that names the affected versions, for a dataset with these reference columns."""
    used = [version for version in versions if len(columns) > 1 and reads_whole(version)]
    names = [version.evaluator.name for version in used]
    if not names:
        return []
    pronoun, verb = ("it", "compares") if len(names) == 1 else ("each", "compare")
    return [
        f"{_listed(names)} {verb} outputs with a JSON object of the reference columns {_listed(columns)}: these "
        f"scores mean little. Set “expected” of {pronoun} to the path of one column, such as "
        f"{_path(columns)}."
        f"{_several(used)}"
    ]


def reads_whole(version: EvaluatorVersion) -> bool:
    """Whether the version compares texts and takes the reference as a whole."""
    recipe = Recipe.from_version(version)
    expected = recipe.mapping.sources.get("expected")
    return (
        recipe.kind.reads_text
        and isinstance(expected, Matched)
        and not recipe.reads_several
        and expected.path.plain
        and expected.path.prefix in WHOLE
    )


def about_columns(columns: Sequence[str]) -> list[dict[str, Any]]:
    """A warning about a file with several reference columns."""
    if len(columns) < 2:
        return []
    message = (
        f"There are {len(columns)} reference columns: {_listed(columns)}. By default, text evaluators compare "
        "outputs with all of them as one JSON object. These scores mean little."
    )
    hint = (
        f"Set “expected” of each evaluator to the path of one column, such as {_path(columns)}. BLEU and chrF "
        "can use each column as a separate reference."
    )
    return [{"code": "whole_reference", "message": message, "hint": hint, "count": 1, "first_lines": []}]


def _several(versions: Iterable[EvaluatorVersion]) -> str:
    """Advice for versions that can compare with several references."""
    titles = dict.fromkeys(kind.title for version in versions if (kind := kinds.get(version.kind)).several)
    if not titles:
        return ""
    return f" {_listed(list(titles))} can use each column as a separate reference."


def _path(columns: Sequence[str]) -> str:
    return jsonpath.from_names(["expected", columns[0]])


def _listed(names: Sequence[str]) -> str:
    few = [name[:80] for name in names[:NAMED]]
    if len(names) > NAMED:
        return f"{', '.join(few)} and {len(names) - NAMED} more"
    return " and ".join([*filter(None, [", ".join(few[:-1])]), few[-1]])
