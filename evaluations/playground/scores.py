"""Scores of an answer in a trial, by the evaluators chosen for it.

Beside the calls, because an evaluator may take long or wait for a server itself.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import orjson
from django.db.models import QuerySet

from evaluations.clients import Interrupted
from evaluations.engine import queue
from evaluations.evaluators import embeddings, sent_items
from evaluations.evaluators.recipe import Recipe
from evaluations.mapping import Contexts
from evaluations.models import EvaluatorVersion, Trial, TrialAnswer
from evaluations.values import output_value


def work() -> bool:
    """Score one answer that has arrived; False if there is none."""
    arrived = TrialAnswer.objects.filter(text__isnull=False).select_related("trial__project", "trial__budget")
    answer = queue.claim(arrived.order_by("pk"))
    if answer is None:
        return False
    with suppress(Interrupted), queue.given_back_on_error(answer):
        new_scores = of_answer(answer.trial, answer, lambda: queue.extend(answer))
        queue.leased_row(answer).update(scores=new_scores, state=TrialAnswer.State.DONE)
    return True


def sweep() -> None:
    """Let others score what a lost worker has not; an answer that ended several stays without scores."""
    queue.free_expired(TrialAnswer.objects.all(), _leave_without)


def _leave_without(answer: TrialAnswer, unchanged: QuerySet[TrialAnswer]) -> None:
    unchanged.update(state=TrialAnswer.State.DONE)


def of_answer(trial: Trial, answer: TrialAnswer, keep_alive: Callable[[], bool]) -> list[dict[str, Any]]:
    """One score per evaluator; evaluators that read a reference are skipped if the example has none."""
    row = trial.examples[answer.example]
    parts = {name: orjson.loads(row[name]) for name in ("inputs", "reference", "metadata")}
    has_reference = bool(parts["reference"])
    context = {"output": output_value(answer.text, answer.is_json), "input": parts.pop("inputs"), **parts}
    contexts = Contexts.of_rows([context], trial.reference_columns or None)
    versions = EvaluatorVersion.objects.select_related("evaluator").in_bulk(trial.evaluators)
    chosen = [(versions[pk], Recipe.from_version(versions[pk])) for pk in trial.evaluators if pk in versions]
    return [
        _score(trial, version, recipe, contexts, keep_alive)
        for version, recipe in chosen
        if has_reference or "reference" not in recipe.needs
    ]


def _score(
    trial: Trial,
    version: EvaluatorVersion,
    recipe: Recipe,
    contexts: Contexts,
    keep_alive: Callable[[], bool],
) -> dict[str, Any]:
    budget = None if trial.budget.lets_unpriced else trial.budget  # nobody named the default
    embed = embeddings.embedder(trial.project, recipe, budget, keep_alive, embeddings.Embedder)
    score = sent_items.result(recipe.scores(contexts, embed=embed), 0)
    return {"evaluator": version.evaluator_id, "name": version.evaluator.name} | score
