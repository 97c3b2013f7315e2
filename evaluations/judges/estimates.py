"""What judges and embeddings would cost, estimated before anybody pays."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.db.models import Avg, Count, Q, Sum
from django.db.models.functions import Length

from evaluations import kinds
from evaluations.clients.tokens import Tokens
from evaluations.errors import Invalid
from evaluations.experiments import asked, experiments
from evaluations.kinds.judge import JudgingConfig
from evaluations.launches import launches, repeating
from evaluations.models import (
    Allowance,
    Dataset,
    Evaluator,
    EvaluatorVersion,
    Example,
    Experiment,
    Output,
    Project,
    Run,
    Verdict,
)
from evaluations.prompts import money, prices
from evaluations.scoring import coverage, paid_scores
from evaluations.scoring.paid_scores import CHARACTERS, Estimate

from . import judgings, opponents, paid, rubrics, verdicts
from .judgings import Asked

MOST_ESTIMATES = 5
CALLING = [*(key for key, kind in kinds.CATALOGUE.items() if kind.needs_connection), *kinds.JUDGES]
USUAL_OUTPUT = 1_000  # characters of an answer to judge, until there are some
USUAL_ANSWER = 60  # tokens of a reason and a verdict, until a judge has given some


def every(runs: Sequence[Run], versions: Iterable[EvaluatorVersion]) -> list[Estimate]:
    """One for each version that is paid: embeddings of a server, and judges."""
    judges, others = paid.apart(paid.among(versions))
    return [*paid_scores.estimates(runs, others), *(_of_judge(runs, version) for version in judges)]


def of_project(runs: Sequence[Run], project: Project, named: int | None = None) -> list[Estimate]:
    """`every` for the evaluators of a project that can be chosen: the one that is named, else the first of many."""
    asked = Evaluator.objects.live().filter(project=project, versions__kind__in=CALLING)
    if named:
        asked = asked.filter(pk=named)
    return every(runs, experiments.newest(asked.distinct()[:MOST_ESTIMATES]))


def _of_judge(runs: Sequence[Run], version: EvaluatorVersion) -> Estimate:
    """Calls, tokens and cost for the answers that a judge has not read."""
    config = kinds.get(version.kind, version.kind_version).parse(version.config)
    assert isinstance(config, JudgingConfig)
    is_pair = version.kind != kinds.JUDGES["judge"].key
    read = [run for run, _ in opponents.compared(runs, version)] if is_pair and runs else runs
    calls = characters = 0
    for run in read:
        answers, of_texts = _left(run, version)
        times = config.samples * (2 if is_pair else 1)
        calls += answers * times
        characters += (of_texts + answers * _rubric(config)) * times
    longest = calls * _usual_answer(version)
    tokens = Tokens(-(-characters // CHARACTERS), longest)
    return Estimate(version.evaluator, calls, tokens.input + tokens.output, _cost(version, tokens))


def of_plan(
    dataset: Dataset,
    experiment: Experiment | None,
    versions: Iterable[EvaluatorVersion],
    runs: int,
    size: int,
    answer: float | None = None,
) -> list[Estimate]:
    """One for each paid version and so many new runs of `size` examples: of a launch, or of a file with answers that
    have about `answer` characters.
    """
    judges, others = paid.apart(paid.among(versions))
    if not judges and not others:
        return []
    mean = _mean_lengths(dataset, answer)
    texts, characters = (runs + 1) * size, size * (runs * mean.answer + mean.reference)
    return [
        *(_of_plan(version, experiment, runs, size, sum(mean)) for version in judges),
        *(paid_scores.estimate(version, texts, round(characters)) for version in others),
    ]


def _of_plan(
    version: EvaluatorVersion, experiment: Experiment | None, runs: int, size: int, of_each: float
) -> Estimate:
    config = kinds.get(version.kind, version.kind_version).parse(version.config)
    assert isinstance(config, JudgingConfig)
    is_pair = version.kind != kinds.JUDGES["judge"].key
    has_baseline = experiment is not None and experiment.runs.filter(deleted_at=None).exists()
    read = runs if has_baseline or not is_pair else runs - 1
    calls = read * size * config.samples * (2 if is_pair else 1)
    tokens = Tokens(
        -(-round(calls * (of_each + _rubric(config))) // CHARACTERS), calls * _usual_answer(version)
    )
    return Estimate(version.evaluator, calls, tokens.input + tokens.output, _cost(version, tokens))


def of_repetitions(run: Run, number: int, *, every_variant: bool) -> list[Estimate]:
    """One for each evaluator that is paid for these repetitions (`launches.repeating.add`)."""
    repeated = [generation.run for generation in repeating.chosen(run, every_variant=every_variant)]
    size = coverage.count(run) or run.examples.count()
    called = paid.of(run.experiment)
    return of_plan(run.experiment.dataset, run.experiment, called, number * len(repeated), size)


def of_added(experiment: Experiment) -> list[Estimate]:
    """One for each evaluator that would be paid for examples of a newer dataset version (`launches.ask_added`)."""
    groups = asked.unasked(experiments.runs_of(experiment))
    runs = [(run, group.examples) for group in groups for run in group.runs if launches.can_ask(run)]
    named = Allowance.objects.filter(run__in=[run for run, _ in runs]).values_list("evaluator", flat=True)
    called = [v for v in paid.of(experiment) if v.evaluator_id in {*named}]
    return of_plan(experiment.dataset, experiment, called, 1, sum(examples for _, examples in runs))


class Lengths(NamedTuple):
    """Mean numbers of characters."""

    inputs: float
    reference: float
    answer: float


def _mean_lengths(dataset: Dataset, answer: float | None) -> Lengths:
    """About how long the texts of an example are, and its answer: as long as earlier answers to this dataset."""
    if answer is None:
        answers = Output.objects.filter(run__experiment__dataset=dataset, text__isnull=False)
        answer = answers.aggregate(mean=Avg(Length("text")))["mean"]
    examples = Example.objects.of_version(dataset.pk, dataset.version)
    shown = examples.aggregate(inputs=Avg(Length("inputs")), reference=Avg(Length("reference")))
    inputs, reference = float(shown["inputs"] or 0), float(shown["reference"] or 0)
    return Lengths(inputs, reference, USUAL_OUTPUT if answer is None else float(answer))


def _rubric(config: JudgingConfig) -> int:
    """The characters that every request has."""
    return len(rubrics.instruction(config)) + sum(len(message.content) for message in config.messages)


def _left(run: Run, version: EvaluatorVersion) -> tuple[int, int]:
    """The answers of a run that have no verdict yet, and about how many characters are sent with them."""
    answers = Output.objects.filter(run=run, text__isnull=False)
    figures = answers.aggregate(n=Count("position"), characters=Sum(Length("text")))
    if not figures["n"]:
        return 0, 0
    shown = run.examples.aggregate(
        n=Count("position"), characters=Sum(Length("inputs") + Length("reference"))
    )
    of_each = (figures["characters"] or 0) / figures["n"] + (shown["characters"] or 0) / max(shown["n"], 1)
    known = verdicts.of_run(run, version).filter(sample=1, swapped=False, state__in=verdicts.ANSWERED)
    left: int = max(0, figures["n"] - known.values("example").distinct().count())
    return left, round(left * of_each)


def _usual_answer(version: EvaluatorVersion) -> int:
    """The tokens of an answer of this judge so far."""
    given = Verdict.objects.filter(Q(version=version), state=Verdict.State.GIVEN, calls=1)
    mean = given.order_by("-pk").aggregate(mean=Avg("tokens_out"))["mean"]
    return USUAL_ANSWER if mean is None else round(mean)


def _cost(version: EvaluatorVersion, tokens: Tokens) -> float | None:
    try:
        return cost_of(judgings.asked_version(version), tokens)
    except Invalid:  # It has no connection yet.
        return None


def cost_of(judge: Asked, tokens: Tokens) -> float | None:
    """The cost of these tokens today, in the project's currency; None if the model has no price."""
    rates = prices.rates(judge.connection, judge.parsed.model, prices.today())
    return prices.cost(rates, tokens) / 10**money.COST_DECIMALS if rates else None
