"""What scoring by embeddings of a server would cost, estimated before anybody pays."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.db.models import Count, Sum
from django.db.models.functions import Length

from evaluations.evaluators import embeddings
from evaluations.evaluators.recipe import Recipe
from evaluations.models import Evaluator, EvaluatorVersion, Output, Run
from evaluations.prompts import money

CHARACTERS = 4  # of a token, about, in English


class Estimate(NamedTuple):
    """At most about so many texts and tokens; `cost` is None where the model has no price."""

    evaluator: Evaluator
    texts: int
    tokens: int
    cost: float | None

    @property
    def millionths(self) -> int | None:
        """The cost as the ledger counts it."""
        return None if self.cost is None else round(self.cost * 10**money.COST_DECIMALS)

    @property
    def evaluator_id(self) -> int:
        return self.evaluator.pk


def estimates(runs: Sequence[Run], versions: Iterable[EvaluatorVersion]) -> list[Estimate]:
    """One for each version that compares embeddings of a server. A text whose vector is stored is counted, though it
    costs nothing.
    """
    called = [version for version in versions if Recipe.from_version(version).needs_server]
    if not called or not runs:
        return []
    texts, characters = _outputs(runs)
    for example_texts, example_characters in map(
        _references, {run.experiment_id: run for run in runs}.values()
    ):
        texts, characters = texts + example_texts, characters + example_characters
    return [estimate(version, texts, characters) for version in called]


def estimate(version: EvaluatorVersion, texts: int, characters: int) -> Estimate:
    """What the vectors of so many texts would cost today."""
    tokens = -(-characters // CHARACTERS)
    return Estimate(version.evaluator, texts, tokens, embeddings.cost(version, tokens))


def _outputs(runs: Sequence[Run]) -> tuple[int, int]:
    answers = Output.objects.filter(run__in=runs, text__isnull=False)
    figures = answers.aggregate(texts=Count("position"), characters=Sum(Length("text")))
    return figures["texts"], figures["characters"] or 0


def _references(run: Run) -> tuple[int, int]:
    """The references of the examples, which all runs of an experiment share."""
    figures = run.examples.aggregate(texts=Count("position"), characters=Sum(Length("reference")))
    return figures["texts"], figures["characters"] or 0
