"""What a worker asks for: the runs of launches, and whatever other rooms register (trials of prompts).

A worker claims a chunk, takes its questions, reserves their money, calls the server at the pace of its connection,
and hands over what arrives. All of that is the same for everything that is asked; the rest is in `Asked`.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from evaluations.clients import ServiceError
from evaluations.clients.chat_client import Answer as ChatAnswer
from evaluations.clients.streams import Stream
from evaluations.clients.tokens import Tokens
from evaluations.models import Budget, Chunk, Connection, Job, Spending
from evaluations.prompts import ledger
from evaluations.prompts.needs import NOTHING, Aside

MOST_TIMEOUTS = 8  # in a row, if they go on for
SILENT_FOR = 3  # times the seconds of the longest call

Name = tuple[str, int]
Result = ChatAnswer | ServiceError


@dataclass(eq=False)
class Question:
    """One example to ask: its request body, its attempts, and the earliest time of the next one.

    `key` is the cache key of its answer; None if the cache is not used. `aside` is kept for the judges of its answer.
    """

    position: int
    body: dict[str, Any]
    key: bytes | None = None
    attempts: int = 0
    not_before: float = 0.0
    aside: Aside = NOTHING


@dataclass(frozen=True)
class Outcome:
    """The outcome of a call."""

    question: Question
    spending: Spending
    result: Result

    @property
    def error(self) -> ServiceError | None:
        return self.result if isinstance(self.result, ServiceError) else None

    @property
    def has_failed(self) -> bool:
        """Whether it gave no usable answer."""
        return isinstance(self.result, ServiceError) or bool(self.result.failure)

    @property
    def is_overbilled(self) -> bool:
        """Whether it cost more than its worst case. Known once it is settled."""
        return (self.spending.cost or 0) > self.spending.worst > 0

    @property
    def is_free(self) -> bool:
        return self.error is not None and self.error.is_free

    @property
    def has_price(self) -> bool:
        """Whether the tokens and their prices are known."""
        return self.tokens is not None and self.spending.input_price is not None

    @property
    def tokens(self) -> Tokens | None:
        """The tokens by the server's count: 0 if it refused the call, None if unknown."""
        if isinstance(self.result, ServiceError):
            return Tokens(0, 0) if self.is_free else None
        return self.result.tokens


@dataclass
class Silence:
    """Calls in a row that were not answered in time, and when the first of them ended."""

    timeouts: int = 0
    since: float = 0.0

    def note(self, outcomes: Iterable[Outcome]) -> None:
        for outcome in outcomes:
            if not (outcome.error and outcome.error.code == "timeout"):
                self.timeouts = 0
            elif self.timeouts:
                self.timeouts += 1
            else:
                self.timeouts, self.since = 1, time.monotonic()

    def lasts(self, seconds: float) -> bool:
        """Whether the server seems to answer no call at all, of which none takes longer than `seconds`."""
        return self.timeouts >= MOST_TIMEOUTS and time.monotonic() - self.since >= SILENT_FOR * seconds


class Asked:
    """The questions of one job to one server.

    Jobs with the same `name` share their money and their turn for free slots. `attempts` is how often a question is
    asked without an answer, and `seconds` the longest call. Somebody waits in front of a screen for what `is_urgent`.
    """

    attempts: int
    seconds: float
    is_urgent = False

    def __init__(self, name: Name, budget: Budget) -> None:
        self.name, self.budget = name, budget
        self.silence = Silence()

    @property
    def connection(self) -> Connection:
        """The server; raises ServiceError if it cannot be called any more."""
        raise NotImplementedError

    @property
    def jobs(self) -> QuerySet[Job]:
        """The open jobs that wait for the same money."""
        raise NotImplementedError

    def take(self, chunk: Chunk) -> list[Question]:
        """The questions of a claimed chunk that must be asked; what needs no call is stored."""
        raise NotImplementedError

    def call(self, question: Question) -> ledger.Call:
        """The call for a question, with its price and its worst case."""
        raise NotImplementedError

    def unasked(self, questions: Sequence[Question]) -> list[Question]:
        """Those of some questions that may still be asked, in the transaction that reserves their money."""
        return list(questions)

    def begin(self, questions: Sequence[Question], spendings: Sequence[Spending]) -> None:
        """Note, in the same transaction, that these questions are asked now."""

    def stream(self, question: Question) -> Stream | None:
        """What has the beginning of an answer while the rest arrives; None to wait for all of it."""
        return None

    def keep_partial(self) -> None:
        """Store the beginnings of answers."""

    def store(self, ended: Sequence[Outcome], again: Sequence[Outcome]) -> None:
        """Store the outcomes of `ended` calls and settle all of them; those to make `again` give no answer yet."""
        raise NotImplementedError

    def more(self) -> Sequence[Question]:
        """The questions that follow from the answers just stored, each given once."""
        return ()

    def learn(self, tokens: Tokens) -> None:
        """Reserve at least this much for later calls: the server billed more than the request allowed."""

    def look(self, outcomes: Iterable[Outcome]) -> None:
        """End everything after an outcome that every other call would have as well."""

    def listen(self, outcomes: Iterable[Outcome]) -> None:
        """End everything if the server answers nothing: its calls would be repeated for hours."""
        self.silence.note(outcomes)
        if self.silence.lasts(self.seconds):
            minutes = (time.monotonic() - self.silence.since + self.seconds) / 60
            self.fail("too_many_failures", f"The server answered no call for {minutes:.0f} minutes.")

    def check_failures(self) -> None:
        """End everything if too many answers failed."""

    def fail(self, code: str, message: str) -> None:
        """Make no more calls: none of this job's can be made."""
        raise NotImplementedError

    def frees(self, limit: Budget) -> bool:
        """Whether this budget will have room for the next call, although no call in progress gives any back."""
        return False

    def reach_limit(self, limit: Budget) -> None:
        """Make no more calls: the next one does not fit into this budget."""
        raise NotImplementedError

    def end(self, chunk: Chunk) -> None:
        """Close a chunk that has no questions left, or release one that was cancelled."""
        raise NotImplementedError

    def follow(self) -> None:
        """Look at what has arrived, about once a second."""

    def leave(self) -> None:
        """Look a last time, because the last chunk of this name ends here."""


@dataclass(frozen=True)
class Kind:
    """A kind of lanes whose chunks are asked. An urgent one waits for no other."""

    name: str
    of_job: Callable[[Job], Asked]
    is_urgent: bool = False


kinds: list[Kind] = []  # urgent ones first


def register(kind: Kind) -> None:
    """Make a kind known."""
    kinds.append(kind)
    kinds.sort(key=lambda kind: not kind.is_urgent)


def of_job(job: Job) -> Asked:
    return next(kind for kind in kinds if kind.name == job.kind).of_job(job)
