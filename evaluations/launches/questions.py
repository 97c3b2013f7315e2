"""What a run asks: the request of each example, in the order of its launch."""

from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from typing import Any

import numpy as np
from django.utils import timezone
from numpy.typing import NDArray

from evaluations.clients.tokens import Tokens
from evaluations.models import Budget, Chunk, Generation, Job, Launch, Run
from evaluations.prompts import ledger, prices, rendering, templates
from evaluations.prompts.content import Content
from evaluations.values import stored_json

from . import order


@dataclass(eq=False)
class Question:
    """One example that is asked: the body of its request, how often it was asked, and when it may be next."""

    position: int
    body: dict[str, Any]
    attempts: int = 0
    not_before: float = 0.0


@dataclass(eq=False)
class Source:
    """What all chunks of a generation job share."""

    run: Run
    generation: Generation
    launch: Launch
    budget: Budget

    @classmethod
    def from_job(cls, job: Job) -> "Source":
        generation = Generation.objects.select_related(
            "run__experiment__dataset",
            "run__project",
            "launch__experiment",
            "launch__budget",
            "prompt_version",
            "connection__project",
        ).get(pk=job.run_id)
        return cls(generation.run, generation, generation.launch, generation.launch.budget)

    @cached_property
    def content(self) -> Content:
        content = Content.from_version(self.generation.prompt_version)
        return replace(content, model=self.generation.model, parameters=self.generation.parameters)

    @cached_property
    def _order(self) -> NDArray[np.int64]:
        return order.positions(self.launch)

    @cached_property
    def _places(self) -> dict[str, templates.Place | None]:
        return templates.places(self.content.messages, self.run.experiment.dataset.columns)

    def questions(self, chunk: Chunk) -> tuple[list[Question], list[tuple[int, str]]]:
        """The examples of a chunk that lack an answer, by rank; apart, those that cannot be asked, and why."""
        ranked = self._order[chunk.first - 1 : chunk.last]
        lacking = ranked[~np.isin(ranked, order.answered(self.run))].tolist()
        examples = {example.position: example for example in self.run.examples.filter(position__in=lacking)}
        questions, refused = [], []
        for position in lacking:
            try:
                row = rendering.row_of(examples[position])
                questions.append(Question(position, self.content.body(self._rendered(row))))
            except templates.Missing as missing:
                refused.append((position, f"missing_value: {missing}"))
        return questions, refused

    def _rendered(self, row: templates.Row) -> list[templates.Message]:
        return templates.rendered(self.content.messages, self._places, row)

    def call(self, question: Question, day: date) -> ledger.Call:
        """The call that a question makes, with its price of the day and its worst case."""
        rates = self._rates(day)
        most = Tokens(0, 0)
        if rates is not None and (self.budget.limit is not None or self._has_limit):
            most = ledger.most_tokens(stored_json(question.body).encode(), self.content.parameters)
        return ledger.Call(self.generation.connection, self.content.model, rates, most)

    @property
    def _has_limit(self) -> bool:
        return any(name in self.content.parameters for name in ledger.LIMITS_OF_OUTPUT)

    def _rates(self, day: date) -> prices.Rates | None:
        if day not in self._known_rates:
            self._known_rates[day] = prices.rates(self.generation.connection, self.content.model, day)
        return self._known_rates[day]

    @cached_property
    def _known_rates(self) -> dict[date, prices.Rates | None]:
        return {}


def today() -> date:
    return timezone.now().date()
