"""A judge whose answers are stored as if a server had given them: a column of records, and a verdict for each."""

import numpy as np

from evaluations.evaluators import evaluators
from evaluations.models import Budget, EvaluatorVersion, Judging, Verdict
from evaluations.scoring import records
from evaluations.scoring.records import Kept
from tests.people import Stock

CONFIG = {
    "messages": [{"role": "user", "content": "Is {{ output }} good?"}],
    "model": "tiny",
    "parameters": {"temperature": 0, "max_completion_tokens": 50},
}


def judge(
    project, stock: Stock, name: str = "model judge", verdicts: np.ndarray | None = None
) -> EvaluatorVersion:
    """A judge that said the stock's verdicts about all answers, with the reason "because of N"."""
    evaluator = evaluators.create(project, None, name, "judge", CONFIG, {})
    version = evaluator.versions.select_related("evaluator__project").get()
    for run, row in zip(stock.runs, stock.verdicts if verdicts is None else verdicts, strict=True):
        _say(run, version, row)
    return version


def _say(run, version, row) -> None:
    positions = [*range(1, len(row) + 1)]
    now = records.answered(run, positions)
    judging = Judging.objects.create(
        project=run.project,
        run=run,
        version=version,
        kind="judge",
        config=version.config,
        budget=Budget.objects.create(project=run.project, max_calls=len(row)),
        size=len(row),
        status=Judging.Status.COMPLETED,
    )
    words = ["pass" if value else "fail" for value in row]
    Verdict.objects.bulk_create(
        Verdict(
            judging=judging,
            run=run,
            version=version,
            example=now[position].example,
            answer=now[position].answer,
            sample=1,
            key=b"",
            state=Verdict.State.GIVEN,
            label=word,
            value=float(value),
            reason=f"because of {position}",
            model="tiny-1",
        )
        for position, word, value in zip(positions, words, row, strict=True)
    )
    kept = [
        Kept(float(value), word, None, f"because of {position}", "tiny-1")
        for position, word, value in zip(positions, words, row, strict=True)
    ]
    records.keep(run, version, positions, kept)
