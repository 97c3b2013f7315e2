"""Scores items in the body of a request: nothing is stored, and the work per request is limited."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from time import monotonic
from typing import Any

from evaluations.access import limits
from evaluations.clients import Interrupted
from evaluations.errors import Invalid, TooLarge
from evaluations.kinds.scores import Scores, optional
from evaluations.mapping import Contexts
from evaluations.models import Budget, Project
from evaluations.numerals import grouped
from evaluations.prompts.named import Money, budget_if_named
from evaluations.statistics import summary
from evaluations.values import JSON, Status, stored_json

from . import apart, embeddings, evaluators
from .recipe import Recipe

Item = dict[str, JSON]

MOST_ITEMS, MOST_SEMANTIC = 10_000, 256
SECONDS = 10.0  # of work per request, which occupies a thread that serves pages
BATCH = 250_000  # bytes of items between two checks of the clock: about one pair of the longest texts
NO_MONEY = Money()
LABELS = {True: "pass", False: "fail"}


ASK = "Try a rubric by POST judgings/."


def score(
    project: Project,
    kind: str,
    config: dict[str, Any],
    mapping: dict[str, Any],
    items: Sequence[Item],
    explain: bool = False,
    money: Money = NO_MONEY,
) -> dict[str, Any]:
    """Results and their summary. Items have actual and expected, or a whole context.

    Kinds that call a server use stored vectors, and buy others with the money that is named.
    """
    recipe = evaluators.check(project, kind, config, mapping)
    if recipe.kind.is_recorded:
        message = f"{recipe.kind.title} is asked and paid; its verdicts are not computed in a request."
        raise Invalid("evaluator_is_asked", message, hint=ASK, fields={"kind": [message]})
    _check_number(recipe, items)
    budget = budget_if_named(project, money) if recipe.needs_server else None
    scoring = _Scoring(project, recipe, budget, explain)
    with limits.one_of(limits.SCORE_CALLS, "Too many requests are being scored at once."):
        for batch in _batches(items):
            scoring.add(batch)
    return {"results": scoring.results, "summary": asdict(_summary(recipe, scoring.scores))}


def result(scores: Scores, row: int) -> dict[str, Any]:
    """The score of one row as JSON of the API."""
    value, passed = optional(float(scores.values[row]), int(scores.passed[row]))
    return {
        "value": value,
        "passed": passed,
        "label": None if passed is None else LABELS[passed],
        "status": Status(int(scores.status[row])).word,
        "message": scores.messages.get(row, ""),
    }


class _Scoring:
    """Scores batch after batch until all are scored or the time limit is reached."""

    def __init__(self, project: Project, recipe: Recipe, budget: Budget | None, explain: bool):
        self._recipe, self._explain = recipe, explain
        self._end = monotonic() + SECONDS
        self._embed = embeddings.embedder(project, recipe, budget, keep_alive=self._has_time)
        self.scores: list[Scores] = []
        self.results: list[dict[str, Any]] = []

    def _has_time(self) -> bool:
        return monotonic() < self._end

    def add(self, batch: Sequence[Item]) -> None:
        """Score one batch; raises `TooLarge` after the time limit."""
        if not self._has_time():
            raise self._too_much()
        try:
            contexts = Contexts.of_rows(batch)
            scores = apart.scores(self._recipe, contexts, embed=self._embed, seconds=self._end - monotonic())
        except Interrupted as interrupted:
            raise self._too_much() from interrupted
        self.scores.append(scores)
        for row, item in enumerate(batch):
            self.results.append(result(scores, row) | self._detail(item))

    def _detail(self, item: Item) -> dict[str, Any]:
        if not self._explain:
            return {}
        if not self._has_time():
            raise self._too_much()
        seconds = self._end - monotonic()
        contexts = Contexts.of_rows([item])
        return {"detail": apart.explain(self._recipe, contexts, 0, embed=self._embed, seconds=seconds)}

    def _too_much(self) -> TooLarge:
        return TooLarge(
            "too_much_work",
            f"Scoring took longer than {SECONDS:.0f} seconds; {grouped(len(self.results))} items were scored by then.",
            hint="Send fewer or shorter items, or upload them as a dataset and score a run.",
        )


def _check_number(recipe: Recipe, items: Sequence[Item]) -> None:
    maximum = MOST_SEMANTIC if recipe.kind.needs_connection else MOST_ITEMS
    if len(items) > maximum:
        message = f"At most {grouped(maximum)} items at once."
        raise Invalid("too_many_items", message, fields={"items": [message]})


def _batches(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    """The items in groups of about `BATCH` bytes."""
    first = size = 0
    for index, item in enumerate(items):
        size += len(stored_json(item))
        if size >= BATCH or index == len(items) - 1:
            yield items[first : index + 1]
            first, size = index + 1, 0


def _summary(recipe: Recipe, parts: Sequence[Scores]) -> summary.Summary:
    scores = Scores.empty(sum(map(len, parts)))
    first = 0
    for part in parts:
        scores.put(range(first, first + len(part)), part)
        first += len(part)
    low, high = recipe.bounds
    return summary.summarise(
        scores.values, scores.passed, scores.status, low=low, high=high, truncated=scores.truncated
    )
