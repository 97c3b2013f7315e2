"""How an advised evaluator reads: after reasoning, out of fences, a label out of a sentence, any of several texts."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle
from typing import Any

from evaluations.evaluators.evaluators import OUTPUT_TO_REFERENCE
from evaluations.fences import FENCES
from evaluations.kinds.advised import LIST_F1, WHOLE_LIST_F1, Advised
from evaluations.kinds.advised_answers import ANNOUNCED, ANY_CASE, are_announced
from evaluations.kinds.advised_classes import words_of_class
from evaluations.kinds.advised_code import PERHAPS_FENCED
from evaluations.kinds.advised_fields import are_spans, value_of
from evaluations.kinds.advised_lists import label_sets
from evaluations.kinds.advised_numbers import said_for_labels, said_for_numbers
from evaluations.kinds.advised_shapes import CODE
from evaluations.kinds.advised_texts import is_short
from evaluations.kinds.advising import WHOLE_TEXTS, rights, several
from evaluations.mapping import calls
from evaluations.mapping.abstentions import UNANSWERABLE
from evaluations.mapping.choice import LONGEST_LABEL, MOST_LABELS, Choice
from evaluations.mapping.reading import compile_steps
from evaluations.mapping.reasoning import split_reasoning
from evaluations.mapping.step import NotFound
from evaluations.mapping.steps import Json, Pattern
from evaluations.metrics import whole_words
from evaluations.values import JSON, canonical_json, text_of

from .labels_said import (
    LOOKED_AT,
    SOME,
    are_some,
    bracketed_letters,
    label_of,
    other_words,
    without_separators,
)
from .numbers_said import number_of_answer

REFERENCE = "$.reference"  # before the list of the columns that count, where there are several
# shares of the outputs of a variant that letter case alone, or signs and articles, must keep from being right
FEW_IN_CASE, FEW_IN_SIGNS = 0.01, 0.03
ONE = 1  # row that says nothing of how right answers are written
LIST_IN_OBJECT = {"step": "json", "take": "list"}
# a text without the backticks around it
BACKTICKS = {r"(?s)\A`*(.*?)`*\z": "without backticks"}
BARE = {"step": "pattern", "pattern": next(iter(BACKTICKS)), "group": 1}
WITHOUT_SIGNS: dict[str, Any] = {"step": "normalize", "punctuation": "remove"}
ANY_SIGNS = ANY_CASE | {"punctuation": "remove", "whitespace": "collapse"}
WITHOUT_ARTICLES = ANY_SIGNS | {"articles": "en"}
AS_VALUES: Any = {"step": "value"}
ANY_SEPARATORS = ANY_SIGNS | {"whitespace": "remove"}
# where a label is named before later words name others; a text as it is where that is not there
NO_CALLS = "[]"
LABELS = {
    r"(?s)\A\s*([^\n]+)": "on the first line",
    r"(?s)\A\s*([^\n.!]+)": "in the first sentence",
}
MEANT = {*"\\*?{}[]#@%"}  # signs of patterns, formulas and moves


def mapping_of(
    advised: Advised, references: Sequence[JSON], outputs: Sequence[JSON], labels: Sequence[str] | None
) -> dict[str, Any]:
    """The mapping of an advised evaluator; the plain one where the outputs need no step.

    `labels` are all different references, if they are few and known; by default those of `references`.
    """
    if advised.path:
        values = [value_of(reference, advised.path) for reference in references]
        mapping = mapping_of(advised._replace(path=""), values, outputs, None)
        each = "[*]" if are_spans(references) else ""
        mapping["expected"] = mapping["expected"] | {
            "path": f"{OUTPUT_TO_REFERENCE['expected']['path']}{each}[{canonical_json(advised.path)}]"
        }
        return mapping
    if advised.read or advised.of_outputs or advised.of_references:
        steps = [*_reasoning(outputs), *advised.of_outputs, *advised.read]
        return _both_sides(steps, [*advised.of_references, *advised.read])
    if advised.members is not None:
        return _of_lists(advised.members, outputs, labels)
    if advised.kind == "label" and (
        said := said_for_numbers(references, outputs) or said_for_labels(references, outputs)
    ):
        return _of_numbers(said, references, outputs)
    known = labels or distinct(references, MOST_LABELS) or []
    alike = _alike(advised, references, outputs)
    if advised.kind == "label" and (letters := bracketed_letters(known)):
        alike = [{"step": "choice", "labels": letters}]
    steps = [*_steps(advised.kind, outputs, known), *alike]
    if advised.config in (LIST_F1, WHOLE_LIST_F1) and are_some(map(_is_list_in_object, outputs)):
        steps = [*_reasoning(outputs), LIST_IN_OBJECT]
    if advised.kind == "label" and steps and isinstance(steps[-1], dict):
        steps[-1:] = [*_before_others(Choice.model_validate(steps[-1]), references, outputs), steps[-1]]
    if advised.kind == "numeric_match" and not advised.is_any:
        steps += number_of_answer(advised.config, references, outputs)
    expected = OUTPUT_TO_REFERENCE["expected"] | ({"many": "any"} if advised.is_any else {})
    return {
        "actual": OUTPUT_TO_REFERENCE["actual"] | ({"read": steps} if steps else {}),
        "expected": expected | ({"read": alike} if alike else {}),
    }


def mapping_of_columns(
    advised: Advised, names: Sequence[str], answers: Sequence[Sequence[JSON]], outputs: Sequence[JSON]
) -> dict[str, Any]:
    """The mapping where there are several reference columns: any of these `names`, or the first if only it counts."""
    every = [[one for answer in row for one in several(answer)] for row in answers]
    main = [next(iter(row), None) for row in answers]
    if not advised.are_columns:
        mapping, names = mapping_of(advised, main, outputs, None), names[:1]
    elif advised.kind in WHOLE_TEXTS:
        mapping = mapping_of(advised, every, outputs, None)
    else:
        known = distinct((one for row in every for one in row), MOST_LABELS)
        mapping = mapping_of(advised._replace(is_any=False), main, outputs, known)
    rest = mapping["expected"]["path"].removeprefix(OUTPUT_TO_REFERENCE["expected"]["path"])
    path = {"path": f"{REFERENCE}{canonical_json([*names])}{rest}"}
    mapping["expected"] = mapping["expected"] | path | ({"many": "any"} if advised.are_columns else {})
    return mapping


def mapping_of_records(
    advised: Advised, fields: Mapping[str, str], records: Sequence[JSON], outputs: Sequence[JSON]
) -> dict[str, Any]:
    """The mapping where reference columns, by the names of their fields, are one record."""
    mapping = mapping_of(advised, records, outputs, None)
    record: Any = {"step": "record", "fields": {**fields}}
    read = [record, *mapping["expected"].get("read", [])]
    return mapping | {"expected": mapping["expected"] | {"path": REFERENCE, "read": read}}


def mapping_of_refusals(step: dict[str, Any]) -> dict[str, Any]:
    """The mapping where references, read by this step, say whether an output should refuse."""
    return _both_sides(["refusal"], [step])


def _of_lists(
    members: Sequence[str], outputs: Sequence[JSON], references: Sequence[str] | None
) -> dict[str, Any]:
    """Both sides as lists: of letters, of the labels of all references if they are known, else of anything."""
    labels = label_sets(references) if members and references else []
    if members and all(len(label) == 1 and label.isalpha() for label in members):
        # a letter that is right in no row at hand may be right in another
        labels = [chr(code) for code in range(ord(min(members)), ord(max(members)) + 1)]
    read: list[Any] = [{"step": "choice", "labels": labels, "take": "all"}] if labels else ["items"]
    return _both_sides([*_reasoning(outputs), *read], read)


def _both_sides(actual: list[Any], expected: list[Any]) -> dict[str, Any]:
    return {
        "actual": OUTPUT_TO_REFERENCE["actual"] | ({"read": actual} if actual else {}),
        "expected": OUTPUT_TO_REFERENCE["expected"] | ({"read": expected} if expected else {}),
    }


def with_abstentions(mapping: dict[str, Any]) -> dict[str, Any]:
    """The mapping where an empty reference expects that an output says that there is no answer."""
    actual, expected = mapping["actual"], mapping["expected"]
    steps = actual.get("read") or []
    behind = 1 if steps[:1] == ["reasoning"] else 0
    read = [*steps[:behind], "abstention", *steps[behind:]]
    empty = {"empty": UNANSWERABLE}
    return mapping | {"actual": actual | {"read": read} | empty, "expected": expected | empty}


def without_calls(mapping: dict[str, Any]) -> dict[str, Any]:
    """The mapping where an empty reference expects that an output calls no tool."""
    return mapping | {side: mapping[side] | {"empty": NO_CALLS} for side in ("actual", "expected")}


def distinct(values: Iterable[JSON], most: int) -> list[str] | None:
    """The different texts of some values, without letter case; None if they are more than `most` or too long."""
    texts: dict[str, str] = {}
    for value in values:
        if text := (text_of(value) or "").strip():
            texts.setdefault(text.casefold(), text)
            if len(texts) > most or len(text) > LONGEST_LABEL:
                return None
    return list(texts.values())


def _of_numbers(said: dict[str, str], references: Sequence[JSON], outputs: Sequence[JSON]) -> dict[str, Any]:
    """Both sides in words: the number of a reference becomes what outputs say for it."""
    named: dict[str, Any] = {"step": "choice", "labels": [*said.values()]}
    also = words_of_class(outputs, "yes", "no") if "yes" in said.values() else {}
    before = _before_others(Choice.model_validate(named | {"also": said | also}), references, outputs)
    numbers = {number: word for number, word in said.items() if number in {*map(text_of, outputs)}}
    in_words = named | ({"also": numbers | also} if numbers or also else {})
    return {
        "actual": OUTPUT_TO_REFERENCE["actual"] | {"read": [*_reasoning(outputs), *before, in_words]},
        "expected": OUTPUT_TO_REFERENCE["expected"] | {"read": [named | {"also": said}]},
    }


def _reasoning(outputs: Sequence[JSON]) -> list[Any]:
    texts = [output for output in outputs if isinstance(output, str) and output.strip()]
    return ["reasoning"] if any(split_reasoning(text)[0] for text in texts) else []


def _is_list_in_object(output: JSON) -> bool:
    """Whether an output is an object with one field, a list, such as {"entities": [...]}."""
    try:
        return isinstance(Json(step="json").read(output), dict) and isinstance(
            Json.model_validate(LIST_IN_OBJECT).read(output), list
        )
    except NotFound:
        return False


def _steps(kind: str, outputs: Sequence[JSON], known: Sequence[str]) -> list[Any]:
    texts = [output for output in outputs if isinstance(output, str) and output.strip()]
    answers = [split_reasoning(text) for text in texts]
    steps = _reasoning(outputs)
    fenced = [answer.lstrip().startswith(FENCES) for _, answer in answers]
    if kind == "label" and not bracketed_letters(known):
        alone = {label.casefold() for label in known}
        others = [text for text in texts if text.strip().casefold() not in alone]
        bare = {without_separators(label) for label in known}
        are_others = not outputs or len(others) > SOME * len(texts)
        are_others |= any(  # "Damaged item" for damaged_item
            without_separators(text) in bare for text in others if text.strip(" .").casefold() not in alone
        )
        if known and (are_others or all(map(str.isdecimal, known))):
            also = other_words(known, texts)
            steps.append({"step": "choice", "labels": sorted(known)} | ({"also": also} if also else {}))
    elif kind == "contains" and are_announced([answer for _, answer in answers]):
        steps.append(ANNOUNCED)
    elif kind == "tool_calls" and are_some(_is_written_otherwise(answer) for _, answer in answers):
        steps.append("calls")
    elif kind in ("json_fields", "tool_calls") and are_some(
        not answer.lstrip().startswith(("{", "[")) for _, answer in answers
    ):
        steps.append("json")
    elif kind == "retrieval" and are_some(fenced):
        steps.append("items")
    elif fenced and all(fenced):
        steps.append("code")
    elif kind == CODE and any("```" in answer for _, answer in answers):
        steps.append(PERHAPS_FENCED)
    return steps


def _is_written_otherwise(answer: str) -> bool:
    """Whether an answer has calls, but not as JSON with arguments alone."""
    made = calls.found(answer)
    is_plain = answer.lstrip().startswith(("{", "[")) and '"arguments"' in answer and '"name"' in answer
    return bool(made) and not is_plain


def _alike(advised: Advised, references: Sequence[JSON], outputs: Sequence[JSON]) -> list[Any]:
    """A step for both sides, where outputs say the reference with other letter case, punctuation or articles.

    The least of the steps that would do; signs stay where references are written with some that mean something.
    """
    if advised.kind not in WHOLE_TEXTS:
        return []
    if advised.kind == "contains":
        announced = Pattern.model_validate(ANNOUNCED)
        outputs = [str(announced.read(text_of(output) or "")) for output in outputs]
    steps = [ANY_CASE, ANY_SIGNS, WITHOUT_ARTICLES]
    steps += [ANY_SEPARATORS] if advised.kind == "exact_match" else []
    signs = [{*(text_of(right) or "")} for reference in references for right in rights(advised, reference)]
    if are_some(bool(said & MEANT) for said in signs):
        steps = [ANY_CASE]
    elif advised.kind == "contains" and are_some(sum(map(str.isalnum, said)) == 1 for said in signs):
        steps = [WITHOUT_SIGNS]  # a letter in another case is a word
    steps += [AS_VALUES] if advised.kind == "exact_match" else []
    if advised.kind == "exact_match" and _differ_by_articles(advised, references):
        return [WITHOUT_ARTICLES]
    first: list[Any] = []
    texts = [(text_of(output) or "").strip() for output in outputs]
    if advised.kind == "exact_match" and are_some(text.startswith("`") for text in texts):
        bare = Pattern.model_validate(BARE)
        outputs = [str(bare.read(text)) for text in texts]
        first.append(BARE)
    rescued = [_rescued(step, advised, references, outputs) for step in steps]
    best = 0
    for index in range(1, len(steps)):
        best = index if rescued[index] - rescued[best] > FEW_IN_SIGNS else best
    least = FEW_IN_CASE if best == 0 else FEW_IN_SIGNS
    return first + ([steps[best]] if rescued[best] > least else [])


def _differ_by_articles(advised: Advised, references: Sequence[JSON]) -> bool:
    """Whether right answers of one question are the same but for articles, as those of SQuAD: "the Nile" and "Nile"."""
    with_articles, without = (compile_steps([step]).value for step in (ANY_SIGNS, WITHOUT_ARTICLES))
    known = [[text_of(right) or "" for right in rights(advised, reference)] for reference in references]
    differ = [
        len({str(with_articles(text)) for text in texts}) > len({str(without(text)) for text in texts})
        for texts in known
    ]
    return sum(differ) > max(ONE, FEW_IN_CASE * len(references))


def _rescued(step: Any, advised: Advised, references: Sequence[JSON], outputs: Sequence[JSON]) -> float:
    """The share of the outputs of a variant that say a right answer by this step only; of the variant with most."""
    read = compile_steps([step]).value
    found = Counter[int]()
    for place, (output, reference) in enumerate(zip(outputs, cycle(references), strict=False)):
        text = split_reasoning(text_of(output) or "")[1].strip()
        known = [text_of(right) or "" for right in rights(advised, reference)]
        found[place // len(references)] += any(
            _says(advised.kind, str(read(text)), str(read(right))) for right in known
        ) and not any(_says(advised.kind, text, right) for right in known)
    return max(found.values(), default=0) / max(len(references), 1)


def _before_others(choice: Choice, references: Sequence[JSON], outputs: Sequence[JSON]) -> list[Any]:
    """A step that cuts off later words, where the label before them is the reference more often."""
    rows = [
        (split_reasoning(text_of(output) or "")[1][:LOOKED_AT], label_of(choice, text_of(reference) or ""))
        for output, reference in zip(outputs, cycle(references), strict=False)
    ]

    def right(step: dict[str, Any] | None) -> int:
        read = Pattern.model_validate(step).read if step else str
        return sum(label != "" and label_of(choice, text, read) == label for text, label in rows)

    steps = [{"step": "pattern", "pattern": pattern, "group": 1} for pattern in LABELS]
    best = max(steps, key=right)
    return [best] if right(best) - right(None) > SOME * len(rows) else []


def _says(kind: str, text: str, reference: str) -> bool:
    if kind != "contains" or not reference:
        return reference == text
    return whole_words.has(text, reference) if is_short(reference) else reference in text
