"""The scores on which a formula is tried: a number for each name that it reads."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from evaluations.evaluators import formulas
from evaluations.kinds.formula import OF_ROW
from evaluations.metrics import expressions
from evaluations.models import Project
from evaluations.values import canonical_json

from ..forms.evaluator import EvaluatorForm

READ = "try_names"  # the field with the names that the page has
USUAL = "1"


class TypedScore(NamedTuple):
    """What stands for a name, with the title of its evaluator."""

    name: str
    title: str
    value: str

    @property
    def field(self) -> str:
        return f"score_{self.name}"


def of_form(project: Project, form: EvaluatorForm, values: Mapping[str, str]) -> list[TypedScore]:
    """A score for each known name in the formula, 1 where none is typed; while it is unfinished, for those before."""
    titles = {name: evaluator.name for name, evaluator in formulas.readable(project).items()}
    titles |= {
        name: name for name in (*OF_ROW, *(form.initial.get("evaluators") or ())) if name not in titles
    }
    try:
        names = [*expressions.read(str(form["expression"].value() or "")).names]
    except expressions.Wrong:
        names = values.get(READ, "").split()
    return [
        TypedScore(name, titles[name], values.get(f"score_{name}", USUAL)) for name in names if name in titles
    ]


def as_json(scores: Sequence[TypedScore]) -> str:
    """The numbers by name, null for what is no number; "" without names."""
    return canonical_json({score.name: _number(score.value) for score in scores}) if scores else ""


def _number(text: str) -> float | None:
    try:
        return float(text.strip().replace(",", "."))
    except ValueError:
        return None
