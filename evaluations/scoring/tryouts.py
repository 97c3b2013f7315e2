"""Tries an evaluator before it is saved, on typed texts or on stored examples."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson
from django.db.models import Exists, OuterRef, Q

from evaluations.datasets import datasets, live_positions
from evaluations.datasets.live_positions import Positions
from evaluations.evaluators import apart, embeddings, formulas, sent_items
from evaluations.evaluators.recipe import Recipe
from evaluations.kinds.formula import FormulaConfig
from evaluations.mapping import Contexts, KnownPath, paths_in
from evaluations.mapping.sources import Matched
from evaluations.models import Budget, Dataset, Evaluator, EvaluatorVersion, Output, Project, Run, Scoring
from evaluations.statistics import summary
from evaluations.values import JSON, Status, output_value, text_of, text_or_json

from . import coverage
from .summaries import Figures, as_figures

MOST_SOURCES = 30
MOST_LOOKED_AT, FIRST_OUTPUTS, MOST_WITH_JSON = 500, 3, 5  # runs, outputs of each, and runs that say JSON
SAMPLE = 10
PATH_ROWS = 20


@dataclass(frozen=True)
class Source:
    """The examples for a tryout: a run's with its outputs, or those of a dataset's newest version."""

    key: str
    title: str
    dataset: Dataset
    run: Run | None = None

    @property
    def version(self) -> int:
        return self.run.experiment.dataset_version if self.run else self.dataset.version

    @property
    def positions(self) -> Positions:
        """The positions of the examples that the run was asked; without a run, of all examples."""
        return (
            coverage.asked_positions([self.run])
            if self.run
            else live_positions.of_version(self.dataset, self.version)
        )

    def contexts(self, positions: Sequence[int]) -> list[dict[str, JSON]]:
        """The contexts of these positions, ascending."""
        examples = datasets.examples(self.dataset, self.version).filter(position__in=positions)
        stored = Output.objects.filter(run=self.run, position__in=positions) if self.run else ()
        outputs = {output.position: output_value(output.text, output.is_json) for output in stored}
        scores = {output.position: output.scores or {} for output in stored if output.text is not None}
        return [
            {
                "input": orjson.loads(example.inputs),
                "output": outputs.get(example.position),
                "reference": orjson.loads(example.reference),
                "metadata": orjson.loads(example.metadata),
                "scores": scores.get(example.position),
            }
            for example in examples
        ]

    def sample(self, seed: int) -> list[int]:
        """Ten random positions; equal for equal seeds."""
        return datasets.drawn(self.positions, SAMPLE, seed)

    def paths(self) -> list[KnownPath]:
        """The paths that exist in the first examples."""
        return paths_in(self.contexts(self.positions.every[:PATH_ROWS].tolist()))


@dataclass(frozen=True)
class Result:
    """The score of one row, as the API has it."""

    value: float | None
    passed: bool | None
    label: str | None
    status: str
    message: str


@dataclass(frozen=True)
class Tryout:
    """A result with its detail, and for each parameter its name, value and problem on this row."""

    result: Result
    detail: dict[str, Any]
    resolved: list[tuple[str, str, str]] = field(default_factory=list)


def sources(project: Project, evaluator: Evaluator | None = None, *, says_json: bool = False) -> list[Source]:
    """The newest runs of the project, then datasets without runs.

    First come those that the evaluator scored; without one, if `says_json`, a few that say JSON.
    """
    runs = Run.objects.filter(
        project=project, deleted_at=None, experiment__deleted_at=None, output_count__gt=0
    ).select_related("experiment__dataset")
    first: list[Run] = []
    if evaluator:
        scored = Scoring.objects.filter(run=OuterRef("pk"), evaluator_version__evaluator=evaluator)
        first = [*runs.filter(Exists(scored))[:MOST_SOURCES]]
    elif says_json:
        outputs = Output.objects.filter(run=OuterRef("pk"), position__lte=FIRST_OUTPUTS)
        is_json = Q(text__startswith="{") | Q(text__startswith="[") | Q(text__startswith="```json")
        latest = [*runs.values_list("pk", flat=True)[:MOST_LOOKED_AT]]
        first = [*runs.filter(Exists(outputs.filter(is_json)), pk__in=latest)[:MOST_WITH_JSON]]
    newest = list(dict.fromkeys([*first, *runs[:MOST_SOURCES]]))[:MOST_SOURCES]
    sources = [
        Source(f"run:{run.pk}", f"{run.experiment.dataset.name}, {run.variant}", run.experiment.dataset, run)
        for run in newest
        if run.experiment.dataset.status == Dataset.Status.READY
    ]
    dataset_ids = {source.dataset.pk for source in sources}
    further_datasets = (
        Dataset.objects.live()
        .filter(project=project, status=Dataset.Status.READY)
        .exclude(pk__in=dataset_ids)
    )
    return sources + [
        Source(f"dataset:{dataset.pk}", dataset.name, dataset) for dataset in further_datasets[:MOST_SOURCES]
    ]


def on_texts(
    project: Project, recipe: Recipe, actual: str, expected: str, budget: Budget | None = None
) -> Tryout:
    """Score two texts directly: of the mapping only the reading steps count. Vectors are bought from the `budget`."""
    steps = {
        name: {"path": f"$.{name}", "read": source.reading.as_json()}
        for name, source in recipe.mapping.sources.items()
        if isinstance(source, Matched) and source.reading
    }
    plain = Recipe.compile(recipe.kind.key, recipe.config, steps, recipe.kind.version)
    return _tryout(project, plain, Contexts.of_rows([{"actual": actual, "expected": expected}]), budget)


def on_row(
    project: Project, recipe: Recipe, source: Source, position: int, budget: Budget | None = None
) -> Tryout | None:
    """Score one example as a run would; None if it does not exist, or if the run was not asked it."""
    if source.positions.slot(position) is None:
        return None
    contexts = _contexts(project, recipe, source, [position])
    tryout = _tryout(project, recipe, contexts, budget)
    columns = recipe.mapping.resolve(contexts)
    for name, column in columns.items():
        _, message = column.problems.get(0, (Status.SCORED, ""))
        tryout.resolved.append((name, text_or_json(column.values[0]) if not message else "", message))
    return tryout


def on_sample(
    project: Project, recipe: Recipe, source: Source, seed: int, budget: Budget | None = None
) -> Figures:
    """The figures of ten random examples."""
    contexts = _contexts(project, recipe, source, source.sample(seed))
    scores = apart.scores(recipe, contexts, embed=embeddings.embedder(project, recipe, budget))
    low, high = recipe.bounds
    return as_figures(summary.summarise(scores.values, scores.passed, scores.status, low=low, high=high))


def _contexts(project: Project, recipe: Recipe, source: Source, positions: Sequence[int]) -> Contexts:
    """The contexts of these positions; for a formula, objects of the numbers that it reads, computed now."""
    rows = source.contexts(positions)
    contexts = Contexts.of_rows(rows, source.dataset.columns.get("reference"))
    config = recipe.parsed
    if not isinstance(config, FormulaConfig):
        return contexts
    numbers: list[dict[str, JSON]] = [{"length": len(text_of(row["output"]) or "")} for row in rows]
    for name, version in formulas.read(project, config).items():
        for row, value in enumerate(_values(project, version, contexts)):
            numbers[row][name] = value
    return Contexts.of_rows([{"actual": {**row}} for row in numbers])


def _values(project: Project, version: EvaluatorVersion, contexts: Contexts) -> list[float | None]:
    """The scores of a version; None for those that nobody computes, or that would cost a call."""
    recipe = Recipe.from_version(version)
    if recipe.kind.is_recorded:
        return [None] * contexts.size
    embed = embeddings.embedder(project, recipe)
    values = apart.scores(recipe, contexts, embed=embed).values
    return [None if math.isnan(value) else value for value in values.tolist()]


def _tryout(project: Project, recipe: Recipe, contexts: Contexts, budget: Budget | None) -> Tryout:
    embed = embeddings.embedder(project, recipe, budget)
    scores = apart.scores(recipe, contexts, embed=embed)
    return Tryout(Result(**sent_items.result(scores, 0)), apart.explain(recipe, contexts, 0, embed=embed))
