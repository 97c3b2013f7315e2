"""In what little an output differs from its reference, where it does not differ in its words."""

from collections.abc import Callable, Sequence
from itertools import combinations

from evaluations.linear import Pattern

SIGNS = Pattern(r"[.,;:!?…\"'“”„‘’«»()\[\]{}*_`¿¡–—-](\p{Nd}?)")


def _without_signs(text: str) -> str:
    return " ".join(SIGNS.sub(lambda found: found[0] if found[1] else " ", text).split())


FORMS: dict[str, Callable[[str], str]] = {
    "letter case": str.casefold,
    "spaces": lambda text: " ".join(text.split()),
    "punctuation": _without_signs,
}


def differs_only_in(output: str, references: Sequence[str]) -> str:
    """What must be ignored for an output to be one of the references; "" if it is one, or if its words differ.

    >>> differs_only_in("lima", ["Lima"]), differs_only_in("Lima. ", ["Rome", "Lima"]), differs_only_in("-7", ["7"])
    ('letter case', 'punctuation', '')
    >>> differs_only_in("NEW  YORK", ["New York"]), differs_only_in("Lima", ["Lima"])
    ('letter case and spaces', '')
    """
    if output in references:
        return ""
    for size in range(1, len(FORMS) + 1):
        for names in combinations(FORMS, size):
            read = _in_forms(output, names)
            if read and any(_in_forms(reference, names) == read for reference in references):
                return " and ".join(names) if size < len(FORMS) else "letter case, spaces and punctuation"
    return ""


def _in_forms(text: str, names: Sequence[str]) -> str:
    for name in names:
        text = FORMS[name](text)
    return text
