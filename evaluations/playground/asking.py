"""The worker of a trial: makes a few calls at once, stores each answer when it arrives, then scores it.

A call is made once. If a worker dies during a call, its answer says so, because the call may have been paid; an answer
that had arrived is scored by the next worker.
"""

import queue as queues
import time
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from django.db import transaction

from evaluations import hints, leases, task_names
from evaluations.clients import Interrupted, ServiceError
from evaluations.clients.chat_client import Answer as ChatAnswer
from evaluations.clients.chat_client import ChatClient
from evaluations.commit_points import reached
from evaluations.engine import chores, queue, shutdown
from evaluations.evaluators import connections
from evaluations.launches import cache
from evaluations.launches.answers import Outcome, settle
from evaluations.launches.calls import result_of
from evaluations.launches.questions import Question
from evaluations.models import Connection, Spending, Trial, TrialAnswer
from evaluations.prompts import ledger, prices

from . import scores, stored

AT_ONCE = 8  # calls at once
CALL_SECONDS = 60.0
LOOK_EVERY = 0.25  # seconds after which a stop is noticed
KEEP_EVERY = 5.0  # seconds between two extensions of leases
FIRST_REPETITION = 1  # Launches and trials share cached answers of the first repetition.
GRACE = 2.0  # seconds for which the answer of a stopped trial is awaited
DONE = TrialAnswer.State.DONE


@dataclass(eq=False)
class Call:
    """A call in progress; `left_at` is the time when the worker noticed that the trial was stopped."""

    answer: TrialAnswer
    spending: Spending
    key: bytes | None
    left_at: float | None = None


@dataclass(eq=False)
class Worker:
    """The calls of one trial in one worker process. One thread claims and stores; other threads make the calls."""

    trial: Trial
    calls: list[Call] = field(default_factory=list)
    unscored: list[TrialAnswer] = field(default_factory=list)
    clients: dict[int, ChatClient] = field(default_factory=dict)
    kept_at: float = field(default_factory=time.monotonic)
    arrivals: queues.SimpleQueue[tuple[Call, Future[ChatAnswer]]] = field(default_factory=queues.SimpleQueue)

    def __post_init__(self) -> None:
        self.pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="trial")

    def work(self) -> None:
        try:
            while self._ask() or self.calls or self.unscored:
                shutdown.raise_if_interrupted()
                self._store()
                self._score()
                self._keep_leases()
        except BaseException as problem:
            for answer in [*self.unscored, *(call.answer for call in self.calls)]:
                queue.leased_row(answer).update(**leases.given_back(problem))
            raise
        finally:
            self.pool.shutdown(wait=False, cancel_futures=True)
            for client in self.clients.values():
                client.close()

    # ---- asking ----------------------------------------------------------------------------------------------

    def _ask(self) -> bool:
        """Begin as many calls as there are free slots; False if nothing is left to ask."""
        while len(self.calls) + len(self.unscored) < AT_ONCE:
            answer = queue.claim(TrialAnswer.objects.filter(trial=self.trial).order_by("example", "variant"))
            if answer is None:
                return False
            if answer.text is None:
                self._begin(answer)
            else:
                self.unscored.append(answer)
        return True

    def _begin(self, answer: TrialAnswer) -> None:
        """Reserve the worst case of a call and make it, or store why it cannot be made."""
        try:
            server = self._server(answer)
            key = _key(self.trial, answer, server)
            if key and self._recall(answer, key, server):
                return
            client = self._client(server)
            with transaction.atomic():
                spending = ledger.reserve(_call(answer, server), self.trial.budget)
                if not queue.leased_row(answer).update(spending=spending):
                    transaction.set_rollback(True)  # stopped meanwhile
                    return
        except ledger.NotReserved as refusal:
            _fail(answer, refusal.code, refusal.message)
            return
        except ServiceError as error:
            _fail(answer, error.code, error.message)
            return
        reached("trial_reserved")
        call = Call(answer, spending, key)
        self.calls.append(call)
        future = self.pool.submit(client.answer, answer.body, CALL_SECONDS)
        future.add_done_callback(lambda ended: self.arrivals.put((call, ended)))

    def _recall(self, answer: TrialAnswer, key: bytes, server: Connection) -> bool:
        """Store the cached answer; False if there is none."""
        cached_answer = cache.recall([key]).get(key)
        if cached_answer is None:
            return False
        rates = prices.rates(server, answer.body["model"], prices.today())
        cost = prices.stored_cost(rates, cached_answer.tokens) if rates and cached_answer.tokens else None
        fields = stored.fields_of(cached_answer, splits=self._splits(answer)) | {"cost": cost, "cached": True}
        if queue.leased_row(answer).update(**fields):
            self._to_score(answer, fields)
        return True

    def _splits(self, answer: TrialAnswer) -> bool:
        """Whether reasoning is kept apart from the outputs of the variant."""
        splits: bool = self.trial.variants[answer.variant].get("split_reasoning", True)
        return splits

    def _server(self, answer: TrialAnswer) -> Connection:
        pk = self.trial.variants[answer.variant]["connection"]
        server = Connection.objects.live().select_related("project").filter(pk=pk).first()
        if server is None:
            message = "The connection was deleted in the meantime."
            raise ServiceError(message, permanent=True, code="connection_removed")
        return server

    def _client(self, server: Connection) -> ChatClient:
        if server.pk not in self.clients:
            self.clients[server.pk] = connections.chat_client(server, AT_ONCE)
        return self.clients[server.pk]

    # ---- storing and scoring ---------------------------------------------------------------------------------

    def _store(self) -> None:
        """Store arrived answers, after a short wait for the first."""
        for call, ended in self._arrived():
            if call in self.calls:
                self.calls.remove(call)
                self._keep_answer(call, result_of(ended))

    def _keep_answer(self, call: Call, result: ChatAnswer | ServiceError) -> None:
        answer, fields = call.answer, stored.fields_of(result, splits=self._splits(call.answer))
        question = Question(answer.pk, answer.body)
        with transaction.atomic():
            [fields["cost"]] = settle([Outcome(question, call.spending, result)])
            is_held = queue.leased_row(answer).update(**fields)
            if call.key and isinstance(result, ChatAnswer):
                cache.remember(self.trial.project, [(call.key, result)])
        reached("trial_answered")
        if is_held:
            self._to_score(answer, fields)

    def _to_score(self, answer: TrialAnswer, fields: dict[str, Any]) -> None:
        if fields.get("state") != DONE:
            answer.__dict__.update(fields)
            self.unscored.append(answer)

    def _arrived(self) -> Iterable[tuple[Call, Future[ChatAnswer]]]:
        try:
            yield self.arrivals.get(timeout=LOOK_EVERY if self.calls and not self.unscored else 0)
        except queues.Empty:
            return
        while not self.arrivals.empty():
            yield self.arrivals.get()

    def _score(self) -> None:
        """Score one of the arrived answers; the others wait for the next round."""
        if not self.unscored:
            return
        answer = self.unscored.pop()
        with suppress(Interrupted), queue.given_back_on_error(answer):
            new_scores = scores.of_answer(self.trial, answer, lambda: self._keep(answer))
            queue.leased_row(answer).update(scores=new_scores, state=DONE)

    def _keep(self, answer: TrialAnswer) -> bool:
        """Extend all leases while an answer is scored, which may wait for a server as well."""
        self._keep_leases()
        return queue.extend(answer)

    def _keep_leases(self) -> None:
        """Extend the leases, and give up the calls of a stopped trial."""
        now = time.monotonic()
        if now > self.kept_at + KEEP_EVERY:
            self.kept_at = now
            for answer in [*self.unscored, *(call.answer for call in self.calls)]:
                queue.extend(answer)
        leased = self.trial.answers.filter(state=TrialAnswer.State.LEASED)
        tokens = set(leased.values_list("token", flat=True))
        for call in [call for call in self.calls if call.answer.token not in tokens]:
            self._leave(call, now)

    def _leave(self, call: Call, now: float) -> None:
        """Wait `GRACE` seconds longer for the answer, to learn its cost; otherwise its worst case remains charged."""
        call.left_at = call.left_at or now
        if now > call.left_at + GRACE:
            self.calls.remove(call)
            ledger.give_up(call.spending)


def work(trial_id: int) -> None:
    """Make the waiting calls of a trial. A second worker with the same message finds nothing left, or helps."""
    trial = Trial.objects.select_related("project", "budget").filter(pk=trial_id).first()
    if trial is not None:
        Worker(trial).work()


def work_waiting() -> bool:
    """Work on all trials that no worker has begun; False, because none is left."""
    for pk in Trial.objects.waiting().order_by("pk").values_list("pk", flat=True):
        work(pk)
    return False


def _key(trial: Trial, answer: TrialAnswer, server: Connection) -> bytes | None:
    """The cache key of an answer; None if the trial uses no cache. Variants with equal requests have different keys."""
    if not trial.cache:
        return None
    earlier_variants = [n for n in range(answer.variant) if trial.variants[n]["connection"] == server.pk]
    before = trial.answers.filter(example=answer.example, variant__in=earlier_variants)
    earlier_equal = list(before.values_list("body", flat=True)).count(answer.body)
    return cache.key(server, FIRST_REPETITION, earlier_equal, answer.body)


def _call(answer: TrialAnswer, server: Connection) -> ledger.Call:
    """The call of an answer, with its price of the day; its worst case if the length of answers is limited."""
    body = answer.body
    rates = prices.rates(server, body["model"], prices.today())
    return ledger.Call(server, body["model"], rates, ledger.most_tokens(body))


def _fail(answer: TrialAnswer, code: str, message: str) -> None:
    queue.leased_row(answer).update(state=DONE, error=stored.error(code, message))


# ---- sweeping ----------------------------------------------------------------------------------------------


def sweep() -> None:
    """Mark calls left by lost workers, free the other answers, and send hints for waiting trials."""
    expired = TrialAnswer.objects.filter(leases.ended(), state=TrialAnswer.State.LEASED)
    chores.run_each(partial(_free, answer) for answer in expired.select_related("spending"))
    for trial in Trial.objects.waiting()[: queue.MOST_HINTS]:
        hints.send(task_names.TRY_PROMPT, trial.pk)


def _free(answer: TrialAnswer) -> None:
    """Free answers that arrived or were never asked; a call that may have been made is not repeated."""
    with transaction.atomic():
        if answer.text is None and answer.spending is not None:
            if queue.leased_row(answer).update(state=DONE, error=stored.LOST):
                ledger.give_up(answer.spending)
        elif answer.attempt < queue.ATTEMPTS:
            queue.leased_row(answer).update(state=TrialAnswer.State.READY, token="")
        else:
            queue.leased_row(answer).update(
                state=DONE, error=None if answer.text is not None else stored.LOST
            )
