"""The differences of two plain texts with the equal passages between them folded, so that each change is in sight."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from rapidfuzz.distance import Postfix, Prefix

from evaluations.linear import Pattern
from evaluations.metrics.diff import CAP, Change, Level, are_unlike, diff
from evaluations.numerals import grouped, plural

BESIDE = 160  # characters of an equal passage that stay beside a change, up to the end of a sentence
LEAST_FOLDED = 160
LONGEST_WORD = 100
LONGEST_COUNTED = 20_000  # characters of a fold whose sentences are counted
LONGEST_CHANGE = 600  # characters of one change that are shown where there is little room
STOP = Pattern(r"[.!?。！？؟।]['\"”’)\]]*\s+|\n+")
NUMERIC = Pattern(r"[\p{N}.,\s]*\p{N}[\p{N}.,\s]*")
MARKS = Pattern(r"[\p{P}\p{S}\s]*")


class Compared(NamedTuple):
    """The changes between two texts, and whether they would only confuse."""

    changes: list[Change]
    is_unlike: bool


@dataclass(frozen=True)
class Passage:
    """A stretch of a diff. `folded` says in words what is folded; it is "" for what is shown.

    A fold without changes stands for text that is left out; the whole is one click away.
    """

    changes: list[Change]
    folded: str = ""

    def of(self, side: Literal[1, 2]) -> "Passage":
        """The passage of one text alone: the older (1) or the newer (2)."""
        alone: list[Change] = [
            ("equal", change[side], change[side], None) for change in self.changes if change[side]
        ]
        return replace(self, changes=alone)


def changes_between(
    before: str,
    after: str,
    *,
    most: int = CAP,
    level: Level = "word",
    ignore_case: bool = False,
    ignore_whitespace: bool = False,
) -> Compared:
    """The changes of two texts of any length: `diff` of what lies between their common beginning and end.

    So the first difference is found however late it comes. At most `most` characters of each text are compared;
    what lies behind them is one change. The time is proportional to the length, apart from that part.
    """
    start = _word_start(before, int(Prefix.similarity(before, after)))
    end = _word_end(before, after, start)
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    head: Change = ("equal", before[:start], after[:start], None)
    rest: Change = ("replace", old[most:], new[most:], None)
    tail: Change = ("equal", before[len(before) - end :], after[len(after) - end :], None)
    middle = diff(
        old[:most], new[:most], level=level, ignore_case=ignore_case, ignore_whitespace=ignore_whitespace
    )
    found = [change for change in (head, *middle, rest, tail) if change[1] or change[2]]
    return Compared(_joined(found), are_unlike([head, *middle, tail]))


def _word_start(text: str, length: int) -> int:
    """The common beginning without the word in which it ends, if words are divided by blanks."""
    least = max(0, length - LONGEST_WORD)
    blank = next((at for at in range(length, least, -1) if text[at - 1].isspace()), None)
    return blank if blank is not None else length if least else 0


def _word_end(before: str, after: str, start: int) -> int:
    """The length of the common end behind `start` that begins between two words."""
    shortest = min(len(before), len(after)) - start
    length = min(int(Postfix.similarity(before, after)), shortest)
    least = max(0, length - LONGEST_WORD)
    blank = next((at for at in range(length, least, -1) if before[len(before) - at].isspace()), None)
    return blank if blank is not None else length if least else 0


def _joined(changes: list[Change]) -> list[Change]:
    joined: list[Change] = []
    for change in changes:
        if joined and joined[-1][0] == change[0] == "equal":
            change = ("equal", joined[-1][1] + change[1], joined[-1][2] + change[2], None)
            joined.pop()
        joined.append(change)
    return joined


def passages(changes: Sequence[Change], *, room: int | None = None, keeps: bool = False) -> list[Passage]:
    """The changes with what is around them; equal passages longer than that are folded.

    `room` is about how many characters are shown; the first change is among them. None shows every change. What there
    is no room for is left out, unless a fold `keeps` it.
    """
    folded = [passage for at in range(len(changes)) for passage in _around(changes, at)]
    if room is None:
        return _merged(folded)
    within = _merged([*_within(folded, room)])
    return within if keeps else [replace(one, changes=[]) if one.folded else one for one in within]


def _around(changes: Sequence[Change], at: int) -> Iterator[Passage]:
    tag, old, new, _ = changes[at]
    head = _head(new) if at else _first(new)
    tail = _tail(new) if at + 1 < len(changes) else 0
    hidden = new[head : len(new) - tail]
    if tag != "equal" or old != new or len(hidden) < LEAST_FOLDED or len(changes) == 1:
        yield Passage([changes[at]])
        return
    parts = (new[:head], hidden, new[len(new) - tail :])
    for part, words in zip(parts, ("", _size(hidden), ""), strict=True):
        if part:
            yield Passage([("equal", part, part, None)], words)


def _first(text: str) -> int:
    """The end of the first sentence of a text, if it is short."""
    stop = STOP.search(text[:BESIDE])
    return stop.end() if stop else 0


def _head(text: str) -> int:
    """What stays behind a change: to the end of its sentence, or of a word."""
    return _first(text) or text[:BESIDE].rfind(" ") + 1


def _tail(text: str) -> int:
    """What stays before a change: from the beginning of its sentence, or of a word."""
    end = text[-BESIDE:]
    stops = [stop.end() for stop in STOP.finditer(end)]
    begin = stops[-1] if stops and stops[-1] < len(end) else end.find(" ") + 1
    return len(end) - begin


def _size(text: str) -> str:
    if len(text) > LONGEST_COUNTED:
        return f"{grouped(len(text))} equal characters"
    sentences = sum(1 for _ in STOP.finditer(f"{text.strip()}\n"))
    return f"{plural(sentences, 'equal sentence')}, {plural(len(text.split()), 'word')}"


def _within(passages: Sequence[Passage], room: int) -> Iterator[Passage]:
    """The passages up to the first change and as many as there is room for; then one fold for the rest."""
    for index, passage in enumerate(passages):
        rest = [change for later in passages[index:] for change in later.changes]
        if room <= 0 and rest:
            later = sum(change[0] != "equal" for change in rest)
            changes = f"{plural(later, 'more change')}, " if later else ""
            yield Passage(rest, f"{changes}{grouped(sum(len(change[2]) for change in rest))} more characters")
            return
        if passage.folded:
            yield passage
            continue
        for shown in (part for change in passage.changes for part in _cut(change)):
            yield shown
            if not shown.folded:
                room -= sum(len(one[1] if one[0] == "delete" else one[2]) for one in shown.changes)


def _cut(change: Change) -> Iterator[Passage]:
    """A change; of a long one the beginning, and a fold with the rest."""
    tag, old, new, _ = change
    if max(len(old), len(new)) <= LONGEST_CHANGE:
        yield Passage([change])
        return
    yield Passage([(tag, old[:LONGEST_CHANGE], new[:LONGEST_CHANGE], None)])
    rest: Change = (tag, old[LONGEST_CHANGE:], new[LONGEST_CHANGE:], None)
    yield Passage([rest], f"{grouped(max(len(rest[1]), len(rest[2])))} more characters here")


def _merged(passages: Sequence[Passage]) -> list[Passage]:
    """Neighbouring passages that are shown, as one."""
    merged: list[Passage] = []
    for passage in passages:
        if merged and not merged[-1].folded and not passage.folded:
            passage = Passage([*merged.pop().changes, *passage.changes])
        merged.append(passage)
    return merged


def summary(changes: Sequence[Change]) -> str:
    """How much differs, in words; what is ignored counts as equal.

    >>> summary(diff("within 30 days. Yes.", "within 14 days. Yes."))
    '1 change, a number'
    """
    pieces = [change for change in changes if change[0] != "equal"]
    if not pieces:
        return "no difference"
    texts = [text for change in pieces for text in change[1:3] if text]
    kind = ""
    if all(text.isspace() for text in texts):
        kind = ", white space"
    elif all(MARKS.fullmatch(text) for text in texts):
        kind = ", punctuation"
    elif all(NUMERIC.fullmatch(text) for text in texts):
        kind = ", a number" if len(pieces) == 1 else ", numbers"
    elif all(change[1].lower() == change[2].lower() for change in pieces):
        kind = ", capital letters"
    return f"{plural(len(pieces), 'change')}{kind}"
