"""What speaks against an advised evaluator before somebody has looked, and what to do about it."""

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import NamedTuple

from evaluations import numerals
from evaluations.evaluators import evaluators
from evaluations.evaluators.recipe import Recipe
from evaluations.kinds.advised import Advised
from evaluations.kinds.advised_lists import several_named
from evaluations.kinds.advising import rights
from evaluations.kinds.evidence import Pair, contexts_of, optional
from evaluations.mapping.reasoning import split_reasoning
from evaluations.mapping.written_values import is_otherwise
from evaluations.models import Dataset, Evaluator, Scoring
from evaluations.values import JSON, Status, text_of

from . import experiments
from .numbers_near import said_otherwise
from .option_texts import Inputs

ENOUGH = 20  # outputs of a variant from which they can speak against an evaluator
FEW_RIGHT, MOST_UNREAD, MOST_OTHERWISE = 0.02, 0.4, 0.05  # shares of the outputs of a variant
READ_OTHERWISE = (
    "If that is true, select it; else choose another evaluator, or correct how the outputs are read."
)
RUN_TESTS = "Upload what its tests say as a column of scores for each variant, or select it to compare texts."
ASK_ALL = "Choose an evaluator of lists if all members are to be named, or select it if one is enough."
FILL_IN = "Write what is right there, such as unanswerable, into the file, or select it to leave them out."


class Doubt(NamedTuple):
    """A half sentence behind "but", and what to do, in sentences; both empty if nothing speaks against it."""

    words: str = ""
    remedy: str = ""


def of_earlier(dataset: Dataset, primary: Evaluator) -> str:
    """A sentence if the primary found nothing right in the newest experiment on a dataset that it scored; "" else."""
    share = Recipe.from_version(evaluators.newest(primary)).share
    of_primary = Scoring.objects.filter(evaluator_version__evaluator=primary, summary__isnull=False)
    scored = of_primary.filter(run__experiment__dataset=dataset, run__experiment__primary=primary)
    live = scored.filter(run__deleted_at=None, run__experiment__deleted_at=None).order_by("-run__experiment")
    last = live.select_related("run__experiment").first() if share else None
    if last is None:
        return ""
    shown = experiments.shown_runs(last.run.experiment)
    found = [dict(one.summary or {}) for one in of_primary.filter(run__in=shown)]
    count = sum(summary["n"] for summary in found)
    if count < ENOUGH or any(summary["mean"] for summary in found):
        return ""
    return f" It found none of {numerals.grouped(count)} answers {share} there: look whether it fits"


def first(
    advised: Advised,
    recipe: Recipe,
    references: Sequence[JSON],
    outputs: Sequence[JSON],
    column: str,
    asked: Sequence[Inputs] = (),
) -> Doubt:
    """The first doubt of an evaluator for references in this column, and the outputs of one variant after the other."""
    right_answers = partial(rights, advised)
    several = several_named([*map(right_answers, references)], outputs) if advised.is_any else ""
    doubts = (
        Doubt(advised.doubt, RUN_TESTS if advised.is_code else READ_OTHERWISE),
        Doubt(several, ASK_ALL),
        Doubt(said_otherwise(recipe, references, outputs), READ_OTHERWISE),
        Doubt(_by_scores(recipe, references, outputs, column, right_answers, asked), READ_OTHERWISE),
    )
    return next((doubt for doubt in doubts if doubt.words), Doubt())


def _by_scores(
    recipe: Recipe,
    references: Sequence[JSON],
    outputs: Sequence[JSON],
    column: str,
    right_answers: Callable[[JSON], list[JSON]],
    asked: Sequence[Inputs] = (),
) -> str:
    """What speaks against an evaluator: of one variant it finds few answers, hardly any is right, or it calls answers
    wrong that are written in another way."""
    size = len(references)
    if recipe.bounds != (0, 1) or not size or len(outputs) % size:
        return ""
    every = {text for reference in references for text in _texts(right_answers(reference))}
    for start in range(0, len(outputs), size):
        beside: Sequence[JSON] = asked or [None] * size
        told = map(Pair, outputs[start : start + size], references, beside)
        pairs = [
            pair for pair in told if pair.output not in (None, "") and pair.reference not in (None, "", [])
        ]
        if len(pairs) < ENOUGH:
            continue
        scores = recipe.scores(contexts_of(pairs, column))
        unread = sum(status != Status.SCORED for status in scores.status)
        right = sum(value or 0 for value in optional(scores.values.tolist()))
        if unread > MOST_UNREAD * len(pairs):
            return f"it finds no answer in {unread} of {len(pairs)} outputs of one variant"
        if right < FEW_RIGHT * len(pairs):
            return f"it calls {right:.0f} of {len(pairs)} outputs of one variant right"
        wrong = [pair for pair, value in zip(pairs, scores.values.tolist(), strict=True) if value == 0]
        otherwise = sum(_says_otherwise(pair.output, right_answers(pair.reference), every) for pair in wrong)
        if otherwise > MOST_OTHERWISE * len(pairs):
            return f"it calls {otherwise} of {len(pairs)} outputs of one variant wrong for how they are written only"
    return ""


def _says_otherwise(output: JSON, right: Sequence[JSON], every: Collection[str]) -> bool:
    return is_otherwise(split_reasoning(text_of(output) or "")[1], _texts(right), every)


def _texts(answers: Sequence[JSON]) -> list[str]:
    return [(text_of(one) or "").strip() for one in answers]
