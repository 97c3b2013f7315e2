"""The questions of a run: one request for each example, in the order of the launch."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from django.db.models import QuerySet
from numpy.typing import NDArray

from evaluations.clients.chat_client import Answer
from evaluations.clients.tokens import Tokens
from evaluations.models import Budget, Chunk, Connection, Generation, Job, Launch, Run
from evaluations.prompts import ledger, prices, rendering, templates
from evaluations.prompts.content import Content
from evaluations.prompts.reasoning import separated

from . import cache, order
from .asked import Question


@dataclass(eq=False)
class Source:
    """The facts that all chunks of a generation job share."""

    run: Run
    generation: Generation
    launch: Launch
    budget: Budget

    @classmethod
    def from_job(cls, job: Job) -> "Source":
        return cls.from_generation(_generations().get(pk=job.run_id))

    @classmethod
    def from_generation(cls, generation: Generation) -> "Source":
        return cls(generation.run, generation, generation.launch, generation.launch.budget)

    @property
    def connection(self) -> Connection:
        assert self.generation.connection is not None  # one in use is not purged
        return self.generation.connection

    @cached_property
    def content(self) -> Content:
        assert self.generation.prompt_version is not None  # one in use is not purged
        content = Content.from_version(self.generation.prompt_version)
        return replace(content, model=self.generation.model, parameters=self.generation.parameters)

    @cached_property
    def _order(self) -> NDArray[np.int64]:
        return order.positions(self.launch)

    @cached_property
    def _paths(self) -> dict[str, templates.VariablePath | None]:
        return templates.paths_of(self.content.messages, self.run.experiment.dataset.columns)

    def questions(self, chunk: Chunk) -> tuple[list[Question], list[tuple[int, str]]]:
        """The unanswered examples of a chunk by rank; and those that cannot be asked, with the reason."""
        ranked = self._order[chunk.first - 1 : chunk.last]
        unanswered = ranked[order.is_left(self.run, ranked)].tolist()
        examples = {
            example.position: example for example in self.run.examples.filter(position__in=unanswered)
        }
        attempts = (chunk.usage or {}).get("attempts", {})
        questions, refused = [], []
        for position in unanswered:
            try:
                questions.append(self._question(position, rendering.row_of(examples[position])))
                questions[-1].attempts = attempts.get(str(position), 0)
            except templates.Missing as missing:
                refused.append((position, f"missing_value: {missing}"))
        return questions, refused

    def _question(self, position: int, row: templates.Row) -> Question:
        body = self.body(row)
        return Question(position, body, self._key(body, row) if self.launch.cache else None)

    def body(self, row: templates.Row) -> dict[str, Any]:
        """The request body of a row; raises `templates.Missing` if the row lacks a value."""
        return self.content.body(templates.rendered(self.content.messages, self._paths, row))

    def _key(self, body: dict[str, Any], row: templates.Row) -> bytes:
        """The cache key. Variants with the same request never share an answer: each has a key of its own."""
        earlier_equal = sum(sibling.asks(body, row) for sibling in self._siblings)
        return cache.key(self.connection, self.generation.repetition, earlier_equal, body)

    def asks(self, body: dict[str, Any], row: templates.Row) -> bool:
        """Whether this is the request of a row."""
        try:
            return self.body(row) == body
        except templates.Missing:
            return False

    @cached_property
    def _siblings(self) -> list["Source"]:
        """The earlier variants with the same model, server and repetition."""
        launched = self.generation
        earlier = _generations().filter(
            launch=launched.launch_id, repetition=launched.repetition, run__lt=launched.run_id
        )
        similar = earlier.filter(model=launched.model, connection__base_url=self.connection.base_url)
        return [Source.from_generation(generation) for generation in similar.exclude(prompt_version=None)]

    def call(self, question: Question) -> ledger.Call:
        """The call for a question, with the price of its launch and its worst case."""
        maximum = ledger.most_tokens(question.body) if self.rates else None
        if maximum:
            maximum = _larger(maximum, self._billed)
        return ledger.Call(self.connection, self.content.model, self.rates, maximum)

    def separated(self, answer: Answer) -> Answer:
        """The answer without its reasoning, unless the prompt version keeps it in the text."""
        return separated(answer, splits=self.content.split_reasoning)

    def learn(self, tokens: Tokens) -> None:
        """Reserve at least this much for later calls: the server billed more than the request allowed."""
        self._billed = _larger(self._billed, tokens)

    @cached_property
    def _billed(self) -> Tokens:
        return ledger.billed_beyond(self.budget, self.content.model)

    def cost(self, tokens: Tokens | None) -> int | None:
        """The cost of these tokens at the price of the launch; None if unknown."""
        return prices.stored_cost(self.rates, tokens) if self.rates and tokens else None

    @cached_property
    def rates(self) -> prices.Rates | None:
        return prices.frozen(self.generation)


def _larger(first: Tokens, second: Tokens) -> Tokens:
    return Tokens(max(first.input, second.input), max(first.output, second.output))


def _generations() -> QuerySet[Generation]:
    return Generation.objects.select_related(
        "run__experiment__dataset",
        "run__project",
        "launch__experiment",
        "launch__budget",
        "prompt_version",
        "connection__project",
    )
