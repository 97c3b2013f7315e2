"""Columns that only their names number: right answers, answer1 and answer2, or the labels of raters, label1 and label2.

Also columns that repeat a text in other spelling.
"""

from collections import Counter

from evaluations.linear import Pattern

from .answer_names import is_for_others, is_one_of_several, stem
from .by_values import is_input
from .column_names import is_named_as_variant
from .looked_at import AGREEMENT, ENOUGH, MOST_LABELS, Columns
from .right_answers import OF_PEOPLE, OF_TEXTS
from .role_words import NOT_OUTPUT
from .several_raters import RATERS

FEWEST_RATERS = 3
_SIGNS = Pattern(r"[^\p{L}\p{M}\p{N}]+")


def spelled_again(file: Columns) -> None:
    """Columns that say what another one says but for letter case, blanks and signs, and have its name in theirs.

    Such as answer_tokenized beside answer. They are nothing else, so no later step sees them.
    """
    possible = {
        name for name in file.of("metadata") if any(_is_named_after(file, name, one) for one in file.columns)
    }
    if not possible:
        return
    letters = {name: [_SIGNS.sub("", text).casefold() for text in file.cells(name)] for name in file.columns}
    for name in file.of("metadata"):
        if name not in possible:
            continue
        is_many = len({*letters[name]}) > MOST_LABELS // 3 and sum(map(bool, letters[name])) >= ENOUGH
        if is_for_others(name) or not is_many:
            continue
        alike = [
            one for one in file.columns if letters[one] == letters[name] and _is_named_after(file, name, one)
        ]
        other = next((one for one in alike if file.cells(one) != file.cells(name)), None)
        if other is not None:
            file.guess(name, "metadata", f"it is “{other[:40]}” in other spelling")
    file.columns = [name for name in file.columns if name not in file.found]


def _is_named_after(file: Columns, name: str, other: str) -> bool:
    """Whether a name has all words of another one, and more than the name of a variant."""
    more = file.words[name] - file.words[other]
    return file.words[other] < file.words[name] and not is_named_as_variant(" ".join(more))


def numbered_answers(file: Columns) -> None:
    """Columns named answer1, answer2, … beside a question, if two or more others behind them agree with them.

    Without these they may be answers of variants as well.
    """
    named = [name for name in file.free if is_one_of_several(name) and {*stem(name)} & (OF_PEOPLE | OF_TEXTS)]
    rights = [name for name in named if stem(name) == stem(named[0]) and name[-1].isdigit()]
    asked = [name for name in file.columns if is_input(file, name)]
    if file.of("reference", "output") or not rights or not asked:
        return
    last = max(map(file.columns.index, rights))
    agreed = {
        name: max(file.agreement(name, right) for right in rights)
        for name in file.columns[last + 1 :]
        if name in file.free and name not in named and not file.words[name] & NOT_OUTPUT
    }
    outputs = [name for name, agreement in agreed.items() if agreement >= AGREEMENT / 2]
    if len(outputs) > 1 and max(agreed.values()) >= AGREEMENT:
        for name in rights:
            file.guess(name, "reference", "other columns agree with it, which answer the question, too")
        for name in outputs:
            file.guess(name, "output", f"rows often agree with “{rights[0][:40]}”")


def votes(file: Columns) -> None:
    """Columns label1, label2, … whose most frequent cell is the reference in every row: the labels it was made of.

    Outputs of variants are often right, but never do all rows in which most of them agree.
    """
    for right in file.of("reference"):
        numbered = [name for name in file.columns if name != right and name[-1].isdigit() and stem(name)]
        for kind in {stem(name) for name in numbered}:
            raters = [name for name in numbered if stem(name) == kind]
            is_named = {*kind} <= {*stem(right)} or bool({*kind} & RATERS)
            if len(raters) >= FEWEST_RATERS and is_named and _elect(file, raters, right):
                for name in raters:
                    file.guess(name, "metadata", f"most of {raters[0]}, {raters[1]}, … are “{right[:40]}”")
                    file.no_answers.add(name)


def _elect(file: Columns, raters: list[str], right: str) -> bool:
    """Whether the reference is what most of the raters say, wherever more than half of them say the same."""
    rows = zip(file.cells(right), *map(file.cells, raters), strict=True)
    elected = [
        (known, winner)
        for known, *said in rows
        for winner, count in Counter(filter(None, said)).most_common(1)
        if count * 2 > len(said)
    ]
    return len(elected) >= ENOUGH and all(known == winner for known, winner in elected)
