"""What a worker asks for a trial: each answer is stored when it arrives, and its beginning while it arrives.

A call is made once. If a worker dies during a call, its answer says so, because the call may have been paid.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet

from evaluations import hints, leases, task_names
from evaluations.clients import ServiceError
from evaluations.clients.chat_client import Answer as ChatAnswer
from evaluations.clients.streams import Stream
from evaluations.commit_points import reached
from evaluations.engine import queue
from evaluations.files.text import clean
from evaluations.launches import cache
from evaluations.launches.answers import settle
from evaluations.launches.asked import Asked, Outcome, Question
from evaluations.models import Budget, Chunk, Connection, Job, Spending, Trial, TrialAnswer
from evaluations.prompts import ledger, prices

from . import stored

FIRST_REPETITION = 1  # Launches and trials share cached answers of the first repetition.
READY, DONE = TrialAnswer.State.READY, TrialAnswer.State.DONE


class OfTrial(Asked):
    """The answers of a trial by one server."""

    attempts = 1
    seconds = 60.0
    is_urgent = True

    def __init__(self, job: Job) -> None:
        trial = Trial.objects.select_related("project", "budget").get(jobs=job)
        super().__init__(("trial", trial.pk), trial.budget)
        self.trial, self.job = trial, job
        self._streams: dict[int, Stream] = {}  # by the id of a call's spending
        self._spendings: dict[int, int] = {}  # by the id of an answer, that of its newest call

    @cached_property
    def connection(self) -> Connection:
        live = Connection.objects.live().select_related("project")
        server = live.filter(pk=int(self.job.lane.partition(":")[2])).first()
        if server is None:
            message = "The connection was deleted in the meantime."
            raise ServiceError(message, permanent=True, code="connection_removed")
        return server

    @property
    def jobs(self) -> QuerySet[Job]:
        return self.trial.jobs.filter(state=Job.State.OPEN)

    @property
    def _open(self) -> QuerySet[TrialAnswer]:
        """The answers by this server that have neither arrived nor failed."""
        return self.trial.answers.filter(text=None, state=READY, variant__in=self._variants)

    @cached_property
    def _variants(self) -> list[int]:
        server = int(self.job.lane.partition(":")[2])
        return [n for n, variant in enumerate(self.trial.variants) if variant["connection"] == server]

    # ---- asking ----------------------------------------------------------------------------------------------

    def take(self, chunk: Chunk) -> list[Question]:
        for answer in self._open.filter(spending__isnull=False).select_related("spending"):
            self._give_up_if_lost(answer)
        unasked = self._open.filter(spending=None).order_by("example", "variant")
        questions = [Question(answer.pk, answer.body, self._key(answer)) for answer in unasked]
        recalled = cache.recall([question.key for question in questions if question.key])
        for question in questions:
            if question.key in recalled:
                self._recall(question, recalled[question.key])
        return [question for question in questions if question.key not in recalled]

    def _give_up_if_lost(self, answer: TrialAnswer) -> None:
        """Say of a call whose worker is gone that nobody knows its outcome."""
        assert answer.spending is not None
        with transaction.atomic():
            if not ledger.is_awaited(answer.spending):
                self._fail(self._open.filter(pk=answer.pk, spending=answer.spending), stored.LOST)
                ledger.give_up(answer.spending)

    def _recall(self, question: Question, cached_answer: ChatAnswer) -> None:
        rates, tokens = self.call(question).rates, cached_answer.tokens
        cost = prices.stored_cost(rates, tokens) if rates and tokens else None
        fields = self._fields(question.position, cached_answer) | {"cost": cost, "cached": True}
        self._open.filter(pk=question.position, spending=None).update(**fields)
        self._ask_for_scores(fields)

    def _key(self, answer: TrialAnswer) -> bytes | None:
        """The cache key of an answer; None if the trial uses no cache. Variants with equal requests differ in it."""
        if not self.trial.cache:
            return None
        earlier_variants = [n for n in self._variants if n < answer.variant]
        before = self.trial.answers.filter(example=answer.example, variant__in=earlier_variants)
        earlier_equal = list(before.values_list("body", flat=True)).count(answer.body)
        return cache.key(self.connection, FIRST_REPETITION, earlier_equal, answer.body)

    def call(self, question: Question) -> ledger.Call:
        model = question.body["model"]
        rates = prices.rates(self.connection, model, prices.today())
        return ledger.Call(self.connection, model, rates, ledger.most_tokens(question.body))

    def unasked(self, questions: Sequence[Question]) -> list[Question]:
        """Without those that were stopped meanwhile, or asked by another worker after a retry."""
        pks = [question.position for question in questions]
        unasked = self._open.filter(pk__in=pks, spending=None).select_for_update(of=("self",))
        still = set(unasked.values_list("pk", flat=True))
        return [question for question in questions if question.position in still]

    def begin(self, questions: Sequence[Question], spendings: Sequence[Spending]) -> None:
        for question, spending in zip(questions, spendings, strict=False):
            self.trial.answers.filter(pk=question.position).update(spending=spending)
            self._spendings[question.position] = spending.pk

    def stream(self, question: Question) -> Stream:
        return self._streams.setdefault(self._spendings[question.position], Stream())

    # ---- storing ---------------------------------------------------------------------------------------------

    def keep_partial(self) -> None:
        self._hang_up()
        for spending, stream in self._streams.items():
            if text := stream.text:
                self._open.filter(~Q(partial=text), spending=spending).update(partial=clean(text))

    def _hang_up(self) -> None:
        """End the calls whose answers were stopped, so that they keep no place from others until their time is up."""
        if self._streams:
            awaited = set(self._open.filter(spending__in=self._streams).values_list("spending", flat=True))
            for spending in self._streams.keys() - awaited:
                self._streams.pop(spending).call.hang_up()

    def store(self, ended: Sequence[Outcome], again: Sequence[Outcome]) -> None:
        with transaction.atomic():
            costs = settle(ended)
            for outcome, cost in zip(ended, costs, strict=True):
                self._streams.pop(outcome.spending.pk, None)
                fields = self._fields(outcome.question.position, outcome.result)
                answer = self._open.filter(pk=outcome.question.position, spending=outcome.spending)
                answer.update(**fields, cost=cost, partial=None)
                self._ask_for_scores(fields)
            usable = [
                (outcome.question.key, outcome.result)
                for outcome in ended
                if outcome.question.key and isinstance(outcome.result, ChatAnswer)
            ]
            cache.remember(self.trial.project, usable)
        reached("trial_answered")

    def _fields(self, pk: int, result: ChatAnswer | ServiceError) -> dict[str, Any]:
        """The fields to store; without evaluators, an answer is done as soon as it has arrived."""
        variant = self.trial.variants[self.trial.answers.values_list("variant", flat=True).get(pk=pk)]
        fields = stored.fields_of(result, splits=variant.get("split_reasoning", True))
        return fields if self.trial.evaluators else fields | {"state": DONE}

    def _ask_for_scores(self, fields: dict[str, Any]) -> None:
        if fields.get("state") != DONE:
            hints.send(task_names.GENERATE, self.job.pk)

    # ---- ending ----------------------------------------------------------------------------------------------

    def fail(self, code: str, message: str) -> None:
        self._fail(self._open.filter(spending=None), stored.error(code, message))

    def reach_limit(self, limit: Budget) -> None:
        refusal = ledger.LimitReached(limit)
        self.fail(refusal.code, refusal.message)

    def _fail(self, answers: QuerySet[TrialAnswer], error: dict[str, str]) -> None:
        answers.update(state=DONE, error=error, partial=None)

    def end(self, chunk: Chunk) -> None:
        with transaction.atomic():
            job = self.jobs.select_for_update().filter(pk=self.job.pk).first()
            if job and queue.leased_row(chunk).delete()[0]:
                Job.objects.filter(pk=job.pk).update(state=Job.State.DONE, finished_at=leases.now())
                return
        queue.release(chunk)
