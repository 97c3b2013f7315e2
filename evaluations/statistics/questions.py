"""The answer to a question in words: yes, no, or not yet clear."""

BEGINNINGS = ("do", "does", "did", "is", "are", "can", "could", "will", "would", "has", "have")
GAINS = (
    "help",
    "better",
    "improve",
    "gain",
    "win",
    "beat",
    "raise",
    "more accurate",
    "more right",
    "fewer errors",
)
LOSSES = ("worse", "hurt", "harm", "lose", "loss", "regress", "more errors", "less accurate", "cost accuracy")
UNCLEAR = "Not yet clear"
ANSWERS = {"better": True, "best": True, "worse": False}


def answer(question: str, verdict: str, *, is_equivalent: bool = False) -> str:
    """“Yes”, “No” or “Not yet clear” to a question about a change that was found better, worse or neither.

    "" where the question is not one of yes and no, or does not say which way it asks.

    >>> answer("Does step by step help?", "better"), answer("Does step by step help?", "worse")
    ('Yes', 'No')
    >>> answer("Is the small model worse?", "worse"), answer("Is the small model worse?", "better")
    ('Yes', 'No')
    >>> answer("Do our rules help?", "cannot_tell"), answer("Do our rules help?", "cannot_tell", is_equivalent=True)
    ('Not yet clear', 'No')
    >>> answer("Which model is better?", "better"), answer("Is it worth it?", "better")
    ('', '')
    """
    text = " ".join(question.lower().split())
    asks_for = {True for word in GAINS if word in text} | {False for word in LOSSES if word in text}
    if text.partition(" ")[0] not in BEGINNINGS or len(asks_for) != 1:
        return ""
    found = ANSWERS.get(verdict)
    if found is None:
        return "No" if is_equivalent else UNCLEAR
    return "Yes" if found in asks_for else "No"
