"""Explores thresholds of an evaluator: pass rates and agreement at each, for all variants, without scoring again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from evaluations.errors import Invalid
from evaluations.evaluators.recipe import Recipe
from evaluations.experiments import experiments
from evaluations.labelling import seal
from evaluations.models import Example, Run, Scoring
from evaluations.process_cache import remembered
from evaluations.results.shown import scorings_by_run
from evaluations.scoring import column_cache, coverage
from evaluations.scoring.columns import Slots
from evaluations.statistics import thresholds
from evaluations.statistics.histogram import ends
from evaluations.statistics.thresholds import Agreement, Operator, Sweep
from evaluations.values import JSON

# verdicts in the words that people use
WORDS = {"true": 1, "yes": 1, "pass": 1, "1": 1, "false": 0, "no": 0, "fail": 0, "0": 0}
LOOKED_AT = 200


@dataclass(frozen=True)
class Line:
    """The pass rates of one variant's run."""

    run: Run
    sweep: Sweep


@dataclass(frozen=True)
class Source:
    """A source of verdicts: `key` is "metadata:COLUMN" or "evaluator:ID"."""

    key: str
    title: str


@dataclass(frozen=True)
class Exploration:
    """One evaluator of a run at 101 thresholds from lowest to highest score.

    `pass_mark` is the evaluator's present threshold. `agreement` compares each threshold with the verdicts of `source`,
    on the examples of this run whose scores are not sealed; None without a source.
    """

    run: Run
    scoring: Scoring
    scorings: Sequence[Scoring]
    comparison: Operator
    pass_mark: float | None
    lines: list[Line]
    sources: list[Source]
    source: Source | None
    agreement: Agreement | None

    @property
    def thresholds(self) -> tuple[float, ...]:
        return self.lines[0].sweep.thresholds

    def nearest(self, threshold: float | None) -> int:
        """The index of the threshold nearest to this one; for None, nearest to the pass mark.

        Without a pass mark it is the threshold that tells the variants apart best, or that about half of the scores
        of a single variant pass.
        """
        target = self.pass_mark if threshold is None else threshold
        if target is None:
            return self._telling
        return int(np.argmin(np.abs(np.array(self.thresholds) - target)))

    @property
    def _telling(self) -> int:
        scored = [line.sweep.pass_rates for line in self.lines if line.sweep.n]
        if not scored:
            return len(self.thresholds) // 2
        rates = np.array(scored, np.float64)
        apart = np.ptp(rates, axis=0)
        return int(np.argmax(apart) if apart.any() else np.argmin(np.abs(rates[0] - 0.5)))


def explore(run: Run, evaluator: str = "", verdict: str = "") -> Exploration:
    """Explore an evaluator (id or name; by default the first), beside the verdicts of a source if one is named."""
    other_runs = [shown_run for shown_run in experiments.shown_runs(run.experiment) if shown_run.pk != run.pk]
    by_run = scorings_by_run([run, *other_runs])
    scoring = _chosen(by_run[run.pk], evaluator)
    same = _by_same_version([run, *other_runs], by_run, scoring)
    sources = _sources(run, [candidate for candidate in by_run[run.pk] if candidate != scoring])
    source = _source(sources, verdict)
    judge = _judging(by_run[run.pk], source)
    positions = coverage.positions(run)
    slots, readable = column_cache.load(same.values(), positions), seal.load([scoring, *judge], positions)
    recipe = Recipe.from_version(scoring.evaluator_version)
    comparison = _comparison(recipe)
    limits = _limits(recipe, [slots[same_scoring.pk] for same_scoring in same.values()])
    values = readable[scoring.pk].values
    verdicts = readable[judge[0].pk].passed if judge else _verdicts(run, source) if source else None
    return Exploration(
        run=run,
        scoring=scoring,
        scorings=by_run[run.pk],
        comparison=comparison,
        pass_mark=recipe.threshold,
        lines=[
            Line(shown_run, thresholds.sweep(slots[same_scoring.pk].values, comparison, *limits))
            for shown_run, same_scoring in same.items()
        ],
        sources=sources,
        source=source,
        agreement=None if verdicts is None else thresholds.agreement(values, verdicts, comparison, *limits),
    )


def _by_same_version(
    runs: Sequence[Run], by_run: Mapping[int, Sequence[Scoring]], scoring: Scoring
) -> dict[Run, Scoring]:
    """For each run, the scoring by the evaluator version of `scoring`."""
    return {
        run: candidate
        for run in runs
        for candidate in by_run[run.pk]
        if candidate.evaluator_version_id == scoring.evaluator_version_id
    }


def as_dict(explored: Exploration) -> dict[str, Any]:
    """The exploration as JSON of the API."""
    return {
        "evaluator": explored.scoring.evaluator_version,
        "comparison": explored.comparison,
        "pass_mark": explored.pass_mark,
        "thresholds": explored.thresholds,
        "runs": [
            {
                "run": line.run.pk,
                "variant": line.run.variant,
                "n": line.sweep.n,
                "pass_rates": line.sweep.pass_rates,
            }
            for line in explored.lines
        ],
        "verdicts": [vars(source) for source in explored.sources],
        "agreement": _agreement(explored),
    }


def _agreement(explored: Exploration) -> dict[str, Any] | None:
    if explored.agreement is None or explored.source is None:
        return None
    names = ("n", "precision", "recall", "kappa", "best", "interval")
    return {"verdict": explored.source.key} | {name: getattr(explored.agreement, name) for name in names}


def _chosen(scorings: Sequence[Scoring], id_or_name: str) -> Scoring:
    if not id_or_name and scorings:
        return scorings[0]
    for scoring in scorings:
        evaluator = scoring.evaluator_version.evaluator
        if id_or_name in (str(evaluator.pk), evaluator.name):
            return scoring
    message = (
        f"The run has no scores by “{id_or_name[:200]}”." if id_or_name else "The run has no scores yet."
    )
    raise Invalid("unknown_evaluator", message, fields={"evaluator": [message]})


def _comparison(recipe: Recipe) -> Operator:
    """How a score passes: by the comparison of the config, else by the kind's direction."""
    config = recipe.parsed
    return config.pass_comparison or ("<=" if recipe.direction == "minimize" else ">=")


def _limits(recipe: Recipe, shown: Sequence[Slots]) -> tuple[float, float]:
    """The lowest and highest possible score; if unbounded, the lowest and highest stored score."""
    scores = np.concatenate([slots.values[np.isfinite(slots.values)] for slots in shown] or [np.empty(0)])
    return ends(recipe.bounds, scores)


# ---- verdicts ----------------------------------------------------------------------------------------------


def _sources(run: Run, scorings: Sequence[Scoring]) -> list[Source]:
    """Metadata columns with only verdicts in the first examples, then evaluators that give verdicts."""
    verdicts_of: dict[str, set[int]] = {}
    for text in run.examples.order_by("position").values_list("metadata", flat=True)[:LOOKED_AT]:
        for name, value in orjson.loads(text).items():
            if value is not None and value != "":
                verdicts_of.setdefault(name, set()).add(verdict_of(value))
    judging = [scoring for scoring in scorings if scoring.summary and scoring.summary["n_judged"]]
    evaluators = [scoring.evaluator_version.evaluator for scoring in judging]
    return [
        *(Source(f"metadata:{name}", name) for name, verdicts in verdicts_of.items() if -1 not in verdicts),
        *(Source(f"evaluator:{evaluator.pk}", evaluator.name) for evaluator in evaluators),
    ]


def _source(sources: Sequence[Source], key: str) -> Source | None:
    if not key:
        return None
    for source in sources:
        if source.key == key:
            return source
    message = f"There are no verdicts in “{key[:200]}”."
    raise Invalid("unknown_verdict", message, fields={"verdict": [message]})


def _judging(scorings: Sequence[Scoring], source: Source | None) -> list[Scoring]:
    """The scoring with the verdicts, as a list of one, if the source is an evaluator; else an empty list."""
    key = source.key if source else ""
    return [scoring for scoring in scorings if key == f"evaluator:{scoring.evaluator_version.evaluator_id}"]


def _verdicts(run: Run, source: Source) -> NDArray[np.int8]:
    """The verdicts of a metadata column by slot: 1, 0 or -1."""
    dataset, version = run.experiment.dataset, run.experiment.dataset_version
    return _stored_verdicts(dataset.pk, dataset.created_at, version, source.key.removeprefix("metadata:"))


@remembered("verdicts of versions", 16)
def _stored_verdicts(dataset_id: int, created_at: datetime, version: int, name: str) -> NDArray[np.int8]:
    """The verdicts of a version; cached by process, because every row is parsed and versions never change."""
    rows = Example.objects.of_version(dataset_id, version).order_by("position")
    texts = rows.values_list("metadata", flat=True).iterator(5_000)
    return np.fromiter((verdict_of(orjson.loads(text).get(name)) for text in texts), np.int8)


def verdict_of(value: JSON) -> int:
    """1 for yes, 0 for no, -1 for anything else.

    >>> [verdict_of(value) for value in (True, "No", 1.0, " pass ", "maybe", None, 2)]
    [1, 0, 1, 1, -1, -1, -1]
    """
    if isinstance(value, str):
        return WORDS.get(value.strip().lower(), -1)
    return int(value) if isinstance(value, bool | int | float) and value in (0, 1) else -1
