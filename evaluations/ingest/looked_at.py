"""The columns of a file as guesses look at them: their words, their first cells, and what agrees with what."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from evaluations.linear import Pattern

from . import penalties, unsaid, verdict_words
from .batch import Row
from .cell_texts import said_in, text_of_cell, words_of_text
from .column_names import is_named_as_variant, requirements, words_of
from .likely import are_percentages, has_numbers, number_of
from .role_words import MODES, NOT_OUTPUT, WITH_OR_WITHOUT
from .score_words import GRADES, LOWER, RIGHT, VERDICTS, WRONG
from .suggest import plain

COMPARED = 100  # rows in which an answer is compared with a reference
ENOUGH = 10  # rows from which contents count
AGREEMENT = 0.2  # from which a column seems to answer another
MOST_LABELS = 30
MOST_GRADES = 11  # different numbers, such as 0 to 10
FEW_TEXTS = 6  # different texts of a column that says one of two things
ONE_LABEL = 0.8  # share of a column's cells that must say one of the labels of a reference, and no other
MOST_OF_ONE = 0.95  # share of them with the same label, as the word "a" has in prose
ANY_TEXT = 40  # characters from which a text is one although its values repeat

_ID = Pattern(r"[\w-]*(?:[A-Za-z][\w-]*\d|\d[\w-]*[A-Za-z])[\w-]*")


class Guess(NamedTuple):
    """A role as in `Preview.roles`, or "score" or "low score", and why, in words for the user."""

    role: str
    reason: str
    variant: str = ""  # of an output or a score, if another column has its name
    name: str = ""  # of a score


class Columns:
    """The columns of a file, with their present roles and what was guessed so far."""

    def __init__(self, columns: Sequence[str], rows: Sequence[Row], roles: dict[str, str]) -> None:
        self.columns, self.rows, self.roles = columns, rows, roles
        self.words = {name: words_of(name) for name in columns}
        self.no_answers = requirements(self.words)
        self.graded: set[str] = set()  # outputs beside which stands what was said about them
        self.of_fields: set[str] = set()  # columns that are right for one field of the outputs each
        self.found: dict[str, Guess] = {}
        self._cells: dict[str, list[str]] = {}
        self._words: dict[str, list[set[str]]] = {}
        self._named = dict(roles)

    def take_back(self, name: str) -> None:
        """Give a column the role by its name again."""
        self.found.pop(name, None)
        self.roles[name] = self._named[name]

    def guess(self, name: str, role: str, reason: str, variant: str = "", score: str = "") -> None:
        self.roles[name], self.found[name] = role, Guess(role, reason, variant, score)

    def of(self, *roles: str) -> list[str]:
        return [name for name in self.columns if self.roles[name] in roles]

    @property
    def free(self) -> list[str]:
        """The columns that are metadata so far and may be answers."""
        own = [name for name in self.of("metadata") if not name.startswith("_")]
        beside = self.no_answers
        return [
            name
            for name in own
            if name not in beside and not self.is_beside_output(name) and not self.is_verdict(name)
        ]

    @property
    def has_graded_texts(self) -> bool:
        """Whether there are sentences beside which stands what was said about them."""
        return bool(self.graded) and all(map(self.has_sentences, self.graded))

    def is_beside_output(self, name: str) -> bool:
        """Whether a name is that of something said about an answer.

        Not "with explanation", which is a variant's, nor that of a model that reasons and has no other column.
        """
        said = self.words[name] & NOT_OUTPUT
        return bool(said) and not self.words[name] & WITH_OR_WITHOUT and not self._is_mode(name, said)

    def _is_mode(self, name: str, said: set[str]) -> bool:
        model = self.words[name] - said
        has_others = any(model & words for other, words in self.words.items() if other != name)
        return said <= MODES and self.names_a_variant(name) and bool(model) and not has_others

    def marks(self) -> dict[str, set[str]]:
        """The words that tell each of several outputs apart: "small" of mt_small; {} where names share or lack them."""
        names = self.of("output")
        common = set.intersection(*(self.words[name] for name in names)) if names else set()
        marks = {name: self.words[name] - common for name in names}
        are_apart = len({frozenset(mark) for mark in marks.values()}) == len(names) > 1
        return marks if are_apart and all(marks.values()) else {}

    def about_outputs(self, name: str) -> list[str]:
        """The outputs of which a column has the mark in its name; "small_fewshot_cost" is not about "small"."""
        found = {
            output: mark
            for output, mark in self.marks().items()
            if output != name and mark < self.words[name]
        }
        return [output for output, mark in found.items() if not any(mark < other for other in found.values())]

    def is_in_grid(self, name: str) -> bool:
        """Whether a name and three others are two words with two ends: gen_small, gen_large, pred_small, pred_large."""
        parts = plain(name).split("_")
        named = [plain(column) for column in self.columns]
        cuts = [("_".join(parts[:at]), "_".join(parts[at:])) for at in range(1, len(parts))]
        return any(_is_crossing(named, first, rest) for first, rest in cuts)

    def is_verdict(self, name: str) -> bool:
        """Whether a column says of each answer whether it is right."""
        present = {text.casefold() for text in self.cells(name) if text}
        return bool(present) and present <= VERDICTS and bool(self.words[name] & (RIGHT | WRONG))

    def says_pass_or_fail(self, name: str) -> bool:
        """Whether a column has the results of tests, in words."""
        return verdict_words.are_results({*self.cells(name)} - {""})

    def are_grades(self, names: Iterable[str]) -> bool:
        """Whether columns beside several outputs are grades, of which one may always say the same."""
        listed = [*names]
        said = {text for name in listed for text in self.cells(name) if text}
        are_alike = any(all(map(test, listed)) for test in (self.is_grade, self.is_penalty))
        return are_alike or verdict_words.are_results(said)

    def is_grade(self, name: str) -> bool:
        """Whether a column has the results of tests, verdicts, or a few numbers that are no measure of the run."""
        found = {text.casefold() for text in self.cells(name) if text}
        are_few = has_numbers([*found]) and 1 < len(found) <= MOST_GRADES
        is_beside = bool(self.words[name] & NOT_OUTPUT - GRADES - {"score"})
        return (
            self.says_pass_or_fail(name)
            or verdict_words.are_marks(found)
            or self._has_percentages(name)
            or self.asks_if_right(name)
            or (not is_beside and (are_few or (len(found) > 1 and found <= VERDICTS)))
        )

    def _has_percentages(self, name: str) -> bool:
        """Whether a column has different numbers with a sign of percent, which is written behind no id or count."""
        found = {text for text in self.cells(name) if text}
        return len(found) > 1 and are_percentages([*found])

    def asks_if_right(self, name: str) -> bool:
        """Whether a column says yes or no to its name, which is a word for what is right: "correcta_v1"."""
        found = {text for text in self.cells(name) if text}
        is_asked = any(verdict_words.share(word) == 1.0 for word in self.words[name])
        return is_asked and verdict_words.are_yes_and_no(found)

    def is_penalty(self, name: str) -> bool:
        """Whether a column has lists of errors with their severities, or the points of such by its name."""
        present = [text for text in self.cells(name) if text]
        if self.words[name] & penalties.WORDS and len({*present}) > 1 and has_numbers(present):
            return True
        if self.words[name] & penalties.COUNTED and penalties.are_counts(present):
            return True
        values = [row.get(name) for row in self.rows[:COMPARED]]
        return bool(self.words[name] & penalties.LISTS) and penalties.are_lists_of_errors(values)

    def is_low_score(self, names: Iterable[str]) -> bool:
        """Whether less is better in columns of scores, by their names or as the penalties that they have."""
        listed = [*names]
        if not all(map(self.is_penalty, listed)):
            return any(self.words[name] & (LOWER | WRONG) for name in listed)
        found = [number_of(text) for name in listed for text in self.cells(name)]
        numbers = [number for number in found if number is not None]
        return not numbers or penalties.are_fewer_better(numbers)

    def are_repeated(self, name: str) -> bool:
        """Whether most values of a column stand in several rows, as products and topics do."""
        present = [text for text in self.cells(name) if text]
        return len({*present}) * 2 <= len(present)

    def is_constant(self, name: str) -> bool:
        """Whether all rows have the same value, as the name of a model."""
        return len({*self.cells(name)}) == 1 and len(self.cells(name)) >= ENOUGH

    def is_true_or_false(self, name: str) -> bool:
        return {text.casefold() for text in self.cells(name) if text} <= VERDICTS

    def cells(self, name: str) -> list[str]:
        """The first cells as texts, "" for none, also where a number is not said; a list or an object as JSON."""
        if name not in self._cells:
            cells = [text_of_cell(row.get(name)) for row in self.rows[:COMPARED]]
            self._cells[name] = unsaid.without(cells)
        return self._cells[name]

    def said(self, name: str) -> list[set[str]]:
        """The words of each of the first cells, compared as answers: "Yes" is true, and 45,000 is 45000."""
        if name not in self._words:
            self._words[name] = [said_in(text) for text in self.cells(name)]
        return self._words[name]

    def read_as_words(self, name: str, numbers: Mapping[str, str]) -> None:
        """Take the numbers of a column, such as 0 and 1, for words from now on; {} takes this back."""
        self._words[name] = [said_in(numbers.get(text, text)) for text in self.cells(name)]

    def is_text(self, name: str) -> bool:
        """Whether a column holds texts or structures that nearly all differ."""
        present = [text for text in self.cells(name) if text]
        if not self.has_texts(name):
            return False
        is_long = sum(map(len, present)) > ANY_TEXT * len(present)
        return len(present) * 2 >= len(self.cells(name)) and (
            is_long or len({*present}) * 3 > len(present) * 2
        )

    def are_ids(self, name: str) -> bool:
        """Whether all cells are different words with letters and digits, as programs make them: batch_req_68e2f1."""
        present = [text for text in self.cells(name) if text]
        return len({*present}) == len(present) >= ENOUGH and all(map(_ID.fullmatch, present))

    def is_order(self, name: str) -> bool:
        """Whether all cells of a column have the same words in different orders, as "B > A > C", and no objects."""
        if any("{" in text for text in self.cells(name)):
            return False
        words = {
            frozenset(words) for text, words in zip(self.cells(name), self.said(name), strict=True) if text
        }
        is_varied = len({text for text in self.cells(name) if text}) > 2
        return len(words) == 1 and is_varied and len(next(iter(words))) > 2

    def has_sentences(self, name: str) -> bool:
        """Whether most texts of a column have several words, as codes have not."""
        present = [text for text in self.cells(name) if text]
        return sum(" " in text for text in present) * 2 > len(present)

    def has_texts(self, name: str) -> bool:
        """Whether a column holds texts or structures, and not numbers alone."""
        present = [text for text in self.cells(name) if text]
        return bool(present) and not has_numbers(present)

    def has_structures(self, name: str) -> bool:
        """Whether most cells of a column are lists or objects, as evidence beside a short answer is."""
        present = [value for row in self.rows[:COMPARED] if (value := row.get(name)) not in (None, "")]
        return sum(isinstance(value, dict | list) for value in present) * 2 > len(present)

    def has_lists(self, name: str) -> bool:
        """Whether all cells of a column are lists of texts, most of them of several."""
        present = [value for row in self.rows[:COMPARED] if (value := row.get(name)) not in (None, "")]
        lists = [value for value in present if isinstance(value, list)]
        are_texts = all(isinstance(one, str) for value in lists for one in value)
        are_several = sum(len(value) > 1 for value in lists) * 2 > len(present)
        return len(lists) == len(present) and are_texts and are_several

    def lists_members_of(self, name: str, reference: str) -> bool:
        """Whether some rows of a column of lists have the members that the reference writes with bars between them."""
        cells = [(row.get(name), text_of_cell(row.get(reference))) for row in self.rows[:COMPARED]]
        return (
            mean(
                {text_of_cell(one).casefold() for one in cell} == {*known.casefold().split("|")}
                for cell, known in cells
                if isinstance(cell, list) and cell and known
            )
            >= AGREEMENT
        )

    def have_fields(self, name: str, *fields: str) -> bool:
        """Whether most cells are objects, also as JSON, in which each of these fields is named."""
        present = [text for text in self.cells(name) if text]
        having = sum("{" in text and all(f'"{field}"' in text for field in fields) for text in present)
        return having * 2 > len(present)

    def is_written_by_a_model(self, name: str) -> bool:
        """Whether most cells begin with a reasoning block or a fence."""
        present = [text for text in self.cells(name) if text]
        return sum(text.startswith(("<think", "```")) for text in present) * 2 > len(present)

    def names_a_variant(self, name: str) -> bool:
        """Whether a name is like that of a model, a prompt or a version."""
        return is_named_as_variant(name)

    def is_made_from(self, name: str, reference: str) -> bool:
        """Whether all rows of a column have all words of the reference, and all or none have nothing else.

        A column of references that lacks some was not made from them: those rows were not answered.
        """
        both = [pair for pair in zip(self.cells(name), self.cells(reference), strict=True) if pair[1]]
        pairs = [pair for pair in both if pair[0]]
        if len(pairs) < len(both) and all(answer == expected for answer, expected in pairs):
            return False
        equal = sum(answer == expected for answer, expected in pairs)
        return equal in (0, len(pairs)) and all(
            words_of_text(expected) <= words_of_text(answer) for answer, expected in pairs
        )

    def says_labels_of(self, name: str, reference: str) -> bool:
        """Whether nearly all texts of a column say one of the few labels of a reference, and not all the same one.

        Wrong answers do so too, so this tells the outputs of a variant that is right no more often than chance.
        """
        known = {frozenset(words) for words in self.said(reference) if words}
        if not 1 < len(known) <= MOST_LABELS or len(known) * 2 > len(self.cells(reference)):
            return False
        found = [[label for label in known if label <= words] for words in self.said(name) if words]
        single = [labels[0] for labels in found if len(labels) == 1]
        most = max(Counter(single).values(), default=0)
        return (
            len(found) >= ENOUGH
            and ONE_LABEL * len(found) <= len(single)
            and most <= MOST_OF_ONE * len(found)
        )

    def parts_by(self, name: str, reference: str) -> bool:
        """Whether a column of a few texts parts the rows as a reference of a few values does, in whatever words."""
        pairs = [pair for pair in zip(self.cells(name), self.cells(reference), strict=True) if all(pair)]
        texts, known = ({pair[side] for pair in pairs} for side in (0, 1))
        if len(pairs) < ENOUGH or not (1 < len(known) <= FEW_TEXTS and 1 < len(texts) <= FEW_TEXTS):
            return False
        counts = Counter(pairs)
        most = sum(max(counts[text, right] for right in known) for text in texts) / len(pairs)
        chance = max(Counter(right for _, right in pairs).values()) / len(pairs)
        return most - chance >= AGREEMENT * (1 - chance)

    def agree(self, name: str, reference: str) -> bool:
        """Whether a column has the words of the reference of its row more often than by chance."""
        return self.agreement(name, reference) >= AGREEMENT

    def all_agree(self, names: Iterable[str], reference: str) -> bool:
        """Whether several columns agree with a reference, some of them perhaps less."""
        found = [self.agreement(name, reference) for name in names]
        return min(found) >= AGREEMENT / 2 and max(found) >= AGREEMENT

    def equality(self, name: str, reference: str) -> float:
        """The share of rows in which a column is equal to another one but for letter case."""
        pairs = zip(self.cells(name), self.cells(reference), strict=True)
        return mean(answer.casefold() == expected.casefold() for answer, expected in pairs if expected)

    def agreement(self, name: str, reference: str) -> float:
        """How much more a column has the words of the reference of its row than those of other rows, from 0 to 1: the
        share of what chance leaves, as in Cohen's kappa; 0 with few rows."""
        pairs = [
            (answer, expected)
            for answer, expected in zip(self.said(name), self.said(reference), strict=True)
            if answer and expected
        ]
        if len(pairs) < ENOUGH:
            return 0.0
        own = mean(_recall(answer, expected) for answer, expected in pairs)
        size = len(pairs)
        others = mean(
            _recall(pairs[row][0], pairs[(row + step) % size][1]) for row in range(size) for step in (1, 3, 7)
        )
        return (own - others) / (1 - others) if others < own else 0.0


def _recall(answer: set[str], expected: set[str]) -> float:
    return len(answer & expected) / len(expected) if expected else 0.0


def mean(values: Iterable[float]) -> float:
    listed = [*values]
    return sum(listed) / len(listed) if listed else 0.0


def _is_crossing(named: Sequence[str], first: str, rest: str) -> bool:
    """Whether a beginning stands before another end, and an end behind another beginning, that are a name as well."""
    firsts = {one.removesuffix(f"_{rest}") for one in named if one.endswith(f"_{rest}")} - {first}
    rests = {one.removeprefix(f"{first}_") for one in named if one.startswith(f"{first}_")} - {rest}
    return any(f"{one}_{other}" in named for one in firsts for other in rests)
