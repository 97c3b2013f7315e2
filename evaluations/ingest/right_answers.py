"""Finds columns of other right answers beside a reference: a list of aliases, a second reference."""

from typing import Any

from .answer_names import is_for_others, is_one_of_several, stem
from .by_values import bare
from .cell_texts import text_of_cell
from .column_names import parts_of, words_of
from .looked_at import ENOUGH, MOST_LABELS, Columns, mean
from .role_words import REFERENCE_WORDS
from .suggest import plain
from .whole_answers import value_of

WORKED_OUT = {"answer", "explanation", "rationale", "solution"}
# words in names of lists of right answers
SEVERAL_ANSWERS = {
    *("accepted", "acceptable", "alias", "aliases", "alternates", "alternatives", "answer", "answers"),
    *("references", "synonyms", "targets"),
}
OFTEN_SAID = 0.2  # share of the rows of an output that are right as they stand
ALSO_RIGHT = 0.9  # share of the rows whose list of right answers has the one of another column
# words in names of what people said, of which several columns are several references
OF_PEOPLE = {"annotation", "annotator", "answer", "expert", "human", "label", "truth"}
# words for what is written of a text, of which numbered columns are several references
OF_TEXTS = {"paraphrase", "simplification", "summary", "translation"}


def lists_of_answers(file: Columns) -> None:
    """A column of lists that say the reference of their row: all right answers if it is one of them, else its words."""
    for reference in file.of("reference"):
        if file.has_structures(reference):
            continue
        known = file.cells(reference)
        labels = {*map(bare, known)}
        are_labels = len(labels) <= MOST_LABELS and len(labels) * 2 <= len(known)
        for name in file.of("metadata", "output", "reference"):
            cells = [value_of(row.get(name)) for row in file.rows[: len(known)]]
            lists = [[*map(text_of_cell, cell)] for cell in cells if isinstance(cell, list) and cell]
            if len(lists) < len(known) or (are_labels and 1 not in map(len, lists)):
                continue  # of labels, lists of several may be options
            pairs = [*zip(known, lists, strict=True)]
            is_named = not SEVERAL_ANSWERS.isdisjoint(
                parts_of(name)
            )  # options and passages have one right member
            if is_named and mean(bare(right) in map(bare, values) for right, values in pairs) >= ALSO_RIGHT:
                file.guess(name, "reference", f"it has “{reference[:40]}” and other right answers")
                file.guess(reference, "metadata", f"“{name[:40]}” has it and others")
                return
            others = [other for other in file.of("metadata", "output") if other not in (name, reference)]
            may_be_texts = file.roles[name] == "output" and not _has_lists(file, reference)
            may_be_texts &= not any(_has_lists(file, other) for other in others)  # of another ranking
            if may_be_texts and mean(_is_said(*pair) for pair in pairs) >= ALSO_RIGHT:
                file.guess(name, "metadata", f"it says “{reference[:40]}” in other words")


def nested_answers(file: Columns) -> None:
    """Lists of lists of the words for each right answer, which outputs say as they stand, and not what is known.

    They are named for answers: options and passages have the right one as a member, too.
    """
    for name in file.of("metadata", "output"):
        cells = [row.get(name) for row in file.rows]
        are_nested = len(cells) >= ENOUGH and all(map(_is_nested, cells))
        if not are_nested or SEVERAL_ANSWERS.isdisjoint(parts_of(name)):
            continue
        known = file.of("reference")
        others = [other for other in file.of("metadata", "output") if other not in (name, *known)]
        said = [other for other in others if _share_said(file, other, name) >= OFTEN_SAID]
        if said and not any(_share_said(file, one, other) >= OFTEN_SAID for one in said for other in known):
            for other in known:
                file.guess(other, "metadata", f"outputs say “{name[:40]}” instead, as it stands")
            file.guess(name, "reference", "it has the words for each right answer")
            for other in said:
                if file.roles[other] != "output":
                    file.guess(other, "output", f"its rows are often in “{name[:40]}”")


def _is_nested(cell: Any) -> bool:
    return isinstance(cell, list) and bool(cell) and all(isinstance(one, list) and one for one in cell)


def _share_said(file: Columns, name: str, right: str) -> float:
    """The share of rows in which a cell, or each member of it, is a member of what is right."""
    pairs = [(row.get(name), row.get(right)) for row in file.rows]
    present = [(_members(cell), _members(known)) for cell, known in pairs if cell not in (None, "", [])]
    return mean(bool(cells) and cells <= known for cells, known in present)


def _members(cell: Any) -> set[str]:
    """The texts in a cell and in the lists inside it, as they are compared."""
    if isinstance(cell, list):
        return {text for one in cell for text in _members(one)}
    return {bare(text_of_cell(cell))}


def _is_said(right: str, values: list[str]) -> bool:
    words = words_of(right)
    return any(words <= words_of(value) or words_of(value) <= words for value in values)


def other_answers(file: Columns) -> None:
    """Columns named like the reference, or for its aliases: more right answers, and no outputs."""
    for reference in file.of("reference"):
        for name in file.of("metadata", "output"):
            if _are_alike(file, name, reference):
                file.guess(name, "reference", f"it is named for other right answers than “{reference[:40]}”")


def _are_alike(file: Columns, name: str, reference: str) -> bool:
    if not file.has_texts(name) or file.is_true_or_false(name) or file.names_a_variant(name):
        return False
    words = stem(reference)
    if is_for_others(name):
        return stem(name) == words or (not stem(name) and _has_lists(file, name))
    is_numbered = is_one_of_several(name) and is_one_of_several(reference) and stem(name) == words
    others = [other for other in file.of("output") if stem(other) != words]
    return is_numbered and bool({*words} & (REFERENCE_WORDS | OF_PEOPLE)) and bool(others)


def _has_lists(file: Columns, name: str) -> bool:
    """Whether a column holds lists, also as texts."""
    present = [text for text in file.cells(name) if text]
    return len(present) >= ENOUGH and all(text.startswith("[") for text in present)


def worked_solutions(file: Columns) -> None:
    """An output named as the answer alone that has what is right in every row, beside those of variants, which err.

    So benchmarks of sums keep the way to the number: “6 pens at 3 … #### 18” beside 18.
    """
    others = [name for name in file.of("output") if file.names_a_variant(name)]
    for name in file.of("output") if len(others) > 1 else ():
        if plain(name) not in WORKED_OUT or file.names_a_variant(name):
            continue
        for right in file.of("reference"):
            are_in_all = [file.is_made_from(one, right) for one in (name, *others)]
            if are_in_all[0] and not any(are_in_all[1:]):
                file.guess(name, "metadata", f"every row has “{right[:40]}”, as a worked solution does")
                file.no_answers.add(name)
