"""Advice where references are lists: rankings, lists to be named as a whole, several labels, synonyms."""

from collections import Counter
from collections.abc import Sequence
from itertools import cycle
from typing import Any

from evaluations import linear
from evaluations.mapping import listings
from evaluations.mapping.step import NotFound
from evaluations.mapping.steps import Json
from evaluations.values import JSON, canonical_json, opened_json, text_of

from .advised_texts import COMPARED

LONGER = 0.75  # share of outputs with more members than the reference, from which they are rankings
SOME_TURNED = 0.05  # share of outputs from which the order of lists does not count
FEW_SEVERAL = 0.02  # share of outputs that may name several of a list of which one is right
SOME_SEVERAL = 0.2  # share of references that must name several labels
MOST_LABELS, EACH_LABEL = 30, 3  # labels that references are sets of; how often each occurs, on average
LONGEST, LONGEST_LIST = 500, 20_000  # characters of a list of labels; of an output that may be a list
BETWEEN = linear.Pattern(r"\s*[,;|，、；]\s*")
LABEL = linear.Pattern(r"[\p{L}\p{N}][\p{L}\p{M}\p{N} _/&-]{0,39}")
# letters, and from a digit on anything without blanks: E11.9, CVE-2024-3094
CODE = linear.Pattern(r"([A-Z]{1,6})(-?)[0-9]([0-9A-Z.-]{0,15})")
DECIMAL = linear.Pattern(r"[+-]?[0-9]{1,9}(?:,[0-9]{1,9})?")
LETTERS = linear.Pattern(r"[A-Z](?: ?[A-Z])*")
NO_WORD = linear.Pattern(r"[^\p{L}\p{M}\p{N}]+")


def given_list(output: JSON) -> list[Any] | None:
    """The list that an output has as JSON; None without, or in a very long text."""
    return None if isinstance(output, str) and len(output) > LONGEST_LIST else listings.listed_json(output)


def are_rankings(references: Sequence[JSON], outputs: Sequence[JSON]) -> bool:
    """Whether outputs are lists that nearly all have more members than the reference beside them."""
    sizes = [
        (len(given), len(listings.members(reference)))
        for output, reference in zip(outputs, cycle(references), strict=False)
        if (given := given_list(output)) is not None
    ]
    return bool(sizes) and sum(given > known for given, known in sizes) >= LONGER * len(sizes)


def are_graded(references: Sequence[JSON], outputs: Sequence[JSON]) -> bool:
    """Whether references are objects of grades whose names most outputs list.

    >>> are_graded([{"d1": 2, "d2": 0}], [["d2", "d9"]]), are_graded([{"total": 2}], [["d2"]])
    (True, False)
    """
    if not outputs or not all(map(_has_grades, references)):
        return False
    pairs = zip(outputs, cycle(map(opened_json, references)), strict=False)
    named = sum(any(f"{one}" in grades for one in given_list(output) or ()) for output, grades in pairs)
    return 2 * named > len(outputs)


def _has_grades(reference: JSON) -> bool:
    grades = opened_json(reference)
    if not isinstance(grades, dict) or not grades:
        return False
    return all(isinstance(grade, int | float) and grade >= 0 for grade in grades.values())


def name_several(references: Sequence[JSON], outputs: Sequence[JSON]) -> bool:
    """Whether most outputs that name a member of the reference name another one, which no synonym of it is.

    Members that are part of others, as a surname is, are the same answer. Where hardly a reference has two, no.
    """
    have_two = sum(len(listings.members(reference)) > 1 for reference in references)
    if have_two < SOME_SEVERAL * len(references):
        return False
    hits = [number for number in _named(references, outputs) if number]
    return bool(hits) and sum(number > 1 for number in hits) * 2 > len(hits)


def several_named(references: Sequence[JSON], outputs: Sequence[JSON]) -> str:
    """What speaks against one member of a list as the answer: outputs that name several; "" where hardly any does.

    >>> several_named([["Ann", "Bob"], ["Eve"]], ["Ann and Bob", "Eve"])
    '1 of 2 outputs name several members of their reference, of which it asks for one'
    >>> several_named([["Ann", "Bob"]] * 60, ["Ann and Bob", *["Ann"] * 59])
    ''
    """
    several = sum(number > 1 for number in _named(references, outputs))
    if several <= FEW_SEVERAL * len(outputs):
        return ""
    return f"{several} of {len(outputs)} outputs name several members of their reference, of which it asks for one"


def _named(references: Sequence[JSON], outputs: Sequence[JSON]) -> list[int]:
    """How many members of its reference each output names that has a reference of several."""
    return [
        sum(member in said for member in known)
        for output, reference in zip(outputs, cycle(references), strict=False)
        if len(known := _apart(listings.members(reference))) > 1
        for said in [as_words(text_of(output) or "")]
    ]


def lists_are_turned(references: Sequence[JSON], outputs: Sequence[JSON]) -> bool:
    """Whether some outputs have a list of the record beside them in another order, or one of records with gaps."""
    turned = sum(
        _has_turned(record(output), record(reference))
        for output, reference in zip(outputs, cycle(references), strict=False)
    )
    return turned > SOME_TURNED * len(outputs)


def record(value: JSON) -> Any:
    """What an output is as JSON, also in a fence or behind a sentence; None if it is none, or very long."""
    if isinstance(value, str) and len(value) > LONGEST_LIST:
        return None
    try:
        return Json(step="json").read(value)
    except NotFound:
        return None


def _has_turned(given: Any, known: Any) -> bool:
    if isinstance(given, dict) and isinstance(known, dict):
        return any(_has_turned(given[name], known[name]) for name in given.keys() & known.keys())
    if not (isinstance(given, list) and isinstance(known, list)):
        return False
    sides = [[canonical_json(one) for one in side] for side in (given, known)]
    if sides[0] != sides[1] and sorted(sides[0]) == sorted(sides[1]):
        return True
    are_records = all(isinstance(one, dict) for one in (*given, *known))
    return are_records and len(given) != len(known) and not {*sides[0]}.isdisjoint(sides[1])


def are_sequences(references: Sequence[JSON]) -> bool:
    """Whether lists often have a member twice, as tags of words have, so that each place counts.

    >>> are_sequences([["O", "B", "O"], '["O", "O"]']), are_sequences([["A", "B"], ["A"]])
    (True, False)
    """
    lists = [listed for one in references if (listed := listings.listed_json(one)) is not None]
    twice = sum(len({*map(canonical_json, listed)}) < len(listed) for listed in lists)
    return len(lists) == len(references) > 0 and twice >= SOME_SEVERAL * len(lists)


def label_sets(references: Sequence[JSON]) -> list[str]:
    """The labels of which references name one or several, as "A, C", "AC" or "joy; fear"; [] of other references.

    Where all references have the same ones, their order is the answer.
    """
    sets = [_labels(reference) for reference in references]
    if not any(len(one) > 1 for one in sets):
        sets = _between_blanks(references) or sets
    known = [one for one in sets if one]
    counts = Counter(label for one in known for label in one)
    if len(known) < len(sets) or not 1 < len(counts) <= MOST_LABELS:
        return []
    is_often = sum(counts.values()) >= EACH_LABEL * len(counts)
    several = sum(len(one) > 1 for one in known)
    differ = len({frozenset(one) for one in known}) > 1
    return sorted(counts) if is_often and differ and several >= SOME_SEVERAL * len(known) else []


def are_decimals(references: Sequence[JSON], outputs: Sequence[JSON]) -> bool:
    """Whether references, and outputs, are numbers with a comma before decimals: sets of numbers are written in order,
    and some have one or three members.

    >>> are_decimals(["4,8", "2,0", "3"], ["0,91", "0,4", "-0,1"]), are_decimals(["1,4", "1,2", "2"], ["1,4"])
    (True, False)
    """
    known = [(text_of(one) or "").strip() for one in references]
    said = [text for one in outputs if (text := (text_of(one) or "").strip())]
    parts = [text.partition(",") for text in known if "," in text]
    are_numbers = all(map(DECIMAL.fullmatch, (*known, *said)))
    return are_numbers and any(int(whole) >= int(rest) for whole, _, rest in parts)


def _between_blanks(references: Sequence[JSON]) -> list[list[str]]:
    """Labels with blanks between them; [] of other texts: of names and phrases, few words stand alone, too.

    >>> _between_blanks(["late_payment refund", "refund", "bug late_payment", "late_payment", "bug"])[0]
    ['late_payment', 'refund']
    >>> _between_blanks(["Ada Lovelace", "Marie Curie"])
    []
    """
    sets = [(text_of(reference) or "").split() for reference in references]
    if any(
        len(one) > MOST_LABELS or len({*one}) < len(one) or not all(map(LABEL.fullmatch, one)) for one in sets
    ):
        return []
    every = {label for one in sets for label in one}
    alone = {one[0] for one in sets if len(one) == 1}
    together = {label for one in sets if len(one) > 1 for label in one}
    return sets if len(alone & together) * 2 > len(every) else []


def pattern_of_codes(references: Sequence[JSON]) -> str:
    """A pattern of the codes of which references list one or several, such as "E11.9; I10"; "" for other references.

    >>> pattern_of_codes(["E11.9; I10", "J45.909"])
    '\\\\b[A-Z]{1,1}[0-9][0-9A-Z.]{1,5}\\\\b'
    """
    lists = [_codes(reference) for reference in references]
    several = sum(len(codes) > 1 for codes in lists)
    if not all(lists) or several < SOME_SEVERAL * len(lists):
        return ""
    codes = [code for listed in lists for code in map(CODE.fullmatch, listed) if code]
    begins, rests = ([len(code[group]) for code in codes] for group in (1, 3))
    signs = "".join(sorted({sign for code in codes for sign in code[3] if not sign.isalnum()}, reverse=True))
    hyphen = "-?" if any(code[2] for code in codes) else ""
    letters = f"[A-Z]{{{min(begins)},{max(begins)}}}"
    return rf"\b{letters}{hyphen}[0-9][0-9A-Z{signs}]{{{min(rests)},{max(rests)}}}\b"


def _codes(reference: JSON) -> list[str]:
    """The codes in a text or list; [] if it has anything else."""
    text = text_of(reference) or ""
    parts = listings.members(reference) if len(text) <= LONGEST else []
    return parts if all(map(CODE.fullmatch, parts)) else []


def _labels(reference: JSON) -> list[str]:
    """The labels in a text or list; [] if it is anything else."""
    if isinstance(reference, str) and len(reference) > LONGEST:
        return []
    if isinstance(reference, str) and (listed := listings.listed_json(reference)) is not None:
        reference = [*listed]
    if isinstance(reference, list):
        parts = [text_of(one) or "" for one in reference]
    else:
        text = (text_of(reference) or "").strip()
        letters = text.replace(" ", "")
        is_letters = LETTERS.fullmatch(text) and list(letters) == sorted({*letters})
        parts = list(letters) if is_letters else BETWEEN.split(text)
    return parts if all(map(LABEL.fullmatch, parts)) else []


def _apart(members: Sequence[str]) -> list[str]:
    """The words of members, without those that are part of another member."""
    known = [*dict.fromkeys(map(as_words, members))]
    return [one for one in known if one.strip() and not any(one != other and one in other for other in known)]


def as_words(text: str) -> str:
    """The words of a text between blanks, in one letter case."""
    return f" {NO_WORD.sub(' ', text[:COMPARED]).casefold().strip()} {text[COMPARED:]}"
