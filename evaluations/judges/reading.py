"""Reads what a judge answered: reason and verdict, or why there is none."""

from dataclasses import dataclass

from evaluations.kinds.judge import UNSURE, JudgingConfig
from evaluations.mapping import reading
from evaluations.mapping.step import NotFound
from evaluations.values import JSON, text_of

UNREADABLE, OUTSIDE = "unreadable", "outside"
REPAIRABLE = (UNREADABLE, OUTSIDE)
LONGEST_REASON = 4_000


@dataclass(frozen=True)
class Read:
    """A verdict with its number; without one, `problem` is "code: sentence"."""

    label: str | None
    value: float | None
    reason: str
    problem: str = ""

    @property
    def can_be_repaired(self) -> bool:
        return self.problem.partition(":")[0] in REPAIRABLE


def read(config: JudgingConfig, text: str) -> Read:
    """What a judge's answer says."""
    try:
        answered = reading.compile_steps(config.read).value(text)
    except NotFound as nothing:
        return _none("", f"{UNREADABLE}: {str(nothing).capitalize()}.")
    if isinstance(answered, dict):
        reason = (text_of(answered.get("reason")) or "").strip()
        return _verdict(config, answered.get("verdict"), reason)
    return _verdict(config, answered, text.strip() if isinstance(answered, str) else "")


def _verdict(config: JudgingConfig, said: JSON, reason: str) -> Read:
    word = (text_of(said) or "").strip()
    by_name = {name.casefold(): name for name in config.words}
    label = by_name.get(word.casefold())
    if not word:
        return _none(reason, f"{UNREADABLE}: The answer has no verdict.")
    if label is None:
        return _none(reason, f"{OUTSIDE}: The verdict “{word[:60]}” is none of {', '.join(config.words)}.")
    if label not in config.numbers:
        return _none(reason, f"{UNSURE}: The judge said that the rubric does not decide.")
    return Read(label, config.numbers[label], reason[:LONGEST_REASON])


def _none(reason: str, problem: str) -> Read:
    return Read(None, None, reason[:LONGEST_REASON], problem)
