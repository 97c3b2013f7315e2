"""Trials: a few variants of a prompt answer a few examples; started, stopped and retried here.

Workers ask for it as for a launch (`of_trials.py`), so no process that serves pages waits for a server.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from evaluations import kinds, leases
from evaluations.engine import queue
from evaluations.errors import Conflict, Invalid, TooManyRequests
from evaluations.evaluators import evaluators
from evaluations.models import (
    Budget,
    Connection,
    Evaluator,
    Job,
    Project,
    Prompt,
    Spending,
    Trial,
    TrialAnswer,
)
from evaluations.prompts import ledger, prices, rendering, templates
from evaluations.prompts.content import Content, check

from . import examples
from .examples import TrialExamples

MOST_VARIANTS = 4
MOST_RUNNING = 3  # running trials per person
MOST_EVALUATORS = 10
DEFAULT_BUDGET = 10**12  # one unit of the currency: the default budget
KEPT_FOR = timedelta(days=1)
DONE = TrialAnswer.State.DONE
OPEN = TrialAnswer.objects.exclude(state=DONE)
STOPPED = {"code": "stopped", "message": "Stopped before the answer arrived."}


class Cell(NamedTuple):
    """The place of one answer: indices of its variant and example."""

    variant: int
    example: int


@dataclass(frozen=True)
class Variant:
    """A version of the prompt, or an unsaved draft (no version), with changed settings."""

    content: Content
    version: int | None = None
    name: str = ""

    @property
    def label(self) -> str:
        return self.name or (f"v{self.version}" if self.version else "draft")

    def stored(self, connection: Connection) -> dict[str, Any]:
        return {
            "name": self.label,
            "version": self.version,
            "model": self.content.model,
            "parameters": self.content.parameters,
            "connection": connection.pk,
            "split_reasoning": self.content.split_reasoning,
            "messages": self.content.messages,
            "schema": self.content.schema,
            "tools": self.content.tools,
        }


# ---- starting ----------------------------------------------------------------------------------------------


def create(
    prompt: Prompt,
    user: User | None,
    variants: Sequence[Variant],
    chosen: TrialExamples,
    chosen_evaluators: Sequence[Evaluator] = (),
    budget: int | None = None,
    cache: bool = True,
) -> Trial:
    """Queue a trial; raises `Invalid`, and stores nothing, if one of its calls could not be made or paid."""
    _check_chosen(variants, chosen_evaluators)
    servers = _servers(prompt.project, variants, has_budget=budget is not None)
    _check_variables(variants, chosen)
    with transaction.atomic():
        _require_slot(prompt.project, user)
        trial = Trial.objects.create(
            project=prompt.project,
            created_by=user,
            prompt=prompt,
            dataset=chosen.dataset,
            reference_columns=list(chosen.columns.get("reference", ())),
            variants=[variant.stored(server) for variant, server in zip(variants, servers, strict=True)],
            examples=chosen.rows,
            evaluators=[evaluators.newest(evaluator).pk for evaluator in chosen_evaluators],
            cache=cache,
            budget=Budget.objects.create(
                project=prompt.project,
                limit=DEFAULT_BUDGET if budget is None else budget,
                lets_unpriced=budget is None,
            ),
        )
        TrialAnswer.objects.bulk_create(_answers(trial, variants, chosen))
        _queue(trial, OPEN.filter(trial=trial).values_list("variant", flat=True))
    return trial


def _queue(trial: Trial, unasked: Iterable[int]) -> None:
    """Queue unasked answers of these variants, in one job for each server."""
    counts = Counter(trial.variants[variant]["connection"] for variant in unasked)
    for server, count in counts.items():
        queue.add_job(trial, f"{Job.TRIAL}:{server}", [(1, count, count)])


def _check_variables(variants: Sequence[Variant], chosen: TrialExamples) -> None:
    source = chosen.dataset.name if chosen.dataset else "What was typed"
    for variant in variants:
        rendering.paths_of(variant.content.messages, chosen.columns, source)


def _check_chosen(variants: Sequence[Variant], chosen_evaluators: Sequence[Evaluator]) -> None:
    if not 0 < len(variants) <= MOST_VARIANTS:
        raise _invalid("variants", f"A trial must have 1 to {MOST_VARIANTS} versions or models.")
    if len({variant.label for variant in variants}) < len(variants):
        raise _invalid("variants", "Every variant of a trial needs its own name.")
    if len(chosen_evaluators) > MOST_EVALUATORS:
        raise _invalid("evaluators", f"A trial can have at most {MOST_EVALUATORS} evaluators.")
    for evaluator in chosen_evaluators:
        kind = kinds.get(evaluators.newest(evaluator).kind)
        if kind.is_derived or kind.is_recorded:
            raise _invalid("evaluators", f"{evaluator.name} is computed for runs only.")


def _servers(project: Project, variants: Sequence[Variant], *, has_budget: bool) -> list[Connection]:
    _require_models(variants)
    by_month = ledger.THE_MONTH if project.monthly_limit is not None else ""
    limit = ledger.A_BUDGET if has_budget else by_month
    return [_server(project, number, variant, limit) for number, variant in enumerate(variants)]


def _require_models(variants: Sequence[Variant]) -> None:
    """Refuse all variants without a model at once, so that nobody mends one after another."""
    without = {number: variant.label for number, variant in enumerate(variants) if not variant.content.model}
    if without:
        message = f"{' and '.join(without.values())} {'has' if len(without) == 1 else 'have'} no model."
        raise Invalid(
            "invalid_trial", message, fields={f"variants/{number}": [message] for number in without}
        )


def _server(project: Project, number: int, variant: Variant, limit: str) -> Connection:
    """The connection of a variant; raises `Invalid` naming a variant that cannot be sent, or not within a `limit`."""
    content, path = check(variant.content), f"variants/{number}"
    connection = content.connection or project.default_connection
    if connection is None or connection.deleted_at:
        raise _invalid(path, f"{variant.label} has no connection, and the project has no default.")
    if limit:
        ledger.require_length_limit(content.parameters, limit)
        _require_price(connection, content.model, path)
    return connection


def _require_price(connection: Connection, model: str, path: str) -> None:
    if prices.rates(connection, model, prices.today()) is None:
        message = f"{connection.name} has no price for {model}, so its cost cannot be limited."
        hint = "Add one on the connection page."
        raise Invalid("price_required", message, fields={path: [message]}, hint=hint)


def _require_slot(project: Project, user: User | None, besides: Trial | None = None) -> None:
    running = Trial.objects.filter(
        Exists(OPEN.filter(trial=OuterRef("pk"))), project=project, created_by=user
    )
    if running.exclude(pk=besides.pk if besides else 0).count() >= MOST_RUNNING:
        raise TooManyRequests(
            f"{MOST_RUNNING} of your trials are running; wait until one ends, or stop one.", 5
        )


def _answers(trial: Trial, variants: Sequence[Variant], chosen: TrialExamples) -> Iterator[TrialAnswer]:
    """One row per variant and example; an example that lacks a value for a variable gets an error instead of a call."""
    for index, variant in enumerate(variants):
        paths = templates.paths_of(variant.content.messages, chosen.columns)
        for number, row in enumerate(chosen.rows):
            answer = TrialAnswer(trial=trial, variant=index, example=number)
            try:
                messages = templates.rendered(variant.content.messages, paths, examples.values(row))
                answer.body = variant.content.body(messages)
            except templates.Missing as missing:
                answer.error = {"code": "missing_value", "message": str(missing)}
                answer.state = DONE
            yield answer


def _invalid(field: str, message: str) -> Invalid:
    return Invalid("invalid_trial", message, fields={field: [message]})


# ---- stopping and retrying ---------------------------------------------------------------------------------


def stop(trial: Trial, cell: Cell | None = None) -> Trial:
    """Make no further calls, or not that of one cell. Answers stay; the worker hangs up on a call in progress.

    The provider may charge for it, so it counts with its worst case.
    """
    with transaction.atomic():
        if cell is None:
            queue.cancel_jobs(trial)
        open_answers = _in(OPEN.filter(trial=trial), cell)
        stopped = open_answers.filter(text=None).update(state=DONE, error=STOPPED)
        if not stopped + open_answers.update(state=DONE):
            raise Conflict("trial_not_running", "This has ended; there is nothing to stop.")
    return trial


def ask_again(trial: Trial, cell: Cell | None = None) -> Trial:
    """Repeat calls that failed, were stopped or were lost, or that of one cell; other answers stay."""
    with transaction.atomic():
        _require_slot(trial.project, trial.created_by, besides=trial)
        failed = _in(trial.answers.filter(state=DONE, error__isnull=False, body__isnull=False), cell)
        failed_variants = list(failed.select_for_update().values_list("variant", flat=True))
        if not failed_variants:
            raise Conflict("nothing_failed", "No answer of this trial failed, or it is being asked again.")
        failed.update(state=TrialAnswer.State.READY, attempt=0, token="", spending=None, error=None, text=None,
                      partial=None, scores=[], cost=None)  # fmt: skip
        _queue(trial, failed_variants)
    return trial


def _in(answers: QuerySet[TrialAnswer], cell: Cell | None) -> QuerySet[TrialAnswer]:
    return answers if cell is None else answers.filter(variant=cell.variant, example=cell.example)


# ---- progress ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TrialState:
    """A trial with its answers: by example, in the order of the variants."""

    trial: Trial
    rows: list[list[TrialAnswer]]

    @property
    def answers(self) -> list[TrialAnswer]:
        return [answer for row in self.rows for answer in row]

    @property
    def is_running(self) -> bool:
        return any(answer.state != DONE for answer in self.answers)

    @property
    def status(self) -> str:
        if self.is_running:
            return "running"
        stopped = any((answer.error or {}).get("code") == "stopped" for answer in self.answers)
        return "stopped" if stopped else "completed"

    @property
    def has_failures(self) -> bool:
        return any(answer.error and answer.body for answer in self.answers)


def state_of(trial: Trial) -> TrialState:
    answers = list(trial.answers.all())
    wide = len(trial.variants)
    return TrialState(trial, [answers[n : n + wide] for n in range(0, len(answers), wide)])


def status_of(answer: TrialAnswer) -> str:
    if answer.error:
        return "stopped" if answer.error["code"] == "stopped" else "failed"
    if answer.text is not None:
        return "answered" if answer.state == DONE else "scoring"
    return "asking" if answer.spending_id else "queued"


def forget_old() -> None:
    """Delete trials after a day; their costs stay in the ledger."""
    old = Trial.objects.filter(created_at__lt=leases.now() - KEPT_FOR)
    for trial in old.exclude(Exists(OPEN.filter(trial=OuterRef("pk"))))[:1_000]:
        with transaction.atomic():
            Spending.objects.filter(budget=trial.budget_id).update(budget=None)
            Budget.objects.filter(pk=trial.budget_id).delete()  # The trial is deleted with its budget.
