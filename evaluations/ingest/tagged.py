"""Texts with a word and its tags in each line, as for named entities (CoNLL): each sentence is an example.

EU NNP B-ORG B-ORG
rejects VBZ O O

The columns of tags at the end are what is right and what each model says, the right one first unless the first line
names another; one column alone is what a model says, or what is right in another file.
"""

from collections.abc import Iterator, Sequence
from itertools import dropwhile
from typing import Any

from evaluations.linear import Pattern

from .batch import Row
from .column_names import words_of
from .file_names import shortened
from .role_words import REFERENCE_WORDS

FEWEST = 2  # sentences
TAGS = 0.98  # share of the words whose last column must be a tag
INSIDE = 0.02  # share of the words that must be of an entity
MOST_COLUMNS = 20
HEAD = 64 * 1024  # bytes by which a text is recognised
TEXT, RIGHT, SAID, ENTITIES = "sentence", "expected entities", "predicted entities", "entities"
_TAG = Pattern(r"(?:[BIESLUMW][-_][\w-]+|O)")
_BEGINS, _GOES_ON = {"B", "S", "U", "W"}, {"I", "E", "L", "M"}
Words = list[list[str]]  # the columns of each line


def is_begun(head: bytes) -> bool:
    """Whether a file begins as such a text, with what is right and what a model says.

    >>> is_begun(b"EU B-ORG O\\nsays O O\\n\\nAda B-PER B-PER\\n"), is_begun(b"EU B-ORG\\nsays O\\n\\nAda B-PER\\n")
    (True, False)
    """
    whole = head[:HEAD].rpartition(b"\n")[0] if len(head) > HEAD else head
    return any(RIGHT in row for row in rows(whole))


def rows(content: bytes) -> list[Row]:
    """A row for each sentence, with its entities; none if the text has no tags.

    >>> rows(b"EU NNP B-ORG B-ORG\\nsays VBZ O O\\n\\nAda NNP B-PER O\\nByron NNP I-PER O\\n")[1].values()
    dict_values(['Ada Byron', [{'type': 'PER', 'text': 'Ada Byron', 'word': 1}], []])
    >>> [*rows(b"# word crf gold bert\\nEU B-ORG B-ORG O\\nsays O O O\\n\\nAda B-PER B-PER B-PER\\n")[0]]
    ['sentence', 'expected entities', 'output_crf', 'output_bert']
    >>> rows(b"one line\\n\\nand another\\n")
    []
    """
    try:
        lines: Sequence[str] = content.decode().splitlines()
    except UnicodeDecodeError:
        return []
    names, lines = _named(lines)
    sentences = [*_without_numbers([*_sentences(lines)])]
    words = [word for sentence in sentences for word in sentence]
    columns = _of_entities(words) if len(sentences) >= FEWEST and _are_tags(words, -1) else []
    called = _called(columns, names)
    return [
        Row({TEXT: " ".join(word[0] for word in sentence)})
        | {name: entities(sentence, column) for column, name in called.items()}
        for sentence in sentences
        if called
    ]


def _named(lines: Sequence[str]) -> tuple[list[str], Sequence[str]]:
    """The names of columns in a first line, which may be a comment, and the lines behind it; no names without one."""
    first = next((place for place, line in enumerate(lines) if line.strip()), 0)
    if first + 1 >= len(lines):
        return [], lines
    of_comment = lines[first].lstrip("# ").split(": ")[-1]
    names, below = (_parts(line) for line in (of_comment, lines[first + 1]))
    below = next((_parts(line) for line in lines[first + 1 :] if line.strip() and line[0] not in "#-"), below)
    is_comment = lines[first].startswith("#")
    are_names = len(names) == len(below) > 1 and not _TAG.fullmatch(names[-1])
    if not are_names or not (is_comment or _TAG.fullmatch(below[-1])):
        return [], lines
    return names, lines[first + 1 :]


def _parts(line: str) -> list[str]:
    return [part.strip() for part in (line.split("\t") if "\t" in line else line.split())]


def _of_entities(words: Words) -> list[int]:
    """The columns of entities in order, counted from the end: tags that share types, and do not begin with none."""
    found, kinds = list[int](), set[str]()
    for column in range(-1, -MOST_COLUMNS, -1):
        own = {word[column][2:] for word in words if len(word) > -column} - {""}
        if not _are_tags(words, column) or (own and kinds and not own & kinds):  # such as tags of phrases
            break
        found, kinds = [column, *found], kinds | own
    return [*dropwhile(lambda column: not _have_entities(words, column), found)]


def _called(columns: Sequence[int], names: Sequence[str]) -> dict[int, str]:
    """The columns with their names in rows."""
    if len(columns) < 2:
        return dict.fromkeys(columns, ENTITIES)
    of_file = {column: names[column] for column in columns if names}
    named_right = [column for column, name in of_file.items() if words_of(name) & REFERENCE_WORDS]
    right = named_right[0] if len(named_right) == 1 else columns[0]
    others = [column for column in columns if column != right]
    are_apart = len({*of_file.values()}) == len(columns) and not {TEXT, RIGHT} & {*of_file.values()}
    if len(others) == 1:
        return {right: RIGHT, others[0]: SAID}
    of_models = (
        shortened(of_file[one] for one in others) if are_apart else [*map(str, range(1, len(columns)))]
    )
    said = {column: f"output_{name}" for column, name in zip(others, of_models, strict=False)}
    return {right: RIGHT} | said


def _sentences(lines: Sequence[str]) -> Iterator[Words]:
    """The words between empty lines; comments and marks of documents are none."""
    words = Words()
    for line in [*lines, ""]:
        if not line.strip():
            if words:
                yield words
            words = Words()
        elif not line.startswith(("#", "-DOCSTART-")):
            words.append(_parts(line))


def _without_numbers(sentences: Sequence[Words]) -> Sequence[Words]:
    """The sentences without a first column that counts the words of each, as GermEval and CoNLL-U have it.

    >>> _without_numbers([[["1", "Ada", "B-PER"], ["2", "sang", "O"]], [["1", "No", "O"]]])
    [[['Ada', 'B-PER'], ['sang', 'O']], [['No', 'O']]]
    >>> _without_numbers([[["1", "B-NUM"], ["2", "B-NUM"]]])
    [[['1', 'B-NUM'], ['2', 'B-NUM']]]
    """
    is_counted = all(
        len(word) > 2 and word[0] == str(place)
        for sentence in sentences
        for place, word in enumerate(sentence, 1)
    )
    return [[word[1:] for word in sentence] for sentence in sentences] if is_counted else sentences


def are_tags(tags: Sequence[str]) -> bool:
    """Whether all of some texts are tags of words."""
    return all(map(_TAG.fullmatch, tags))


def _are_tags(words: Words, column: int) -> bool:
    """Whether a column, counted from the end, has tags; the first has the words."""
    tags = [word[column] for word in words if len(word) > -column]
    return sum(map(bool, map(_TAG.fullmatch, tags))) >= TAGS * len(words)


def _have_entities(words: Words, column: int) -> bool:
    entities = sum(word[column] != "O" for word in words if len(word) > -column)
    return _are_tags(words, column) and entities > INSIDE * len(words)


def entities(sentence: Words, column: int) -> list[Any]:
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
