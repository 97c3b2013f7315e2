"""What a worker asks for a judge: each verdict is stored when it arrives, and repaired once if it cannot be read."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property

from django.db import transaction
from django.db.models import QuerySet

from evaluations import leases
from evaluations.clients import ServiceError
from evaluations.clients.chat_client import Answer as ChatAnswer
from evaluations.clients.tokens import Tokens
from evaluations.commit_points import reached
from evaluations.engine import queue
from evaluations.launches import cache
from evaluations.launches.answers import settle
from evaluations.launches.asked import Asked, Outcome, Question
from evaluations.launches.ending import HOPELESS
from evaluations.models import Budget, Chunk, Connection, Job, Judging, Verdict
from evaluations.prompts import ledger, prices
from evaluations.prompts.reasoning import separated
from evaluations.scoring import spans

from . import asides, judgings, publishing, rubrics, verdicts
from .sources import Source
from .verdicts import JudgeQuestion

FEWEST_FAILURES = 20  # failures below which their share says nothing
MOST_FAILED = 0.5  # share of questions of a judging
ALREADY = 0  # stands for the ledger's entry of a call that an earlier worker made
TELLS_SCHEMA = ("response_format", "json_schema", "schema", "structured")


class OfJudging(Asked):
    """The verdicts of one judging. All judgings of one request share its money."""

    attempts = 6
    seconds = 120.0

    def __init__(self, job: Job) -> None:
        related = (
            "run__experiment__dataset",
            "run__project",
            "version__evaluator__project",
            "budget",
            "against",
        )
        judging = Judging.objects.select_related(*related).get(jobs=job)
        super().__init__(("judging", judging.budget_id), judging.budget)
        self.judging, self.source = judging, Source(judging)
        self.is_urgent = job.kind == Job.JUDGE_NOW
        self.takes_schema = True
        self._follows: list[Question] = []
        Job.objects.filter(pk=job.pk, started_at=None).update(started_at=leases.now())

    @cached_property
    def connection(self) -> Connection:
        live = Connection.objects.live().select_related("project")
        server = live.filter(pk=self.judging.connection_id or 0).first()
        if server is None:
            message = "The connection was deleted in the meantime."
            raise ServiceError(message, permanent=True, code="connection_removed")
        return server

    @property
    def jobs(self) -> QuerySet[Job]:
        return Job.objects.filter(judging__budget=self.budget, state=Job.State.OPEN)

    # ---- asking ----------------------------------------------------------------------------------------------

    def take(self, chunk: Chunk) -> list[Question]:
        questions, refused = self.source.questions(chunk, self.connection)
        verdicts.store(
            self.judging, [verdicts.failed(self.judging, question, why) for question, why in refused]
        )
        return self._recall(questions)

    def _recall(self, questions: Sequence[JudgeQuestion]) -> list[Question]:
        """Store what equal requests were answered before; returns the questions without such an answer."""
        keys = [question.key for question in questions if question.key]
        earlier = verdicts.recalled(self.judging, keys)
        is_fresh = self.judging.purpose in verdicts.MEASURING
        cached = {} if is_fresh else cache.recall([key for key in keys if key not in earlier])
        rows: list[Verdict] = []
        left: list[Question] = []
        for question in questions:
            key = question.key or b""
            if key in earlier and earlier[key].state == verdicts.UNREAD:
                left.append(self._go_on(question, earlier[key]))
            elif key in earlier:
                rows.append(verdicts.copied(self.judging, question, earlier[key]))
            elif key in cached:
                self._take_cached(question, cached[key], rows, left)
            else:
                left.append(question)
        verdicts.store(self.judging, rows)
        return left

    def _go_on(self, question: JudgeQuestion, unread: Verdict) -> JudgeQuestion:
        """Ask for an answer that can be read, where a worker ended after one that cannot."""
        if unread.judging_id == self.judging.pk:
            question.paid[ALREADY] = (unread.tokens_in or 0, unread.tokens_out or 0, unread.cost)
        return self._repair(question, unread.text or "")

    def _take_cached(
        self, question: JudgeQuestion, answer: ChatAnswer, rows: list[Verdict], left: list[Question]
    ) -> None:
        """Use an answer of the project's cache; one that cannot be read is repaired, as when it had just come."""
        answer = separated(answer)
        said = verdicts.read(self.source.config, answer)
        if said.can_be_repaired:
            left.append(self._repair(question, answer.text or ""))
            return
        rates, tokens = self.source.rates, answer.tokens
        cost = prices.stored_cost(rates, tokens) if rates and tokens else None
        paid = {"tokens_in": tokens.input, "tokens_out": tokens.output} if tokens else {}
        fields = {"calls": 0, "cached": True, "cost": cost, **paid}
        rows.append(verdicts.answered(self.judging, question, answer, said, **fields))

    def call(self, question: Question) -> ledger.Call:
        return replace(self.source.call(question, self.connection), use_aside=True)

    def unasked(self, questions: Sequence[Question]) -> list[Question]:
        running = Judging.objects.filter(
            pk=self.judging.pk, status=Judging.Status.RUNNING, run__deleted_at=None
        )
        if not running.exists():
            return []
        if not self.takes_schema:
            for question in questions:
                question.body = rubrics.without_schema(question.body)
        return list(questions)

    # ---- storing ---------------------------------------------------------------------------------------------

    def store(self, ended: Sequence[Outcome], again: Sequence[Outcome]) -> None:
        follows: list[Question] = []
        with transaction.atomic():
            costs = settle([*ended, *again])
            rows = [
                row
                for outcome, cost in zip(ended, costs, strict=False)
                if (row := self._row(outcome, cost, follows))
            ]
            asked = [outcome.question for outcome in ended]
            repaired = [q for q in asked if isinstance(q, JudgeQuestion) and q.is_repaired]
            verdicts.store(self.judging, rows, repaired)
            cache.remember(self.judging.run.project, self._to_remember(ended))
        reached("verdicts_stored")
        self._follows = follows

    def more(self) -> Sequence[Question]:
        follows, self._follows = self._follows, []
        return follows

    def _to_remember(self, ended: Sequence[Outcome]) -> list[tuple[bytes, ChatAnswer]]:
        return [
            (outcome.question.key, outcome.result)
            for outcome in ended
            if outcome.question.key and isinstance(outcome.result, ChatAnswer)
        ]

    def _row(self, outcome: Outcome, cost: int | None, follows: list[Question]) -> Verdict | None:
        """The verdict to store, an unread one before a repair; None if the same is asked in another form."""
        question, result = outcome.question, outcome.result
        assert isinstance(question, JudgeQuestion)
        tokens = outcome.tokens or Tokens(0, 0)
        question.paid[outcome.spending.pk] = (tokens.input, tokens.output, cost)
        if isinstance(result, ServiceError):
            if self._refuses_schema(question, result):
                self.takes_schema = False
                follows.append(question)
                return None
            return verdicts.failed(self.judging, question, f"{result.code}: {result.message}")
        answer = separated(result)
        said = verdicts.read(self.source.config, answer)
        if said.can_be_repaired and not question.is_repaired:
            follows.append(self._repair(question, answer.text or ""))
            return verdicts.unread(self.judging, question, answer, said)
        return verdicts.answered(self.judging, question, answer, said, **question.usage)

    def _refuses_schema(self, question: Question, error: ServiceError) -> bool:
        told = error.message.lower()
        is_about = error.is_free and error.permanent and any(word in told for word in TELLS_SCHEMA)
        return is_about and "response_format" in question.body

    def _repair(self, question: JudgeQuestion, text: str) -> JudgeQuestion:
        body = rubrics.repair(self.source.config, question.body, text)
        return replace(question, body=body, is_repaired=True, attempts=0, not_before=0.0)

    def learn(self, tokens: Tokens) -> None:
        self.source.learn(tokens)

    def look(self, outcomes: Iterable[Outcome]) -> None:
        for outcome in outcomes:
            if outcome.error and outcome.error.code in HOPELESS:
                self.fail(outcome.error.code, outcome.error.message)
                return

    def check_failures(self) -> None:
        failed = self.judging.verdicts.filter(state=Verdict.State.FAILED, calls__gt=0)
        count = failed.count()
        if count >= FEWEST_FAILURES and count > MOST_FAILED * self.judging.size:
            problem = failed.order_by("-pk").values_list("problem", flat=True)[0]
            self.fail("too_many_failures", f"{count} calls failed, the last one by “{problem}”.")

    # ---- ending ----------------------------------------------------------------------------------------------

    def fail(self, code: str, message: str) -> None:
        judgings.stop(self.judging, Judging.Status.FAILED, {"code": code, "message": message})

    def reach_limit(self, limit: Budget) -> None:
        for judging in Judging.objects.filter(budget=self.budget, status=Judging.Status.RUNNING):
            judgings.stop(judging, Judging.Status.LIMIT)

    def end(self, chunk: Chunk) -> None:
        positions = spans.asked_between(self.judging.run, chunk.first, chunk.last).tolist()
        is_column = self.judging.purpose == Judging.Purpose.SCORES
        if is_column and not publishing.publish(self.judging, positions):
            publishing.put_off(self.judging)
        if not queue.leased_row(chunk).update(state=Chunk.State.DONE, lease_until=None):
            queue.release(chunk)
            return
        reached("chunk_judged")
        judgings.finish(chunk.job)
        asides.look_again(self.judging)
