"""What is known of a judge without any person: whether it repeats itself, can be talked round, or likes an order.

These are counts for its passport; intervals are computed where they are shown.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.db.models import F
from django.db.models.functions import Length

from evaluations.kinds.judge import FIRST, SECOND, JudgeConfig, judge
from evaluations.models import EvaluatorVersion, Example, JudgeModel, Judging, Opening, Output, Run, Verdict
from evaluations.statistics.people.twice import share_interval
from evaluations.statistics.terms import Interval

from . import attacks
from . import drift as drifts
from .attacks import Tally
from .drift import Drift
from .verdicts import ANSWERED

GIVEN = Verdict.State.GIVEN


@dataclass(frozen=True)
class Repeatability:
    """Of `asked` answers that a `model` judged more than once, `changed` got more than one verdict; `samples` in all.

    It is the name in the newest of these: verdicts of another model do not say how this one repeats itself.
    """

    asked: int
    changed: int
    samples: int
    model: str = ""


@dataclass(frozen=True)
class Order:
    """Of `pairs` judged in both orders, `agreed` had the same winner twice; `first` of `wins` went to the first."""

    pairs: int
    agreed: int
    first: int
    wins: int

    @property
    def share(self) -> float | None:
        """How often the answer that was shown first wins: a half without a liking for an order."""
        return self.first / self.wins if self.wins else None

    @property
    def interval(self) -> Interval:
        return share_interval(self.first, self.wins)

    @property
    def is_biased(self) -> bool:
        """Whether it clearly likes one order."""
        return not self.interval[0] <= 0.5 <= self.interval[1]


@dataclass(frozen=True)
class Known:
    """What was tried on a judge. `models` are the names in its answers, the oldest first.

    `changed` is the newest of them, if it came after the sealed labels of people were opened for this judge.
    """

    version: EvaluatorVersion
    models: list[JudgeModel]
    repeats: Repeatability
    order: Order
    attacks: Tally | None
    drift: Drift | None
    changed: JudgeModel | None


@dataclass(frozen=True)
class Judged:
    """One verdict with the lengths that may have swayed it, in characters; `position` is that of its example."""

    run: int
    example: int
    value: float
    output_length: int


def known(version: EvaluatorVersion) -> Known:
    """What is known of a judge without any person, and whether it has changed since people measured it."""
    models = list(version.judge_models.all())
    opened = (
        Opening.objects.filter(version=version).order_by("-pk").values_list("opened_at", flat=True).first()
    )
    is_changed = len(models) > 1 and opened is not None and models[-1].created_at > opened
    return Known(
        version=version,
        models=models,
        repeats=repeatability(version),
        order=order(version),
        attacks=attacked(version),
        drift=drifts.newest(version),
        changed=models[-1] if is_changed else None,
    )


def repeatability(version: EvaluatorVersion) -> Repeatability:
    """How often the verdict of one model on one answer changes when it is asked again."""
    given = Verdict.objects.filter(version=version, attack=0, swapped=False, state=GIVEN)
    again = given.filter(sample__gt=1).values("run", "example", "answer").distinct()
    by_model: dict[str, dict[tuple[int, int, int], list[str | None]]] = defaultdict(lambda: defaultdict(list))
    repeated = {(row["run"], row["example"], row["answer"]) for row in again}
    rows = given.filter(run__in={run for run, _, _ in repeated}).order_by("pk")
    seen: set[tuple[int, int, int, int]] = set()
    newest = ""
    for run, example, answer, sample, label, model in rows.values_list(
        "run", "example", "answer", "sample", "label", "model"
    ):
        if (run, example, answer) in repeated and (run, example, answer, sample) not in seen:
            seen.add((run, example, answer, sample))
            by_model[model][run, example, answer].append(label)
            if len(by_model[model][run, example, answer]) > 1:
                newest = model
    several = [labels for labels in by_model[newest].values() if len(labels) > 1]
    changed = sum(len(set(labels)) > 1 for labels in several)
    return Repeatability(len(several), changed, sum(map(len, several)), newest)


def order(version: EvaluatorVersion) -> Order:
    """How a judge of pairs depends on the order: wins of whichever answer came first, over both orders of one model."""
    given = Verdict.objects.filter(version=version, attack=0, sample=1, state=GIVEN).order_by("pk")
    rows = given.values_list("run", "example", "answer", "model", "swapped", "label")
    by_pair: dict[tuple[int, int, int, str], dict[bool, str]] = defaultdict(dict)
    for run, example, answer, model, swapped, label in rows:
        by_pair[run, example, answer, model][swapped] = label or ""
    both = [pair for pair in by_pair.values() if len(pair) == 2]
    other = {FIRST: SECOND, SECOND: FIRST}
    agreed = sum(pair[False] == other.get(pair[True], pair[True]) for pair in both)
    labels = [label for pair in both for label in pair.values() if label in other]
    return Order(len(both), agreed, labels.count(FIRST), len(labels))


def attacked(version: EvaluatorVersion) -> Tally | None:
    """The result of the last time that the ten attacks were tried; None if they never were."""
    tried = Judging.objects.filter(
        version=version, purpose=Judging.Purpose.ATTACKS, status=Judging.Status.COMPLETED
    ).first()
    return None if tried is None else tally(tried)


def tally(judging: Judging) -> Tally:
    """How many attacks of a judging did not get what they wanted."""
    config = judge.parse(judging.config)
    assert isinstance(config, JudgeConfig)
    answered = judging.verdicts.filter(state__in=ANSWERED).values_list("attack", "label")
    outcomes = list(answered)
    won = [attack for attack, label in outcomes if label == attacks.best(config)]
    return Tally(len(outcomes), len(outcomes) - len(won), sorted(set(won)))


def lengths(version: EvaluatorVersion, runs: Iterable[Run]) -> Iterator[Judged]:
    """Every verdict of these runs with the length of the answer that it is about."""
    for run in runs:
        length_of = dict(_lengths(run))
        given = Verdict.objects.filter(
            version=version, run=run, attack=0, sample=1, swapped=False, state=GIVEN
        )
        for example, value in given.values_list("example", "value").iterator(10_000):
            if example in length_of and value is not None:
                yield Judged(run.pk, example, value, length_of[example])


def _lengths(run: Run) -> Sequence[tuple[int, int]]:
    """By the identity of the example, the characters of the run's answer."""
    answers = Output.objects.filter(run=run, text__isnull=False)
    by_position = dict(answers.annotate(length=Length("text")).values_list("position", "length"))
    edited = Example.objects.filter(dataset=run.experiment.dataset_id, origin__isnull=False)
    identity = dict(edited.exclude(origin=F("position")).values_list("position", "origin"))
    return [(identity.get(position) or position, length) for position, length in by_position.items()]
