"""Texts side by side that people compared: their columns, and those that say which is better."""

from collections.abc import Mapping, Sequence

from evaluations.linear import Pattern
from evaluations.mapping.options import NAMED

from . import preferred
from .answer_names import stem
from .column_names import parts_of
from .known_names import OTHERWISE, VARIANTS
from .likely import number_of
from .looked_at import ENOUGH, FEW_TEXTS, Columns
from .preferred import is_side, named
from .role_words import MODEL_WORDS, OF_ANSWERS, OF_CHOICES
from .sides import MOST_SIDES
from .suggest import plain

HALF = 0.5
LONGEST_NAME = 60  # characters of a variant's name
MOST_COLUMNS = 200  # of a file whose names are compared
_SIDES = Pattern(r"(?:\[\[)?[AB](?:[<>=≫≪]{1,2}[AB])?(?:\]\])?")  # A>B
OPTIONS = Pattern(rf"(?:{NAMED}|_)?[a-h0-9]")
Words = tuple[str, ...]  # of a name, in order
VOTES = "votes"  # the score of several people
MOST_OTHER = 0.05  # share of the cells that may name none


def preferences(file: Columns) -> None:
    """A column that names the better one of two or more columns of texts, which are outputs then."""
    texts = _texts_by_words(file)
    for name in file.columns:
        may_be = file.roles[name] in ("metadata", "reference") and name not in file.no_answers
        cells = [text for text in file.cells(name) if preferred.has_words(text)] if may_be else []
        is_named = (
            bool(file.words[name] & OF_CHOICES) or _say_which(texts, cells) or _are_votes(file, name, cells)
        )
        if (
            not is_named
            or len(cells) < ENOUGH
            or len({*cells}) < 2
            or not (_are_few(cells) or _are_weights(cells))
        ):
            continue
        outputs = _compared(file, name, cells) or _named(file, texts, cells)
        if outputs:
            marks = {output: (parts_of(output)[-1],) for output in outputs}
            for output in outputs:
                made_by = maker(file, marks[output])
                if made_by or file.roles[output] != "output":
                    file.guess(output, "output", f"“{name[:40]}” says which of these is better", made_by)
            for other in file.of("output"):
                if other not in outputs:
                    file.guess(other, "metadata", f"“{name[:40]}” does not compare it")
            file.no_answers |= {*file.columns} - {*outputs}
            _not_said(file, outputs)
            if all(_makers(file, mark) <= 1 for mark in marks.values()):
                # else the models change sides, and no column has the answers of one
                file.guess(name, "preferred", "it names the better one of the outputs")
                _others_who_prefer(file, name, outputs)
            return


def _others_who_prefer(file: Columns, name: str, outputs: Sequence[str]) -> None:
    """Columns beside one that names the better output, which share a word with it and do so, too: of another person."""
    for other in file.columns[:MOST_COLUMNS]:
        cells = [text for text in file.cells(other) if preferred.words(text)]
        are_others = other != name and other not in outputs and file.roles[other] == "metadata"
        is_like = file.words[other] & file.words[name] & OF_CHOICES or _are_votes(file, other, cells)
        if are_others and is_like and len(cells) >= ENOUGH and _are_few(cells) and _name(cells, outputs):
            file.guess(other, "preferred", f"as “{name[:40]}”, it names the better one of the outputs")
            if _are_votes_of_people(file, name, other):
                for voter in (name, other):
                    file.found[voter] = file.found[voter]._replace(name=VOTES)


def _are_votes_of_people(file: Columns, *names: str) -> bool:
    """Whether columns are called by nothing that says a choice, as those of people are: they vote on one question."""
    return not any(file.words[name] & OF_CHOICES for name in names)


def _not_said(file: Columns, outputs: Sequence[str]) -> None:
    """A reference of a few values, by a name with two meanings, is none where no output agrees: accept or ignore."""
    for name in file.of("reference"):
        is_few = len({*file.cells(name)}) <= FEW_TEXTS and plain(name) in OTHERWISE
        if is_few and not any(file.agree(output, name) for output in outputs):
            file.guess(name, "metadata", "none of the outputs says it")


def _texts_by_words(file: Columns) -> dict[Words, str]:
    """The columns of sentences by the words of their names, and by those before a point: accept.text.

    Options of a question are none, of which a column says the right one; two answers may be compared.
    """
    names = [name for name in file.columns[:MOST_COLUMNS] if file.has_sentences(name)]
    options = [name for name in names if OPTIONS.fullmatch(plain(name))]
    if len(options) != 2 or stem(options[0]) != ("answer",):
        names = [name for name in names if name not in options]
    before = {(*preferred.words(name.partition(".")[0]),): name for name in names}
    return before | {(*preferred.words(name),): name for name in names}


def _say_which(texts: Mapping[Words, str], cells: Sequence[str]) -> bool:
    """Whether all cells are words for sides, or names of columns of texts, by the words of these names."""
    said = {*cells}
    return 1 < len(said) <= FEW_TEXTS and (
        all(map(is_side, said)) or all((*preferred.words(cell),) in texts for cell in said)
    )


def _are_votes(file: Columns, name: str, cells: Sequence[str]) -> bool:
    """Whether a column has the letters of the two outputs, "Output A" and "Output B", or ties: what somebody chose."""
    outputs = file.of("output")
    if len(outputs) != 2 or file.roles[name] != "metadata" or not all(map(file.has_sentences, outputs)):
        return False
    letters = [{*words} & {"a", "b"} for words in map(file.words.__getitem__, outputs)]
    said = {(*preferred.words(cell),) for cell in cells}
    is_short = all(len(words) == 1 and (words[0] in ("a", "b") or is_side(words[0])) for words in said)
    return letters in ([{"a"}, {"b"}], [{"b"}, {"a"}]) and is_short and {("a",), ("b",)} <= said


def _are_few(cells: Sequence[str]) -> bool:
    return len({*cells}) * 2 <= len(cells)


def _are_weights(cells: Sequence[str]) -> bool:
    """Whether cells are numbers from 1 to 2: how much the second of two is preferred."""
    numbers = [*map(number_of, cells)]
    return bool(numbers) and all(number is not None and 1 <= number <= 2 for number in numbers)


def _compared(file: Columns, name: str, cells: Sequence[str]) -> list[str]:
    """The columns that cells of this one choose among: the outputs, else texts with names that differ in a mark."""
    texts = [
        other
        for other in file.columns
        if other != name and file.roles[other] in ("metadata", "output") and file.has_sentences(other)
    ]
    groups = [[one for one in texts if file.roles[one] == "output" or file.names_a_variant(one)]]
    groups += [[one for one in texts if stem(one) == kind] for kind in dict.fromkeys(map(stem, texts))]
    return next((group for group in groups if _are_answers(file, group) and _name(cells, group)), [])


def _named(file: Columns, texts: Mapping[Words, str], cells: Sequence[str]) -> list[str]:
    """The columns of texts that the cells name, if these are two or more and the cells name nothing else."""
    named_texts = {texts.get((*preferred.words(cell),), "") for cell in cells}
    names = [
        name for name in file.columns if name in named_texts and file.roles[name] in ("metadata", "output")
    ]
    return names if len(names) == len(named_texts) > 1 else []


def _are_answers(file: Columns, group: Sequence[str]) -> bool:
    return len(group) > 1 and all(
        file.names_a_variant(one) or {*file.words[one], *stem(one)} & OF_ANSWERS for one in group
    )


def judged_sides(file: Columns) -> None:
    """Two texts of which a reference says which is better, "A>B", and others say so too: what judges were asked about.

    The others are the outputs, as in a benchmark of judges.
    """
    for right in file.of("reference"):
        said = {text for text in file.cells(right) if text}
        if not 1 < len(said) <= MOST_SIDES or not all(_SIDES.fullmatch(text) for text in said):
            continue
        sides = [
            name for name in file.columns if parts_of(name)[-1:] in (["a"], ["b"]) and file.has_texts(name)
        ]
        others = [name for name in file.of("output") if name not in sides]
        if len(sides) == 2 and len({stem(name) for name in sides}) == 1 and others:
            for name in sides:
                file.guess(name, "inputs", f"“{right[:40]}” says which of the two is better")


def maker(file: Columns, mark: Words) -> str:
    """The name of the model that another column with this mark has in all rows, as generator_1 of output_1; else ""."""
    makers = [name for name in _naming(file, mark) if file.is_constant(name)]
    return file.cells(makers[0])[0][:LONGEST_NAME] if makers else ""


def _makers(file: Columns, mark: Words) -> int:
    """How many models another column with this mark names, if they are few."""
    counts = [len({*file.cells(name)}) for name in _naming(file, mark)]
    return next((count for count in counts if count * 2 <= len(file.rows)), 0)


def _naming(file: Columns, mark: Words) -> list[str]:
    """The columns that name a model by a word beside this mark: "model_a", "generator_1"."""
    return [
        name
        for name in file.of("metadata")
        if {*mark} < {*parts_of(name)} and file.words[name] & (MODEL_WORDS | VARIANTS) - {*mark}
        if file.has_texts(name)
    ]


def _name(cells: Sequence[str], variants: Sequence[str]) -> bool:
    """Whether nearly all cells name one of the variants or a tie, and each variant is named."""
    found = [named(cell, variants) for cell in cells]
    weights = [one for one in found if one is not None]
    each = all(any(one[place] > HALF for one in weights) for place in range(len(variants)))
    return each and len(cells) - len(weights) <= MOST_OTHER * len(cells)
