"""The differences between two conversations: message by message, and word by word inside a message."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from rapidfuzz.distance import Levenshtein

from evaluations.metrics.diff import Change, Tag, are_unlike, diff
from evaluations.values import JSON

from .messages import Message, conversation


@dataclass(frozen=True)
class Stretch:
    """Equal, inserted or deleted messages in a row; or a replaced message, with the `words` that differ."""

    kind: Tag
    messages: list[Message]
    words: list[Change] | None = None


def between(before: JSON, after: JSON) -> list[Stretch] | None:
    """The stretches between two conversations; None if one value is not a conversation, or if no message differs."""
    old, new = conversation(before), conversation(after)
    if old is None or new is None or old == new:
        return None
    return changes(old, new)


def changes(before: Sequence[Message], after: Sequence[Message]) -> list[Stretch]:
    """The stretches from one conversation to another. Between equal messages, those of the same speaker are paired."""
    stretches: list[Stretch] = []
    blocks = Levenshtein.opcodes(before, after)
    for is_equal, group in groupby(blocks, key=lambda block: block.tag == "equal"):
        region = list(group)
        old = before[region[0].src_start : region[-1].src_end]
        new = after[region[0].dest_start : region[-1].dest_end]
        stretches += [Stretch("equal", list(new))] if is_equal else _between_equals(old, new)
    return stretches


def _between_equals(old: Sequence[Message], new: Sequence[Message]) -> list[Stretch]:
    stretches: list[Stretch] = []
    for block in Levenshtein.opcodes([part.label for part in old], [part.label for part in new]):
        deleted = list(old[block.src_start : block.src_end])
        inserted = list(new[block.dest_start : block.dest_end])
        if block.tag == "equal":
            stretches += [part for pair in zip(deleted, inserted, strict=True) for part in _replaced(*pair)]
        else:
            both: tuple[tuple[Tag, list[Message]], ...] = (("delete", deleted), ("insert", inserted))
            stretches += [Stretch(kind, messages) for kind, messages in both if messages]
    return stretches


def _replaced(old: Message, new: Message) -> list[Stretch]:
    """A replacement with the words that differ, if the messages are similar; else a deletion and an insertion."""
    words = diff(old.text, new.text)
    if are_unlike(words):
        return [Stretch("delete", [old]), Stretch("insert", [new])]
    return [Stretch("replace", [new], words)]
