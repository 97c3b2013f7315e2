"""Which number of an output is the answer: the last, or one in bold, behind "answer", with a unit."""

from collections.abc import Callable, Sequence
from itertools import cycle
from typing import Any

from evaluations.kinds.numeric_match import NumericMatchConfig2
from evaluations.mapping.reasoning import split_reasoning
from evaluations.mapping.steps import Pattern
from evaluations.values import JSON, text_of

from .labels_said import LOOKED_AT, SOME

# the text up to the number of the answer, where other numbers may follow; a text without such a number as it is
NUMBERS = {
    r"(?s)\A(.*\*\*[^*\n]*\d[^*\n]*\*\*|.*)": "in bold",
    r"(?is)\A(.*\banswer\b[^\d\n]{0,30}\d[^\s*]*|.*)": "behind “answer”",
    r"(?s)\A(\D*\d(?:[\d.,]*\d)?|.*)": "at the first number",
    (
        r"(?is)\A(.*?\d[\d.,%]*|.*)"
        r"(?:\s*\([^()]*\)[\s.!*]*|[.,;]?\s+(?:because|since|when|mod|modulo)\b.*|\s*=\s*\d[\d.,]*\s*[*x×+/-].*)?\z"
    ): "before an explanation",
    (
        r"(?is)\A(.*\b(?:score|rating|grade|stars?)\b[^\d\n]{0,12}\d(?:[.,]\d+)?"
        r"|.*?\d(?:[.,]\d+)?(?:/| out of )|.*)"
    ): "as a grade",
    (
        r"(?is)\A(.*(?:\p{Sc}[ \x{a0}]?\d[\d.,]*(?:[ \x{a0}]?(?:%|\(?in |thousand|[mb]illion|trillion|[kmb]n?\b))*"
        r"|\d[\d.,]*[ \x{a0}]?(?:%|percent|(?:\(in )?(?:thousand|[mb]illion|trillion)))|.*)"
    ): "with its unit",
}


def number_of_answer(
    config: dict[str, JSON], references: Sequence[JSON], outputs: Sequence[JSON]
) -> list[Any]:
    """A step that reads the number of the answer, where that says the reference more often than the last number."""
    number = NumericMatchConfig2.model_validate(config).number
    rows = [
        (split_reasoning(text_of(output) or "")[1][-LOOKED_AT:], number(reference))
        for output, reference in zip(outputs, cycle(references), strict=False)
    ]

    def right(read: Callable[[str], JSON]) -> int:
        return sum(known is not None and number(str(read(text))) == known for text, known in rows)

    steps = [{"step": "pattern", "pattern": pattern, "group": 1} for pattern in NUMBERS]
    found = [right(Pattern.model_validate(step).read) for step in steps]
    best = max(range(len(steps)), key=found.__getitem__)
    # by the examples, because those of one variant may be all that gain
    return [steps[best]] if found[best] - right(str) > SOME * len(references) else []
