"""Lists of words beside lists with a tag for each, as data sets of named entities have them, become lists of entities.

{"tokens": ["Ada", "Byron", "sang"], "ner_tags": ["B-PER", "I-PER", "O"], "pred_bert": ["B-PER", "O", "O"]}
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from .batch import Row
from .column_names import words_of
from .tagged import are_tags, entities

FEWEST = 2  # columns of tags: what is right, and what a model says
# words of which the name of the right tags has no other
OF_RIGHT = {
    "bio",
    "correct",
    "entities",
    "expected",
    "gold",
    "label",
    "labels",
    "ner",
    "tag",
    "tags",
    "target",
    "true",
}


class TagLists(NamedTuple):
    """The column of words, that of the right tags ("" if no name says so), and all columns of tags."""

    words: str
    right: str
    tags: tuple[str, ...]


def find(rows: Sequence[Row]) -> TagLists | None:
    """The columns of words and tags, if there are several of the latter.

    >>> row = {"tokens": ["Ada", "sang"], "ner_tags": ["B-PER", "O"], "pred_bert": ["O", "O"]}
    >>> find([row] * 3)
    TagLists(words='tokens', right='ner_tags', tags=('ner_tags', 'pred_bert'))
    >>> with_entities(row, find([row]))["ner_tags"]
    [{'type': 'PER', 'text': 'Ada', 'word': 1}]
    >>> find([row | {"pred_bert": ["O"]}])
    """
    names = [name for name in rows[0] if all(_texts(row.get(name)) for row in rows)] if rows else []
    tags = [name for name in names if all(are_tags(_texts(row[name])) for row in rows)]
    words = [name for name in names if name not in tags]
    if len(tags) < FEWEST or len(words) != 1:
        return None
    if any(len(_texts(row[name])) != len(_texts(row[words[0]])) for row in rows for name in tags):
        return None
    right = [name for name in tags if words_of(name) <= OF_RIGHT]
    return TagLists(words[0], right[0] if len(right) == 1 else "", tuple(tags))


def with_entities(row: Row, found: TagLists) -> Row:
    """The row with the entities that its tags name in their place."""
    words, arranged = row.get(found.words), Row(row)
    for name in found.tags:
        tags = row.get(name)
        if isinstance(words, list) and isinstance(tags, list) and len(words) == len(tags):
            arranged[name] = entities(
                [[str(word), str(tag)] for word, tag in zip(words, tags, strict=True)], -1
            )
    return arranged


def _texts(cell: Any) -> list[str]:
    """The members of a list that has nothing but texts; none of anything else."""
    return cell if isinstance(cell, list) and all(isinstance(one, str) for one in cell) else []
