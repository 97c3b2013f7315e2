"""Guesses the roles that names alone do not settle, from words in names and from the first rows, each with its reason.

The pages of an upload begin with these guesses and say so. An import without a page takes only the roles by name,
because nobody looks at them before it begins.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from evaluations.linear import Pattern

from .answer_names import is_one_of_several, stem
from .batch import Row
from .by_values import bare, by_values, is_copy, is_input
from .compared import graded, preferences
from .likely import has_numbers
from .looked_at import AGREEMENT, ENOUGH, MOST_LABELS, Columns, Guess, mean, text_of_cell
from .record_columns import are_named_alike, field_of, fields_of_call
from .refusal_words import classes, is_expectation
from .right_answers import lists_of_answers, other_answers
from .role_words import (
    ABOUT_PROMPTS,
    ASKED_FOR,
    BESIDE_QUESTIONS,
    HIGHER,
    INPUT_WORDS,
    LABEL_NAMES,
    LANGUAGES,
    LOWER,
    NOT_OUTPUT,
    OF_CALLS,
    OF_CHOICES,
    OWN_ANSWERS,
    PREDICTED,
    REFERENCE_NAMES,
    REFERENCE_WORDS,
    RIGHT,
    WRONG,
)
from .suggest import INPUTS, VARIANTS, plain

OF_NUMBERS = {"case", "code", "no", "num", "number", "numero", "nummer", "ref", "reference", "ticket"}
OF_KEYS = REFERENCE_WORDS | {"answer", "key", "label", "solution"}
_LAST = Pattern(r"[^\p{L}\p{N}][\p{L}\p{N}]$")
_NUMBERS = Pattern(r"\d+")
_OPTIONS = Pattern(r"(?:option|choice|answer|opt|ending)?_?[a-h0-9]")


def guesses(
    columns: Sequence[str],
    rows: Sequence[Row],
    named: Mapping[str, str],
    no_answers: Collection[str] = (),
    preferred: str = "",
) -> dict[str, Guess]:
    """The roles, by column, that differ from those by name (`named`), in the order of the file.

    Columns that are `no_answers` are neither outputs nor references; `preferred` is known to name the better output.
    """
    looked_at = Columns(columns, rows, dict(named))
    looked_at.no_answers |= {*no_answers}
    if preferred:
        looked_at.guess(preferred, "preferred", "it names the better one of the outputs")
        looked_at.no_answers |= {*columns} - {*looked_at.of("output")}
    for step in (
        _keys,
        preferences,
        graded,
        _options,
        _references,
        _predicted,
        _languages,
        _outputs,
        _own_reference,
        _label,
        by_values,
        _refusals,
        _parting,
        _copies,
        lists_of_answers,
        other_answers,
        _records,
        _inputs,
        _scores,
    ):
        step(looked_at)
    return {name: looked_at.found[name] for name in columns if name in looked_at.found}


def _keys(file: Columns) -> None:
    """A column of ids in which no value repeats, if no name says that it is the key.

    One called key whose few values repeat is the key to an exam.
    """
    for name in file.of("key"):
        answers = [text for text in file.cells(name) if text]
        if plain(name) == "key" and len(answers) >= ENOUGH and len({*answers}) * 2 <= len(answers):
            is_free = not file.of("reference")
            file.guess(name, "reference" if is_free else "metadata", "its values repeat, as right answers do")
    _repeated_keys(file)
    if file.of("key"):
        return
    for name in file.of("metadata", "reference"):
        is_free = file.roles[name] == "metadata"
        is_id = is_free and file.words[name] & {"id", "idx", "uuid", "guid", "qid", "uid", "index", "nr"}
        cells = [text_of_cell(row.get(name)) for row in file.rows]
        are_different = all(cells) and len({*cells}) == len(cells) >= ENOUGH
        if are_different and (is_id or (file.words[name] & OF_NUMBERS and _are_numbered(cells))):
            file.guess(name, "key", "the values differ in all rows")
            return


def _are_numbered(cells: Sequence[str]) -> bool:
    """Whether all cells are the same letters and signs with another number, as CLM-7040502."""
    kinds = {_NUMBERS.sub("0", cell) for cell in cells}
    return len(kinds) == 1 and any(map(str.isalpha, kinds.pop())) and not any(map(str.isspace, cells[0]))


def _repeated_keys(file: Columns) -> None:
    """A key that repeats for other inputs, as the id of a conversation for each of its turns, is none."""
    inputs = file.of("inputs")
    asked = [tuple(text_of_cell(row.get(name)) for name in inputs) for row in file.rows]
    for name in file.of("key") if inputs else ():
        keys = [text_of_cell(row.get(name)) for row in file.rows]
        are_many = len(keys) >= ENOUGH and len({*keys}) * 2 <= len(keys)
        if are_many and len({*zip(keys, asked, strict=True)}) > len({*keys}):
            file.guess(name, "metadata", "its values repeat for other inputs")


def _options(file: Columns) -> None:
    """The options of a multiple-choice question: A, B, C, D or option_1, option_2, …

    Columns called answer are options only beside one that says which is right.
    """
    named = [name for name in file.of("metadata", "output") if _OPTIONS.fullmatch(plain(name))]
    asked = [name for name in file.columns if plain(name) in INPUTS | {"question", "ctx", "sentence", "stem"}]
    is_keyed = any(file.words[name] & OF_KEYS for name in file.columns if name not in named)
    if stem(next(iter(named), "")) == ("answer",) and not is_keyed:
        return
    are_two = len(named) == 2 and all(plain(name).startswith("option") for name in named)
    if (len(named) > 2 or are_two) and asked and file.columns.index(named[0]) > file.columns.index(asked[0]):
        for name in named:
            file.guess(name, "inputs", "it is one of the options of the question")
        if file.roles[asked[0]] == "metadata":
            file.guess(asked[0], "inputs", "options to answer it stand behind it")


def _references(file: Columns) -> None:
    """Columns whose names have a word for what is right."""
    if file.of("reference"):
        return
    is_decided = bool(file.of("preferred", "score"))  # so "winner_tie" says no right answer
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
        if any(rest and rest <= PREDICTED for rest in others) and not file.names_a_variant(name):
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


def _outputs(file: Columns) -> None:
    """Columns in the form of models, that agree with a reference before them, or with a name of a model or version."""
    references = file.of("reference")
    for name in file.free:
        if is_input(file, name):
            continue
        is_named = file.names_a_variant(name)
        if file.is_written_by_a_model(name):
            file.guess(name, "output", "the cells begin with reasoning or a fence, as models write")
        elif hit := next((other for other in references if _answers(file, name, other)), None):
            file.guess(name, "output", f"the rows agree with “{hit[:40]}” more often than by chance")
        elif is_named and (file.is_text(name) or any(_is_like(file, name, other) for other in references)):
            file.guess(name, "output", "the name is like that of a model or a version")
    _parting(file)
    _brothers(file)


def _parting(file: Columns) -> None:
    """Columns of texts named after variants that part the rows as a reference does: "Toxic" where that is 1."""
    for name in filter(file.names_a_variant, file.free):
        is_answer = not is_input(file, name) and file.has_texts(name)
        if is_answer and any(file.parts_by(name, other) for other in file.of("reference")):
            file.guess(name, "output", "its texts part the rows as the reference does")


def _answers(file: Columns, name: str, reference: str) -> bool:
    """Whether a column seems to answer what the reference answers; where only contents tell, it stands behind it."""
    if file.names_a_variant(name):
        return file.agree(name, reference)
    is_behind = file.columns.index(name) > file.columns.index(reference)
    is_alike = file.has_texts(name) or not file.has_texts(reference)
    is_alike &= not file.has_structures(name) or file.has_structures(reference)
    is_copied = is_copy(file, name, reference) or file.is_made_from(name, reference)
    return is_behind and is_alike and not is_copied and file.agree(name, reference)


def _brothers(file: Columns) -> None:
    """Columns named like an output, as "mt_new" beside "mt_old", or with the labels of the reference beside one."""
    outputs, references = file.of("output"), file.of("reference")
    are_judged = any(map(file.says_pass_or_fail, references))  # then such words are answers
    for name in file.free if outputs else ():
        like = next((output for output in outputs if _is_brother(file, name, output)), None)
        if file.is_grade(name) and not (file.says_pass_or_fail(name) and are_judged):
            continue
        if like and file.has_texts(name) and not is_input(file, name) and not file.is_constant(name):
            file.guess(name, "output", f"it is named like “{like[:40]}”")
        elif any(_has_labels_of(file, name, reference) for reference in references):
            file.guess(name, "output", "it says the labels of the reference, as a column beside it")
        elif outputs and _is_next_variant(file, name):
            file.guess(name, "output", "the name is like that of a model or a version, beside another")


def _is_next_variant(file: Columns, name: str) -> bool:
    """Whether a column of texts, not always the same, is named after a variant and stands next to an output."""
    place = file.columns.index(name)
    beside = {*file.columns[max(place - 1, 0) : place], *file.columns[place + 1 : place + 2]}
    is_varied = len({text for text in file.cells(name) if text}) > 1
    is_named = file.names_a_variant(name) and not file.words[name] & ABOUT_PROMPTS
    is_answer = is_named and file.has_texts(name) and not is_input(file, name)
    return is_answer and is_varied and not beside.isdisjoint(file.of("output"))


def _has_labels_of(file: Columns, name: str, reference: str) -> bool:
    """Whether a column behind the reference has its few labels and no others, or says them in texts, in other rows.

    One that is only true or false may be about anything, so it must also agree or stand before an output.
    """
    known = {bare(text) for text in file.cells(reference) if text}
    values = {bare(text) for text in file.cells(name) if text}
    if file.columns.index(name) < file.columns.index(reference) or is_copy(file, name, reference):
        return False
    is_between = any(file.columns.index(output) > file.columns.index(name) for output in file.of("output"))
    if file.is_true_or_false(name) and not is_between and not file.agree(name, reference):
        return False
    is_few = 1 < len(known) <= MOST_LABELS and len(known) * 2 <= len(file.cells(reference))
    is_same = is_few and len(values) > 1 and values <= known
    return is_same or (file.has_texts(name) and file.says_labels_of(name, reference))


def _is_brother(file: Columns, name: str, output: str) -> bool:
    stem, other = name.rstrip("0123456789"), output.rstrip("0123456789")
    shared = {
        word for word in file.words[name] & file.words[output] - VARIANTS if len(word) > 1 and word.isalpha()
    }
    return stem == other != output or bool(shared)


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
        _outputs(file)


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
    variants = {*filter(file.names_a_variant, answers)} or _siblings(answers)
    agreements: dict[str, float] = {}
    for name in file.of("metadata"):
        if name in file.no_answers:
            continue
        hits = [other for other in answers if other != name and file.agree(other, name)]
        is_usual = plain(name) in LABEL_NAMES or bool(file.words[name] & LABEL_NAMES)
        may_be = name not in variants and not is_input(file, name) and not file.is_verdict(name)
        is_hit_by_all = may_be and len(variants) > 1 and file.all_agree(variants, name)
        if hits and (is_usual or is_hit_by_all) and not all(is_copy(file, other, name) for other in hits):
            agreements[name] = is_usual + mean(file.agreement(other, name) for other in hits)
    if agreements:
        best = max(agreements, key=lambda name: agreements[name])
        file.guess(best, "reference", "columns agree with it more often than by chance")
        _outputs(file)


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
        _outputs(file)


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
            if not is_copy(file, name, reference) or not file.has_texts(name):
                continue
            if any(file.agree(other, name) for other in file.columns if other not in (name, reference)):
                file.guess(name, "reference", f"it has the words for the numbers in “{reference[:40]}”")
                file.guess(reference, "metadata", f"“{name[:40]}” has its words")
                _outputs(file)
                return


def _inputs(file: Columns) -> None:
    """Columns that are asked about; the first texts of the file if no name says which."""
    words = BESIDE_QUESTIONS if file.of("inputs") else INPUT_WORDS
    for name in filter(file.has_texts, file.free):
        if {plain(name), plain(name).rstrip("_0123456789")} & words or (
            words is INPUT_WORDS and is_input(file, name)
        ):
            file.guess(name, "inputs", "the name is usual for what is asked about")
    if not file.of("inputs") and file.of("reference", "output"):
        texts = [name for name in file.free if file.is_text(name) and not file.has_structures(name)]
        said = [name for name in file.of("metadata") if file.is_text(name) and not file.has_structures(name)]
        for name in [*filter(file.has_sentences, texts), *texts, *filter(file.has_sentences, said), *said][
            :1
        ]:
            file.guess(name, "inputs", "it is the first column of texts")
    for name in filter(file.has_texts, file.free):
        like = [other for other in file.of("inputs") if plain(other)[:-1] == plain(name)[:-1]]
        if like and plain(name)[-1:].isdigit() and plain(like[0])[-1:].isdigit():
            file.guess(name, "inputs", f"it is named like “{like[0][:40]}”")


def _scores(file: Columns) -> None:
    """Columns of numbers or verdicts that are named after an output and a measure whose direction is known."""
    outputs = {name: file.words[name] for name in file.of("output")}
    are_judged = any(map(file.says_pass_or_fail, file.of("reference")))
    for name in file.of("metadata"):
        rest = [file.words[name] - words for words in outputs.values() if words < file.words[name]]
        measure = next((words for words in rest if words & (LOWER | HIGHER | RIGHT | WRONG) - OF_CALLS), None)
        if rest and file.is_penalty(name):
            role = "low score" if file.is_low_score([name]) else "score"
            file.guess(name, role, "it has the errors that somebody found in an output")
        elif measure and (file.is_verdict(name) or has_numbers([text for text in file.cells(name) if text])):
            role = "low score" if measure & (LOWER | WRONG) else "score"
            file.guess(name, role, "it is named after an output and a measure")
        elif len(outputs) == 1 and (
            file.is_verdict(name) or (file.says_pass_or_fail(name) and not are_judged)
        ):
            role = "low score" if file.words[name] & WRONG else "score"
            file.guess(name, role, "it says whether the output is right")


def _is_like(file: Columns, name: str, reference: str) -> bool:
    """Whether the values of a column are, in most rows, among those of a reference, or say nothing but its labels."""
    cells = [bare(text) for text in file.cells(name) if text]
    known = {*map(bare, file.cells(reference))}
    if sum(text in known for text in cells) * 2 > len(cells) or file.says_labels_of(name, reference):
        return True
    labels = {word for words in file.said(reference) for word in words}
    said = [words for words in file.said(name) if words]
    return 1 < len(labels) <= MOST_LABELS and sum(words <= labels for words in said) * 2 > len(said)
