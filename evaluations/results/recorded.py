"""Explains scores that were sent: the records of one example, the newest last."""

from typing import Any

from evaluations import kinds
from evaluations.judges import verdicts
from evaluations.kinds.people import NOBODY, people
from evaluations.kinds.sent import ABOUT
from evaluations.models import EvaluatorVersion, Record, Run
from evaluations.numerals import plural
from evaluations.prompts import money
from evaluations.scoring import records

NOT_ASKED = "The judge has not read this answer: nobody named money for it, or it was not reached."
MOST_VERDICTS = 50


def explanation(run: Run, version: EvaluatorVersion, position: int) -> dict[str, Any]:
    """The note of the score that counts, and all `records` of the example, each with whether it `counts`."""
    [(example, answer)] = records.answered(run, [position]).values()
    stored = Record.objects.filter(
        column__run=run, column__removed_at=None, column__evaluator_version=version, example=example
    )
    history = list(stored.select_related("sender").order_by("number"))
    counting = next((record for record in reversed(history) if record.answer == answer), None)
    return _verdicts(run, version, example) | {
        "note": _sentence(history, counting, answer, _nothing(version)),
        "records": [
            {
                "value": record.value,
                "label": record.label,
                "error": record.error,
                "note": record.note,
                "by": record.by,
                "sent_by": record.sender.username if record.sender else None,
                "at": record.created_at.isoformat(),
                "counts": record is counting,
            }
            for record in history
        ],
    }


def _verdicts(run: Run, version: EvaluatorVersion, example: int) -> dict[str, Any]:
    """Every answer of a judge about the example, as it was paid; nothing for scores that were sent."""
    if version.kind not in kinds.JUDGES:
        return {}
    stored = verdicts.of_run(run, version).filter(example=example).order_by("sample", "swapped", "pk")
    return {
        "verdicts": [
            {
                "verdict": verdict.label,
                "reason": verdict.reason,
                "problem": verdict.problem,
                "text": verdict.text,
                "sample": verdict.sample,
                "swapped": verdict.swapped,
                "model": verdict.model,
                "tokens_in": verdict.tokens_in,
                "tokens_out": verdict.tokens_out,
                "cost": None if verdict.cost is None else money.cost_text(verdict.cost),
                "cached": verdict.cached,
                "at": verdict.created_at.isoformat(),
            }
            for verdict in stored[:MOST_VERDICTS]
        ]
    }


def _nothing(version: EvaluatorVersion) -> str:
    """What is said where no record says anything."""
    if version.kind == people.key:
        return NOBODY
    return NOT_ASKED if version.kind in kinds.JUDGES else ABOUT


def _sentence(history: list[Record], counting: Record | None, answer: int | None, about: str) -> str:
    """Such as "From ann: too terse. 2 earlier scores are kept."."""
    parts = [about]
    if counting:
        who = f"From {counting.by}: " if counting.by else ""
        told = counting.note or (f"scored as “{counting.label}”" if counting.label else "")
        parts = [f"{who}{told}".strip(": ") or about]
    of_earlier_answers = sum(record.answer != answer for record in history)
    replaced = len(history) - of_earlier_answers - (counting is not None)
    if replaced:
        parts.append(f"{plural(replaced, 'earlier score')} of this answer {_is(replaced)} kept.")
    if of_earlier_answers:
        verb = "belongs" if of_earlier_answers == 1 else "belong"
        parts.append(f"{plural(of_earlier_answers, 'score')} {verb} to an earlier answer.")
    return " ".join(part if part.endswith((".", "!", "?")) else f"{part}." for part in parts)


def _is(number: int) -> str:
    return "is" if number == 1 else "are"
