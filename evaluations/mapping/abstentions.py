"""Answers that say that there is no answer."""

from evaluations import linear
from evaluations.mapping.reasoning import split_reasoning

UNANSWERABLE = "unanswerable"
LOOKED_AT = 300  # characters
NOTHING = linear.Pattern(
    r"(?i)\b(?:unanswerable|not answerable|no answer|n/?a|none|null|unknown|cannot be (?:answered|determined)"
    r"|(?:cannot|(?:can|could)(?:n['’]t|['’]t| not)|(?:was|am) unable to) (?:answer|determine|find|locate)"
    r"|not (?:stated|mentioned|given|specified|provided|enough information)"
    r"|(?:doesn|don|isn)['’]t (?:say|mention|state)|does not (?:say|mention|state|specify|provide|contain))\b"
)


def says_nothing(text: str) -> bool:
    """Whether a text is empty, or says behind its reasoning that there is no answer.

    >>> [says_nothing(text) for text in ("", "The text does not say.", "It was never built.")]
    [True, True, False]
    """
    return not text.strip() or NOTHING.search(split_reasoning(text)[1][:LOOKED_AT]) is not None
