"""Guesses the roles that names alone do not settle, from words in names and from the first rows, each with its reason.

The pages of an upload begin with these guesses and say so. An import without a page takes only the roles by name,
because nobody looks at them before it begins.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from evaluations.linear import Pattern

from .answer_names import is_one_of_several, stem
from .asked import asked, options
from .batch import Row
from .by_values import by_values, determines, is_input
from .chosen_options import chosen_options
from .class_weights import class_weights
from .compared import judged_sides, preferences
from .extracted import extracted
from .gold_fields import gold_fields
from .graded_numbers import graded_numbers
from .graded_texts import graded
from .judged_alike import judged_alike
from .key_columns import keys, keys_of_whole_rows
from .known_names import VARIANTS
from .lettered import lettered
from .likely import has_numbers
from .looked_at import AGREEMENT, ENOUGH, MOST_LABELS, Columns, Guess, mean
from .marked_answers import marked_answers
from .measures import measured
from .named_scores import named_scores
from .number_grids import number_grids
from .numbered_answers import numbered_answers, spelled_again, votes
from .other_words import in_other_words
from .output_columns import alone, asked_beside_reference, outputs, parting
from .people import suggested
from .rated_grids import rated_grids
from .record_columns import are_named_alike, field_of, fields_of_call
from .refusal_words import classes, is_expectation
from .right_answers import lists_of_answers, nested_answers, other_answers, worked_solutions
from .role_words import (
    ASKED_FOR,
    JUDGED,
    LABEL_NAMES,
    LANGUAGES,
    NOT_OUTPUT,
    OF_CHOICES,
    OF_FILES,
    OWN_ANSWERS,
    PREDICTED,
    REFERENCE_NAMES,
    REFERENCE_WORDS,
    TRANSCRIBED,
)
from .suggest import plain
from .verdicts_alone import verdicts_alone

MOST_COMPARED = 100  # columns
COMPARISONS = 400_000  # of cells with those of other columns: 40 rows of a hundred columns
_LAST = Pattern(r"[^\p{L}\p{N}][\p{L}\p{N}]$")


def guesses(
    columns: Sequence[str],
    rows: Sequence[Row],
    named: Mapping[str, str],
    no_answers: Collection[str] = (),
    preferred: str = "",
) -> dict[str, Guess]:
    """The roles, by column, that differ from those by name (`named`), in the order of the file.

    Cells are compared with each other, so of many columns fewer rows are looked at, and of more than a hundred none.
    Columns that are `no_answers` are neither outputs nor references; `preferred` is known to name the better output.
    """
    if len(columns) > MOST_COMPARED:
        return {}
    looked_at = Columns(columns, rows[: COMPARISONS // max(len(columns), 1) ** 2], dict(named))
    looked_at.no_answers |= {*no_answers}
    if preferred:
        looked_at.guess(preferred, "preferred", "it names the better one of the outputs")
        looked_at.no_answers |= {*columns} - {*looked_at.of("output")}
    for step in STEPS:
        step(looked_at)
    return {name: looked_at.found[name] for name in columns if name in looked_at.found}


def _only_choice(file: Columns) -> None:
    """Lists of choices with one member each, which is the right one, as benchmarks write texts to be found."""
    for name in file.of("metadata"):
        cells = [row.get(name) for row in file.rows]
        if plain(name) == "choices" and all(isinstance(cell, list) and len(cell) == 1 for cell in cells):
            file.guess(name, "reference", "each row has one choice, the right one")


def _references(file: Columns) -> None:
    """Columns whose names have a word for what is right."""
    if file.of("reference"):
        return
    is_decided = bool(file.of("preferred", "score"))  # so "winner_tie" says no right answer
    winners = [name for name in file.of("metadata") if file.words[name] & {"winner", "preferred"}]
    if len(winners) > 1:  # of several judges or games, and none of them is right
        file.no_answers |= {*winners}
    by_name = [
        name
        for name in file.of("metadata")
        if name not in file.no_answers and not (is_decided and file.words[name] & OF_CHOICES)
        if (name in file.free and plain(name) in REFERENCE_NAMES)
        or (file.words[name] & REFERENCE_WORDS and not file.words[name] & NOT_OUTPUT - ASKED_FOR)
    ]
    answers = [
        name
        for name in file.free
        if file.words[name] & {"answer", "answers"} and not file.names_a_variant(name)
        if not _is_last_of_answers(file, name)
    ]
    if by_name or len(answers) == 1:
        file.guess((by_name or answers)[0], "reference", "the name is usual for right answers")
    elif _are_several_answers(file, answers):
        for name in answers:
            file.guess(name, "reference", "the names are usual for several right answers")
    else:
        orders = [name for name in file.free if file.is_order(name) and not file.names_a_variant(name)]
        for name in orders if len(orders) == 1 else ():
            file.guess(name, "reference", "its rows have the same words in different orders")


def _is_last_of_answers(file: Columns, name: str) -> bool:
    """Whether a column stands behind answers of two variants, and has a word of its own: terse_answer."""
    before = file.columns[: file.columns.index(name)]
    others = [one for one in before if file.words[one] & {"answer", "answers"} and file.names_a_variant(one)]
    return len(others) > 1 and bool(file.words[name] - {"answer", "answers"})


def _predicted(file: Columns) -> None:
    """A column beside another that is named as its prediction: "SQL" beside predicted_sql."""
    if file.of("reference"):
        return
    for name in file.free:
        others = [
            file.words[other] - file.words[name]
            for other in file.columns
            if file.words[name] < file.words[other]
        ]
        is_pair = plain(name) in JUDGED
        if any(rest and rest <= PREDICTED for rest in others) and not (is_pair or file.names_a_variant(name)):
            file.guess(name, "reference", "another column is named as its prediction")


def _are_several_answers(file: Columns, names: Sequence[str]) -> bool:
    """Whether columns called answer_1, answer_2, … stand beside others that are named as outputs."""
    are_named_alike = len({*map(stem, names)}) == 1 and all(map(is_one_of_several, names))
    return are_named_alike and bool(file.of("output") or any(map(file.names_a_variant, file.free)))


def _languages(file: Columns) -> None:
    """Texts in two languages beside translations of them: the language that these agree with is the reference."""
    spoken = [name for name in file.of("metadata") if plain(name) in LANGUAGES and file.has_texts(name)]
    if file.of("reference") or len(spoken) < 2:
        return
    others = [name for name in file.free if name not in spoken and file.has_texts(name)]
    agreements = {name: max((file.agreement(other, name) for other in others), default=0) for name in spoken}
    best = max(spoken, key=lambda name: agreements[name])
    if agreements[best] < AGREEMENT:
        return
    for name in spoken:
        file.guess(name, "reference" if name == best else "inputs", "the name is that of a language")


def _own_reference(file: Columns) -> None:
    """The one column called solution or response beside outputs of variants: what they should be.

    So it is where a reference was only guessed by its name, and these outputs do not agree with it.
    """
    own = [name for name in file.of("output") if plain(name) in OWN_ANSWERS]
    guessed = file.of("reference")
    if len(own) != 1 or not all(name in file.found for name in guessed):
        return
    if any(plain(name) in VARIANTS for name in file.columns):
        return  # each row says whose answer it is
    others = [
        name
        for name in file.of("output", "metadata")
        if name not in own and not file.is_beside_output(name) and not file.is_grade(name)
    ]
    if any(file.agree(name, right) for name in others for right in guessed):
        return
    is_named = plain(own[0]) == "solution" and any(map(file.names_a_variant, others))
    if is_named or any(file.agree(name, own[0]) for name in others if not file.words[name] & NOT_OUTPUT):
        for name in guessed:
            file.take_back(name)
        file.guess(own[0], "reference", "columns of variants stand beside it")
        outputs(file)


def _transcribed(file: Columns) -> None:
    """The text beside an image or a recording, which other columns read: it is what they should say."""
    files = [name for name in file.columns if file.words[name] & OF_FILES]
    texts = [name for name in file.of("inputs") if plain(name) in TRANSCRIBED]
    if file.of("reference") or not files or len(texts) != 1:
        return
    [text] = texts
    may_read = [name for name in file.of("metadata", "output") if name not in files and file.has_texts(name)]
    others = [name for name in may_read if file.agree(name, text)]
    if others:
        file.guess(text, "reference", f"other columns say the same of “{files[0][:40]}”")
        for name in others:
            if file.roles[name] != "output":
                file.guess(name, "output", f"the rows agree with “{text[:40]}” more often than by chance")
        if file.roles[files[0]] == "metadata":
            file.guess(files[0], "inputs", "it is what was read")


def _label(file: Columns) -> None:
    """A column that outputs hit more often than by chance, if nothing else is the reference.

    Without a usual name, all columns that are named after variants must hit it, and be two or more.
    """
    if file.of("reference"):
        return
    answers = [
        other
        for other in file.of("metadata", "output")
        if not is_input(file, other) and not file.words[other] & NOT_OUTPUT and not file.is_verdict(other)
    ]
    if file.has_graded_texts:  # about what other columns say, such as a product
        return
    variants = {*filter(file.names_a_variant, answers)} or _siblings(answers)
    agreements: dict[str, float] = {}
    for name in file.of("metadata"):
        if name in file.no_answers:
            continue
        hits = [other for other in answers if other != name and file.agree(other, name)]
        is_usual = plain(name) in LABEL_NAMES or bool(file.words[name] & LABEL_NAMES)
        may_be = name not in variants and not is_input(file, name) and not file.is_verdict(name)
        may_be = may_be and not file.is_in_grid(name)
        is_hit_by_all = may_be and len(variants) > 1 and file.all_agree(variants, name)
        if hits and (is_usual or is_hit_by_all) and not all(determines(file, other, name) for other in hits):
            agreements[name] = is_usual + mean(file.agreement(other, name) for other in hits)
    # "intent_small" is what a model said of "intent"
    agreements = {
        name: agreed
        for name, agreed in agreements.items()
        if not any(file.words[other] < file.words[name] for other in agreements)
    }
    if agreements:
        best = max(agreements, key=lambda name: agreements[name])
        file.guess(best, "reference", "columns agree with it more often than by chance")
        outputs(file)


def _refusals(file: Columns) -> None:
    """A column that says what should be refused, if nothing else is the reference: should_refuse, safe or unsafe."""
    if file.of("reference"):
        return
    found = [
        name
        for name in file.of("metadata")
        if len([text for text in file.cells(name) if text]) >= ENOUGH
        and classes(name, {text.casefold() for text in file.cells(name) if text})
    ]
    named = [*filter(is_expectation, found)]
    others = [name for name in found if not file.names_a_variant(name) and not file.is_beside_output(name)]
    if right := named or (others if len(found) == 1 else []):
        file.guess(right[0], "reference", "it says what should be refused")
        outputs(file)


def _records(file: Columns) -> None:
    """Columns beside the reference that are further fields of what the outputs' objects hold, or a call's arguments."""
    for reference in file.of("reference"):
        for name in file.of("metadata"):
            if not are_named_alike(name, reference):
                continue
            is_call = bool(fields_of_call([name, reference]))
            if is_call or any(
                file.have_fields(out, field_of(name), field_of(reference)) for out in file.of("output")
            ):
                file.guess(name, "reference", f"with “{reference[:40]}” it is what the outputs' objects hold")


def _siblings(names: Sequence[str]) -> set[str]:
    """Names that differ in one last letter or number: "team_a" and "team_b"."""
    stems = Counter(plain(name)[:-1] for name in names if _LAST.search(plain(name)))
    return {name for name in names if _LAST.search(plain(name)) and stems[plain(name)[:-1]] > 1}


def _copies(file: Columns) -> None:
    """A reference of numbers whose words stand in another column, with which the outputs agree instead."""
    for reference in file.of("reference"):
        numbers = [text for text in file.cells(reference) if text]
        if not has_numbers(numbers) or len({*numbers}) > MOST_LABELS:
            continue
        for name in file.of("metadata"):
            if not determines(file, name, reference) or not file.has_texts(name):
                continue
            if any(file.agree(other, name) for other in file.columns if other not in (name, reference)):
                file.guess(name, "reference", f"it has the words for the numbers in “{reference[:40]}”")
                file.guess(reference, "metadata", f"“{name[:40]}” has its words")
                outputs(file)
                return


# every step sees what those before it have found
STEPS = (
    spelled_again,
    keys,
    preferences,
    rated_grids,
    suggested,
    graded,
    gold_fields,
    options,
    _only_choice,
    _references,
    votes,
    numbered_answers,
    judged_sides,
    _predicted,
    _languages,
    class_weights,
    marked_answers,
    outputs,
    _own_reference,
    _transcribed,
    _label,
    chosen_options,
    in_other_words,
    by_values,
    judged_alike,
    number_grids,
    graded_numbers,
    _refusals,
    parting,
    _copies,
    nested_answers,
    lists_of_answers,
    other_answers,
    lettered,
    _records,
    extracted,
    worked_solutions,
    marked_answers,
    alone,
    asked_beside_reference,
    asked,
    measured,
    named_scores,
    verdicts_alone,
    keys_of_whole_rows,
)
