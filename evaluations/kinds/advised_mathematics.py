r"""Advice where references are formulas in TeX, such as \frac{1}{2}, which outputs write in other ways or in a box."""

from collections.abc import Sequence
from itertools import cycle

from evaluations import linear
from evaluations.mapping.mathematics import answer
from evaluations.mapping.reasoning import split_reasoning
from evaluations.values import JSON, text_of

COMMAND = linear.Pattern(r"\\[a-zA-Z]{2,}")
# shares of references with a command of TeX: beside outputs that agree, and without outputs
SOME, MOST = 0.1, 0.5
LOOKED_AT = 20_000  # characters at the end of an output


def are_formulas(references: Sequence[JSON], outputs: Sequence[JSON]) -> bool:
    r"""Whether references have commands of TeX, and outputs say them as often read as formulas as written.

    >>> are_formulas([r"\frac{1}{2}", "3"], [r"So \boxed{\dfrac12}.", r"\boxed{3}"])
    True
    """
    known = [text_of(reference) or "" for reference in references]
    has_command = [bool(COMMAND.search(text)) for text in known]
    if sum(has_command) < (SOME if outputs else MOST) * len(known):
        return False
    right = [answer(text) for text in known]
    texts = (split_reasoning(text_of(output) or "")[1] for output in outputs)
    rows = [
        (text[-LOOKED_AT:], known[row], right[row])
        for text, row in zip(texts, cycle(range(len(known))), strict=False)
        if text and has_command[row]
    ]
    read = sum(answer(text) == formula for text, _, formula in rows)
    return read >= sum(reference in text for text, reference, _ in rows) and (read > 0 or not rows)
