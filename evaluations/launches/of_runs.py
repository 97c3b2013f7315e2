"""What a worker asks for a run of a launch."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property

from django.db.models import QuerySet

from evaluations import leases
from evaluations.clients.tokens import Tokens
from evaluations.models import Budget, Chunk, Connection, Job, Launch, Run
from evaluations.prompts import ledger

from . import answers, ending, launches, readers, stopping
from .asked import Asked, Outcome, Question
from .following import Follower
from .questions import Source


class OfRun(Asked):
    """The answers of one run. All runs of a launch share its money."""

    attempts = 6
    seconds = 120.0

    def __init__(self, source: Source) -> None:
        super().__init__(("launch", source.launch.pk), source.budget)
        self.source = source

    @classmethod
    def from_job(cls, job: Job) -> "OfRun":
        at = leases.now()
        Run.objects.filter(pk=job.run_pk, started_at=None).update(started_at=at)
        Job.objects.filter(pk=job.pk, started_at=None).update(started_at=at)
        return cls(Source.from_job(job))

    @property
    def connection(self) -> Connection:
        return self.source.connection

    @property
    def jobs(self) -> QuerySet[Job]:
        generating = Job.objects.filter(kind=Job.GENERATE, state=Job.State.OPEN)
        return generating.filter(run__generation__launch=self.source.launch)

    def take(self, chunk: Chunk) -> list[Question]:
        questions, refused = self.source.questions(chunk)
        answers.refuse(self.source, refused)
        left = answers.recall(self.source, questions)
        readers.known().set_aside(self.source.run, left)
        return left

    def call(self, question: Question) -> ledger.Call:
        return replace(self.source.call(question), aside=question.aside)

    def store(self, ended: Sequence[Outcome], again: Sequence[Outcome]) -> None:
        answers.store(self.source, ended, again)

    def learn(self, tokens: Tokens) -> None:
        self.source.learn(tokens)

    def look(self, outcomes: Iterable[Outcome]) -> None:
        ending.stop_if_hopeless(self.source, outcomes)

    def check_failures(self) -> None:
        ending.check_failures(self.source)

    def fail(self, code: str, message: str) -> None:
        launches.stop(self.source.launch, Launch.Status.FAILED, {"code": code, "message": message})

    def frees(self, limit: Budget) -> bool:
        return limit.pk == self.budget.pk and readers.known().free(self.source.launch)

    def reach_limit(self, limit: Budget) -> None:
        launches.stop(self.source.launch, Launch.Status.LIMIT)

    def end(self, chunk: Chunk) -> None:
        ending.end_chunk(chunk, self.source)

    @cached_property
    def _follower(self) -> Follower:
        return Follower(self.source.launch)

    def follow(self) -> None:
        stopping.follow(self._follower)

    def leave(self) -> None:
        stopping.catch_up(self._follower)
