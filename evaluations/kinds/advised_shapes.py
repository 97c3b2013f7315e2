"""The shapes that references have: calls of tools, JSON, code, numbers at the end."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from evaluations import linear
from evaluations.metrics import numbers
from evaluations.values import JSON

from . import advised_code
from .advised_fields import opened
from .advised_texts import LONGEST, as_text, count_words

SENTENCE = 12  # words of a short answer
FEW_WORDS, COPIED = (
    3,
    0.9,
)  # words of an answer that is a number; share of the rows that end as their input does
CODE = "indel_similarity"  # the kind for code of which outputs are hardly ever the same
LISTED = "lists of objects"
FIELDS_OF_ENTITIES = {2, 3}  # such as a text and its type, or two things and what is between them
PLACES_OF_ENTITIES = {2, 3, 4}  # without names of fields: 0, 9, "person"; perhaps with a text
YEAR = 4  # digits
STATEMENTS = (
    "def ",
    "class ",
    "function ",
    "import ",
    "return ",
    "SELECT ",
    "WITH ",
    "INSERT ",
    "UPDATE ",
    "public ",
    "const ",
    "#include",
)
CODE_MARKS = ("(", ")", "{", "}", ";", "return", " = ", "=>", "    ", " FROM ")
CLOSING = " .,;:!?)]}*\"'%€$£"
# a number with its currency or size behind it
AMOUNT = linear.Pattern(
    r"\p{Sc}?[+-]?\d[\d.,' \x{a0}\x{202f}]*(?:\p{Sc}|\p{Lu}{3}|thousand|[mb]illion|trillion)"
)
# several numbers and nothing else, such as a place: 48.1, 11.6
SEVERAL = linear.Pattern(r"[\[(]?[-+−]?\d[\d.]*(?:\s*[,;]\s+[-+−]?\d[\d.]*)+[\])]?")
GROUPS = linear.Pattern(r"\d \d+ \d+$")
THOUSANDS = linear.Pattern(r"(?:^|[^\d ])[ ]?\d{1,3}(?: \d{3})+(?:[.,]\d+)?$")
MARKUP = linear.Pattern(r"^\s*<[a-zA-Z!][^>]*>")
FRACTION = linear.Pattern(r"[-−]?\d{1,6} ?/ ?\d{1,6}")
# what stands before the year of a date in words: "May ", "March 5, ", "5 Sept. "
BEFORE_YEAR = linear.Pattern(
    r"(?i)\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?,? (?:\d{1,2}(?:st|nd|rd|th)?,? )?\z"
)


class Shape(NamedTuple):
    """What references may be, in words behind their number, the kind for it, and whether a value is that."""

    words: str
    kind: str
    fits: Callable[[JSON], bool]


def _is_tool_call(value: JSON) -> bool:
    found = opened(value)
    calls = found.get("tool_calls", [found]) if isinstance(found, dict) else found
    return (
        isinstance(calls, list)
        and bool(calls)
        and all(
            isinstance(call, dict)
            and (isinstance(call.get("function"), dict) or {"name", "arguments"} <= set(call))
            for call in calls
        )
    )


def is_call_of_allowed(value: JSON) -> bool:
    """Whether a value is a list of calls by name, with lists of the values that are right for each argument.

    >>> is_call_of_allowed([{"find": {"city": ["Oslo"], "unit": ["km", ""]}}]), is_call_of_allowed([{"a": {"b": 1}}])
    (True, False)
    """
    found = opened(value)
    return (
        isinstance(found, list)
        and bool(found)
        and all(isinstance(call, dict) and len(call) == 1 for call in found)
        and all(
            isinstance(arguments, dict) and all(isinstance(one, list) for one in arguments.values())
            for call in found
            for arguments in call.values()
        )
    )


def is_list(value: JSON) -> bool:
    """Whether a value is a list of texts or numbers."""
    found = opened(value)
    return (
        isinstance(found, list) and bool(found) and all(isinstance(one, str | int | float) for one in found)
    )


def _is_json(value: JSON) -> bool:
    return isinstance(opened(value), dict)


def _has_objects(value: JSON) -> bool:
    """Whether a value is a list of objects, such as what was found in a text; it may be empty.

    >>> [_has_objects(value) for value in ('[{"text": "Oslo", "type": "place"}]', "[]", "[1]", "{}")]
    [True, True, False, False]
    """
    found = opened(value)
    return isinstance(found, list) and all(isinstance(one, dict) for one in found)


def _has_tuples(value: JSON) -> bool:
    """Whether a value is a list of short lists with a text each, as of places and what stands there; it may be empty.

    >>> [_has_tuples(value) for value in ('[[0, 9, "person"], [12, 19, "place"]]', [["Ada", "born in", "London"]])]
    [True, True]
    >>> [_has_tuples(value) for value in ([[1, 2], [3, 4]], [["a"], []], ["a", "b"])]
    [False, False, False]
    """
    found = opened(value)
    return isinstance(found, list) and all(
        isinstance(one, list)
        and len(one) in PLACES_OF_ENTITIES
        and any(isinstance(part, str) for part in one)
        and not any(isinstance(part, dict | list) for part in one)
        for one in found
    )


def are_entities(values: Sequence[JSON]) -> bool:
    """Whether the objects in lists are of two or three plain values, as what was found in a text and its type.

    Or they are lists such as [0, 9, "person"]. Those that say where in the text it was found are, too: a passage is
    right as a whole.

    >>> are_entities([[{"text": "Oslo", "type": "place"}], []]), are_entities([[{"a": 1, "b": 2, "c": 3, "d": 4}]])
    (True, False)
    >>> are_entities([[{"label": ["place"], "text": "Oslo", "start": 3, "end": 7}]])
    True
    """
    if all(map(_has_tuples, values)):
        return True
    found = [one for value in values for one in opened(value) or () if isinstance(one, dict)]
    if found and all(map(_is_passage, found)):
        return True
    plain = [one for one in found if not any(isinstance(field, dict | list) for field in one.values())]
    return bool(found) and len(plain) == len(found) and {*map(len, found)} <= FIELDS_OF_ENTITIES


def _is_passage(fields: dict[str, JSON]) -> bool:
    """Whether an object says where in a text a passage begins and ends."""
    begin = [value for name, value in fields.items() if "start" in name.lower() or "begin" in name.lower()]
    end = [value for name, value in fields.items() if "end" in name.lower() or "stop" in name.lower()]
    return (
        len(begin) == len(end) == 1
        and isinstance(begin[0], int)
        and isinstance(end[0], int)
        and begin[0] <= end[0]
    )


def numbers_are_copied(references: Sequence[JSON], inputs: Sequence[JSON]) -> bool:
    """Whether nearly all references are sentences that end in the number of their input: nobody answers it.

    >>> numbers_are_copied(["The train leaves from track 5."], ["Der Zug fährt von Gleis 5."])
    True
    >>> numbers_are_copied(["5"], ["How many are 2 and 5"]), numbers_are_copied(["The train has 5 cars."], [])
    (False, False)
    """
    pairs = [
        (as_text(reference), as_text(asked)) for reference, asked in zip(references, inputs, strict=False)
    ]
    copied = sum(
        count_words(reference) > FEW_WORDS and _last_number(reference) == _last_number(asked) is not None
        for reference, asked in pairs
    )
    return bool(pairs) and copied >= COPIED * len(pairs)


def _last_number(text: str) -> str | None:
    return numbers.last(text.rstrip(CLOSING)[-200:])


def _ends_in_number(value: JSON) -> bool:
    """Whether a value is a number, or its last line or what is behind "####" ends in one after few words.

    >>> [_ends_in_number(value) for value in ("so 18", "17,880.00 GBP", "$7.1 million", "5 May")]
    [True, True, True, False]
    """
    if isinstance(value, bool | list | dict):
        return False
    alone = as_text(value).strip()[:LONGEST]
    if SEVERAL.fullmatch(alone):
        return False
    if AMOUNT.fullmatch(alone) or FRACTION.fullmatch(alone):
        return True
    last = as_text(value).rstrip().rpartition("\n")[2].rpartition("####")[2]
    if count_words(last[-LONGEST:]) > SENTENCE:
        return False
    text = as_text(value).rstrip(CLOSING)
    written = numbers.last(text[-200:])
    if written is None or not text.endswith(written):
        return False
    return not _is_part(text[-200 : -len(written)], written)


def _is_part(before: str, written: str) -> bool:
    """Whether a number is only the end of a date, an id, a formula or a title: 2025-07-05, INV-7, SO4, It (1990)."""
    if BEFORE_YEAR.search(before) or (len(written) == YEAR and before[-2:] == " ("):
        return True
    if GROUPS.search(before + written) and not THOUSANDS.search(before + written):
        return True  # the end of a telephone number, or of several numbers
    if before.endswith((")", "{", "}", "^", "_")) and not before.endswith("boxed{"):
        return True
    if before[-1:].isalpha() or (written[0] in "+-" and before[-1:].isdigit()):
        return True
    return (before[-1:] == "-" and before[-2:-1].isalnum()) or (
        before[-1:] in ("/", ":", "-") and before[-2:-1].isdigit()
    )


def _is_code(value: JSON) -> bool:
    """Whether a text has lines of a program: several marks of one, at least one of them at the start of a line."""
    text = as_text(value)
    if MARKUP.search(text[:LONGEST]) and text.rstrip().endswith(">"):
        return True
    if advised_code.is_query(text) or text.lstrip().startswith(advised_code.QUERIES):
        return advised_code.is_query(text)
    begins = any(line.lstrip().startswith(STATEMENTS) for line in text.splitlines())
    return begins and sum(mark in text for mark in CODE_MARKS) >= 2


SHAPES = (
    Shape("are calls of tools", "tool_calls", _is_tool_call),
    Shape("are JSON objects", "json_fields", _is_json),
    Shape("are lists of objects", LISTED, _has_objects),
    Shape("are lists of what stands at which place", LISTED, _has_tuples),
    Shape("look like code", CODE, _is_code),
    Shape("end in a number", "numeric_match", _ends_in_number),
)
