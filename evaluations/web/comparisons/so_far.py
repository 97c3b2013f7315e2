"""What the answers of a launch that stopped say so far: the mean of each run, and the first answers side by side."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluations.evaluators.recipe import Recipe
from evaluations.launches import following, order
from evaluations.launches.following import Ranked
from evaluations.models import EvaluatorVersion, Launch, Run
from evaluations.results.rows import Row, Score, rows_of
from evaluations.scoring.causes import Cause
from evaluations.templatetags.scores import ShownScore

from ..runs import rows as run_rows

SHOWN = 10


@dataclass(frozen=True)
class Answer:
    """The output of one run for an example, and its score."""

    run: Run
    output: str
    score: ShownScore


@dataclass(frozen=True)
class AnsweredExample:
    row: Row
    input: str
    reference: str
    answers: list[Answer]


@dataclass(frozen=True)
class SoFar:
    """Early scores by run, all by the `version`; `rows` are examples that it scored for all of these runs."""

    version: EvaluatorVersion
    runs: list[Run]
    scores: dict[int, Ranked]
    rows: list[AnsweredExample]


def of_runs(runs: Sequence[Run]) -> SoFar | None:
    """Of the runs of the newest launch among those that stopped; None where nothing was scored as it arrived."""
    stopped = [run for run in runs if run.status in following.STOPPED]
    launch = Launch.objects.filter(generations__run__in=stopped).order_by("-pk").first() if stopped else None
    version = following.Follower(launch).version if launch else None
    if launch is None or version is None:
        return None
    of_launch = set(launch.generations.values_list("run", flat=True))
    scores = following.scores_of_many([run for run in stopped if run.pk in of_launch])
    scored = [run for run in stopped if run.pk in scores and scores[run.pk].n]
    return SoFar(version, scored, scores, _rows(launch, version, scored, scores)) if scored else None


def _rows(
    launch: Launch, version: EvaluatorVersion, runs: Sequence[Run], scores: dict[int, Ranked]
) -> list[AnsweredExample]:
    """The first examples, in the order of the dataset, that have a score in all runs."""
    ranks = min(len(scores[run.pk].causes) for run in runs)
    in_all = np.all([scores[run.pk].causes[:ranks] == Cause.SCORED for run in runs], axis=0)
    by_rank = order.positions(launch)[:ranks]
    rank_of = {int(by_rank[rank]): rank for rank in np.flatnonzero(in_all)}
    shown = sorted(rank_of)[:SHOWN]
    read = rows_of(runs, {run.pk: [] for run in runs}, shown)
    return [
        AnsweredExample(
            read[0][position],
            run_rows.brief("inputs", read[0][position].inputs),
            run_rows.brief("reference", read[0][position].reference),
            [
                Answer(
                    run,
                    run_rows.brief("output", rows[position].output),
                    _score(version, float(scores[run.pk].values[rank_of[position]])),
                )
                for run, rows in zip(runs, read, strict=True)
            ],
        )
        for position in shown
        if all(position in rows for rows in read)
    ]


def _score(version: EvaluatorVersion, value: float) -> ShownScore:
    passed = bool(value) if Recipe.from_version(version).share and value in (0, 1) else None
    return run_rows.shown_alone(Score(value, passed, "scored"), version)
