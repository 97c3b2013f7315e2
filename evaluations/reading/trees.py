"""Two JSON values compared as data: order of keys, white space and the form of a number are no difference."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from rapidfuzz.distance import Levenshtein

from evaluations.metrics.diff import Change, are_unlike, diff
from evaluations.numerals import plural
from evaluations.values import JSON, canonical_json

from .forms import values_in

Tag: TypeAlias = Literal["equal", "insert", "delete", "replace"]

BESIDE = 2  # equal lines that stay before and behind a change
LEAST_FOLDED = 4
NOTHING = object()


@dataclass(frozen=True)
class Line:
    """One line of a tree, `depth` levels in. `changes` are those of its value; `note` says what a person would.

    `values` counts the values in it, 0 for brackets. A fold has its words in `folded`, and its lines.
    """

    depth: int
    name: str
    tag: Tag
    changes: list[Change]
    note: str = ""
    values: int = 0
    folded: str = ""
    lines: "tuple[Line, ...]" = ()

    def of(self, side: Literal[1, 2]) -> "Line":
        """The line of one value alone: the older (1) or the newer (2)."""
        alone: list[Change] = [
            ("equal", change[side], change[side], None) for change in self.changes if change[side]
        ]
        return replace(self, changes=alone, tag="equal", note="", lines=tuple(side_of(self.lines, side)))


def side_of(lines: Sequence[Line], side: Literal[1, 2]) -> list[Line]:
    """The lines of one value alone."""
    absent = "insert" if side == 1 else "delete"
    return [line.of(side) for line in lines if line.tag != absent]


def tree(value: JSON) -> list[Line]:
    """The lines of one value."""
    return [*_compared(value, value, "", 0)]


def tree_between(before: JSON, after: JSON) -> list[Line]:
    """The lines of both values, with what was inserted, deleted and replaced."""
    return [*_compared(before, after, "", 0)]


def _compared(old: object, new: object, name: str, depth: int) -> Iterator[Line]:
    if isinstance(old, dict) and isinstance(new, dict):
        yield from _bracketed("{}", name, depth, _of_objects(old, new, depth + 1))
    elif isinstance(old, list) and isinstance(new, list):
        yield from _bracketed("[]", name, depth, _of_lists(old, new, depth + 1))
    elif isinstance(old, dict | list) or isinstance(new, dict | list):
        if old is not NOTHING:
            yield from _alone(old, name, depth, "delete")
        if new is not NOTHING:
            yield from _alone(new, name, depth, "insert")
    else:
        yield _leaf(old, new, name, depth)


def _bracketed(brackets: str, name: str, depth: int, inside: Iterator[Line]) -> Iterator[Line]:
    lines = [*inside]
    if not lines:
        yield _line(depth, name, "equal", brackets, brackets)
        return
    opening, closing = brackets[0], brackets[1]
    yield _line(depth, name, "equal", opening, opening)
    yield from lines
    yield _line(depth, "", "equal", closing, closing)


def _of_objects(old: dict[str, JSON], new: dict[str, JSON], depth: int) -> Iterator[Line]:
    for name in dict.fromkeys([*new, *old]):
        yield from _compared(old.get(name, NOTHING), new.get(name, NOTHING), name, depth)


def _of_lists(old: list[JSON], new: list[JSON], depth: int) -> Iterator[Line]:
    """Items that are equal, or at the same place between equal ones, are compared with each other."""
    for block in Levenshtein.opcodes([*map(canonical_json, old)], [*map(canonical_json, new)]):
        before, after = old[block.src_start : block.src_end], new[block.dest_start : block.dest_end]
        for index in range(max(len(before), len(after))):
            items = [part[index] if index < len(part) else NOTHING for part in (before, after)]
            yield from _compared(items[0], items[1], "", depth)


def _alone(value: object, name: str, depth: int, tag: Tag) -> Iterator[Line]:
    """A value that only one side has, line by line."""
    for line in _compared(value, value, name, depth):
        text = line.changes[0][2]
        yield replace(
            line,
            tag=tag,
            changes=[(tag, text if tag == "delete" else "", text if tag == "insert" else "", None)],
        )


def _leaf(old: object, new: object, name: str, depth: int) -> Line:
    before, after = _shown(old), _shown(new)
    if old is NOTHING:
        return _line(depth, name, "insert", "", after, values=1)
    if new is NOTHING:
        return _line(depth, name, "delete", before, "", values=1)
    if _are_same(old, new):
        return _line(depth, name, "equal", after, after, values=1)
    words = diff(before, after)
    changes: list[Change] = [("replace", before, after, None)]
    if isinstance(old, str) and isinstance(new, str) and not are_unlike(words) and len(after) > BESIDE * 20:
        changes = words
    return Line(depth, name, "replace", changes, _note(old, new), values=1)


def _line(depth: int, name: str, tag: Tag, before: str, after: str, *, values: int = 0) -> Line:
    return Line(depth, name, tag, [(tag, before, after, None)], values=values)


def _shown(value: object) -> str:
    return "" if value is NOTHING else canonical_json(value)  # type: ignore[arg-type]


def _are_same(old: object, new: object) -> bool:
    """Whether two single values are equal: 1 and 1.0 are, 1 and true are not."""
    return isinstance(old, bool) == isinstance(new, bool) and old == new


def _note(old: object, new: object) -> str:
    if isinstance(old, str) and isinstance(new, str):
        return "same words" if old.strip().casefold() == new.strip().casefold() else ""
    if type(old) is not type(new) and f"{old}".casefold() == f"{new}".casefold():
        return "same, another type"
    return ""


def folded(lines: Sequence[Line]) -> list[Line]:
    """The lines with those far from every change folded; all lines if nothing differs."""
    if all(line.tag == "equal" for line in lines):
        return [*lines]
    changed = [index for index, line in enumerate(lines) if line.tag != "equal"]
    near = {index for at in changed for index in range(at - BESIDE, at + BESIDE + 1)}
    near |= {
        end for pair in _brackets(lines) if near.intersection(range(pair[0], pair[1] + 1)) for end in pair
    }
    shown: list[Line] = []
    hidden: list[Line] = []
    for index, line in enumerate(lines):
        if index not in near:
            hidden.append(line)
            continue
        shown += fold(hidden)
        hidden = []
        shown.append(line)
    return shown


def _brackets(lines: Sequence[Line]) -> Iterator[tuple[int, int]]:
    """The lines that open and close each list and object, inner ones first."""
    opened: list[int] = []
    for index, line in enumerate(lines):
        text = "".join(line.changes[0][1:3])
        if not line.values and text[:1] in ("{", "[") and text not in ("{}", "[]", "{}{}", "[][]"):
            opened.append(index)
        elif not line.values and text[:1] in ("}", "]"):
            yield opened.pop(), index


def fold(lines: Sequence[Line], noun: str = "equal value") -> list[Line]:
    """Lines as one that opens; a few lines stay."""
    if len(lines) < LEAST_FOLDED:
        return [*lines]
    words = plural(sum(one.values for line in lines for one in (line, *line.lines)), noun)
    return [Line(min(line.depth for line in lines), "", "equal", [], folded=words, lines=tuple(lines))]


def summary(lines: Sequence[Line], before: JSON, after: JSON) -> str:
    """How many values differ, in words."""
    count = sum(max(line.values, 0) for line in lines if line.tag != "equal")
    if not count:
        is_same = canonical_json(before) == canonical_json(after)
        return "no difference in values" if is_same else "the same data, written differently"
    total = max(values_in(before), values_in(after))
    return f"{count} of {plural(total, 'value')} {'differs' if count == 1 else 'differ'}"
