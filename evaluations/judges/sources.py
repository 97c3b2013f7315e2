"""The questions of a judging: which answers are judged, with which bodies, at which price."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from evaluations import kinds
from evaluations.clients.tokens import Tokens
from evaluations.kinds.judge import JudgingConfig, PairJudgeConfig
from evaluations.launches import cache
from evaluations.launches.asked import Question
from evaluations.models import Chunk, Connection, Judging, Run
from evaluations.prompts import ledger, templates
from evaluations.prompts.prices import Rates
from evaluations.prompts.templates import Row
from evaluations.scoring import coverage, records, spans
from evaluations.scoring import rows as rows_of_runs
from evaluations.scoring.rows import Rows
from evaluations.values import JSON, text_of

from . import attacks, rubrics
from .verdicts import JudgeQuestion, settled

NEEDS = ("input", "output", "reference", "metadata")


@dataclass(frozen=True)
class Judged:
    """An answer that is judged, or for a judge of pairs both answers; `answer` is the digest of the first."""

    position: int
    example: int
    answer: int
    values: dict[str, Any]
    texts: Sequence[JSON]


class Source:
    """What all questions of one judging share."""

    def __init__(self, judging: Judging) -> None:
        self.judging, self.run = judging, judging.run
        config = kinds.get(judging.kind).parse(judging.config)
        assert isinstance(config, JudgingConfig)
        self.config = config

    @property
    def is_pair(self) -> bool:
        return isinstance(self.config, PairJudgeConfig)

    @cached_property
    def paths(self) -> rubrics.Paths:
        return rubrics.paths(self.config, self.run.experiment.dataset.columns)

    @cached_property
    def rates(self) -> Rates | None:
        return frozen(self.judging)

    # ---- questions ---------------------------------------------------------------------------------------------

    def questions(
        self, chunk: Chunk, connection: Connection
    ) -> tuple[list[JudgeQuestion], list[tuple[JudgeQuestion, str]]]:
        """The questions of a chunk that need a call, and those that cannot be asked, with the reason."""
        judged = list(self.judged(self._positions(chunk)))
        done = settled(self.judging, [one.example for one in judged])
        questions: list[JudgeQuestion] = []
        refused: list[tuple[JudgeQuestion, str]] = []
        attempts = (chunk.usage or {}).get("attempts", {})
        for one in judged:
            for question in self._of(one):
                if (question.example, question.answer, *question.name[1:]) in done:
                    continue
                try:
                    question.body = rubrics.body(self.config, self.paths, self._row(one, question))
                except templates.Missing as missing:
                    refused.append((question, f"missing_value: {missing}"))
                    continue
                question.key = cache.key(connection, question.sample, 0, question.body)
                question.attempts = attempts.get(str(question.position), 0)
                questions.append(question)
        return questions, refused

    def _of(self, one: Judged) -> Iterator[JudgeQuestion]:
        numbers = range(1, len(attacks.TEXTS) + 1) if self._is_attack else (0,)
        for sample in range(self.judging.first_sample, self.judging.first_sample + self.judging.samples):
            for swapped in (False, True) if self.is_pair else (False,):
                for attack in numbers:
                    yield JudgeQuestion(
                        one.position,
                        {},
                        example=one.example,
                        answer=one.answer,
                        sample=sample,
                        swapped=swapped,
                        attack=attack,
                    )

    @property
    def _is_attack(self) -> bool:
        return self.judging.purpose == Judging.Purpose.ATTACKS

    def _row(self, one: Judged, question: JudgeQuestion) -> Row:
        texts = list(one.texts)
        if question.attack:
            texts[0] = attacks.text(question.attack, self.config)
        if question.swapped:
            texts.reverse()
        answers = dict(zip(self.config.judged, texts, strict=True))
        return rubrics.row_of(**one.values, answers=answers)

    def _positions(self, chunk: Chunk) -> list[int]:
        chosen = self.judging.positions
        if chosen is not None:
            return [position for position in chosen if chunk.first <= position <= chunk.last]
        inside: list[int] = spans.asked_between(self.run, chunk.first, chunk.last).tolist()
        return inside

    def judged(self, positions: Sequence[int]) -> Iterator[Judged]:
        """The answers at these positions that a judge must read: not missing ones, nor pairs of equal answers."""
        if not positions:
            return
        rows = Rows.at(self.run, positions, NEEDS)
        now = records.answered(self.run, rows.positions.tolist())
        columns = [rows.contexts.values((name,)) for name in ("input", "expected", "reference", "metadata")]
        outputs = [rows.contexts.values(("output",)), *self._others(rows.positions.tolist())]
        for position, *values, texts in zip(
            rows.positions.tolist(), *columns, zip(*outputs, strict=True), strict=True
        ):
            example, answer = now[position]
            if answer is None or None in texts or is_same(texts):
                continue
            named = dict(zip(("input", "expected", "reference", "metadata"), values, strict=True))
            yield Judged(position, example, answer, named, texts)

    def _others(self, positions: Sequence[int]) -> list[list[JSON]]:
        against = self.judging.against
        if not self.is_pair or against is None:
            return []
        return [rows_of_runs.outputs(against, positions, position__in=list(positions))]

    # ---- money -------------------------------------------------------------------------------------------------

    def call(self, question: Question, connection: Connection) -> ledger.Call:
        most = ledger.most_tokens(question.body) if self.rates else None
        if most and self._billed:
            billed = self._billed
            most = Tokens(max(most.input, billed.input), max(most.output, billed.output))
        return ledger.Call(connection, self.config.model, self.rates, most)

    _billed: Tokens | None = None

    def learn(self, tokens: Tokens) -> None:
        """Reserve at least this much for later calls."""
        before = self._billed or Tokens(0, 0)
        self._billed = Tokens(max(before.input, tokens.input), max(before.output, tokens.output))


def is_same(texts: Sequence[JSON]) -> bool:
    """Whether both answers of a pair are the same, so that nobody needs to be asked."""
    return len(texts) > 1 and text_of(texts[0]) == text_of(texts[1])


def frozen(judging: Judging) -> Rates | None:
    """The price on the day of the request; None if the model had none."""
    kept = (judging.input_price, judging.cached_price, judging.output_price)
    if None in kept:
        return None
    return Rates(*(amount or 0 for amount in kept))


def asked_positions(run: Run) -> list[int]:
    """The positions that the run was asked, ascending."""
    every = coverage.positions(run).every
    asked: list[int] = every[coverage.is_asked(run, every)].tolist()
    return asked
