"""Stores answers of a run, from servers or the cache, and settles the money reserved for their calls."""

from collections.abc import Iterable, Iterator, Sequence

from django.db import transaction

from evaluations.clients import ServiceError
from evaluations.clients.chat_client import Answer as ChatAnswer
from evaluations.clients.tokens import Tokens
from evaluations.files.text import clean
from evaluations.models import Answer, Output
from evaluations.prompts import held, ledger
from evaluations.values import stored_json

from . import cache
from .asked import Outcome, Question, Result
from .questions import Source


def store(source: Source, ended: Sequence[Outcome], again: Iterable[Outcome]) -> None:
    """Store the answers and settle all calls. An example that has an answer already keeps it."""
    with transaction.atomic():
        paid = settle([*ended, *again])
        _insert(
            [
                _rows(source, o.question, o.result, o.tokens, cost)
                for o, cost in zip(ended, paid, strict=False)
            ]
        )
        cache.remember(source.run.project, _to_remember(source, ended))


def recall(source: Source, questions: Sequence[Question]) -> list[Question]:
    """Store cached answers; returns the questions without one."""
    recalled = cache.recall([question.key for question in questions if question.key])
    hits = [(question, recalled[question.key]) for question in questions if question.key in recalled]
    if hits:
        with transaction.atomic():
            _insert([_rows(source, *hit, hit[1].tokens, source.cost(hit[1].tokens)) for hit in hits])
    return [question for question in questions if question.key not in recalled]


def _to_remember(source: Source, outcomes: Iterable[Outcome]) -> Iterator[tuple[bytes, ChatAnswer]]:
    """The usable answers as the server sent them, so that versions that keep reasoning in the text can use them."""
    for outcome in outcomes:
        if not outcome.question.key or isinstance(outcome.result, ServiceError):
            continue
        if not source.separated(outcome.result).failure:
            yield outcome.question.key, outcome.result


def _rows(
    source: Source, question: Question, result: Result, tokens: Tokens | None, cost: int | None
) -> tuple[Output, Answer]:
    return _output(source, question, result), _answer(source, question, result, tokens, cost)


def _insert(rows: Sequence[tuple[Output, Answer]]) -> None:
    """Insert outputs; existing ones stay."""
    Output.objects.bulk_create([output for output, _ in rows], ignore_conflicts=True)
    Answer.objects.bulk_create([answer for _, answer in rows], ignore_conflicts=True)


def refuse(source: Source, refused: Iterable[tuple[int, str]]) -> None:
    """Store an error for each example that cannot be asked."""
    Output.objects.bulk_create(
        [Output(run=source.run, position=position, error=clean(error)) for position, error in refused],
        ignore_conflicts=True,
    )


def settle(outcomes: Sequence[Outcome]) -> list[int | None]:
    """The cost of each call: from its tokens, 0 if it was refused, None if unknown. Without an answer, nothing is held
    for its judges.
    """
    held.release([outcome.spending for outcome in outcomes if outcome.has_failed])
    paid = ledger.settle_many([(outcome.spending, outcome.tokens) for outcome in outcomes])
    return [
        amount if outcome.is_free or outcome.has_price else None
        for outcome, amount in zip(outcomes, paid, strict=True)
    ]


def _output(source: Source, question: Question, result: Result) -> Output:
    output = Output(run=source.run, position=question.position)
    if isinstance(result, ServiceError):
        output.error = clean(f"{result.code}: {result.message}")
        return output
    result = source.separated(result)
    output.latency_ms = result.milliseconds
    output.tokens = result.tokens.output if result.tokens else None
    output.partial = clean(result.partial) if result.partial else None
    output.reasoning = clean(result.reasoning) if result.reasoning else None
    if result.failure:
        output.error = clean(result.failure)
    elif result.tool_calls:
        output.text, output.is_json = clean(stored_json(result.tool_calls)), True
    else:
        output.text = clean(result.text or "")
    return output


def _answer(
    source: Source, question: Question, result: Result, tokens: Tokens | None, cost: int | None
) -> Answer:
    answer = Answer(run=source.run, position=question.position, attempts=question.attempts, cost=cost)
    if tokens:
        answer.tokens_in, answer.tokens_out = tokens.input, tokens.output
        answer.tokens_cached, answer.tokens_reasoning = tokens.cached, tokens.reasoning
    if not isinstance(result, ServiceError):
        answer.finish_reason, answer.model = clean(result.finish_reason)[:40], clean(result.model)[:200]
    return answer
