"""Texts side by side that people compared: their columns, and those that say which is better or how good each is."""

from collections.abc import Sequence

from .answer_names import stem
from .likely import has_numbers
from .looked_at import ENOUGH, Columns, parts_of
from .preferred import named
from .role_words import LOWER, NOT_OUTPUT, WRONG

# words in names of columns that say which output is the better one
OF_CHOICES = {
    *(
        "best",
        "better",
        "chosen",
        "choice",
        "favorite",
        "favourite",
        "pick",
        "picked",
        "preference",
        "preferred",
    ),
    *("prefer", "prefers", "verdict", "vote", "voted", "winner", "winning", "wins"),
    *("besser", "bevorzugt", "gewinner", "präferenz", "sieger"),
    *("préféré", "préférée", "préférence", "gagnant", "preferida", "preferido", "ganador", "preferita"),
}
# words in names of texts of which one is chosen, beside those of models and versions
OF_ANSWERS = {
    *("answer", "answers", "candidate", "completion", "draft", "email", "generation", "option", "output"),
    *("reply", "response", "summary", "text", "translation", "version"),
    *("antwort", "entwurf", "übersetzung", "zusammenfassung", "réponse", "reponse", "respuesta", "risposta"),
}
MOST_RATINGS = 11  # different numbers, such as 0 to 10
MOST_OTHER = 0.05  # share of the cells that may name none


def preferences(file: Columns) -> None:
    """A column that names the better one of two or more columns of texts, which are outputs then."""
    for name in file.columns:
        is_named = bool(file.words[name] & OF_CHOICES) and file.roles[name] in ("metadata", "reference")
        cells = [text for text in file.cells(name) if text] if is_named else []
        if len(cells) < ENOUGH or len({*cells}) < 2 or len({*cells}) * 2 > len(cells):
            continue
        outputs = _compared(file, name, cells)
        for output in outputs:
            if file.roles[output] != "output":
                file.guess(output, "output", f"“{name[:40]}” says which of these is better")
        if outputs:
            file.guess(name, "preferred", "it names the better one of the outputs")
            return


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


def _are_answers(file: Columns, group: Sequence[str]) -> bool:
    return len(group) > 1 and all(file.names_a_variant(one) or file.words[one] & OF_ANSWERS for one in group)


def rated(file: Columns) -> None:
    """Columns of answers whose names differ in their end, where each end has columns of numbers, too.

    So they are the outputs of a sheet of ratings, and these their scores: summary_A and summary_B beside rating_A and
    rating_B.
    """
    texts = [name for name in file.of("metadata") if file.has_sentences(name)]
    for kind in dict.fromkeys(map(stem, texts)) if not file.of("output") else ():
        group = [name for name in texts if stem(name) == kind]
        if _are_answers(file, group) and (scores := _ratings(file, {parts_of(name)[-1] for name in group})):
            for name in group:
                file.guess(name, "output", "there is a column of numbers for each text of this name")
            for name in scores:
                role = "low score" if file.words[name] & (LOWER | WRONG) else "score"
                file.guess(name, role, "there is one such column of numbers for each output")
            return


def _ratings(file: Columns, ends: set[str]) -> list[str]:
    """The columns of a few numbers that there are for each of these ends, by the rest of their names."""
    numbers = [name for name in file.of("metadata") if not file.words[name] & NOT_OUTPUT - {"score"}]
    numbers = [name for name in numbers if has_few_numbers(file, name)]
    kinds = {
        stem(name): {parts_of(one)[-1] for one in numbers if stem(one) == stem(name)} for name in numbers
    }
    return [name for name in numbers if kinds[stem(name)] == ends]


def has_few_numbers(file: Columns, name: str) -> bool:
    """Whether a column has a few different numbers, as ratings are."""
    found = [text for text in file.cells(name) if text]
    return has_numbers(found) and 1 < len({*found}) <= MOST_RATINGS


def _name(cells: Sequence[str], variants: Sequence[str]) -> bool:
    """Whether nearly all cells name one of the variants or a tie, and each variant is named."""
    found = [named(cell, variants) for cell in cells]
    weights = [one for one in found if one is not None]
    each = all(any(one[place] == 1 for one in weights) for place in range(len(variants)))
    return each and len(cells) - len(weights) <= MOST_OTHER * len(cells)
