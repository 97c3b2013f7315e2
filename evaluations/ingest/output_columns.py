"""Guesses which columns have outputs: by the form of texts, by what references say, and by names of variants."""

from .by_values import bare, determines, is_input, is_named_right
from .known_names import VARIANTS
from .looked_at import MOST_LABELS, Columns
from .role_words import ABOUT_PROMPTS, OF_ANSWERS, OF_SOURCES
from .score_words import OF_CALLS


def outputs(file: Columns) -> None:
    """Columns in the form of models, that agree with a reference before them, or with a name of a model or version."""
    references = file.of("reference")
    for name in file.free:
        if is_input(file, name) or (references and is_named_right(file, name)) or _is_source(file, name):
            continue
        is_named = file.names_a_variant(name)
        if file.is_written_by_a_model(name):
            file.guess(name, "output", "the cells begin with reasoning or a fence, as models write")
        elif hit := next((other for other in references if _answers(file, name, other)), None):
            file.guess(name, "output", f"rows often agree with “{hit[:40]}”")
        elif is_named and (file.is_text(name) or any(_is_like(file, name, other) for other in references)):
            file.guess(name, "output", "the name is like that of a model or a version")
    parting(file)
    _brothers(file)


def parting(file: Columns) -> None:
    """Columns of texts that part the rows as a reference does: "Toxic" where that is 1.

    They are named after variants, or have the same few texts as another one.
    """
    found = [
        name
        for name in file.free
        if not is_input(file, name) and file.has_texts(name) and not file.about_outputs(name)
        if any(file.parts_by(name, other) for other in file.of("reference"))
    ]
    texts = {name: {bare(text) for text in file.cells(name) if text} for name in found}
    for name in found:
        if file.names_a_variant(name) or [*texts.values()].count(texts[name]) > 1:
            file.guess(name, "output", "its texts part the rows as the reference does")


def alone(file: Columns) -> None:
    """The only column of structures or texts beside a key, where nothing else is asked, right or answered.

    Texts may be what is asked, so a column must say of each what the call took.
    """
    if not file.of("key") or file.of("inputs", "reference", "output"):
        return
    free = [name for name in file.free if not file.is_constant(name)]  # such as who judged
    said = [name for name in free if file.has_texts(name)]
    are_calls = any(file.words[name] & OF_CALLS for name in file.columns if name not in said)
    structures = [name for name in said if file.has_structures(name)]
    for found in (structures, said if are_calls else []):
        if len(found) == 1 and not file.of("output"):
            file.guess(found[0], "output", "nothing else beside the key can be the answers")


def asked_beside_reference(file: Columns) -> None:
    """Texts named like the reference that do not answer it, as outputs do, are asked: v2 beside its label v1."""
    references = file.of("reference")
    answers = [name for name in file.of("output") if any(file.agree(name, right) for right in references)]
    if file.of("inputs") or not answers:
        return
    for name in file.of("output"):
        stem = name.rstrip("0123456789")
        is_like = any(stem == right.rstrip("0123456789") != right for right in references)
        if is_like and name not in answers and file.is_text(name):
            file.guess(name, "inputs", f"it is named like “{references[0][:40]}”, and others answer that")


def _is_source(file: Columns, name: str) -> bool:
    """Whether a column is named as what was found for an answer, beside one that is named as that answer."""
    mark = file.words[name] - OF_SOURCES
    return bool(file.words[name] & OF_SOURCES) and any(
        mark <= file.words[other] and file.words[other] & OF_ANSWERS for other in file.free if other != name
    )


def _answers(file: Columns, name: str, reference: str) -> bool:
    """Whether a column seems to answer what the reference answers; where only contents tell, it stands behind it."""
    if file.names_a_variant(name):
        return file.agree(name, reference)
    is_behind = file.columns.index(name) > file.columns.index(reference)
    is_alike = file.has_texts(name) or not file.has_texts(reference)
    is_alike &= (
        not file.has_structures(name)
        or file.has_structures(reference)
        or file.lists_members_of(name, reference)
    )
    is_copied = determines(file, name, reference) or file.is_made_from(name, reference)
    return is_behind and is_alike and not is_copied and file.agree(name, reference)


def _is_right_everywhere(file: Columns, name: str, reference: str) -> bool:
    """Whether a column behind a reference is equal to it in all rows, and stands right beside an output that agrees."""
    at = file.columns.index(name)
    beside = [file.columns[n] for n in (at - 1, at + 1) if 0 <= n < len(file.columns)]
    is_beside = any(file.roles[one] == "output" and file.agree(one, reference) for one in beside)
    is_behind = at > file.columns.index(reference)
    return is_beside and is_behind and not is_named_right(file, name) and file.equality(name, reference) == 1


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
        elif right := next((one for one in references if _is_right_everywhere(file, name, one)), None):
            file.guess(name, "output", f"rows often agree with “{right[:40]}”")
        elif right := next((one for one in references if _answers_less(file, name, one)), None):
            file.guess(name, "output", f"rows agree with “{right[:40]}”, as those of the column beside it do")
        elif outputs and _is_next_variant(file, name):
            file.guess(name, "output", "the name is like that of a model or a version, beside another")


def _answers_less(file: Columns, name: str, reference: str) -> bool:
    """Whether a column of texts beside an output agrees with its reference, too, but in fewer rows: a weaker model."""
    at = file.columns.index(name)
    beside = [file.columns[n] for n in (at - 1, at + 1) if 0 <= n < len(file.columns)]
    outputs = [one for one in beside if file.roles[one] == "output"]
    is_named_alike = bool(file.words[name] & file.words[reference])  # a further reference
    if (
        not file.has_texts(name)
        or is_input(file, name)
        or is_named_alike
        or at < file.columns.index(reference)
    ):
        return False
    is_copied = determines(file, name, reference) or file.is_made_from(name, reference)
    return not is_copied and any(file.all_agree([output, name], reference) for output in outputs)


def _is_next_variant(file: Columns, name: str) -> bool:
    """Whether a column of texts, not always the same, is named after a variant and stands next to an output."""
    place = file.columns.index(name)
    beside = {*file.columns[max(place - 1, 0) : place], *file.columns[place + 1 : place + 2]}
    is_varied = len({text for text in file.cells(name) if text}) > 1
    is_named = file.names_a_variant(name) and not file.words[name] & ABOUT_PROMPTS
    is_named &= not file.about_outputs(name)
    is_answer = is_named and file.has_texts(name) and not is_input(file, name)
    return is_answer and is_varied and not beside.isdisjoint(file.of("output"))


def _has_labels_of(file: Columns, name: str, reference: str) -> bool:
    """Whether a column behind the reference has its few labels and no others, or says them in texts, in other rows.

    One that is only true or false may be about anything, so it must also agree or stand before an output.
    """
    known = {bare(text) for text in file.cells(reference) if text}
    values = {bare(text) for text in file.cells(name) if text}
    if file.columns.index(name) < file.columns.index(reference) or determines(file, name, reference):
        return False
    is_between = any(file.columns.index(output) > file.columns.index(name) for output in file.of("output"))
    if file.is_true_or_false(name) and not is_between and not file.agree(name, reference):
        return False
    is_few = 1 < len(known) <= MOST_LABELS and len(known) * 2 <= len(file.cells(reference))
    is_same = is_few and len(values) > 1 and values <= known
    return is_same or (file.has_texts(name) and file.says_labels_of(name, reference))


def _is_brother(file: Columns, name: str, output: str) -> bool:
    stem, other = name.rstrip("0123456789"), output.rstrip("0123456789")
    common = file.words[output] - file.marks().get(output, set())
    shared = {word for word in file.words[name] & common - VARIANTS if len(word) > 1 and word.isalpha()}
    return stem == other != output or bool(shared)


def _is_like(file: Columns, name: str, reference: str) -> bool:
    """Whether the values of a column are, in most rows, among those of a reference, or say nothing but its labels."""
    cells = [bare(text) for text in file.cells(name) if text]
    known = {*map(bare, file.cells(reference))}
    if sum(text in known for text in cells) * 2 > len(cells) or file.says_labels_of(name, reference):
        return True
    labels = {word for words in file.said(reference) for word in words}
    said = [words for words in file.said(name) if words]
    return 1 < len(labels) <= MOST_LABELS and sum(words <= labels for words in said) * 2 > len(said)
