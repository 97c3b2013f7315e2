"""The verdicts that models gave: stored once for each question, found again by the digest of the request."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Q, QuerySet

from evaluations.clients.chat_client import Answer as ChatAnswer
from evaluations.files.text import clean
from evaluations.kinds.judge import JudgingConfig
from evaluations.launches.asked import Question
from evaluations.models import EvaluatorVersion, JudgeModel, Judging, Run, Verdict
from evaluations.webhooks import events

from . import reading
from .reading import Read

# always asked, because models change behind a name
MEASURING = (Judging.Purpose.REPEATS, Judging.Purpose.ATTACKS)
KEYS_AT_ONCE = 500
UNREAD = Verdict.State.UNREAD
ANSWERED = (Verdict.State.GIVEN, Verdict.State.NONE)
COPIED = ("state", "label", "value", "reason", "text", "problem", "model", "tokens_in", "tokens_out", "cost")


@dataclass(eq=False, kw_only=True)
class JudgeQuestion(Question):
    """A question about one answer; it `is_repaired` once its answer could not be read.

    `paid` has tokens in, tokens out and cost of each of its calls, by the id of their entry in the ledger.
    """

    example: int
    answer: int
    sample: int = 1
    swapped: bool = False
    attack: int = 0
    is_repaired: bool = False
    paid: dict[int, tuple[int, int, int | None]] = field(default_factory=dict)

    @property
    def usage(self) -> dict[str, int | None]:
        """The fields of a verdict that say what its calls took; the cost is None if one of them is unknown."""
        costs = [cost for *_, cost in self.paid.values()]
        known = [cost for cost in costs if cost is not None]
        return {
            "calls": len(costs),
            "tokens_in": sum(tokens for tokens, _, _ in self.paid.values()),
            "tokens_out": sum(tokens for _, tokens, _ in self.paid.values()),
            "cost": sum(known) if len(known) == len(costs) else None,
        }

    @property
    def name(self) -> tuple[int, int, bool, int]:
        """What tells it apart in its judging."""
        return self.example, self.sample, self.swapped, self.attack


def row(judging: Judging, question: JudgeQuestion, **fields: Any) -> Verdict:
    return Verdict(
        judging=judging,
        run_id=judging.run_id,
        version_id=judging.version_id,
        example=question.example,
        answer=question.answer,
        sample=question.sample,
        swapped=question.swapped,
        attack=question.attack,
        key=question.key or b"",
        **fields,
    )


def failed(judging: Judging, question: JudgeQuestion, problem: str) -> Verdict:
    """A question without an answer: its call failed, or could not be made."""
    return row(judging, question, state=Verdict.State.FAILED, problem=clean(problem), **question.usage)


def read(config: JudgingConfig, answer: ChatAnswer) -> Read:
    """What an answer of a server says; a refused, cut or empty one is no verdict."""
    if answer.failure:
        return Read(None, None, "", answer.failure)
    return reading.read(config, answer.text or "")


def answered(
    judging: Judging, question: JudgeQuestion, answer: ChatAnswer, said: Read, **fields: Any
) -> Verdict:
    """A question with its answer, whether or not that is a verdict."""
    return row(
        judging,
        question,
        state=Verdict.State.NONE if said.problem else Verdict.State.GIVEN,
        label=said.label,
        value=said.value,
        reason=clean(said.reason),
        text=clean(answer.text) if answer.text else None,
        problem=clean(said.problem),
        model=clean(answer.model)[:200],
        **fields,
    )


def unread(judging: Judging, question: JudgeQuestion, answer: ChatAnswer, said: Read) -> Verdict:
    """An answer that cannot be read, kept so that a worker that takes over asks only for another one."""
    stored = answered(judging, question, answer, said, **question.usage)
    stored.state = UNREAD
    return stored


def copied(judging: Judging, question: JudgeQuestion, earlier: Verdict) -> Verdict:
    """The answer to an equal question that was paid before."""
    same = {name: getattr(earlier, name) for name in COPIED}
    return row(judging, question, **same, calls=0, cached=True)


def store(judging: Judging, rows: Sequence[Verdict], repaired: Sequence[JudgeQuestion] = ()) -> None:
    """Insert verdicts; existing ones stay, but for the unread ones of `repaired` questions.

    A new name of the model is an event.
    """
    if repaired:
        names = {question.name for question in repaired}
        waiting = judging.verdicts.filter(state=UNREAD, example__in={example for example, *_ in names})
        ended = [row.pk for row in waiting if (row.example, row.sample, row.swapped, row.attack) in names]
        Verdict.objects.filter(pk__in=ended).delete()
    Verdict.objects.bulk_create(rows, ignore_conflicts=True, batch_size=500)
    if judging.version is not None:
        _note_models(judging.version, rows)


def _note_models(version: EvaluatorVersion, rows: Iterable[Verdict]) -> None:
    """Keep new names of the model; those in answers that were paid before count until there is one."""
    named = [row for row in rows if row.model]
    known = [model.model for model in version.judge_models.all()]
    fresh = {row.model for row in named if not row.cached}
    names = fresh if known else fresh or {row.model for row in named}
    for name in sorted(names.difference(known)):
        _, is_new = JudgeModel.objects.get_or_create(version=version, model=name)
        if is_new and known and name in fresh:
            events.judge_model_changed(version, known[-1], name)
        known.append(name)


def recalled(judging: Judging, keys: Sequence[bytes]) -> dict[bytes, Verdict]:
    """Verdicts by the digest of their request; at worst an unread one.

    A column takes those of the whole project, whatever was judged then. Who measures the model as it is now takes its
    own alone, which an earlier worker stored.
    """
    asked = Q(judging=judging) if judging.purpose in MEASURING else Q(run__project=judging.run.project_id)
    found: dict[bytes, Verdict] = {}
    for start in range(0, len(keys), KEYS_AT_ONCE):
        stored = Verdict.objects.filter(
            asked, key__in=keys[start : start + KEYS_AT_ONCE], state__in=(*ANSWERED, UNREAD)
        )
        worst_first = sorted(stored.order_by("-pk"), key=lambda verdict: verdict.state != UNREAD)
        found |= {bytes(verdict.key): verdict for verdict in worst_first}
    return found


def of_run(run: Run, version: EvaluatorVersion | None) -> QuerySet[Verdict]:
    """All verdicts of an evaluator version about the answers of a run, but those of attacks and unread ones."""
    return Verdict.objects.filter(run=run, version=version, attack=0).exclude(state=UNREAD)


def settled(judging: Judging, examples: Sequence[int]) -> set[tuple[int, int, int, bool, int]]:
    """Of these examples, the questions that need no call: (example, digest of the answer, sample, order, attack).

    Those that this judging asked, even in vain; and, unless nobody saved its rubric, those that an earlier one got an
    answer to.
    """
    which = Q(judging=judging)
    if judging.version_id is not None and judging.purpose != Judging.Purpose.ATTACKS:
        which |= Q(run=judging.run_id, version=judging.version_id, attack=0, state__in=ANSWERED)
    stored = Verdict.objects.filter(which, example__one_of=examples).exclude(state=UNREAD)
    return set(stored.values_list("example", "answer", "sample", "swapped", "attack"))
