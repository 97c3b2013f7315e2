"""Guesses which columns have what was asked: by their names, the options of a question, or their place."""

from collections.abc import Collection

from .answer_names import stem
from .by_values import is_input
from .compared import OPTIONS
from .known_names import INPUTS, OTHERWISE, VARIANTS
from .looked_at import Columns
from .role_words import BESIDE_QUESTIONS, INPUT_WORDS, JUDGED, NOT_OUTPUT, OF_FILES, REFERENCE_WORDS
from .suggest import plain

OF_KEYS = REFERENCE_WORDS | {"answer", "key", "label", "solution"}


def options(file: Columns) -> None:
    """The options of a multiple-choice question: A, B, C, D or option_1, option_2, …

    Columns called answer are options only beside one that says which is right.
    """
    named = [name for name in file.of("metadata", "output") if OPTIONS.fullmatch(plain(name))]
    asked = [name for name in file.columns if plain(name) in INPUTS | {"question", "ctx", "sentence", "stem"}]
    is_keyed = any(file.words[name] & OF_KEYS for name in file.columns if name not in named)
    if stem(next(iter(named), "")) == ("answer",) and not is_keyed:
        return
    are_two = len(named) == 2 and all(plain(name).startswith(("ending", "option", "sol")) for name in named)
    if (len(named) > 2 or are_two) and asked and file.columns.index(named[0]) > file.columns.index(asked[0]):
        for name in named:
            file.guess(name, "inputs", "it is one of the options of the question")
        if file.roles[asked[0]] == "metadata":
            file.guess(asked[0], "inputs", "options to answer it stand behind it")
        for name in file.of("reference"):
            file.read_as_words(name, _letters({*file.cells(name)}, len(named)))


def _letters(numbers: Collection[str], options: int) -> dict[str, str]:
    """The letters of options by their numbers, counted from 0 or from 1; {} if these are none.

    >>> _letters({"0", "2", "3"}, 4), _letters({"1", "2"}, 2), _letters({"7"}, 4)
    ({'0': 'A', '1': 'B', '2': 'C', '3': 'D'}, {'1': 'A', '2': 'B'}, {})
    """
    first = 0 if "0" in numbers else 1
    places = {str(place + first): chr(ord("A") + place) for place in range(options)}
    return places if places.keys() >= {*numbers} - {""} else {}


def asked(file: Columns) -> None:
    """Columns that are asked about; the first texts of the file if no name says which."""
    _no_sources(file)
    _named(file)
    if not file.of("inputs") and file.of("reference", "output"):
        _first_texts(file)
    if not file.of("inputs"):
        _files_named(file)
    if not file.of("inputs", "key"):
        _first_of_all(file)
    if not file.of("inputs", "reference"):
        _fields_before(file)
    for name in filter(file.has_texts, file.free):
        like = [other for other in file.of("inputs") if plain(other)[:-1] == plain(name)[:-1]]
        if like and plain(name)[-1:].isdigit() and plain(like[0])[-1:].isdigit():
            file.guess(name, "inputs", f"it is named like “{like[0][:40]}”")
    if file.of("output") and not file.of("inputs", "reference"):
        _before_answers(file)


def _before_answers(file: Columns) -> None:
    """Texts with several values that stand before the answers, else the first column: nothing else was asked."""
    first = min(map(file.columns.index, file.of("output")))
    others = [
        name for name in file.of("metadata") if not file.words[name] & VARIANTS and not file.are_ids(name)
    ]
    before = [name for name in others if file.columns.index(name) < first]
    texts = [name for name in before if file.has_texts(name) and not file.is_constant(name)]
    for name in texts or before[:1]:
        file.guess(name, "inputs", "it stands before the answers" if texts else "no other column was asked")


def _named(file: Columns) -> None:
    """Columns with the names of what is asked; beside questions, fewer names are."""
    words = BESIDE_QUESTIONS if file.of("inputs") else INPUT_WORDS
    for name in filter(file.has_texts, file.free):
        if {plain(name), plain(name).rstrip("_0123456789")} & words or (
            words is INPUT_WORDS and is_input(file, name)
        ):
            file.guess(name, "inputs", "the name is usual for what is asked about")
    for name in file.of("metadata"):
        if plain(name) in JUDGED and file.of("output"):
            file.guess(name, "inputs", "a judge compares it with another text")


def _first_texts(file: Columns) -> None:
    """The first column of texts, of sentences if there are any, and before these one with a usual word in its name."""
    texts = [name for name in file.free if _may_be_asked(file, name)]
    said = [name for name in file.of("metadata") if _may_be_asked(file, name)]
    named = [name for name in filter(file.has_sentences, said) if file.words[name] & INPUT_WORDS]
    others = [*filter(file.has_sentences, texts), *texts, *filter(file.has_sentences, said), *said]
    for name in [*named, *others][:1]:
        reason = "the name is usual for what is asked about" if named else "it is the first column of texts"
        file.guess(name, "inputs", reason)


def _files_named(file: Columns) -> None:
    """The column that names a recording or an image for each row, if that is all that says what was answered."""
    named = [name for name in file.of("metadata") if file.words[name] & OF_FILES and file.has_texts(name)]
    if file.of("output") and len(named) == 1 and not file.is_constant(named[0]):
        file.guess(named[0], "inputs", "it names what was heard or read")


def _fields_before(file: Columns) -> None:
    """The columns of texts before the first output, if they tell most rows apart together: the fields of a prompt."""
    outputs = file.of("output")
    before = file.columns[: file.columns.index(outputs[0])] if outputs else []
    fields = [
        name
        for name in before
        if file.roles[name] == "metadata" and file.has_texts(name) and not file.is_constant(name)
        if not file.words[name] & NOT_OUTPUT and not file.names_a_variant(name)
    ]
    rows = [*zip(*map(file.cells, fields), strict=True)]
    if rows and len({*rows}) * 3 > len(rows) * 2:
        for name in fields:
            file.guess(
                name, "inputs", "it stands before the outputs, and no other column says what was asked"
            )


def _first_of_all(file: Columns) -> None:
    """The first column, if it has more different texts than the reference, and no other has texts: words with tags."""
    others = [*filter(file.has_texts, file.of("metadata"))]
    known = [len({*file.cells(name)}) for name in file.of("reference")]
    if not file.of("output") or not known or others != [file.columns[0]]:
        return
    if len({*file.cells(others[0])}) > max(known):
        file.guess(others[0], "inputs", "it is the only other column of texts")


def _no_sources(file: Columns) -> None:
    """A column called source that says where each row is from, beside another one that asks."""
    asks = [
        name
        for name in file.of("metadata")
        if (file.words[name] & INPUTS or is_input(file, name)) and file.has_sentences(name)
    ]
    for name in file.of("inputs"):
        if asks and plain(name) in OTHERWISE and name not in file.found and not file.is_text(name):
            file.guess(name, "metadata", f"its few values ask nothing, and “{asks[0][:40]}” does")
            file.guess(asks[0], "inputs", "the name is usual for what is asked about")


def _may_be_asked(file: Columns, name: str) -> bool:
    """Whether a column has texts, and is no second one of ids beside the key."""
    is_second = bool(file.of("key")) and file.are_ids(name)
    return file.is_text(name) and not file.has_structures(name) and not is_second
