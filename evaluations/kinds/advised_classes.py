"""Answers to a question with yes or no that name the class instead: "toxic" and "not toxic"."""

from collections import Counter
from collections.abc import Sequence

from evaluations import linear
from evaluations.values import JSON

SOME = 0.015  # share of the outputs that affirm a class, and that deny it
PREFIXES = ("un", "in")  # of a denied class: "unacceptable"
LOOKED_AT = 200  # characters at the beginning of an output
# a name of one word that is all of an output, or what the first sentence says it is, with or without its denial
NAMED = linear.Pattern(
    r"(?i)(?:^|\b(?:is|as)\s)[\s*_\"'“`]*(not\s+(?:an?\s+)?|non[-\s]?)?(\p{L}{3,40})[\s*_\"'”`]*(?:[.,;!]|$)"
)


def class_said(outputs: Sequence[JSON]) -> str:
    """The name of the class that outputs affirm and deny in so many words; "" if there is none.

    >>> class_said(["Toxic.", "Not toxic", "This comment is **non-toxic**.", "No"])
    'toxic'
    """
    affirmed, denied = Counter[str](), Counter[str]()
    for output in outputs:
        if isinstance(output, str) and (found := NAMED.search(output[:LOOKED_AT])):
            (denied if found[1] else affirmed)[found[2].casefold()] += 1
    for name, count in [*affirmed.items()]:
        if opposite := next(
            (name[2:] for prefix in PREFIXES if name.startswith(prefix) and name[2:] in affirmed), ""
        ):
            denied[opposite] += count
    least = SOME * len(outputs)
    both = [name for name in affirmed if min(affirmed[name], denied[name]) > least]
    return max(both, key=lambda name: affirmed[name] + denied[name], default="")


def words_of_class(outputs: Sequence[JSON], yes: str, no: str) -> dict[str, str]:
    """What outputs that name a class say for yes and for no; one behind "not" is denied by itself.

    >>> words_of_class(["Acceptable", "unacceptable.", "acceptable"], "1", "0")
    {'acceptable: yes': '1', 'acceptable: no': '0', 'acceptable': '1', 'unacceptable': '0'}
    """
    name = class_said(outputs)
    if not name:
        return {}
    texts = [output[:LOOKED_AT].casefold() for output in outputs if isinstance(output, str)]
    denied = [f"{prefix}{name}" for prefix in PREFIXES if any(f"{prefix}{name}" in text for text in texts)]
    return {f"{name}: yes": yes, f"{name}: no": no, name: yes} | dict.fromkeys(denied, no)
