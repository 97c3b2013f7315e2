"""Texts with a word and its tags in each line, as for named entities (CoNLL): each sentence is an example.

EU NNP B-ORG B-ORG
rejects VBZ O O

The last column is what a model says, the one before it what is right, if both are tags; else the last one alone.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from evaluations.linear import Pattern

from .batch import Row

FEWEST = 2  # sentences
TAGS = 0.98  # share of the words whose last column must be a tag
INSIDE = 0.02  # share of the words that must be of an entity
TEXT, RIGHT, SAID, ENTITIES = "sentence", "expected entities", "predicted entities", "entities"
_TAG = Pattern(r"(?:[BIESLUMW][-_][\w-]+|O)")
_BEGINS, _GOES_ON = {"B", "S", "U", "W"}, {"I", "E", "L", "M"}
Words = list[list[str]]  # the columns of each line


def rows(content: bytes) -> list[Row]:
    """A row for each sentence, with its entities; none if the text has no tags.

    >>> rows(b"EU NNP B-ORG B-ORG\\nsays VBZ O O\\n\\nAda NNP B-PER O\\nByron NNP I-PER O\\n")[1].values()
    dict_values(['Ada Byron', [{'type': 'PER', 'text': 'Ada Byron', 'word': 1}], []])
    >>> rows(b"one line\\n\\nand another\\n")
    []
    """
    try:
        sentences = [*_sentences(content.decode().splitlines())]
    except UnicodeDecodeError:
        return []
    words = [word for sentence in sentences for word in sentence]
    are_two = _have_entities(words, -2)
    if len(sentences) < FEWEST or not _are_tags(words, -1) or not (are_two or _have_entities(words, -1)):
        return []
    names = {-2: RIGHT, -1: SAID} if are_two else {-1: ENTITIES}
    return [
        Row({TEXT: " ".join(word[0] for word in sentence)})
        | {name: _entities(sentence, column) for column, name in names.items()}
        for sentence in sentences
    ]


def _sentences(lines: Sequence[str]) -> Iterator[Words]:
    """The words between empty lines; comments and marks of documents are none."""
    words = Words()
    for line in [*lines, ""]:
        parts = line.split("\t") if "\t" in line else line.split()
        if not line.strip():
            if words:
                yield words
            words = Words()
        elif not line.startswith(("#", "-DOCSTART-")):
            words.append([part.strip() for part in parts])


def _are_tags(words: Words, column: int) -> bool:
    """Whether a column, counted from the end, has tags; the first has the words."""
    tags = [word[column] for word in words if len(word) > -column]
    return sum(map(bool, map(_TAG.fullmatch, tags))) >= TAGS * len(words)


def _have_entities(words: Words, column: int) -> bool:
    entities = sum(word[column] != "O" for word in words if len(word) > -column)
    return _are_tags(words, column) and entities > INSIDE * len(words)


def _entities(sentence: Words, column: int) -> list[Any]:
    """The entities of a sentence in their order: type, text, and the number of their first word."""
    found: list[dict[str, Any]] = []
    before = "O"
    for place, word in enumerate(sentence, 1):
        tag = word[column] if len(word) > -column else "O"
        mark, kind = tag[0], tag[2:]
        goes_on = mark in _GOES_ON and before[2:] == kind and before != "O"
        if goes_on:
            found[-1]["text"] += f" {word[0]}"
        elif mark in _BEGINS | _GOES_ON:
            found.append({"type": kind, "text": word[0], "word": place})
        before = tag
    return found
