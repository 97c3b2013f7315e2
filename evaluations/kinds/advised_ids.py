"""Advice where references and outputs are ids between commas, blanks or lines, as searches return: "d12, d7, d93"."""

from collections import Counter
from collections.abc import Sequence
from itertools import cycle

from evaluations import linear
from evaluations.values import JSON, opened_json, text_or_json

MOST = 0.9  # share of the references and of the outputs that must be ids and nothing else
LONGER = 0.75  # share of outputs with more ids than the reference, from which they are rankings
SOME_SEVERAL = 0.2  # share of the references and of the outputs that must have several
FOUND = 0.3  # share of the outputs that must have an id of a reference
FEWEST_GUESSES, MOST_GUESSES = 2, 10  # of an answer
SAME_COUNT = 0.95  # share of the answers that must have the most usual number of guesses
KNOWN = 0.8  # and of the guesses that are the right answer of some question
LONGEST = 5_000  # characters that are read of each
READ = {"step": "pattern", "pattern": r"[^\s,;|，、；\"'\[\]]+", "match": "all"}
_IDS = linear.Pattern(READ["pattern"])
# a sign of a name and a digit, as in KB-1044, doc_7 or 7f3a; no amount, date, version or time
_ID = linear.Pattern(
    r"(?:[\p{L}_#]+[-_:/.#]?\p{N}|\p{N}+[-_]?\p{L})[\p{L}\p{N}_:/.#-]{0,60}|[\p{L}-]{1,20}[-_]\p{N}{1,12}"
)
_NUMBER = linear.Pattern(r"\p{N}{3,12}")


def ids_of(value: JSON) -> list[str]:
    """The ids in a text or list, each once; [] if it has anything else.

    >>> ids_of("KB-1044, KB-1299"), ids_of("see KB-1044"), ids_of(["d7", "d15"]), ids_of("48.1, 11.6")
    (['KB-1044', 'KB-1299'], [], ['d7', 'd15'], [])
    """
    text = text_or_json(value)
    parts = [match[0] for match in _IDS.finditer(text)] if len(text) <= LONGEST else []
    are_ids = all(map(_ID.fullmatch, parts)) or all(map(_NUMBER.fullmatch, parts))
    return [*dict.fromkeys(parts)] if are_ids else []


def field_of_ids(references: Sequence[JSON], outputs: Sequence[JSON]) -> str:
    """The field with the ids where outputs are lists of objects, as searches return with scores; "" without one.

    >>> found = [[{"id": "d7", "score": 0.9}, {"id": "d2", "score": 0.4}], [{"id": "d1", "score": 0.8}]]
    >>> field_of_ids([["d7", "d15"], ["d1"]], found), field_of_ids(["d7"], [[{"name": "Oslo"}]])
    ('id', '')
    """
    listed = [
        value for output in outputs if output not in (None, "") and (value := opened_json(output)) != []
    ]
    are_objects = (
        isinstance(one, list) and all(isinstance(member, dict) for member in one) for one in listed
    )
    if not listed or not all(are_objects):
        return ""
    known = {id_ for reference in references for id_ in ids_of(reference)}
    names = dict.fromkeys(name for one in listed for member in one for name in member)
    hit = {name: sum(any(id_ in known for id_ in ids_in(one, name)) for one in listed) for name in names}
    best = max(hit, key=lambda name: hit[name], default="")
    return best if best and hit[best] >= FOUND * len(listed) else ""


def ids_in(output: JSON, field: str) -> list[str]:
    """The texts in this field of a list of objects."""
    value = opened_json(output)
    members = value if isinstance(value, list) else []
    return [text for one in members if isinstance(one, dict) and isinstance(text := one.get(field), str)]


def reading_of(field: str) -> dict[str, JSON]:
    """The step that reads the texts in this field of a list of objects, in their order."""
    return {"step": "pattern", "pattern": rf'"{linear.literal(field)}":\s*"([^"\\]+)"', "match": "all"}


def ids_are(references: Sequence[JSON], outputs: Sequence[JSON]) -> str:
    """ "ranked" where outputs are lists of ids that nearly all have more than the reference, "listed" for others.

    "" where they are anything else, or where there is one id on each side. Numbers alone may be told to be sorted, so
    only longer lists of them are lists of ids.

    >>> ids_are(["d7; d15", "d3"], ["d12, d7, d93", "d3, d4, d9"]), ids_are(["d7; d15", "d3"], ["d15, d7", "d4"])
    ('ranked', 'listed')
    """
    known, said = ([ids_of(one) for one in side if one not in (None, "")] for side in (references, outputs))
    if not said or any(sum(map(bool, side)) < MOST * len(side) for side in (known, said)):
        return ""
    beside = [
        (len(ids_of(output)), len(ids_of(reference)))
        for output, reference in zip(outputs, cycle(references), strict=False)
        if output not in (None, "")
    ]
    if sum(own > right for own, right in beside) >= LONGER * len(beside):
        return "ranked"
    several = min(sum(len(one) > 1 for one in side) / len(side) for side in (known, said))
    are_numbers = all(id_.isdecimal() for one in known for id_ in one)
    return "listed" if several >= SOME_SEVERAL and not are_numbers else ""


def count_of_guesses(references: Sequence[JSON], outputs: Sequence[JSON]) -> int:
    """How many different words each output lists, best first, of which one may be right: "D B E" for B; 0 if not so.

    Such answers have as many guesses each; where several are chosen together, they would not.

    >>> right = ["A", "B", "C", "D"]
    >>> count_of_guesses(right, ["A B C", "D B A", "B C A", "D A B"]), count_of_guesses(right, ["A", "B D", "C", "D A"])
    (3, 0)
    >>> count_of_guesses(right, ["A B C", "A B D", "A B C", "A B D"])
    0
    """
    right = [_words(one) for one in references]
    if any(len(words) != 1 for words in right) or not outputs:
        return 0
    known = {words[0] for words in right}
    said = [_words(one) for one in outputs if one not in (None, "")]
    counts = Counter(len({*words}) for words in said if len({*words}) == len(words))
    number, usual = max(counts.items(), key=lambda pair: pair[1], default=(0, 0))
    if not FEWEST_GUESSES <= number <= MOST_GUESSES or usual < SAME_COUNT * len(said) or len(known) <= number:
        return 0
    guesses = [word in known for words in said for word in words]
    hits = sum(
        words[0] in _words(output) for output, words in zip(outputs, cycle(right), strict=False) if output
    )
    are_turned = len({words[0] for words in said if words}) > 1
    is_so = are_turned and sum(guesses) >= KNOWN * len(guesses) and hits >= FOUND * len(said)
    return number if is_so else 0


def _words(value: JSON) -> list[str]:
    text = text_or_json(value)
    return [match[0] for match in _IDS.finditer(text)] if len(text) <= LONGEST else []
