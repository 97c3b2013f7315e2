"""What launches set aside for those who read their answers, and judges that read early, so that it is free again.

A judge's worst case is many times what it costs: a token for each byte, the longest answer, and a second call where the
first one cannot be read. So when no money is left but what is set aside, judges read the answers that have been bought,
and the launch goes on with what they leave.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Avg, Exists, Func, IntegerField, OuterRef
from django.db.models.sql.compiler import SQLCompiler

from evaluations.clients.tokens import Tokens
from evaluations.errors import Invalid
from evaluations.evaluators import embeddings
from evaluations.kinds.judge import ALIASES, PairJudgeConfig, pair_judge
from evaluations.launches.asked import Question
from evaluations.launches.readers import Readers
from evaluations.models import (
    Allowance,
    Budget,
    EvaluatorVersion,
    Judging,
    Launch,
    Output,
    Run,
    Verdict,
)
from evaluations.prompts import held, ledger, prices, templates
from evaluations.prompts.needs import Aside, Need, total
from evaluations.prompts.prices import Rates
from evaluations.values import stored_json

from . import allowances, judgings, opponents, paid, readings, rubrics

BYTES_OF_TOKEN = 6  # at most, on average over an answer
BYTES_OF_FENCE = 60
MEASURED = 2_000  # answers whose mean length is taken
EARLY = Judging.Purpose.EARLY
READ = (Verdict.State.GIVEN, Verdict.State.NONE, Verdict.State.FAILED)


class Octets(Func):
    """The length of a text in bytes."""

    function = "OCTET_LENGTH"
    output_field = IntegerField()

    def as_sqlite(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **context: Any
    ) -> tuple[str, tuple[str | int, ...]]:
        return self.as_sql(compiler, connection, template="LENGTH(CAST(%(expressions)s AS BLOB))", **context)


SHOWN = Octets("inputs") + Octets("reference") + Octets("metadata")


class Reader(Protocol):
    """An evaluator with money for a run: what it costs at most to read one answer."""

    @property
    def version(self) -> EvaluatorVersion: ...

    def of_answer(self, shown: float, answer: float) -> Aside: ...


@dataclass(frozen=True)
class Embedded:
    """Embeddings of an answer and its reference. One call takes many texts, so that no calls are set aside for it."""

    version: EvaluatorVersion

    def of_answer(self, shown: float, answer: float) -> Aside:
        """For an example of `shown` bytes and an answer of so many: a token for each byte in the request."""
        rates = embeddings.rates_of(self.version) or Rates(0, 0, 0)
        return Aside(prices.cost(rates, Tokens(round(2 * (shown + answer) + BYTES_OF_FENCE), 0)), 0)


@dataclass(frozen=True)
class Judge:
    """A judge that reads answers."""

    version: EvaluatorVersion
    asked: judgings.Asked

    def of_answer(self, shown: float, answer: float) -> Aside:
        """For an example of `shown` bytes and an answer of so many: the first call and one repair, of each sample."""
        config = self.asked.parsed
        times = config.samples * (2 if isinstance(config, PairJudgeConfig) else 1)
        uses_example, uses_answer = self._uses
        # A quote or line break takes two bytes in a request.
        read = self._rubric + uses_example * (2 * shown + BYTES_OF_FENCE)
        read += uses_answer * (2 * answer + BYTES_OF_FENCE)
        again = read + self._rubric + 2 * BYTES_OF_TOKEN * self._longest
        amount = sum(prices.cost(self._rates, Tokens(round(size), self._longest)) for size in (read, again))
        return Aside(times * amount, times * 2)

    @cached_property
    def _rates(self) -> Rates:
        today = prices.rates(self.asked.connection, self.asked.parsed.model, prices.today())
        return today or Rates(0, 0, 0)

    @cached_property
    def _longest(self) -> int:
        return ledger.longest_answer(self.asked.parsed.parameters) or 0

    @cached_property
    def _rubric(self) -> int:
        config = self.asked.parsed
        own = [rubrics.instruction(config), *(message.content for message in config.messages)]
        return len(stored_json([own, config.parameters, rubrics.schema(config)]).encode()) + 200

    @cached_property
    def _uses(self) -> tuple[int, int]:
        """How often the rubric shows a part of the example, and how often an answer."""
        config = self.asked.parsed
        matches = (templates.VARIABLE.finditer(message.content) for message in config.messages)
        roots = [match[2].strip(templates.BLANKS).partition(".")[0] for of_one in matches for match in of_one]
        judged = config.judged
        of_answers = sum(ALIASES.get(root, root) in judged for root in roots)
        return len(roots) - of_answers, of_answers


class Paid(Readers):
    """Evaluators with the money of a launch."""

    def set_aside(self, run: Run, questions: Sequence[Question]) -> None:
        readers = of_run(run, run.generation.launch.budget_id)
        if not readers or not questions:
            return
        positions = [question.position for question in questions]
        sizes = dict(run.examples.filter(position__in=positions).values_list("position", SHOWN))
        longest = BYTES_OF_TOKEN * (ledger.longest_answer(run.generation.parameters) or 0)
        for question in questions:
            shown = sizes.get(question.position, 0)
            question.aside = total(reader.of_answer(shown, longest) for reader in readers)

    def free(self, launch: Launch) -> bool:
        with transaction.atomic():
            budget = Budget.objects.select_for_update().get(pk=launch.budget_id)
            if Judging.objects.filter(budget=budget, status=Judging.Status.RUNNING).exists():
                return True
            return count(budget) or sum(_read_early(budget, allowance) for allowance in _unread(budget)) > 0


def of_run(run: Run, budget: int) -> list[Reader]:
    """Those who will read the answers of a run with the money of a budget."""
    named = Allowance.objects.filter(run=run, budget=budget, evaluator__deleted_at=None)
    allowed = {*named.values_list("evaluator", flat=True)}
    if not allowed:
        return []
    versions = [v for v in paid.of(run.experiment) if v.evaluator_id in allowed]
    if opponents.is_first(run):
        versions = [version for version in versions if version.kind != pair_judge.key]
    return [reader for version in versions if (reader := _reader(version))]


def _reader(version: EvaluatorVersion) -> Reader | None:
    if not paid.is_judge(version):
        return Embedded(version)
    try:
        return Judge(version, judgings.asked_version(version))
    except Invalid:  # It has no connection any more, so that nothing is paid.
        return None


def count(budget: Budget) -> bool:
    """Hold what those paid by a budget need for the answers that they have not read; whether it is less than before."""
    live = Run.objects.filter(allowances__budget=budget, deleted_at=None).distinct()
    runs = list(live.select_related("experiment__dataset", "project"))
    return held.count(budget, lambda: total(_for_unread(run, budget.pk) for run in runs))


def _for_unread(run: Run, budget: int) -> Aside:
    readers = of_run(run, budget)
    shown, answer = _mean_bytes(run) if readers else (0.0, 0.0)
    return total(_times(reader.of_answer(shown, answer), _left(run, reader.version)) for reader in readers)


def _times(aside: Aside, number: int) -> Aside:
    return Aside(aside.amount * number, aside.calls * number)


def _mean_bytes(run: Run) -> tuple[float, float]:
    """The mean length of an example and of an answer, from some of the answers."""
    some = Output.objects.filter(run=run, text__isnull=False).annotate(size=Octets("text"))[:MEASURED]
    examples = run.examples.annotate(size=SHOWN)[:MEASURED]
    answer, shown = (rows.aggregate(mean=Avg("size"))["mean"] for rows in (some, examples))
    return float(shown or 0), float(answer or 0)


def _left(run: Run, version: EvaluatorVersion) -> int:
    """How many answers of a run an evaluator has not read."""
    answers = Output.objects.filter(run=run, text__isnull=False).count()
    if not paid.is_judge(version):
        read = readings.bought(run, version)
        return answers if read.status == Judging.Status.RUNNING else read.total - read.done
    asked = Verdict.objects.filter(
        run=run, version=version, attack=0, sample=1, swapped=False, state__in=READ
    )
    return max(0, answers - asked.values("example").distinct().count())


# ---- reading early ----------------------------------------------------------------------------------------------


def _unread(budget: Budget) -> list[Allowance]:
    generating = Allowance.objects.filter(
        budget=budget,
        run__status=Run.Status.GENERATING,
        run__deleted_at=None,
        evaluator__deleted_at=None,
    )
    return list(generating.select_related("run__experiment__dataset", "run__project").order_by("pk"))


def _read_early(budget: Budget, allowance: Allowance) -> bool:
    """Let a judge read what a run has so far, if it can be paid; whether it reads."""
    run = allowance.run
    judges = [reader for reader in of_run(run, budget.pk) if isinstance(reader, Judge)]
    reader = next((r for r in judges if r.version.evaluator_id == allowance.evaluator_id), None)
    if reader is None or not _left(run, reader.version) or _has_failed(run, reader.version):
        return False
    against = opponents.baseline_of(run) if reader.version.kind == pair_judge.key else None
    if reader.version.kind == pair_judge.key and against is None:
        return False
    one = reader.of_answer(*_mean_bytes(run))
    first = Need(one.amount // max(one.calls, 1), use_aside=True)
    if not Budget.objects.filter(first.room, pk=budget.pk).exists():
        return False
    judgings.read_early(run, reader.asked, run.created_by, budget, against)
    return True


def _has_failed(run: Run, version: EvaluatorVersion) -> bool:
    """Whether the judge was stopped, or gave up, since the run was continued the last time."""
    last = Judging.objects.filter(run=run, version=version, purpose=EARLY).first()
    if last is None or last.status not in (Judging.Status.FAILED, Judging.Status.CANCELLED):
        return False
    return run.queued_at is None or last.finished_at is None or last.finished_at >= run.queued_at


def look_again(judging: Judging) -> None:
    """After a judge has ended: free what it left, and let it read the rest of a run that is complete by now."""
    judging.refresh_from_db(fields=["status"])
    if judging.status == Judging.Status.RUNNING:
        return
    if Allowance.objects.filter(budget=judging.budget_id).exists():
        count(judging.budget)
    if judging.purpose == EARLY:
        run = Run.objects.select_related("experiment__dataset", "project").get(pk=judging.run_id)
        if run.status in opponents.READY:
            allowances.begin(run)


def sweep() -> None:
    """Let judges read the rest of complete runs, where a worker ended before it could ask for it."""
    later = Judging.objects.filter(
        run=OuterRef("run"), version=OuterRef("version"), purpose=Judging.Purpose.SCORES
    )
    early = Judging.objects.filter(purpose=EARLY, run__status__in=opponents.READY, run__deleted_at=None)
    for judging in early.exclude(status=Judging.Status.RUNNING).exclude(Exists(later)):
        look_again(judging)
