"""Which kind suits some data: recommended from the shapes of references and outputs, with the reason."""

from collections.abc import Iterable, Sequence
from statistics import median
from typing import Any

from evaluations.values import JSON

from . import advised_code
from .advised import (
    ANY_ORDER,
    AS_FRACTIONS,
    LIST_F1,
    MOST,
    SAME_LABELS,
    WHOLE_LIST_F1,
    WHOLE_WORDS,
    WITH_COMMA,
    WITH_SIZES,
    Advised,
)
from .advised_alike import (
    SHORT,
    are_alike,
    are_enumerations,
    are_said_alone,
    are_written_again,
    members_of,
    same_words,
    say_more,
    say_values_otherwise,
)
from .advised_answers import STEPS as STEPS_BEHIND
from .advised_answers import answers_behind
from .advised_bars import of_bars
from .advised_fields import field_said, opened, value_of
from .advised_grades import are_asked, ends_of_estimates, scale_of_marks, scales_of_grades
from .advised_ids import field_of_ids, ids_in, reading_of
from .advised_languages import are_translations
from .advised_lists import (
    are_decimals,
    are_rankings,
    are_sequences,
    given_list,
    label_sets,
    lists_are_turned,
    name_several,
    pattern_of_codes,
)
from .advised_numbers import (
    are_places,
    commas_are_said,
    fractions_are_said,
    rounding,
    said_for_labels,
    said_for_numbers,
    sizes_are_said,
)
from .advised_passages import are_extracted
from .advised_rules import are_shares, members_are_added, rules_for
from .advised_shapes import CODE, LISTED, SENTENCE, SHAPES, Shape, are_entities, is_list, numbers_are_copied
from .advised_texts import LONGEST, as_text, count_words, is_short, is_without_blanks
from .advised_transcripts import AS_HEARD, unit_of_errors
from .advised_writing import of_calls, of_ids, of_orders, of_writing

FEW_LABELS, ROWS_A_LABEL = 20, 3
WHOLE_TEXTS = ("contains", "exact_match")
OTHER_CODE = "code that is written otherwise can be right, too, which only running it tells"
SAME_TEXTS = 0.4  # share of the outputs of a variant that must have the words of the reference and no others


def advise(
    references: Iterable[JSON], outputs: Sequence[JSON], inputs: Sequence[JSON] = ()
) -> Advised | None:
    """The kind for these references; None without any. Nothing is scored, so a few hundred rows take a moment.

    `outputs` are those of one variant after the other, `inputs` what was asked, both in the order of the references.

    >>> advise(["It costs 5.", "18"], ["5", "17"])[:2]
    ('numeric_match', '2 of 2 references end in a number')
    >>> advise(["18"], ["17"])[:2]
    ('numeric_match', 'it suits the only reference')
    """
    every = [*references]
    rows = [row for row, value in enumerate(every) if value not in (None, "")]
    if not rows:
        return None
    known = [every[row] for row in rows]
    if len(rows) < len(every):
        inputs = [inputs[row] for row in rows] if inputs else ()
        starts = range(0, len(outputs), len(every)) if len(outputs) % len(every) == 0 else ()
        outputs = [outputs[start + row] for start in starts for row in rows] or outputs
    if field := field_of_ids(known, outputs):
        found = advise(known, [[*ids_in(output, field)] for output in outputs], inputs)
        return found and found._replace(of_outputs=[reading_of(field)])
    texts = [as_text(value) for value in known]
    advised = (
        _of_shapes(known, outputs, inputs) or of_bars(texts, outputs) or _of_texts(texts, outputs, inputs)
    )
    if len(known) == 1:
        advised = advised._replace(reason="it suits the only reference")
    if advised.kind == "contains" and not advised.read and are_extracted(known, outputs, inputs):
        reason = f"the {len(known)} references are passages of the texts asked about, and so are outputs"
        return Advised("token_f1", reason, is_any=advised.is_any)
    if advised.kind == "contains" and not advised.config and any(map(is_short, texts)):
        advised = advised._replace(config=WHOLE_WORDS)
    patterns = sum(advised_code.is_pattern(text[:LONGEST]) for text in texts)
    if patterns >= MOST * len(texts) and advised.kind in WHOLE_TEXTS:
        return advised._replace(is_code=True, doubt=OTHER_CODE)
    return advised


def advise_for_answers(
    answers: Sequence[Sequence[JSON]], outputs: Sequence[JSON], inputs: Sequence[JSON] = ()
) -> Advised | None:
    """The kind where the right answers of a row stand in several columns; the first of each row is the main one.

    Only that counts where it is a list or an object that is compared as a whole.
    """
    advised = advise([next(iter(row), None) for row in answers], outputs, inputs)
    are_several = any(len(row) > 1 for row in answers)
    if advised is None or advised.path or advised.members is not None or not are_several:
        return advised
    if advised.kind in WHOLE_TEXTS and not advised.read and not advised.is_code:
        every = [one for row in answers for answer in row for one in several(answer)]
        advised = _of_names(len(answers), outputs, is_alike=are_alike(every, outputs))
    return advised._replace(is_any=True, are_columns=True)


def advise_for_synonyms(references: Sequence[JSON], outputs: Sequence[JSON]) -> Advised | None:
    """The kind where each reference is a list of right answers, and each of these a list of the words for it.

    Where outputs are lists of lists, too, as triples are, all of it is the answer.

    >>> advise_for_synonyms([[["Rome", "Roma"]], [["Oslo"]]], ["Roma", "Oslo"])[:2]
    ('exact_match', 'the 3 references are single words or names, like the outputs, several for one row')
    """
    known: list[Any] = [one for one in references if one not in (None, "", [])]
    if not known or not all(map(_has_words, known)) or any(_has_words(opened(one)) for one in outputs):
        return None
    advised = _of_several([word for one in known for word in words_of_answers(one)], outputs)
    several_asked = sum(len(one) > 1 for one in known)
    if advised is None or not several_asked:
        return advised
    doubt = (
        f"it takes one right answer as enough, and {several_asked} of {len(known)} references have several"
    )
    return advised._replace(doubt=doubt)


def words_of_answers(reference: JSON) -> list[JSON]:
    """All words in a list of lists of the words for each right answer."""
    return [word for words in reference for word in words] if isinstance(reference, list) else []


def _has_words(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(words, list) and words and all(isinstance(word, str) for word in words) for words in value
    )


def _of_shapes(known: Sequence[JSON], outputs: Sequence[JSON], inputs: Sequence[JSON]) -> Advised | None:
    """The advice for references of one shape; None for texts without one."""
    if path := field_said(known, outputs):
        advised = advise([value_of(reference, path) for reference in known], outputs, inputs)
        return advised and advised._replace(path=path)
    if advised := of_writing(known, outputs) or of_calls(known) or of_orders(known, outputs, inputs):
        return advised
    if advised := of_ids(known, outputs):
        return advised
    if advised := _of_other_words(known, outputs):
        return advised
    lists = sum(map(is_list, known))
    if _are_lists(outputs) and are_sequences(known):
        reason = f"the {len(known)} references are lists with repeated members, whose places count"
        return Advised("json_fields", reason)
    labels = [] if are_decimals(known, outputs) else label_sets(known)
    if labels and (not lists or _are_to_be_named(known, outputs)):
        return _of_label_sets(labels, len(known))
    if (
        not are_rankings(known, outputs)
        and (code := pattern_of_codes(known))
        and _are_to_be_named(known, outputs)
    ):
        every = {"step": "pattern", "pattern": code, "match": "all"}
        return Advised(
            "json_fields",
            f"the {len(known)} references are one or several codes",
            config=LIST_F1,
            read=[every],
        )
    for shape in _shapes(known, outputs, inputs):
        count = sum(map(shape.fits, known))
        if count >= MOST * len(known) and (shape.kind != LISTED or any(map(opened, known))):
            return _of_shape(shape, count, known, outputs, inputs)
    empty = sum(opened(value) == [] for value in known)
    return _of_lists(known, outputs, lists) if lists and lists >= MOST * (len(known) - empty) else None


def _of_other_words(references: Sequence[JSON], outputs: Sequence[JSON]) -> Advised | None:
    """The advice where outputs say numbers or labels in words of their own."""
    if said := said_for_numbers(references, outputs):
        return Advised(
            "label", f"the {len(references)} references are numbers for {', '.join(said.values())}"
        )
    if said := said_for_labels(references, outputs):
        pairs = ", ".join(f"{label} for {word}" for label, word in said.items())
        return Advised(
            "label", f"the {len(references)} references say in other words what outputs say: {pairs}"
        )
    return None


def _shapes(references: Sequence[JSON], outputs: Sequence[JSON], inputs: Sequence[JSON]) -> list[Shape]:
    """The shapes that count: a number at the end is none of texts that outputs write again as a whole, or copy."""
    is_number = not are_written_again(references, outputs) and not numbers_are_copied(references, inputs)
    return [shape for shape in SHAPES if is_number or shape.kind != "numeric_match"]


def _of_shape(
    shape: Shape, count: int, references: Sequence[JSON], outputs: Sequence[JSON], inputs: Sequence[JSON]
) -> Advised:
    if shape.kind == CODE:
        return _of_code(count, references, outputs)
    if shape.kind == LISTED:
        config = WHOLE_LIST_F1 if are_entities(references) else LIST_F1
        return Advised("json_fields", f"{count} of {len(references)} references {shape.words}", config=config)
    is_turned = shape.kind == "json_fields" and lists_are_turned(references, outputs)
    reason = f"{count} of {len(references)} references {shape.words}"
    if shape.kind == "numeric_match" and (advised := _of_numbers(reason, references, outputs, inputs)):
        return advised
    config = ANY_ORDER if is_turned else {}
    if shape.kind == "json_fields" and members_are_added(references, outputs):
        reason, config = f"{reason}, and outputs have further members of their lists", LIST_F1
    if shape.kind == "json_fields" and (rules := rules_for(references, outputs, config)):
        config = config | {"rules": rules}
        if are_shares(rules):
            reason += " of labels, 0 or 1, and a chance above a half says 1"
    return Advised(shape.kind, reason, config=config)


def _of_numbers(
    reason: str, references: Sequence[JSON], outputs: Sequence[JSON], inputs: Sequence[JSON]
) -> Advised | None:
    """The advice for numbers that are something else, or are written in a way of their own."""
    if outputs and are_places(references, outputs):
        return Advised("label", f"{reason}, as places of options")
    if scales := scales_of_grades(references, outputs):
        return Advised("number_closeness", f"{reason}, grades that outputs come near to", config=scales)
    if not are_asked(inputs) and (marks := scale_of_marks(references, outputs)):
        return Advised("number_closeness", f"{reason}, marks that outputs come near to", config=marks)
    if sizes_are_said(references, outputs):
        return Advised("numeric_match", f"{reason}, some with a size such as million", config=WITH_SIZES)
    if fractions_are_said(references, outputs):
        return Advised(
            "numeric_match", f"{reason}, and outputs say per cent as fractions", config=AS_FRACTIONS
        )
    if commas_are_said(references, outputs):
        return Advised("numeric_match", f"{reason}, with points between thousands", config=WITH_COMMA)
    if half := rounding(references, outputs):
        return Advised(
            "numeric_match", f"{reason}, which outputs say with more places", config={"tolerance": half}
        )
    if ends := ends_of_estimates(references, outputs):
        return Advised("number_closeness", f"{reason}, estimates that outputs come near to", config=ends)
    return None


def _of_code(count: int, references: Sequence[JSON], outputs: Sequence[JSON]) -> Advised:
    """The advice for code: whether it is the same, if that is ever so; else how similar its letters are.

    Only queries of which many are the same may decide: other code that differs may do the same.
    """
    reason = f"{count} of {len(references)} references look like code, which no evaluator here runs"
    same = advised_code.same(references, outputs)
    if outputs and same >= advised_code.SAME * len(outputs):
        reason += f"; {same} of {len(outputs)} outputs are the same but for writing"
        read, doubt = (
            advised_code.as_written(references, outputs),
            "" if advised_code.are_queries(references) else OTHER_CODE,
        )
        return Advised("exact_match", reason, is_code=True, read=read, doubt=doubt)
    doubt = OTHER_CODE if outputs else ""
    return Advised(CODE, f"{reason}, so letters are compared", is_code=True, doubt=doubt)


def _of_label_sets(labels: Sequence[str], number: int) -> Advised:
    """The advice where a reference is one or several of few labels; letters are right together or not at all."""
    reason = f"the {number} references are one or several of {len(labels)} labels"
    if all(len(label) == 1 for label in labels):
        return Advised("json_match", reason, members=tuple(labels), config=SAME_LABELS)
    return Advised("json_fields", reason, members=tuple(labels), config=LIST_F1)


def _of_lists(known: Sequence[JSON], outputs: Sequence[JSON], lists: int) -> Advised | None:
    """The advice where references are lists: rankings, lists to be named as a whole, or several right answers."""
    reason = f"{lists} of {len(known)} references are lists"
    if _are_lists(outputs) and are_rankings(known, outputs):
        return Advised("retrieval", f"{reason}, and the outputs longer ones")
    if _are_to_be_named(known, outputs):
        named = f"{reason}, of which outputs name several members"
        return Advised("json_fields", named, members=(), config=LIST_F1)
    members = [member for value in known if is_list(value) for member in opened(value)]
    return _of_several(members, outputs)


def _are_to_be_named(references: Sequence[JSON], outputs: Sequence[JSON]) -> bool:
    """Whether the members of references are to be named together, and not one of them."""
    return (_are_lists(outputs) and not are_rankings(references, outputs)) or name_several(
        references, outputs
    )


def _are_lists(outputs: Sequence[JSON]) -> bool:
    return 2 * sum(given_list(output) is not None for output in outputs) > len(outputs)


def _of_several(members: Sequence[JSON], outputs: Sequence[JSON]) -> Advised | None:
    """The advice where each reference is a list of right answers; labels cannot be several at once."""
    advised = advise(members, outputs)
    if advised and (advised.kind == "label" or advised.members is not None or advised.read == STEPS_BEHIND):
        advised = _of_names(len(members), outputs, is_alike=are_alike(members, outputs))
    reason = advised and f"{advised.reason}, several for one row"
    return advised and Advised(advised.kind, reason or "", is_any=True, config=advised.config)


def _of_texts(references: Sequence[str], outputs: Sequence[JSON], inputs: Sequence[JSON]) -> Advised:
    number, length = len(references), median(map(count_words, references))
    labels = {text.strip().casefold() for text in references}
    if are_enumerations(references, outputs):
        reason = f"the {number} references list several, and outputs list them in another order"
        are_lists = median(map(count_words, members_of(references))) <= SHORT
        return (
            Advised("json_fields", reason, members=(), config=LIST_F1)
            if are_lists
            else Advised("token_f1", reason)
        )
    if length > SHORT and (unit := unit_of_errors(references, outputs, inputs)):
        reason = f"the {number} references read like transcripts"
        return Advised("error_rate", reason, config={"unit": unit} if unit != "word" else {}, read=[AS_HEARD])
    if length > SHORT and sum(map(is_without_blanks, references)) * 2 > number:
        return Advised("chrf", f"half of the {number} references are texts without blanks between words")
    if length > SHORT and are_translations(references, outputs, inputs):
        return Advised("chrf", f"the {number} references are in another language than the inputs")
    # of long texts, those of all variants: one that writes its own would never be right
    of_one = max if length <= SENTENCE else min
    if length > SHORT and (same := same_words(references, outputs, of_one)) >= SAME_TEXTS * number:
        reason = f"the {number} references are texts, and {same} outputs of a variant have the same words"
        is_alike = are_alike(references, outputs) and not say_more(references, outputs)
        return _of_names(number, outputs, is_alike=is_alike)._replace(reason=reason)
    if length > SENTENCE:
        return Advised("rouge_l", f"half of the {number} references are longer than {SENTENCE} words")
    if length > SHORT:
        return Advised("token_f1", f"half of the {number} references have {SHORT + 1} to {SENTENCE} words")
    are_few = 1 < len(labels) <= FEW_LABELS and number >= ROWS_A_LABEL * len(labels)
    if are_few and not say_values_otherwise(labels, outputs):
        return Advised("label", f"the {number} references are {len(labels)} different labels")
    advised = _of_names(number, outputs, is_alike=are_alike(references, outputs))
    if advised.kind == "contains" and are_said_alone(references, answers_behind(outputs)):
        reason = (
            f"the {number} references are short, and outputs say their answer behind a word such as “answer”"
        )
        return Advised("exact_match", reason, read=STEPS_BEHIND)
    return (
        advised._replace(reason=f"the {number} references are all the same") if len(labels) == 1 else advised
    )


def _of_names(number: int, outputs: Sequence[JSON], *, is_alike: bool) -> Advised:
    if is_alike:
        like = ", like the outputs" if outputs else ""
        return Advised("exact_match", f"the {number} references are single words or names{like}")
    return Advised("contains", f"the {number} references are short, and the outputs are sentences")


def rights(advised: Advised, reference: JSON) -> list[JSON]:
    """The right answers in a reference."""
    value = value_of(reference, advised.path)
    return several(value) if advised.is_any else [value]


def several(reference: JSON) -> list[JSON]:
    """The right answers in a reference that is a list, also as a text; of any other itself."""
    found = opened(reference)
    return found if isinstance(found, list) else [reference]
