"""Guesses that texts named as answers, with a mark each, are outputs: "reply_a" and "reply_b" behind a ticket."""

from collections.abc import Sequence

from .answer_names import is_one_of_several, stem
from .looked_at import Columns
from .role_words import OF_ANSWERS

OTHERWISE = {"code", "email", "option", "text", "version"}  # of a question, too
MAY_BE_RIGHT = {"answer", "answers", "summary", "translation"}  # where no column says what is right
HALF = 0.5  # of its words; whoever answers a text repeats some of them
MOST_EQUAL = 0.05  # share of the rows


def marked_answers(file: Columns) -> None:
    """Two or more columns of sentences with such names, behind another column of texts, where nothing is an output."""
    if file.of("output"):
        return
    words = OF_ANSWERS - OTHERWISE - (set() if file.of("reference") else MAY_BE_RIGHT)
    named = [
        name
        for name in file.free
        if is_one_of_several(name) and file.has_sentences(name) and words & {*stem(name)}
    ]
    for kind in dict.fromkeys(map(stem, named)):
        alike = [name for name in named if stem(name) == kind]
        before = file.columns[: file.columns.index(alike[0])]
        texts = [name for name in before if file.has_sentences(name)]
        if len(alike) > 1 and texts:
            for name in alike:
                file.guess(name, "output", "it is named as an answer, with a mark of its own")
            if not file.of("inputs", "reference") and len(texts) == 1 and _is_answered(file, texts[0], alike):
                file.guess(texts[0], "inputs", "it stands before the answers, which hardly say it")
            return


def _is_answered(file: Columns, text: str, answers: Sequence[str]) -> bool:
    """Whether a text is none of the outputs' references: they repeat some of its words, and are hardly ever equal."""
    return all(
        file.agreement(answer, text) < HALF and file.equality(answer, text) < MOST_EQUAL for answer in answers
    )
