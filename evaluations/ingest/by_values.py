"""Finds a reference and its outputs in the values alone: columns that hit a third one far more often than by chance."""

from collections import Counter
from collections.abc import Sequence
from statistics import median

from .answer_names import stem
from .known_names import INPUTS, VARIANTS
from .looked_at import AGREEMENT, MOST_LABELS, Columns, mean
from .refusal_words import classes
from .role_words import ASKED_FOR, INPUT_WORDS, MODEL_WORDS, NOT_OUTPUT, REFERENCE_WORDS
from .suggest import plain

MOST_COLUMNS = 24  # that are compared with each other
CLEAR = 0.05  # by which one reference must be agreed with more than the next
NEAR = 0.1  # by which one between its answers must be agreed with more than one beside them
LONGER = 40  # times as many words as the reference; a longer text is what was asked about
FEW = 2
HARDLY = AGREEMENT / 4  # agreement of outputs with something else than what they answer
TASK, BEGINNING = 8, 3  # words of a task, and of its beginning
SAME_BEGINNING = 0.9  # share of the rows that begin so
OF_SOURCES = {
    "source",
    "src",
    "quelle",
    "quelltext",
    "ausgangstext",
    "fuente",
    "fonte",
    "sorgente",
    "bron",
    "brontekst",
}
ZERO_AND_ONE = {"0": "no", "1": "yes"}
YES_OR_NO = {"true", "false"}  # as words are compared
RIGHT_BY_NAME = REFERENCE_WORDS - {"correct", "preferred", "relevant", "true", "winner"}  # "original_target"
_MAY_BE_RIGHT = ASKED_FOR | {"id", "judgement", "judgment"}


def by_values(file: Columns) -> None:
    """The column that two or more others hit, if no name settled the reference.

    All three are chosen by their values; names only exclude. Where two columns could be the reference, the user is
    asked.
    """
    if file.of_fields:
        return
    if not file.of("reference"):
        _yes_and_no(file)
    settled = [name for name in file.of("reference") if name not in file.found]
    if settled:
        _outputs_of(file, settled[0])
        _another(file, settled)
        return
    _tasks(file)
    right, answers = _best(file)
    if not right and not file.of("reference"):
        _labels_of_the_only_output(file)
    known = file.of("reference")
    are_several = right in known and len({stem(name) for name in known}) == 1  # summary1 and summary2
    if not right or are_several:
        return
    for name in file.of("reference"):
        file.take_back(name)
    reason = "columns agree with it more often than by chance"
    if file.roles[right] != "reference":
        file.guess(right, "reference", reason)
    for name in answers:
        if file.roles[name] != "output":
            file.guess(name, "output", f"rows often agree with “{right[:40]}”")


def _labels_of_the_only_output(file: Columns) -> None:
    """The column whose few labels the only output that is named so says, mostly those of its row."""
    outputs = file.of("output")
    if len(outputs) != 1 or outputs[0] in file.found or file.of("score", "low score", "preferred"):
        return
    [output] = outputs
    rights = [
        name
        for name in file.free
        if _may_be_right(file, name) and not is_input(file, name)
        if file.says_labels_of(output, name) and file.agree(output, name)
    ]
    if len(rights) == 1 and not determines(file, output, rights[0]):
        file.guess(rights[0], "reference", f"“{output[:40]}” says its labels, mostly that of the row")


def _another(file: Columns, settled: Sequence[str]) -> None:
    """The column with which all outputs agree, where none agrees with the reference that was known by its name."""
    outputs = file.of("output")
    are_words = all(map(file.has_texts, settled))  # numbers may stand for what outputs say in words
    is_answered = any(file.agreement(one, right) >= HARDLY for one in outputs for right in settled)
    is_answered |= any(classes(right, {*map(str.casefold, file.cells(right))} - {""}) for right in settled)
    if not outputs or not are_words or is_answered:
        return
    free = [
        name
        for name in file.free
        if _may_be_right(file, name) and not is_input(file, name) and file.all_agree(outputs, name)
        if len(outputs) >= FEW or _says_its_texts(file, outputs[0], name)
    ]
    agreed = {name: mean(_closeness(file, one, name) for one in outputs) for name in free}
    best = max(agreed, key=lambda name: agreed[name], default="")
    if best and all(agreed[best] - agreed[name] >= CLEAR for name in free if name != best):
        reason = f"columns agree with it more often than by chance, and not with “{settled[0][:40]}”"
        file.guess(best, "reference", reason)
        for name in settled:
            file.guess(name, "metadata", f"no output agrees with it, and all with “{best[:40]}”")


def _says_its_texts(file: Columns, output: str, right: str) -> bool:
    """Whether an output is often just what another column says, which is different in most rows."""
    is_mostly_different = len({*file.cells(right)}) * 2 > len(file.cells(right))
    return is_mostly_different and file.equality(output, right) >= AGREEMENT


def _tasks(file: Columns) -> None:
    """The first column, if it asks for something else in each row in the same words, and no name settles inputs."""
    first = next(iter(file.free), "")
    if first and not file.of("inputs") and not file.names_a_variant(first) and _asks(file.cells(first)):
        file.guess(first, "inputs", "its rows ask in the same words")


def _asks(cells: Sequence[str]) -> bool:
    """Whether nearly all texts are different sentences that begin with the same words."""
    texts = [words for cell in cells if (words := cell.casefold().split())]
    if len({*cells}) * 2 < len(texts) or median(map(len, texts or [[]])) < TASK:
        return False
    [(_, count)] = Counter(tuple(words[:BEGINNING]) for words in texts).most_common(1)
    return count >= SAME_BEGINNING * len(texts)


def _yes_and_no(file: Columns) -> None:
    """Zeros and ones with which two or more columns agree that say no and yes."""
    answers = [name for name in file.columns if _may_answer(file, name) and _says_yes_or_no(file, name)]
    found: dict[str, float] = {}
    for name in file.columns if len(answers) > 1 else ():
        if {*file.cells(name)} == ZERO_AND_ONE.keys() and _may_be_right(file, name):
            file.read_as_words(name, ZERO_AND_ONE)
            if file.all_agree(answers, name):
                found[name] = mean(file.agreement(answer, name) for answer in answers)
            else:
                file.read_as_words(name, {})
    if found:
        best = max(found, key=lambda name: found[name])
        file.guess(best, "reference", "columns that say yes and no agree with its ones and zeros")
        for name in answers:
            if file.roles[name] != "output":
                file.guess(name, "output", f"it says yes and no as “{best[:40]}” does by 1 and 0")


def _says_yes_or_no(file: Columns, name: str) -> bool:
    """Whether half of the texts of a column say either yes or no."""
    said = [words for words in file.said(name) if words]
    return file.has_texts(name) and sum(len(words & YES_OR_NO) == 1 for words in said) * 2 > len(said)


def _outputs_of(file: Columns, right: str) -> None:
    """Two or more columns behind a known reference that hit it, if no output is known."""
    behind = file.columns[file.columns.index(right) + 1 :]
    if file.of("output"):
        return
    answers = [
        name
        for name in behind
        if _may_answer(file, name) and (_answers(file, name, right) or _says_labels(file, name, right))
    ]
    if len(answers) > 1:
        for name in answers:
            file.guess(name, "output", f"the rows answer as “{right[:40]}” does")


def _says_labels(file: Columns, name: str, right: str) -> bool:
    return file.has_texts(name) and not file.is_true_or_false(name) and file.says_labels_of(name, right)


def _best(file: Columns) -> tuple[str, list[str]]:
    """The reference that is clearly agreed with most, and what agrees with it; no name where none is."""
    answers = [name for name in file.columns if _may_answer(file, name)][:MOST_COLUMNS]
    lists = [name for name in answers if file.has_lists(name)]
    if len(lists) == 1:  # several right answers, or options
        answers.remove(lists[0])
    rights = [name for name in file.columns if _may_be_right(file, name)][:MOST_COLUMNS]
    found: list[tuple[float, str, list[str]]] = []
    for right in rights:
        hits = [name for name in answers if name != right and _answers(file, name, right)]
        hits = [name for name in hits if not _is_raw(file, name, right, hits)]
        if len(hits) > 1 and file.all_agree(hits, right) and not _are_numbered(file, hits, right):
            found.append((mean(_closeness(file, name, right) for name in hits), right, hits))
    best = max((agreed for agreed, *_ in found), default=0.0)
    # an answer may agree with another one as well, but a reference hardly stands between its answers
    outer = [one for one in found if best - one[0] < NEAR and not _is_between(file, one)]
    best = max((agreed for agreed, *_ in outer or found), default=0.0)
    close = [one for one in outer or found if best - one[0] < CLEAR]
    if len(close) > 1:  # the outputs are named alike, the reference otherwise
        apart = [one for one in close if not _is_named_like(file, one)]
        close = apart if len(apart) == 1 else [one for one in apart if _is_first(file, one)]
    return close[0][1:] if len(close) == 1 else ("", [])


def _are_numbered(file: Columns, hits: Sequence[str], right: str) -> bool:
    """Whether all that agrees with a column behind it is answer1, answer2, …, which may as well be right answers."""
    last = max(map(file.columns.index, hits))
    are_answers = {stem(name) for name in hits} == {("answer",)} and all(name[-1].isdigit() for name in hits)
    return are_answers and last < file.columns.index(right) and not is_named_right(file, right)


def _is_raw(file: Columns, name: str, right: str, hits: Sequence[str]) -> bool:
    """Whether a column before the reference never says all of it, while others do: what was to be put right."""
    places = [file.columns.index(one) for one in (name, right)]
    whole = {one: _closeness(file, one, right) - file.agreement(one, right) for one in hits}
    return places[0] < places[1] and whole[name] == 0 and max(whole.values()) >= AGREEMENT


def _is_between(file: Columns, found: tuple[float, str, list[str]]) -> bool:
    """Whether some of what agrees with a reference stands before it, and some behind it."""
    _, right, answers = found
    places = [*map(file.columns.index, answers)]
    return min(places) < file.columns.index(right) < max(places)


def _is_named_like(file: Columns, found: tuple[float, str, list[str]]) -> bool:
    """Whether a name has a word in common with those of half of what agrees with it."""
    _, right, answers = found
    return sum(bool(file.words[right] & file.words[name]) for name in answers) * 2 >= len(answers)


def _is_first(file: Columns, found: tuple[float, str, list[str]]) -> bool:
    """Whether a reference of a few labels stands before all that agrees with it, which has the same labels."""
    _, right, answers = found
    known = {bare(text) for text in file.cells(right) if text}
    are_labels = len(known) <= MOST_LABELS and len(known) * 2 <= len(file.cells(right))
    are_same = all({bare(text) for text in file.cells(name) if text} <= known for name in answers)
    return are_labels and are_same and file.columns.index(right) < min(map(file.columns.index, answers))


def _may_answer(file: Columns, name: str) -> bool:
    if file.roles[name] not in ("metadata", "output") or file.is_verdict(name) or name.startswith("_"):
        return False
    if name in file.no_answers or is_named_right(file, name):
        return False
    return file.names_a_variant(name) or not (is_input(file, name) or file.words[name] & NOT_OUTPUT)


def _may_be_right(file: Columns, name: str) -> bool:
    """Whether a column may hold right answers: not a variant's, and not the only thing that is asked."""
    if (
        file.words[name] & (MODEL_WORDS | VARIANTS | {"input", "inputs", "question"})
        or (file.words[name] & OF_SOURCES and not is_named_right(file, name))
        or file.is_verdict(name)
        or (file.has_graded_texts and file.are_repeated(name) and not is_named_right(file, name))
        or file.words[name] & NOT_OUTPUT - _MAY_BE_RIGHT
        or name in file.no_answers | file.graded
        or (file.is_in_grid(name) and not is_named_right(file, name))
    ):
        return False
    role = file.roles[name]
    is_asked = role == "inputs" and file.of("inputs")[0] == name
    return not is_asked and (role != "key" or name in file.found) and (role != "output" or name in file.found)


def _answers(file: Columns, name: str, right: str) -> bool:
    """Whether a column says what the other does more often than by chance, in answers of such a kind."""
    if determines(file, name, right) or (not file.names_a_variant(name) and file.is_made_from(name, right)):
        return False
    said, known = file.said(name), file.said(right)
    least = AGREEMENT / 2 if file.names_a_variant(name) else AGREEMENT
    is_short = _length(said) <= LONGER * _length(known)
    return is_short and _has_labels(said, known) and file.agreement(name, right) >= least


def _closeness(file: Columns, name: str, right: str) -> float:
    """The agreement, and the mean of the shares of rows with all words of the reference and of those equal to it.

    They tell answers one digit apart, and "play_radio" from "play".
    """
    pairs = zip(file.said(name), file.said(right), strict=True)
    whole = mean(bool(known) and known <= said for said, known in pairs)
    return file.agreement(name, right) + (whole + file.equality(name, right)) / 2


def _has_labels(said: Sequence[set[str]], known: Sequence[set[str]]) -> bool:
    """Whether most answers have one of the labels of the other column, if that has few."""
    labels = {frozenset(words) for words in known if words}
    if len(labels) > MOST_LABELS or len(labels) * FEW > len(known):
        return True
    present = [words for words in said if words]
    return sum(any(label <= words for label in labels) for words in present) * 2 > len(present)


def _length(said: Sequence[set[str]]) -> float:
    return median([len(words) for words in said if words] or [0])


def is_input(file: Columns, name: str) -> bool:
    """Whether a name is usual for what is asked about."""
    return plain(name) in INPUT_WORDS | INPUTS or (
        bool(file.words[name] & (INPUT_WORDS | {"input"}))
        and not file.words[name] & REFERENCE_WORDS
        and not file.words[name] & (MODEL_WORDS - {"prompt", "system", "chat"})
    )


def is_named_right(file: Columns, name: str) -> bool:
    """Whether a column is named as what is right, and after no variant: a second reference is no output."""
    return bool(file.words[name] & RIGHT_BY_NAME) and not file.names_a_variant(name)


def bare(text: str) -> str:
    """A text as labels are compared: without letter case and a last full stop."""
    return text.casefold().rstrip(" .")


def determines(file: Columns, name: str, reference: str) -> bool:
    """Whether each value of one column always stands beside the same value of the other, with few of them.

    So do the finer labels of a reference: "insult" and "abuse" beside "offense".
    """
    pairs = {*zip(file.cells(name), file.cells(reference), strict=True)}
    beside = Counter(pair[0] for pair in pairs)
    always = max(beside.values(), default=0) == 1
    return always and len(beside) * 2 <= len(file.cells(reference)) and not file.names_a_variant(name)
