"""The columns that verdicts become: one record for each judged answer, written when a stretch of examples is done."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from django.db import transaction
from django.utils import timezone

from evaluations import kinds
from evaluations.commit_points import reached
from evaluations.kinds.judge import FIRST, SECOND, TIE, JudgingConfig, PairJudgeConfig, mean_of
from evaluations.models import EvaluatorVersion, Job, Judging, OutputCopy, Run, Scoring, Verdict
from evaluations.scoring import columns, deciding, records
from evaluations.scoring import rows as rows_of_runs
from evaluations.scoring.records import NO_VERDICT, Kept

from . import sources, verdicts

DEPENDS = "depends on the order"
SAME = "Both answers are the same."
ITSELF = "The other variant of the pairs: its own score is ½."
LONGEST_NOTE = 4_000
GIVEN, NONE = Verdict.State.GIVEN, Verdict.State.NONE


def publish(judging: Judging, positions: Sequence[int]) -> bool:
    """Write what is known of these examples into the column; False if somebody else writes it now."""
    version = judging.version
    if version is None or judging.purpose != Judging.Purpose.SCORES:
        return True
    for start in range(0, len(positions), columns.CHUNK):
        part = positions[start : start + columns.CHUNK]
        with transaction.atomic():
            runs = [judging.run, *filter(None, [judging.against])]
            if _is_busy(version, runs):
                return False
            deciding.lock(runs)
            list(Run.objects.select_for_update().filter(pk__in=[run.pk for run in runs]).order_by("pk"))
            _write(judging, version, part)
        reached("verdicts_published")
    return True


def _is_busy(version: EvaluatorVersion, runs: Sequence[Run]) -> bool:
    building = Scoring.objects.filter(run__in=runs, evaluator_version=version, job__state=Job.State.OPEN)
    copying = OutputCopy.objects.filter(experiment__in={run.experiment_id for run in runs})
    return building.exists() or copying.exists()


def _write(judging: Judging, version: EvaluatorVersion, positions: Sequence[int]) -> None:
    config = kinds.get(version.kind, version.kind_version).parse(version.config)
    assert isinstance(config, JudgingConfig)
    now = records.answered(judging.run, positions)
    said = _said(judging.run, version, now)
    kept = {position: score for position in now if (score := _score(config, said.get(position, [])))}
    if isinstance(config, PairJudgeConfig) and judging.against is not None:
        kept |= _without_a_call(judging, judging.against, positions)
        _write_other(judging.against, version, positions)
    records.keep(judging.run, version, [*kept], [*kept.values()], only_changes=True)


def _said(
    run: Run, version: EvaluatorVersion, now: Mapping[int, records.Answered]
) -> dict[int, list[Verdict]]:
    """By position, the verdicts on its present answer; of each question, one that is answered before a failed one."""
    position_of = {example: position for position, (example, _) in now.items()}
    stored = verdicts.of_run(run, version).filter(example__one_of=list(position_of)).order_by("-pk")
    by_position: dict[int, dict[tuple[int, bool], Verdict]] = defaultdict(dict)
    for verdict in stored.defer("text", "key"):
        position = position_of[verdict.example]
        if verdict.answer != now[position].answer:
            continue
        question = (verdict.sample, verdict.swapped)
        before = by_position[position].get(question)
        if before is None or (before.state == Verdict.State.FAILED and verdict.state != Verdict.State.FAILED):
            by_position[position][question] = verdict
    return {position: list(of_one.values()) for position, of_one in by_position.items()}


def _score(config: JudgingConfig, said: Sequence[Verdict]) -> Kept | None:
    """The score of an answer from its samples; None while some of them are missing."""
    counting = [verdict for verdict in said if verdict.sample <= config.samples]
    orders = 2 if isinstance(config, PairJudgeConfig) else 1
    if len(counting) < orders * config.samples:
        return None
    counting.sort(key=lambda verdict: (verdict.sample, verdict.swapped))
    by = next((verdict.model for verdict in counting if verdict.model), None) or None
    scores = _pairs(counting) if orders == 2 else _singles(counting)
    if not scores:
        return Kept(None, None, _why_none(counting), _note(counting), by)
    labels = {label for _, label, _ in scores}
    note = "; ".join(dict.fromkeys(text for *_, text in scores if text))
    return Kept(
        mean_of([value for value, *_ in scores]),
        labels.pop() if len(labels) == 1 else None,
        None,
        note[:LONGEST_NOTE] or None,
        by,
    )


Scored = tuple[float, str, str]  # value, label, reason


def _singles(counting: Sequence[Verdict]) -> list[Scored]:
    return [
        (verdict.value, verdict.label or "", verdict.reason)
        for verdict in counting
        if verdict.value is not None
    ]


def _pairs(counting: Sequence[Verdict]) -> list[Scored]:
    """Of each sample with a verdict in both orders: the same winner twice, or a tie."""
    scores: list[Scored] = []
    by_sample: dict[int, list[Verdict]] = defaultdict(list)
    for verdict in counting:
        by_sample[verdict.sample].append(verdict)
    for both in by_sample.values():
        if any(verdict.state != GIVEN for verdict in both):
            continue
        first, swapped = winner(both[0]), winner(both[1])
        if first == swapped:
            scores.append(({FIRST: 1.0, SECOND: 0.0, TIE: 0.5}[first], first, both[0].reason))
        else:
            scores.append((0.5, TIE, f"{DEPENDS}: {both[0].reason} / {both[1].reason}"))
    return scores


def winner(verdict: Verdict) -> str:
    """Who wins a pair, as if it had not been swapped."""
    label = verdict.label or TIE
    return {FIRST: SECOND, SECOND: FIRST}.get(label, label) if verdict.swapped else label


def _why_none(counting: Sequence[Verdict]) -> str:
    """Why there is no score: the judge answered without a verdict, or its calls failed."""
    without = next((verdict for verdict in counting if verdict.state == NONE), None)
    if without is not None:
        return f"{NO_VERDICT}{without.problem.partition(': ')[2] or without.problem}"
    return next((verdict.problem for verdict in counting if verdict.problem), "failed: The calls failed.")


def _note(counting: Sequence[Verdict]) -> str | None:
    return next((verdict.reason for verdict in counting if verdict.reason), None)


# ---- pairs -------------------------------------------------------------------------------------------------------


def _without_a_call(judging: Judging, against: Run, positions: Sequence[int]) -> dict[int, Kept]:
    """Pairs that need no judge: equal answers are a tie, and an answer wins against none."""
    own, other = (
        rows_of_runs.outputs(run, positions, position__in=list(positions)) for run in (judging.run, against)
    )
    kept: dict[int, Kept] = {}
    for position, texts in zip(positions, zip(own, other, strict=True), strict=True):
        if texts[0] is None:
            continue
        if texts[1] is None:
            kept[position] = Kept(1.0, FIRST, None, "The other variant has no answer.", None)
        elif sources.is_same(texts):
            kept[position] = Kept(0.5, TIE, None, SAME, None)
    return kept


def _write_other(against: Run, version: EvaluatorVersion, positions: Sequence[int]) -> None:
    """The column of the other variant: ½ for each of its answers."""
    answered = [
        position
        for position, (_, answer) in records.answered(against, positions).items()
        if answer is not None
    ]
    half = Kept(0.5, TIE, None, ITSELF, None)
    records.keep(against, version, answered, [half] * len(answered), only_changes=True)


# ---- what could not be written at once -----------------------------------------------------------------------------


def put_off(judging: Judging) -> None:
    """Let the next sweep write the column."""
    Judging.objects.filter(pk=judging.pk, behind_since=None).update(behind_since=timezone.now())


def catch_up(judging: Judging) -> None:
    """Write the column of a judging that was put off; safe at any time."""
    if publish(judging, judging.positions or sources.asked_positions(judging.run)):
        Judging.objects.filter(pk=judging.pk).update(behind_since=None)
