"""Readable differences between two texts: by words, then by characters inside changed words."""

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal, TypeAlias

from rapidfuzz.distance import Levenshtein

Tag: TypeAlias = Literal["equal", "insert", "delete", "replace"]
Change: TypeAlias = tuple[Tag, str, str, "list[Change] | None"]
Level: TypeAlias = Literal["word", "character", "none"]

CAP = 50_000
ISLAND = 3
FEW_WORDS, LEAST_SHARED, FEWEST_REPLACED = 8, 0.3, 5
WORDS = re.compile(r"\s+|\w+|[^\w\s]")
CHARACTERS = re.compile(r"\s+|\S")
WORD = re.compile(r"\w+")


def diff(
    a: str, b: str, *, level: Level = "word", ignore_case: bool = False, ignore_whitespace: bool = False
) -> list[Change]:
    """The changes from `a` to `b`, as tuples (tag, text of a, text of b, inner) in order.

    The tag is "equal", "insert" (text of a is ""), "delete" (text of b is "") or "replace". `inner` is None,
    or for one word replaced by another that is at least half alike, the changes inside it, of the same form
    with inner None. The texts of a joined give `a`, those of b give `b`; only the first 50 000 characters of
    each are compared, the rest is left out. Neighbouring changes are one, and so are changes with less than
    three equal characters between them. Ignored differences are "equal", although the two texts differ. Level
    "none" compares the texts as a whole.
    """
    a, b = a[:CAP], b[:CAP]
    key = partial(_key, ignore_case=ignore_case, ignore_whitespace=ignore_whitespace)
    if level == "none":
        return _joined([_change(a, b, key(a) == key(b))])
    pattern = WORDS if level == "word" else CHARACTERS
    inside = partial(diff, level="character", ignore_case=ignore_case) if level == "word" else None
    return _without_islands(_joined(_aligned(pattern.findall(a), pattern.findall(b), key, inside)))


def are_unlike(changes: Sequence[Change]) -> bool:
    """Whether a diff would only confuse: of eight words fewer than three in ten are kept, or of five none."""

    def words(side: Literal[1, 2], only: str = "") -> int:
        texts = (change[side] for change in changes if not only or change[0] == only)
        return sum(len(WORD.findall(text)) for text in texts)

    longer = max(words(1), words(2))
    kept = words(1, "equal")
    return (longer >= FEW_WORDS and kept < LEAST_SHARED * longer) or (longer >= FEWEST_REPLACED and not kept)


def _key(token: str, *, ignore_case: bool, ignore_whitespace: bool) -> str:
    """The part of a token that is compared, without ignored case and white space."""
    if ignore_whitespace:
        token = " ".join(token.split())
    return token.lower() if ignore_case else token


def _change(a: str, b: str, equal: bool) -> Change:
    tag: Tag = "equal" if equal else "replace" if a and b else "delete" if a else "insert"
    return tag, a, b, None


def _aligned(
    a: Sequence[str],
    b: Sequence[str],
    key: Callable[[str], str],
    inside: Callable[[str, str], list[Change]] | None,
) -> list[Change]:
    """One change per run of equal, inserted or deleted tokens, and per replaced token."""
    changes: list[Change] = []
    for block in Levenshtein.opcodes([key(token) for token in a], [key(token) for token in b]):
        old, new = a[block.src_start : block.src_end], b[block.dest_start : block.dest_end]
        if block.tag == "replace":
            # An edit script replaces one token by one token.
            changes += [_replaced(*tokens, key, inside) for tokens in zip(old, new, strict=True)]
        else:
            texts = "".join(old), "".join(new)
            equal = block.tag == "equal" or key(texts[0]) == key(texts[1])
            changes.append(_change(*texts, equal))
    return changes


def _replaced(
    old: str, new: str, key: Callable[[str], str], inside: Callable[[str, str], list[Change]] | None
) -> Change:
    """A replaced token; if both words are at least half alike, with the changes inside."""
    words = inside and WORD.fullmatch(old) and WORD.fullmatch(new)
    is_similar = words and Levenshtein.normalized_similarity(key(old), key(new)) >= 0.5
    return "replace", old, new, inside(old, new) if inside and is_similar else None


def _joined(changes: list[Change]) -> list[Change]:
    """Join neighbouring equal texts, and neighbouring changes, except changes with changes inside."""
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
    """Merge changes with fewer than three equal characters between them."""
    last = len(changes) - 1
    merged = [
        (
            ("replace", old, new, None)
            if 0 < index < last and _island(*changes[index - 1 : index + 2])
            else change
        )
        for index, change in enumerate(changes)
        for _, old, new, _ in [change]
    ]
    return _joined([part for change in _joined(merged) for part in _without_common_end(change)])


def _without_common_end(change: Change) -> list[Change]:
    """Move blanks that end both texts of a change to the equal text that follows."""
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
