"""The answer to a question in words: yes, no, or not yet clear; and which variant it asks about."""

from collections.abc import Iterable, Sequence

from evaluations.linear import Pattern

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
SMALL = {"a", "an", "and", "by", "for", "in", "of", "on", "the", "to", "with", "without"}
_WORD = Pattern(r"[\p{L}\p{N}]+")
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


def named(question: str, variants: Sequence[str]) -> str:
    """The one of several variants that a question names by words that not all of them have; "" for none or several.

    >>> variants = ["small_answer", "fewshot_answer", "large_answer", "terse_large_answer"]
    >>> named("Does few-shot help?", variants), named("Does terse large help?", variants)
    ('fewshot_answer', 'terse_large_answer')
    >>> named("Is large better?", variants), named("Does it help?", variants)
    ('large_answer', '')
    """
    words = {variant: set(_words(variant)) for variant in variants}
    common = set[str].intersection(*words.values()) if words else set[str]()
    own = {variant: found - common - SMALL for variant, found in words.items()}
    asked = said_in(question)
    fitting = {variant: len(found) for variant, found in own.items() if found and found <= asked}
    most = max(fitting.values(), default=0)
    best = [variant for variant, count in fitting.items() if count == most]
    return best[0] if len(best) == 1 else ""


def names_one_of(question: str, values: Iterable[str]) -> bool:
    """Whether a question names a value, such as that of a subset.

    >>> names_one_of("Does it help in German?", ["German", "English"]), names_one_of("Does it help?", ["de"])
    (True, False)
    """
    asked = said_in(question)
    return any(found and found <= asked for found in (set(_words(value)) for value in values))


def said_in(question: str) -> set[str]:
    """The words of a question, and those that a hyphen joins as one: "few-shot" is "fewshot", too."""
    return {*_words(question), *_words(question.replace("-", ""))}


def _words(text: str) -> list[str]:
    return [found[0].casefold() for found in _WORD.finditer(text)]
