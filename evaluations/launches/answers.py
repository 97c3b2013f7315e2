"""Answers that arrived: outputs of a run, what they took, and the settling of what was reserved for them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import transaction

from evaluations.clients import ServiceError
from evaluations.clients.chat_client import Answer as ChatAnswer
from evaluations.ingest.text import clean
from evaluations.models import Answer, Output, Spending
from evaluations.prompts import ledger
from evaluations.values import stored_json

from .questions import Question, Source

# Refusals that come before anything is generated, so that nothing is paid.
FREE = {"unauthorized", "forbidden", "not_found", "refused", "too_many", "rate_limited", "unavailable"}


@dataclass(frozen=True)
class Outcome:
    """What became of a call."""

    question: Question
    spending: Spending
    result: ChatAnswer | ServiceError

    @property
    def error(self) -> ServiceError | None:
        return self.result if isinstance(self.result, ServiceError) else None


def store(source: Source, ended: Sequence[Outcome], again: Iterable[Outcome]) -> None:
    """Keep the answers, and settle all calls. An example that has an answer keeps it."""
    with transaction.atomic():
        paid = {outcome.question.position: _settle(outcome) for outcome in ended}
        for outcome in again:
            _settle(outcome)
        Output.objects.bulk_create([_output(source, outcome) for outcome in ended], ignore_conflicts=True)
        Answer.objects.bulk_create(
            [_answer(source, outcome, paid[outcome.question.position]) for outcome in ended],
            ignore_conflicts=True,
        )


def refuse(source: Source, refused: Iterable[tuple[int, str]]) -> None:
    """Examples that cannot be asked have no answer, and say why."""
    Output.objects.bulk_create(
        [Output(run=source.run, position=position, error=clean(error)) for position, error in refused],
        ignore_conflicts=True,
    )


def _settle(outcome: Outcome) -> int:
    """What the call cost: by its tokens; nothing where it was refused; its worst where nobody knows."""
    result = outcome.result
    if isinstance(result, ServiceError):
        if result.code in FREE:
            ledger.release(outcome.spending)
            return 0
        return ledger.lose(outcome.spending)
    if result.tokens is None:
        return ledger.lose(outcome.spending)
    return ledger.settle(outcome.spending, result.tokens)


def _output(source: Source, outcome: Outcome) -> Output:
    result = outcome.result
    output = Output(run=source.run, position=outcome.question.position)
    if isinstance(result, ServiceError):
        output.error = clean(f"{result.code}: {result.message}")
        return output
    output.latency_ms = result.milliseconds
    output.tokens = result.tokens.output if result.tokens else None
    if result.failure:
        output.error = result.failure
    elif result.tool_calls:
        output.text, output.is_json = clean(stored_json(result.tool_calls)), True
    else:
        output.text = clean(result.text or "")
    return output


def _answer(source: Source, outcome: Outcome, paid: int) -> Answer:
    result = outcome.result
    answer = Answer(
        run=source.run, position=outcome.question.position, attempts=outcome.question.attempts, cost=paid
    )
    if isinstance(result, ServiceError):
        return answer
    answer.finish_reason, answer.model = clean(result.finish_reason)[:40], clean(result.model)[:200]
    if result.tokens:
        answer.tokens_in, answer.tokens_out = result.tokens.input, result.tokens.output
        answer.tokens_cached, answer.tokens_reasoning = result.tokens.cached, result.tokens.reasoning
    return answer
