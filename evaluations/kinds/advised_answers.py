"""Advice where outputs reason first and say their answer behind a word such as "answer"."""

from collections.abc import Sequence
from typing import Any

from evaluations.mapping import listings
from evaluations.mapping.steps import Pattern
from evaluations.values import JSON, text_of

FEW_ANNOUNCED = 0.05  # share of outputs that reason before they announce their answer
LEAST_BEFORE = 20  # characters of reasoning
SOME_BEHIND = 0.3  # share of outputs that say such a word before their end
# what stands behind the last such word, or all without one; without signs of emphasis and the last stop
BEHIND = rf"(?s)(?:\A.*{listings.ANSWER})?[\s*_`]*(.*?)[\s*_`.]*\z"
STEP: dict[str, Any] = {"step": "pattern", "pattern": BEHIND, "group": 1}
# what stands behind the last announcement of an answer, or all without one
ANNOUNCED: dict[str, Any] = {
    "step": "pattern",
    "pattern": rf"(?s)(?:\A.*{listings.ANNOUNCED})?(.*)\z",
    "group": 1,
}
ANY_CASE = {"step": "normalize", "case": "fold"}
STEPS = [STEP, ANY_CASE]
LONGEST = 20_000  # characters of an output


def answers_behind(outputs: Sequence[JSON]) -> list[str]:
    """What outputs say behind "answer", each whole if it has no such word; [] where too few have one.

    >>> answers_behind(["(A) is late. So the answer is (B).", "**Answer: True**", "(C)"])
    ['(B)', 'True', '(C)']
    """
    step = Pattern.model_validate(STEP)
    texts = [(text_of(output) or "").strip() for output in outputs]
    answers = [str(step.read(text)) if len(text) <= LONGEST else text for text in texts]
    behind = sum(len(answer) + 2 < len(text) for answer, text in zip(answers, texts, strict=True))
    return answers if behind > SOME_BEHIND * len(texts) else []


def are_announced(outputs: Sequence[JSON]) -> bool:
    """Whether some outputs have words before "the answer is", from which no right answer is to be read.

    >>> are_announced(["16 and 9 make 25. The answer is 7.", "7", "25."]), are_announced(["7", "Answer: 7"])
    (True, False)
    """
    step = Pattern.model_validate(ANNOUNCED)
    texts = [(text_of(output) or "").strip()[-LONGEST:] for output in outputs]
    behind = sum(len(str(step.read(text))) + LEAST_BEFORE < len(text) for text in texts)
    return behind > FEW_ANNOUNCED * len(texts)
