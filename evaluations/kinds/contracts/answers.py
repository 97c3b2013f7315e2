"""Contracts of the kinds that read words and labels; the references are plain loops."""

import re
from collections.abc import Sequence

from evaluations.kinds.contracts.contract import NULLS, TEXTS, TOO_LONG, Contract, Vector
from evaluations.kinds.contracts.judgement import Judgement, NoScore, cased


def token_f1(
    actual: str, expected: str, measure: str = "f1", articles: str = "en", threshold: float | None = None
) -> Judgement:
    a, b = (_squad_words(side, articles) for side in (actual, expected))
    shared = sum(min(a.count(word), b.count(word)) for word in set(a))
    if measure == "exact" or not a or not b:
        return Judgement.reaching(float(a == b), threshold)
    precision, recall = shared / len(a), shared / len(b)
    return Judgement.reaching(2 * precision * recall / (precision + recall) if shared else 0.0, threshold)


def _squad_words(side: str, articles: str) -> list[str]:
    side = "".join(sign for sign in side.lower() if sign not in "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
    return (re.sub(r"(?<![^\W_])(a|an|the)(?![^\W_])", " ", side) if articles == "en" else side).split()


def error_rate(
    actual: str,
    expected: str,
    unit: str = "word",
    case_sensitive: bool = True,
    threshold: float | None = None,
) -> Judgement:
    sides = [
        side.split() if unit == "word" else list(side.strip())
        for side in cased((actual, expected), case_sensitive)
    ]
    edits = edit_count(*sides)
    if not sides[1] and edits:
        raise NoScore("error")
    value = edits / len(sides[1]) if sides[1] else 0.0
    return Judgement(value, None if threshold is None else value <= threshold)


def edit_count(a: Sequence[str], b: Sequence[str]) -> int:
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        above, row[0] = row[0], i
        for j, right in enumerate(b, 1):
            above, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, above + (left != right))
    return row[-1]


def label(
    actual: str, expected: str, labels: list[str] | None = None, case_sensitive: bool = False
) -> Judgement:
    a, b = (side.strip() for side in cased((actual, expected), case_sensitive))
    allowed = None if labels is None else [name if case_sensitive else name.lower() for name in labels]
    if allowed is not None and b not in [name.strip() for name in allowed]:
        raise NoScore("error")
    return Judgement(float(a == b), a == b)


def check(
    actual: str,
    expected: str,
    must: str = "contain",
    phrases: str | list[str] = "",
    separator: str | None = "|",
    mode: str = "all",
    case_sensitive: bool = False,
    pattern: str | None = None,
    unit: str = "character",
    minimum: int | None = None,
    maximum: int | None = None,
) -> Judgement:
    if must == "length":
        length = len(actual) if unit == "character" else len(actual.split())
        passed = (minimum is None or length >= minimum) and (maximum is None or length <= maximum)
        return Judgement(float(passed), passed)
    if must in ("match", "not_match"):
        flags = re.ASCII if case_sensitive else re.IGNORECASE
        passed = (re.search(pattern or "", actual, flags) is None) == (must == "not_match")
        return Judgement(float(passed), passed)
    listed = phrases if isinstance(phrases, list) else phrases.split(separator) if separator else [phrases]
    listed = [phrase.strip() for phrase in listed if phrase.strip()]
    if not listed:
        raise NoScore("error")
    hits = [
        needle in whole for needle, whole in (cased((phrase, actual), case_sensitive) for phrase in listed)
    ]
    passed = (
        True not in hits if must == "not_contain" else (False not in hits if mode == "all" else True in hits)
    )
    return Judgement(float(passed), passed)


CONTRACTS = {
    "token_f1": Contract(
        reference=token_f1,
        formula="Twice the shared words divided by the words of both sides; a word counts as often as it occurs "
        "on both. "
        "Words are in lower case, without ASCII punctuation and without a, an and the.",
        edge_cases=(
            NULLS,
            "exact is 1.0 if the words are the same in the same order, else 0.0.",
            "If a side has no words, the score is 1.0 if neither has, else 0.0.",
            TOO_LONG,
            TEXTS,
        ),
        golden=(
            Vector("the red fox", "a red fox", 1.0, why="articles do not count"),
            Vector("a fox", "the red fox", 2 / 3, why="2 × 1 / (1 + 2)"),
            Vector("the red fox", "a red fox", 2 / 3, None, {"articles": "none"}, why="2 × 2 / (3 + 3)"),
            Vector("Red, fox!", "red fox", 1.0, why="case and punctuation"),
            Vector("red red", "red fox", 0.5, why="red counts once: 2 × 1 / 4"),
            Vector("fox red", "red fox", 0.0, None, {"measure": "exact"}),
            Vector("The red fox.", "red fox", 1.0, True, {"measure": "exact", "threshold": 1.0}),
            Vector("", "the", 1.0, why="no words on either side"),
            Vector("x", "", 0.0),
            Vector(None, "x", None, status="missing_actual"),
        ),
    ),
    "error_rate": Contract(
        reference=error_rate,
        formula="Inserted, deleted and replaced words (or characters) divided by the number of those of the "
        "reference.",
        edge_cases=(
            NULLS,
            "Words stand between blanks; case and punctuation count. Blanks at the ends do not.",
            "A reference without words is an error (empty_reference), unless the output has none either: 0.0.",
            "More errors than words give a rate above 1. An empty output has the rate 1.",
            TOO_LONG,
            TEXTS,
        ),
        golden=(
            Vector("the cat sat", "the cat sat", 0.0),
            Vector("the cat", "the cat sat", 1 / 3, why="one missing of three"),
            Vector("the dog sat down", "the cat sat", 2 / 3, why="one replaced, one more"),
            Vector("", "the cat", 1.0),
            Vector("a b c d", "x", 4.0, why="one replaced, three more, of one"),
            Vector("kitten", "sitting", 3 / 7, None, {"unit": "character"}),
            Vector("The cat", "the cat", 0.5),
            Vector("The cat", "the cat", 0.0, True, {"case_sensitive": False, "threshold": 0.1}),
            Vector("the dog", "the cat", 0.5, False, {"threshold": 0.1}),
            Vector("x", " ", None, status="error", why="nothing to divide by"),
            Vector("x", None, None, status="missing_expected"),
        ),
    ),
    "label": Contract(
        reference=label,
        formula="1.0, and passed, if both sides are the same label, without blanks at their ends, else 0.0.",
        edge_cases=(
            NULLS,
            "Case does not count unless case_sensitive is set.",
            "With a list of labels an output outside them is wrong, and a reference outside them an error "
            "(unknown_label).",
            "The reading step “choice” finds the label in a longer answer.",
            TOO_LONG,
            TEXTS,
        ),
        golden=(
            Vector("spam", "spam", 1.0, True),
            Vector("ham", "spam", 0.0, False),
            Vector(" Spam\n", "spam", 1.0, True),
            Vector("Spam", "spam", 0.0, False, {"case_sensitive": True}),
            Vector("It is spam", "spam", 0.0, False, why="the whole text is the label"),
            Vector("eggs", "spam", 0.0, False, {"labels": ["spam", "ham"]}),
            Vector("SPAM", "spam", 1.0, True, {"labels": ["Spam", "ham"]}),
            Vector("spam", "eggs", None, None, {"labels": ["spam", "ham"]}, status="error"),
            Vector(None, "spam", None, status="missing_actual"),
        ),
    ),
    "check": Contract(
        reference=check,
        is_alone=True,
        formula="1.0, and passed, if the output keeps to the rule, else 0.0.",
        edge_cases=(
            "If the output is null, there is no score: missing_actual.",
            "Phrases lose the blanks at their ends; blank ones do not count. Without any the example is an error "
            "(no_phrases).",
            "not_contain passes only if none of the phrases occurs.",
            "Patterns are in RE2 syntax and match anywhere; case counts only if case_sensitive is set.",
            TOO_LONG,
            TEXTS,
        ),
        golden=(
            Vector(
                "We recommend our own.", None, 1.0, True, {"must": "not_contain", "phrases": "Acme|Globex"}
            ),
            Vector(
                "Some like the globex one.",
                None,
                0.0,
                False,
                {"must": "not_contain", "phrases": "Acme|Globex"},
            ),
            Vector("red and blue", None, 0.0, False, {"phrases": ["red", "green"]}),
            Vector("red and blue", None, 1.0, True, {"phrases": ["red", "green"], "mode": "any"}),
            Vector("RED", None, 0.0, False, {"phrases": "red", "case_sensitive": True}),
            Vector("a|b", None, 1.0, True, {"phrases": "a|b", "separator": None}),
            Vector("x", None, None, None, {"phrases": " | "}, status="error"),
            Vector("order 4711", None, 1.0, True, {"must": "match", "pattern": "[0-9]{4}"}),
            Vector("order 4711", None, 0.0, False, {"must": "not_match", "pattern": "[0-9]{4}"}),
            Vector("four", None, 1.0, True, {"must": "length", "minimum": 2, "maximum": 4}),
            Vector("one two three", None, 0.0, False, {"must": "length", "maximum": 2, "unit": "word"}),
        ),
    ),
}
