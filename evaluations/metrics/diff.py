"""What changed from one text to another, for people to read: words first, then characters inside changed words."""

import re
from collections.abc import Sequence
from typing import Literal, TypeAlias

from rapidfuzz.distance import Levenshtein

Tag: TypeAlias = Literal["equal", "insert", "delete", "replace"]
Change: TypeAlias = tuple[Tag, str, str, "list[Change] | None"]
Level: TypeAlias = Literal["word", "character", "none"]

CAP = 50_000
ISLAND = 3
WORDS = re.compile(r"\s+|\w+|[^\w\s]")
CHARACTERS = re.compile(r"\s+|\S")
BLANK = re.compile(r"\s*")


def diff(
    a: str, b: str, *, level: Level = "word", ignore_case: bool = False, ignore_whitespace: bool = False
) -> list[Change]:
    """The changes from `a` to `b`, as tuples (tag, text of a, text of b, inner) in order.

    The tag is "equal", "insert" (text of a is ""), "delete" (text of b is "") or "replace". `inner` is None, or for
    one word replaced by another that is at least half alike, the changes inside it, of the same form with inner None.
    The texts of a joined give `a`, those of b give `b`; only the first 50 000 characters of each are compared, the
    rest is left out. Neighbouring changes are one, and so are changes with less than three equal characters between
    them. What is ignored is "equal" although its two texts differ. Level "none" compares the texts as a whole.
    """
    a, b = a[:CAP], b[:CAP]
    if level == "none":
        return _joined(
            [
                _change(
                    a, b, _key(a, ignore_case, ignore_whitespace) == _key(b, ignore_case, ignore_whitespace)
                )
            ]
        )
    pattern = WORDS if level == "word" else CHARACTERS
    sides = [pattern.findall(text) if level == "word" or ignore_whitespace else list(text) for text in (a, b)]
    keys = [[_key(token, ignore_case, ignore_whitespace) for token in side] for side in sides]
    changes = _aligned(*sides, *keys, inside=level == "word", ignore_whitespace=ignore_whitespace)
    return _without_islands(_joined(changes))


def _key(token: str, ignore_case: bool, ignore_whitespace: bool) -> str:
    """What of a token is compared."""
    if ignore_whitespace:
        token = " ".join(token.split()) or (" " if token else "")
    return token.lower() if ignore_case else token


def _change(a: str, b: str, equal: bool) -> Change:
    tag: Tag = "equal" if equal else "replace" if a and b else "delete" if a else "insert"
    return tag, a, b, None


def _aligned(
    a: Sequence[str],
    b: Sequence[str],
    a_keys: list[str],
    b_keys: list[str],
    *,
    inside: bool,
    ignore_whitespace: bool,
) -> list[Change]:
    """One change per run of equal, inserted or deleted tokens, and per replaced token."""
    changes: list[Change] = []
    for tag, a_first, a_last, b_first, b_last in Levenshtein.opcodes(a_keys, b_keys):
        if tag == "replace":
            # An edit script replaces one token by one token.
            pairs = zip(a[a_first:a_last], b[b_first:b_last], strict=True)
            changes += [_replaced(old, new, inside) for old, new in pairs]
        else:
            old, new = "".join(a[a_first:a_last]), "".join(b[b_first:b_last])
            blank = ignore_whitespace and BLANK.fullmatch(old) and BLANK.fullmatch(new)
            changes.append(_change(old, new, tag == "equal" or bool(blank)))
    return changes


def _replaced(old: str, new: str, inside: bool) -> Change:
    """A token for another; words that are at least half alike show what changed inside them."""
    alike = inside and old.isalnum() and new.isalnum() and Levenshtein.normalized_similarity(old, new) >= 0.5
    return "replace", old, new, diff(old, new, level="character") if alike else None


def _joined(changes: list[Change]) -> list[Change]:
    """Neighbouring equal texts become one, neighbouring changes too, except where one shows its inside."""
    joined: list[Change] = []
    for tag, old, new, inner in changes:
        if not old and not new:
            continue
        if joined and not inner and not joined[-1][3] and (joined[-1][0] == "equal") == (tag == "equal"):
            _, before_old, before_new, _ = joined.pop()
            old, new = before_old + old, before_new + new
        joined.append((_change(old, new, tag == "equal")[0], old, new, inner))
    return joined


def _without_islands(changes: list[Change]) -> list[Change]:
    """Fewer than three equal characters between two changes say nothing: they join them."""
    last = len(changes) - 1
    merged = [
        (
            ("replace", old, new, None)
            if 0 < place < last and _island(*changes[place - 1 : place + 2])
            else change
        )
        for place, change in enumerate(changes)
        for _, old, new, _ in [change]
    ]
    return _joined([part for change in _joined(merged) for part in _without_common_end(change)])


def _without_common_end(change: Change) -> list[Change]:
    """A change whose two texts end in the same blanks leaves them to the equal text that follows."""
    tag, old, new, inner = change
    blanks = len(old) - len(old.rstrip())
    if tag != "replace" or inner or not blanks or old[-blanks:] != new[-blanks:]:
        return [change]
    return [
        _change(old[:-blanks], new[:-blanks], equal=False),
        _change(old[-blanks:], new[-blanks:], equal=True),
    ]


def _island(before: Change, change: Change, after: Change) -> bool:
    tag, old, new, _ = change
    return tag == "equal" and max(len(old), len(new)) < ISLAND and not before[3] and not after[3]
