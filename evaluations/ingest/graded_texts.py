"""Texts side by side, beside each of which stands how good somebody found it: gpt_response and gpt_grade."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from evaluations.linear import Pattern
from evaluations.mapping.refusals import declines
from evaluations.metrics.whole_words import WITHOUT_BLANKS

from . import several_raters
from .column_names import parts_of, words_in_order
from .compared import MOST_COLUMNS, Words, maker
from .likely import number_of
from .looked_at import COMPARED, ENOUGH, Columns, mean
from .role_words import CODES, MODEL_WORDS, OF_ANSWERS, OF_ATTACKS, READ_OUT, REFERENCE_WORDS
from .score_words import CLASSES, GRADES, LOWER, RIGHT, WRONG
from .suggest import output_of, plain

SAYS_RIGHT = GRADES | RIGHT | WRONG  # words in names of grades
CLEARLY = 0.3  # of the range of numbers, by which refusals have less
LONGEST_NAME = 60  # characters of a variant's name
_REMARK = Pattern(r"\s*\([^()]*\)\s*$")
_WORD = Pattern(r"[\p{L}\p{N}]+")
Grid = dict[Words, dict[Words, str]]


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
    makers = {mark: maker(file, mark) for mark in texts}
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
    names = file.of("metadata", "output")
    short = {
        name: name
        if any(other != name and other.startswith(name) for other in names)
        else _REMARK.sub("", name)
        for name in names
    }
    if len({*short.values()}) < len(short) or "" in short.values():  # brackets tell columns apart
        short = dict(zip(names, names, strict=True))
    for name in names:
        words = words_in_order(short[name])
        for at in range(len(words) + 1):
            rest, mark = parted(words, at)
            if mark:
                groups.setdefault(rest, {})[mark] = name
        if len(words) > 1 and WITHOUT_BLANKS.search(short[name]) and len(parts_of(short[name])) == 1:
            groups.setdefault((), {})[(*parts_of(short[name]),)] = (
                name  # “回答” as a whole beside “回答 判定”
            )
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
