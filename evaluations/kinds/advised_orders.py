"""Advice where each reference has the same members in another order, such as "B > A > C" or "2, 1, 3"."""

from collections.abc import Sequence
from typing import Any

from evaluations import linear
from evaluations.mapping import listings
from evaluations.values import JSON, text_of

FEWEST, MOST = 3, 12  # members
FEW_LISTED = 0.05  # share of outputs that may list words line by line
NEARLY_ALL = 0.9  # of the references
LONGEST = 500  # characters of a reference
BETWEEN = linear.Pattern(r"""\s*[>,;|→<\n]\s*""")
LONGEST_INPUT, LONGEST_MEMBER = 5_000, 60  # characters at the end of an input; of a member, on average
# "Order 7 from Rome" is a thing, and asks for none
ASKED = linear.Pattern(
    r"(?i)(?:\b(?:sort|rank|arrange|sortiere|classe[rz]?|ordena)\b|(?:^|[.:?!]\s+|\n)(?:order|ordne)\s+\p{L}+)"
    r"[^\n]{0,80}\b(?:order|by|from|to|chronolog\w*|ascending|descending|alphabetical\w*|nach|par|por|de)\b"
    r"|(?:^|[.:?!]\s+|\n)(?:order|ordne)\s+(?:by|nach)\b"
    r"|\b(?:earliest|oldest|smallest|lowest|largest|highest|biggest|lightest|shortest)\s+(?:to|first)\b"
    r"|\b(?:ascending|descending|chronological|alphabetical|correct|right)\s+order\b|\bin\s+order\s+of\b"
)
WORDS = linear.Pattern(r"\p{L}{1,40}(?:\s+\p{L}{1,40})+")
AROUND = " \t\n[](){}\"'"
# what may stand between two members in an answer
GAP = r"""[\s>,;|→<"'*_\[\](){}]+"""


def steps_for_orders(references: Sequence[JSON]) -> list[Any]:
    """The steps that read the last order in a text, without what stands between its members; [] for other references.

    >>> bool(steps_for_orders(["B > A > C", "A > C > B"])), steps_for_orders(["A, B, C", "A, B, C"])
    (True, [])
    """
    orders = {tuple(_members(reference)) for reference in references}
    known = {frozenset(order) for order in orders}
    members = sorted(next(iter(known), ()))
    is_order = len(orders) > 1 and len(known) == 1 and all(len(order) == len(members) for order in orders)
    if not is_order or not FEWEST <= len(members) <= MOST:
        return []
    one = f"(?:{'|'.join(map(linear.literal, sorted(members, key=len, reverse=True)))})"
    pattern = rf"(?i)\b{one}(?:{GAP}{one}){{{len(members) - 1}}}"
    last = {"step": "pattern", "pattern": pattern, "group": 0, "match": "last"}
    return [last, {"step": "normalize", "case": "fold", "punctuation": "remove", "whitespace": "remove"}]


def are_orders(references: Sequence[JSON]) -> bool:
    """Whether nearly all references order members of their own by signs: "iron > iodine > tungsten".

    >>> are_orders(["iron > iodine > tungsten", "silicon → argon → gold"]), are_orders(["x > 5", "a, b, c"])
    (True, False)
    """
    return _are_arrowed(references) and not are_paths(references)


def _are_arrowed(references: Sequence[JSON]) -> bool:
    arrowed = sum(
        len(text) <= LONGEST
        and len(listings.members(text)) >= FEWEST
        and len(listings.ARROW.split(text)) >= FEWEST
        for text in (text_of(reference) or "" for reference in references)
    )
    return arrowed >= NEARLY_ALL * len(references)


def are_paths(references: Sequence[JSON]) -> bool:
    """Whether references are places in a tree, as categories are: each member stands at one place only.

    >>> are_paths(["Home > Garden > Pots", "Home > Garden > Tools", "Home > Kitchen > Pans"])
    True
    """
    places: dict[str, list[int]] = {}
    for text in (text_of(reference) or "" for reference in references):
        for place, member in enumerate(listings.ARROW.split(text[:LONGEST])):
            places.setdefault(member.strip().casefold(), []).append(place)
    repeated = [found for found in places.values() if len(found) > 1]
    is_tree = len(repeated) > 1 and all(len({*found}) == 1 for found in repeated)
    return is_tree and _are_arrowed(references)


def are_asked_orders(references: Sequence[JSON], inputs: Sequence[JSON]) -> bool:
    """Whether nearly all references are lists of several members, and most inputs ask for them in an order.

    >>> asked = ["Sort by size: ant, cow, cat", "Rank from oldest to newest: car, bus, cart"]
    >>> are_asked_orders(["ant, cat, cow", ["cart", "bus", "car"]], asked)
    True
    >>> are_asked_orders(["ant, cat, cow", "Oslo, Rome"], ["Which animals are named?", "Which cities?"])
    False
    >>> are_asked_orders([{"size": [1, 2]}, {"size": [3]}], asked)
    False
    """
    if not ask_for_order(inputs):
        return False
    lists = sum(_is_short_list(reference) for reference in references)
    return lists >= NEARLY_ALL * len(references)


def are_asked_words(references: Sequence[JSON], inputs: Sequence[JSON]) -> bool:
    """Whether nearly all references are words between blanks alone, in an order for which most inputs ask.

    >>> are_asked_words(["ant cat cow", "bat dog"], ["Sort by name: cow cat ant", "Rank by name: dog bat"])
    True
    """
    words = sum(WORDS.fullmatch((text_of(reference) or "").strip()) is not None for reference in references)
    return words >= NEARLY_ALL * len(references) and ask_for_order(inputs)


def listed(outputs: Sequence[JSON]) -> str:
    """What speaks against looking for words in a row; "" where hardly an output lists them line by line."""
    lists = sum(
        len([line for line in (text_of(output) or "").splitlines() if listings.BULLET.search(line)]) > 1
        for output in outputs
    )
    if lists <= FEW_LISTED * len(outputs):
        return ""
    return f"{lists} of {len(outputs)} outputs list members line by line, which it calls wrong"


def ask_for_order(inputs: Sequence[JSON]) -> bool:
    """Whether most inputs ask for something in an order.

    >>> ask_for_order(["Order by size: cat, ant"]), ask_for_order(["Order the animals by size"])
    (True, True)
    >>> ask_for_order(["Order 7 from Rome: two plates"])
    False
    """
    asked = sum(ASKED.search((text_of(one) or "")[-LONGEST_INPUT:]) is not None for one in inputs)
    return asked * 2 > len(inputs)


def _is_short_list(reference: JSON) -> bool:
    if isinstance(reference, dict):
        return False
    text = text_of(reference) or ""
    members = listings.members(reference) if len(text) <= LONGEST else []
    return len(members) > 1 and sum(map(len, members)) <= LONGEST_MEMBER * len(members)


def _members(reference: JSON) -> list[str]:
    text = (text_of(reference) or "").strip(AROUND)
    return [part.strip(AROUND) for part in BETWEEN.split(text)] if len(text) <= LONGEST else []
