"""Texts side by side that people compared: their columns, and those that say which is better or how good each is."""

from collections.abc import Callable, Sequence

from .answer_names import stem
from .looked_at import ENOUGH, Columns, parts_of
from .preferred import named
from .role_words import LOWER, MODEL_WORDS, WRONG
from .suggest import VARIANTS, output_of

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
    *(
        "answer",
        "answers",
        "candidate",
        "code",
        "completion",
        "draft",
        "email",
        "generation",
        "option",
        "output",
    ),
    "patch",
    *("reply", "response", "summary", "text", "translation", "version"),
    *("antwort", "entwurf", "übersetzung", "zusammenfassung", "réponse", "reponse", "respuesta", "risposta"),
}
LONGEST_NAME = 60  # characters of a variant's name
MOST_OTHER = 0.05  # share of the cells that may name none


def preferences(file: Columns) -> None:
    """A column that names the better one of two or more columns of texts, which are outputs then."""
    for name in file.columns:
        is_named = bool(file.words[name] & OF_CHOICES) and file.roles[name] in ("metadata", "reference")
        cells = [text for text in file.cells(name) if text] if is_named else []
        if len(cells) < ENOUGH or len({*cells}) < 2 or len({*cells}) * 2 > len(cells):
            continue
        outputs = _compared(file, name, cells)
        marks = {output: (parts_of(output)[-1],) for output in outputs}
        for output in outputs:
            maker = _maker(file, marks[output])
            if maker or file.roles[output] != "output":
                file.guess(output, "output", f"“{name[:40]}” says which of these is better", maker)
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


def graded(file: Columns) -> None:
    """Columns that stand in a grid by their names: texts, and what was said about each of them.

    `gpt_response` and `o1_response` beside `gpt_grade` and `o1_grade`, or `reply_A`, `reply_B` beside `rater1_A`,
    `rater1_B`: the texts are outputs, and columns of a few numbers or results are their scores.
    """
    for groups in (_by_beginning(file), _by_end(file)):
        for words, texts in groups.items():
            beside = {
                rest: {mark: found[mark] for mark in texts}
                for rest, found in groups.items()
                if rest != words and texts.keys() <= found.keys() and all(map(file.is_grade, found.values()))
            }
            if len(texts) > 1 and beside and all(_is_answer(file, words, name) for name in texts.values()):
                for mark, name in texts.items():
                    maker = _maker(file, mark)
                    if maker or file.roles[name] != "output":
                        file.guess(name, "output", "columns named like it say how good each text is", maker)
                for rest, names in beside.items():
                    role = "low score" if {*rest} & (LOWER | WRONG) else "score"
                    for mark, name in names.items():
                        variant = _maker(file, mark) or output_of(texts[mark]) or texts[mark]
                        reason = "there is one such column for each output"
                        file.guess(name, role, reason, variant, " ".join(rest))
                    file.no_answers |= {*groups[rest].values()}  # also that of a tie
                return


Grid = dict[tuple[str, ...], dict[tuple[str, ...], str]]


def _by_beginning(file: Columns) -> Grid:
    """The columns by the rest of their names, and there by each beginning: what tells variants apart."""
    return _grid(file, lambda words, at: (words[at:], words[:at]))


def _by_end(file: Columns) -> Grid:
    return _grid(file, lambda words, at: (words[:at], words[at:]))


def _grid(
    file: Columns, parted: Callable[[tuple[str, ...], int], tuple[tuple[str, ...], tuple[str, ...]]]
) -> Grid:
    groups: Grid = {}
    for name in file.of("metadata", "output"):
        words = tuple(parts_of(name))
        for at in range(1, len(words)):
            rest, mark = parted(words, at)
            groups.setdefault(rest, {})[mark] = name
    return groups


def _is_answer(file: Columns, words: tuple[str, ...], name: str) -> bool:
    """Whether a column has texts that may be answers, by the words that its name shares with others."""
    is_named = bool({*words} & (OF_ANSWERS | MODEL_WORDS))
    is_answer = file.has_texts(name) and not file.is_grade(name) and not file.is_constant(name)
    return is_answer and (is_named or file.is_text(name))


def _maker(file: Columns, mark: tuple[str, ...]) -> str:
    """The only value of another column with this mark in its name, as generator_1 has of output_1; "" without one."""
    for name in file.of("metadata"):
        values = {*file.cells(name)}
        if {*mark} <= {*parts_of(name)} and len(values) == 1 and file.words[name] & (MODEL_WORDS | VARIANTS):
            return next(iter(values))[:LONGEST_NAME]
    return ""


def _name(cells: Sequence[str], variants: Sequence[str]) -> bool:
    """Whether nearly all cells name one of the variants or a tie, and each variant is named."""
    found = [named(cell, variants) for cell in cells]
    weights = [one for one in found if one is not None]
    each = all(any(one[place] == 1 for one in weights) for place in range(len(variants)))
    return each and len(cells) - len(weights) <= MOST_OTHER * len(cells)
