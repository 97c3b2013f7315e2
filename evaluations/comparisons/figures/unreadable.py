"""What an evaluator looked for in answers from which it could read nothing, in words."""

from evaluations.evaluators.recipe import Recipe
from evaluations.mapping.choice import Choice
from evaluations.mapping.sources import Matched
from evaluations.mapping.step import Step

BY_STEP = {"date": "No date was found in", "items": "No list was found in", "json": "No JSON was found in"}
BY_KIND = {"judge": "No verdict was given on", "numeric_match": "No number was found in"}
LABEL, LABELS = "No single label was found in", "No label was found in"
NOTHING = "Nothing could be read from"


def words(recipe: Recipe) -> str:
    """The beginning of a sentence that ends with a number of answers, by the last step that looks for something."""
    source = recipe.mapping.sources.get("actual")
    steps = source.reading.steps if isinstance(source, Matched) and source.reading else ()
    found = next((told for step in reversed(steps) if (told := _of_step(step))), None)
    return found or BY_KIND.get(recipe.kind.key, NOTHING)


def _of_step(step: Step) -> str | None:
    if isinstance(step, Choice):
        return LABELS if step.take == "all" else LABEL
    return BY_STEP.get(step.step)
