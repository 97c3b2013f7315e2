"""Texts side by side that people compared: their columns, and those that say which is better or how good each is."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from evaluations.linear import Pattern
from evaluations.mapping.options import NAMED
from evaluations.mapping.refusals import declines
from evaluations.metrics.whole_words import WITHOUT_BLANKS

from . import preferred, several_raters
from .answer_names import stem
from .column_names import parts_of, words_in_order
from .known_names import OTHERWISE, VARIANTS
from .likely import number_of
from .looked_at import COMPARED, ENOUGH, FEW_TEXTS, Columns, mean
from .preferred import is_side, named
from .role_words import (
    CLASSES,
    CODES,
    GRADES,
    LOWER,
    MODEL_WORDS,
    OF_ANSWERS,
    OF_ATTACKS,
    OF_CHOICES,
    READ_OUT,
    REFERENCE_WORDS,
    RIGHT,
    WRONG,
)
from .sides import MOST_SIDES
from .suggest import output_of, plain

SAYS_RIGHT = GRADES | RIGHT | WRONG  # words in names of grades
HALF = 0.5
CLEARLY = 0.3  # of the range of numbers, by which refusals have less
MOST_COLUMNS = 200  # of a file whose names are compared
LONGEST_NAME = 60  # characters of a variant's name
_SIDES = Pattern(r"(?:\[\[)?[AB](?:[<>=≫≪]{1,2}[AB])?(?:\]\])?")  # A>B
OPTIONS = Pattern(rf"(?:{NAMED}|_)?[a-h0-9]")
_WORD = Pattern(r"[\p{L}\p{N}]+")
Words = tuple[str, ...]  # of a name, in order
MOST_OTHER = 0.05  # share of the cells that may name none


def preferences(file: Columns) -> None:
    """A column that names the better one of two or more columns of texts, which are outputs then."""
    texts = _texts_by_words(file)
    for name in file.columns:
        may_be = file.roles[name] in ("metadata", "reference") and name not in file.no_answers
        cells = [text for text in file.cells(name) if preferred.words(text)] if may_be else []
        is_named = bool(file.words[name] & OF_CHOICES) or _say_which(texts, cells)
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
                maker = _maker(file, marks[output])
                if maker or file.roles[output] != "output":
                    file.guess(output, "output", f"“{name[:40]}” says which of these is better", maker)
            for other in file.of("output"):
                if other not in outputs:
                    file.guess(other, "metadata", f"“{name[:40]}” does not compare it")
            file.no_answers |= {*file.columns} - {*outputs}
            _not_said(file, outputs)
            if all(_makers(file, mark) <= 1 for mark in marks.values()):
                # else the models change sides, and no column has the answers of one
                file.guess(name, "preferred", "it names the better one of the outputs")
            return


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


def graded(file: Columns) -> None:
    """Columns that stand in a grid by their names: texts, and what was said about each of them.

    `gpt_response` and `o1_response` beside `gpt_grade` and `o1_grade`, or `reply_A`, `reply_B` beside `rater1_A`,
    `rater1_B`: the texts are outputs, and columns of a few numbers or results are their scores.
    """
    if len(file.columns) > MOST_COLUMNS:
        return
    by_beginning, by_end = _by_beginning(file), _by_end(file)
    for groups in (by_beginning, by_end, _joined(by_beginning, by_end)):
        grades = {
            rest: found
            for rest, found in groups.items()
            if rest
            and len(found) > 1
            and (file.are_grades(found.values()) or _are_of_raters(file, found.values()))
            and not {*rest} & (READ_OUT | CODES)
            if not _are_answers_again(file, found.values())
            if _have_a_direction(file, rest, found, groups)
        }
        for words, texts in _texts(file, groups, grades):
            beside = {rest: found for rest, found in grades.items() if texts.keys() <= found.keys()}
            _take(
                file, texts, {rest: {mark: found[mark] for mark in texts} for rest, found in beside.items()}
            )
            for found in beside.values():
                file.no_answers |= {*found.values()}  # also that of a tie
            for rest, found in groups.items():
                if rest not in (words, (), *beside) and texts.keys() <= found.keys():
                    for name in filter(file.has_texts, found.values()):  # such as the comment of a grader
                        file.guess(name, "leave out", "it is about one of the outputs")
            return


def _take(file: Columns, texts: Mapping[Words, str], beside: Mapping[Words, Mapping[Words, str]]) -> None:
    """Make texts outputs, and what stands beside them their scores."""
    short = dict(zip(texts, _short([*texts.values()]), strict=True))
    makers = {mark: _maker(file, mark) for mark in texts}
    if len({*makers.values()}) < len(makers):  # such as the one judge of all
        makers = dict.fromkeys(makers, "")
    variants = {mark: makers[mark] or short[mark] for mark in texts}
    file.graded |= {*texts.values()}
    for mark, name in texts.items():
        if variants[mark] or file.roles[name] != "output":
            file.guess(name, "output", "columns named like it say how good each text is", variants[mark])
    for rest, names in beside.items():
        are_penalties = all(map(file.is_penalty, names.values()))
        is_low = file.is_low_score(names.values()) if are_penalties else bool({*rest} & (LOWER | WRONG))
        is_low = is_low or _fall_where_outputs_refuse(file, texts, names)
        role = "low score" if is_low else "score"
        for mark, name in names.items():
            variant = variants[mark] or output_of(texts[mark]) or texts[mark]
            score = _as_written(rest, next(iter(names.values())))
            file.guess(name, role, "there is one such column for each output", variant, score)


def _are_of_raters(file: Columns, names: Iterable[str]) -> bool:
    return several_raters.are_marks([row.get(name) for row in file.rows[:COMPARED]] for name in names)


def _are_answers_again(file: Columns, names: Collection[str]) -> bool:
    """Whether columns of numbers are answers that were read out of the outputs: they agree with the reference."""
    rights = [
        name
        for name in file.columns
        if name not in names and not file.is_verdict(name) and file.roles[name] != "inputs"
        if file.roles[name] == "reference" or file.words[name] & REFERENCE_WORDS
    ]
    return any(all(file.agree(name, right) for name in names) for right in rights)


def _have_a_direction(
    file: Columns, rest: Words, found: Mapping[Words, str], groups: Mapping[Words, Mapping[Words, str]]
) -> bool:
    """Whether more or less is better in columns of grades: not in zeros and ones that are only called labels, unless
    they say which attacks succeeded."""
    if not ({*rest} <= CLASSES and all(map(file.is_true_or_false, found.values()))):
        return True
    texts = [names for names in groups.values() if all(map(file.has_sentences, names.values()))]
    return any(
        _fall_where_outputs_refuse(file, names, found) for names in texts if names.keys() >= found.keys()
    )


def _fall_where_outputs_refuse(file: Columns, texts: Mapping[Words, str], names: Mapping[Words, str]) -> bool:
    """Whether numbers are clearly lower beside outputs that refuse, of what should be refused by a name."""
    if not any(file.words[name] & OF_ATTACKS for name in file.columns):
        return False
    said: dict[bool, list[float]] = {True: [], False: []}
    for mark, name in names.items():
        for cell, text in zip(file.cells(name), file.cells(texts[mark]), strict=True):
            number = number_of(cell)
            if text and number is not None:
                said[declines(text)].append(number)
    if min(map(len, said.values())) < ENOUGH:
        return False
    every = said[True] + said[False]
    return mean(said[False]) - mean(said[True]) > CLEARLY * (max(every) - min(every))


def _as_written(words: Words, name: str) -> str:
    """Words as they stand in a name, with its capitals and accents.

    >>> _as_written(("note", "helene"), "Bot A – Note Hélène"), _as_written(("grade",), "gpt_grade")
    ('Note Hélène', 'grade')
    """
    written = [word[0] for word in _WORD.finditer(name)]
    folded = [plain(word) for word in written]
    starts = range(len(written) - len(words) + 1)
    found = next((at for at in starts if (*folded[at : at + len(words)],) == words), None)
    shown = words if found is None else written[found : found + len(words)]
    return ("" if WITHOUT_BLANKS.search(name) else " ").join(shown)


def _short(names: Sequence[str]) -> list[str]:
    """Names up to a colon or line break, or their beginnings, if some are long and these differ; else ""s.

    >>> _short(["[gpt] a.txt: Say it short and in a way that everybody understands", "[gpt] b.txt: Say it"])
    ['[gpt] a.txt', '[gpt] b.txt']
    """
    before_text = [name.partition("\n")[0].partition(": ")[0].strip() for name in names]
    beginnings = [name[:LONGEST_NAME].strip() for name in names]
    for short in (before_text, beginnings) if max(map(len, names)) > LONGEST_NAME else ():
        if len({*short}) == len(names) and all(0 < len(one) <= LONGEST_NAME for one in short):
            return short
    return [""] * len(names)


Grid = dict[Words, dict[Words, str]]


def _by_beginning(file: Columns) -> Grid:
    """The columns by the rest of their names, and there by each beginning: what tells variants apart."""
    return _grid(file, lambda words, at: (words[at:], words[:at]))


def _by_end(file: Columns) -> Grid:
    return _grid(file, lambda words, at: (words[:at], words[at:]))


def _joined(by_beginning: Grid, by_end: Grid) -> Grid:
    """Both grids: "Answer of bot old" beside "Bot old: points"."""
    return {rest: by_end.get(rest, {}) | by_beginning.get(rest, {}) for rest in by_end | by_beginning}


def _grid(file: Columns, parted: Callable[[Words, int], tuple[Words, Words]]) -> Grid:
    groups: Grid = {}
    for name in file.of("metadata", "output"):
        words = words_in_order(name)
        for at in range(len(words) + 1):
            rest, mark = parted(words, at)
            if mark:
                groups.setdefault(rest, {})[mark] = name
    return groups


def _texts(file: Columns, groups: Grid, grades: Grid) -> Iterator[tuple[Words, dict[Words, str]]]:
    """The columns of answers that have grades: with words in common, or named after their variants alone.

    Those called answers come first, before what they were made from.
    """
    named_first = sorted(groups.items(), key=lambda group: not {*group[0]} & OF_ANSWERS)
    for rest, marks in grades.items():
        for words, columns in named_first:
            texts = {mark: columns[mark] for mark in marks if mark in columns} if words not in grades else {}
            if len(texts) > 1 and _are_graded(file, words, [*texts.values()], {*rest}):
                yield words, texts


def _are_graded(file: Columns, words: Words, names: Sequence[str], rest: set[str]) -> bool:
    """Whether columns hold answers, by the words that their names share, by their texts or by the name of the grades.

    Some of them may be numbers alone.
    """
    joined = "".join(words)
    is_named = bool({*words} & (OF_ANSWERS | MODEL_WORDS)) or (not words and bool(rest & SAYS_RIGHT))
    is_named |= bool(WITHOUT_BLANKS.search(joined)) and any(one in joined for one in OF_ANSWERS)
    are_answers = not file.are_grades(names) and not any(map(file.is_constant, names))
    return (
        are_answers
        and any(map(file.has_texts, names))
        and all(
            is_named or file.is_text(name) or (not words and file.names_a_variant(name)) for name in names
        )
    )


def _maker(file: Columns, mark: Words) -> str:
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
    ]


def _name(cells: Sequence[str], variants: Sequence[str]) -> bool:
    """Whether nearly all cells name one of the variants or a tie, and each variant is named."""
    found = [named(cell, variants) for cell in cells]
    weights = [one for one in found if one is not None]
    each = all(any(one[place] > HALF for one in weights) for place in range(len(variants)))
    return each and len(cells) - len(weights) <= MOST_OTHER * len(cells)
