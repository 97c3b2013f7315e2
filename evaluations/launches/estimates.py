"""Estimates the calls, tokens, cost and minutes of a launch, each as a range.

A variant with answers for this dataset is estimated by the means of up to 200, with their 95 % interval; with fewer
than five, by those that it gave on the bench. Other variants are bounded by the bytes of sample requests: a token has
at least one byte, and an answer at most the tokens that the version allows. No server is called.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from django.conf import settings
from numpy.typing import NDArray

from evaluations.clients.tokens import Tokens
from evaluations.datasets import datasets
from evaluations.errors import Refusal
from evaluations.experiments import asked
from evaluations.experiments.experiments import runs_of
from evaluations.models import (
    Answer,
    Connection,
    Dataset,
    Example,
    Experiment,
    Generation,
    Launch,
    Output,
    Project,
    Run,
    Trial,
    TrialAnswer,
)
from evaluations.prompts import ledger, prices, rendering
from evaluations.prompts.content import Content
from evaluations.prompts.prices import Rates
from evaluations.scoring import coverage
from evaluations.statistics.intervals import mean_interval
from evaluations.values import stored_json

from . import detection, launches, order, plans, repeating
from .detection import Detection
from .plans import PILOT, Variant

MOST_ANSWERS = 200
FEWEST_ANSWERS = 5  # answers from which the estimate is better than one by bytes
MOST_TRIALS, FEWEST_TRIED = 20, 2  # trials of a prompt that are looked at; answers of them that have a spread
LONGEST_TOKEN = 6.0  # most bytes that a token has on average


@dataclass(frozen=True)
class Range:
    low: float
    high: float

    def __add__(self, other: "Range") -> "Range":
        return Range(self.low + other.low, self.high + other.high)

    def times(self, factor: float) -> "Range":
        return Range(self.low * factor, self.high * factor)


@dataclass(frozen=True)
class Pending:
    """A variant, the number of its remaining calls, and the number of its repetitions."""

    variant: Variant
    connection: Connection
    calls: int
    repetitions: int = 1


@dataclass(frozen=True)
class Estimate:
    """Ranges are None if unknown. `answers` is the number of answers behind the estimate, 0 if only requests were
    measured; `pilot` is the estimate of a pilot.

    `cost` is in millionths of millionths of the currency.
    """

    calls: Range
    tokens_in: Range
    tokens_out: Range | None
    cost: Range | None
    minutes: Range | None
    answers: int
    pilot: "Estimate | None" = None
    detects: Detection | None = None


def paid_by(estimate: Estimate, limit: int | None, max_calls: int | None) -> Range | None:
    """How many of the estimated calls the limits pay for; None if for all, or if nobody knows."""
    calls, cost = estimate.calls, estimate.cost
    fewest = most = calls.high if max_calls is None else float(max_calls)
    if limit is not None and cost and cost.high:
        fewest = min(fewest, int(limit * calls.high / cost.high))
        most = min(most, int(limit * calls.high / cost.low) if cost.low else calls.high)
    return None if fewest >= calls.low else Range(fewest, max(fewest, min(most, calls.high)))


class EarlierAnswers(NamedTuple):
    """Tokens, attempts and seconds of earlier answers, one array entry for each."""

    tokens_in: NDArray[np.float64]
    tokens_out: NDArray[np.float64]
    attempts: NDArray[np.float64]
    seconds: NDArray[np.float64]


NO_EARLIER_ANSWERS = EarlierAnswers(*[np.empty(0)] * 4)


def of_launch(launch: Launch) -> Estimate:
    """The estimate of the rest of a launch."""
    live = launch.generations.filter(run__deleted_at=None)
    generations = live.select_related("run", "connection", "prompt_version__prompt")
    done = order.answered_of(launch)
    pending = [
        Pending(_variant_of(generation), generation.connection, launch.size - done.get(generation.run_id, 0))
        for generation in generations
        if generation.prompt_version and generation.connection
    ]
    estimate = in_all(launch.experiment.dataset, launch.experiment.dataset_version, pending)
    return replace(estimate, detects=detection.of_launch(launch))


def of_added(experiment: Experiment) -> Estimate:
    """The estimate of asking the examples that a newer dataset version added (`launches.ask_added`)."""
    pending = [
        Pending(_variant_of(run.generation), run.generation.connection, group.examples)
        for group in asked.unasked(runs_of(experiment))
        for run in group.runs
        if launches.can_ask(run) and run.generation.connection and run.generation.prompt_version
    ]
    return in_all(experiment.dataset, experiment.dataset_version, pending)


def of_repetitions(run: Run, number: int, *, every_variant: bool = False) -> Estimate:
    """The estimate of answering the examples of a run again, or of all variants of its launch (`repeating.add`)."""
    pending = [
        Pending(_variant_of(generation), generation.connection, _asked(generation.run) * number, number)
        for generation in repeating.chosen(run, every_variant=every_variant)
        if generation.connection is not None
    ]
    return in_all(run.experiment.dataset, run.experiment.dataset_version, pending)


def _asked(run: Run) -> int:
    """The number of examples that a run was asked."""
    return coverage.count(run) or run.examples.count()


def _variant_of(generation: Generation) -> Variant:
    assert generation.prompt_version is not None
    return Variant(generation.prompt_version, model=generation.model, parameters=generation.parameters)


def of_plan(
    project: Project,
    dataset: Dataset,
    version: int,
    variants: Sequence[Variant],
    size: int,
    repetitions: int,
) -> Estimate | None:
    """The estimate for variants on this number of examples; None if one has no connection."""
    connections = [plans.connection_of(project, variant) for variant in variants]
    pending = [
        Pending(variant, connection, size * repetitions, repetitions)
        for variant, connection in zip(variants, connections, strict=True)
        if connection
    ]
    return in_all(dataset, version, pending) if len(pending) == len(variants) else None


def in_all(dataset: Dataset, version: int, pending: Sequence[Pending]) -> Estimate:
    """The sum over all variants; connections work in parallel."""
    whole = _summed(dataset, version, pending)
    if whole.answers:
        return whole
    first = [
        replace(question, calls=min(question.calls, PILOT * question.repetitions)) for question in pending
    ]
    return replace(whole, pilot=_summed(dataset, version, first))


def _summed(dataset: Dataset, version: int, pending: Sequence[Pending]) -> Estimate:
    examples = _sample(dataset, version)
    shares = [_Share(question, dataset, examples) for question in pending]
    minutes: dict[int, Range | None] = {}
    for share in shares:
        connection_minutes = minutes.get(share.pending.connection.pk, Range(0, 0))
        minutes[share.pending.connection.pk] = _sum([connection_minutes, share.minutes])
    longest = list(minutes.values())
    return Estimate(
        calls=_sum(share.calls for share in shares) or Range(0, 0),
        tokens_in=_sum(share.tokens_in for share in shares) or Range(0, 0),
        tokens_out=_sum(share.tokens_out for share in shares),
        cost=_sum(share.cost for share in shares),
        minutes=_longest(longest),
        answers=min((share.answers for share in shares), default=0),
    )


def _sum(ranges: Iterable[Range | None]) -> Range | None:
    total = Range(0, 0)
    for figure in ranges:
        if figure is None:
            return None
        total += figure
    return total


def _longest(ranges: Sequence[Range | None]) -> Range | None:
    estimated = [figure for figure in ranges if figure is not None]
    if len(estimated) < len(ranges):
        return None
    return Range(
        max((figure.low for figure in estimated), default=0),
        max((figure.high for figure in estimated), default=0),
    )


def _sample(dataset: Dataset, version: int) -> list[Example]:
    """A few examples whose requests are measured."""
    positions = datasets.sample(dataset, version, PILOT, seed=1)
    return list(Example.objects.of_version(dataset.pk, version).filter(position__in=positions))


class _Share:
    """The estimate of one variant."""

    def __init__(self, pending: Pending, dataset: Dataset, examples: Sequence[Example]):
        self.pending, self.content = pending, pending.variant.content
        self._spent = spent(pending, dataset)
        self.answers = len(self._spent.tokens_in)
        self.calls = (
            self._of_calls(self._spent.attempts) if self.answers else Range(pending.calls, pending.calls)
        )
        self._sizes = None if self.answers else list(_sizes(self.content, dataset, examples))

    def _of_calls(self, values: NDArray[np.float64]) -> Range:
        """The sum over all calls, estimated by the mean of earlier ones."""
        if not len(values):
            return Range(0, 0)
        mean, sd, n = float(values.mean()), float(values.std(ddof=1)), len(values)
        # The coming calls vary around their own mean as well.
        spread = sd * (1 + n / max(self.pending.calls, 1)) ** 0.5
        low, high = mean_interval(n, mean, spread) or (mean, mean)
        return Range(max(0.0, low), high).times(self.pending.calls)

    @property
    def tokens_in(self) -> Range:
        if self._sizes is None:
            return self._of_calls(self._spent.tokens_in)
        sizes = self._sizes or [0]
        return Range(min(sizes) / LONGEST_TOKEN, max(sizes)).times(self.pending.calls)

    @property
    def tokens_out(self) -> Range | None:
        if self._sizes is None:
            return self._of_calls(self._spent.tokens_out)
        maximum = ledger.longest_answer(self.content.parameters)
        return None if maximum is None else Range(self.pending.calls, maximum * self.pending.calls)

    @property
    def cost(self) -> Range | None:
        rates = prices.rates(self.pending.connection, self.content.model, prices.today())
        if rates is None:
            return None
        if self._sizes is None:
            return self._of_calls(_costs(rates, self._spent))
        if self.tokens_out is None:
            return None
        return self.tokens_in.times(rates.input) + self.tokens_out.times(rates.output)

    @property
    def minutes(self) -> Range | None:
        """The duration, from the calls that a worker makes at once and the connection accepts."""
        if not len(self._spent.seconds):
            return None
        total, maximum = self._of_calls(self._spent.seconds), settings.EVALSITE_IN_FLIGHT
        learnt = min(max(1.0, self.pending.connection.in_flight), maximum)
        return Range(total.low / maximum / 60, total.high / learnt / 60)


def _costs(rates: Rates, answers: EarlierAnswers) -> NDArray[np.float64]:
    pairs = zip(answers.tokens_in, answers.tokens_out, strict=True)
    return np.array([prices.cost(rates, Tokens(int(read), int(written))) for read, written in pairs], float)


def _sizes(content: Content, dataset: Dataset, examples: Sequence[Example]) -> Iterator[int]:
    """The sizes in bytes of the requests for these examples, without those that cannot be asked."""
    try:
        parts_used = rendering.paths_of(content.messages, dataset.columns, dataset.name)
    except Refusal:
        return
    for example in examples:
        try:
            messages = rendering.of_example(content.messages, parts_used, example)
        except Refusal:
            continue
        yield len(stored_json(content.body(messages)).encode())


# ---- earlier answers -----------------------------------------------------------------------------------------


def spent(pending: Pending, dataset: Dataset) -> EarlierAnswers:
    """Tokens, attempts and seconds of the variant's earlier answers on this dataset; empty if there are too few."""
    runs = [generation.run_id for generation in generations_of(pending, dataset)]
    answers = Answer.objects.filter(
        run__in=runs, attempts__gt=0, tokens_in__isnull=False, tokens_out__isnull=False
    )
    fields = ("run_id", "position", "tokens_in", "tokens_out", "attempts")
    rows = list(answers.order_by("-run_id").values_list(*fields)[:MOST_ANSWERS])
    if len(rows) < FEWEST_ANSWERS:
        return tried(pending, dataset)
    _, positions, *columns = zip(*rows, strict=True)
    timed = Output.objects.filter(run__in=runs, position__in=positions, latency_ms__isnull=False)
    times = timed.values_list("latency_ms", flat=True)
    seconds = np.array([ms / 1000 for ms in times if ms is not None], np.float64)
    tokens_in, tokens_out, attempts = (np.array(column, np.float64) for column in columns)
    return EarlierAnswers(
        tokens_in, tokens_out, attempts, seconds if len(seconds) >= FEWEST_ANSWERS else np.empty(0)
    )


def tried(pending: Pending, dataset: Dataset) -> EarlierAnswers:
    """Tokens, attempts and seconds of the variant's answers on the bench of its prompt; empty if there are too few.

    Of several answers to one example the newest counts.
    """
    trials = Trial.objects.filter(prompt=pending.variant.version.prompt_id, dataset=dataset)
    asked_as = {
        (trial.pk, place): {place_of: row["position"] for place_of, row in enumerate(trial.examples)}
        for trial in trials.order_by("-pk")[:MOST_TRIALS]
        for place, variant in enumerate(trial.variants)
        if _is_asked(variant, pending)
    }
    answers = TrialAnswer.objects.filter(
        trial__in={pk for pk, _ in asked_as},
        text__isnull=False,
        tokens_in__isnull=False,
        tokens_out__isnull=False,
    )
    newest: dict[int, TrialAnswer] = {}
    for answer in answers.order_by("-trial"):
        if positions := asked_as.get((answer.trial_id, answer.variant)):
            newest.setdefault(positions[answer.example], answer)
    found = list(newest.values())
    if len(found) < FEWEST_TRIED:
        return NO_EARLIER_ANSWERS
    times = [answer.latency_ms / 1000 for answer in found if answer.latency_ms is not None]
    return EarlierAnswers(
        np.array([answer.tokens_in for answer in found], np.float64),
        np.array([answer.tokens_out for answer in found], np.float64),
        np.ones(len(found)),
        np.array(times if len(times) >= FEWEST_TRIED else [], np.float64),
    )


def _is_asked(variant: dict[str, Any], pending: Pending) -> bool:
    """Whether a variant of a trial sent the same requests, perhaps without a limit of the answer's length."""
    content = pending.variant.content
    unlimited = {name: value for name, value in content.parameters.items() if name != "max_completion_tokens"}
    return (
        variant["connection"] == pending.connection.pk
        and variant["model"] == content.model
        and (variant["schema"], variant["tools"]) == (content.schema, content.tools)
        and stored_json(variant["messages"]) == stored_json(content.messages)
        and stored_json(variant["parameters"]) in (stored_json(content.parameters), stored_json(unlimited))
    )


def generations_of(pending: Pending, dataset: Dataset) -> list[Generation]:
    """Earlier generations with equal requests on this dataset, newest first."""
    content = pending.variant.content
    same = Generation.objects.filter(
        prompt_version=pending.variant.version,
        connection=pending.connection,
        model=content.model,
        run__experiment__dataset=dataset,
        run__deleted_at=None,
    ).order_by("-run_id")
    stored_parameters = json.dumps(content.parameters, sort_keys=True)
    return [run for run in same[:20] if json.dumps(run.parameters, sort_keys=True) == stored_parameters]
