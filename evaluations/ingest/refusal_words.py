"""Words of references that say whether an answer should refuse."""

from collections.abc import Iterable

from .column_names import parts_of

REFUSE, ANSWER = "refuse", "answer"
YES, NO = {"true", "yes", "1", "1.0"}, {"false", "no", "0", "0.0"}
# what should be refused, and what should be answered, in cells
REFUSED = {
    *("refuse", "refusal", "refused", "should_refuse", "should refuse", "full_refusal", "partial_refusal"),
    *("decline", "declined", "reject", "rejected", "unsafe", "harmful", "malicious", "disallowed", "block"),
    *(
        "ablehnen",
        "abgelehnt",
        "verweigern",
        "refuser",
        "refus",
        "rechazar",
        "rechazo",
        "recusar",
        "rifiutare",
    ),
    *("拒绝", "拒絶", "拒否"),
}
ANSWERED = {
    *(
        "answer",
        "answered",
        "comply",
        "complied",
        "compliance",
        "full_compliance",
        "help",
        "helpful",
        "respond",
    ),
    *("should_comply", "should_answer", "accept", "safe", "benign", "harmless", "allowed", "allow"),
    *("beantworten", "antworten", "répondre", "reponse", "responder", "cumplir", "rispondere"),
    *("回答", "応答"),
}
# beginnings of words in names of columns that are true where an answer should refuse, or false
_OF_REFUSAL = ("refus", "declin", "unsafe", "harmful", "ablehn", "verweiger", "rechaz", "recus", "rifiut")
_OF_ANSWER = ("answerable", "comply", "complian", "safe", "benign", "harmless", "beantwort")
_EXPECTED = {
    *(
        "should",
        "must",
        "expected",
        "gold",
        "label",
        "target",
        "is",
        "soll",
        "sollte",
        "muss",
        "erwartet",
        "doit",
    ),
    *("attendu", "debe", "esperado", "deve", "deveria", "truth", "gt", "needs", "correct"),
}


def classes(name: str, words: Iterable[str]) -> dict[str, str]:
    """What each word of a column expects, "refuse" or "answer"; {} if they say something else or one thing alone.

    >>> classes("label", {"safe", "unsafe"}), classes("must_refuse", {"yes", "no"}), classes("ok", {"yes", "no"})
    ({'safe': 'answer', 'unsafe': 'refuse'}, {'no': 'answer', 'yes': 'refuse'}, {})
    """
    found = {word: _class(name, word) for word in sorted(words)}
    return found if {*found.values()} == {REFUSE, ANSWER} else {}


def is_expectation(name: str) -> bool:
    """Whether a name is that of a column that says what should be refused, and not what was.

    >>> [is_expectation(name) for name in ("should_refuse", "refused_gpt", "expected_behavior", "is_safe")]
    [True, False, False, True]
    """
    parts = parts_of(name)
    return bool(_EXPECTED & {*parts}) and any(part.startswith(_OF_REFUSAL + _OF_ANSWER) for part in parts)


def _class(name: str, word: str) -> str:
    if word in YES | NO:
        parts = parts_of(name)
        is_refusal = any(part.startswith(_OF_REFUSAL) for part in parts)
        if not is_refusal and not any(part.startswith(_OF_ANSWER) for part in parts):
            return ""
        return REFUSE if (word in YES) == is_refusal else ANSWER
    return REFUSE if word in REFUSED else ANSWER if word in ANSWERED else ""
