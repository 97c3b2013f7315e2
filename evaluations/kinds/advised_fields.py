"""References that are objects of which outputs say one field: SQuAD's spans, DROP's answers beside their types."""

from collections.abc import Sequence
from itertools import cycle
from typing import Any

from evaluations import python_lists, strict_json
from evaluations.values import JSON, text_of

from .advised_lists import as_words

SPANS = {"text", "answer_start"}  # right answers, and where they start in a passage, as in SQuAD
SAID = 0.2  # share of the outputs that say the field, and by which they say it more often than any other
SAME = 0.8  # share of the objects in which two fields have a value in common
LOOKED_AT = 5_000  # characters at the end of an output
MOST_FIELDS = 50


def opened(value: JSON) -> Any:
    """The JSON value of a cell that holds an object or a list, also as a text; None for anything else."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
        return value if isinstance(value, dict | list) else None
    try:
        return strict_json.parse(value.encode())
    except strict_json.JSONError:
        return python_lists.read(value) or python_lists.record(value)


def value_of(reference: JSON, field: str) -> JSON:
    """The field of a reference, or the reference itself if `field` is ""; None in a row without the field.

    Of a list of objects, the field of each.
    """
    if not field:
        return reference
    fields = opened(reference)
    if isinstance(fields, list):
        return [one[field] for one in fields if isinstance(one, dict) and field in one]
    return fields.get(field) if isinstance(fields, dict) else None


def are_spans(references: Sequence[JSON]) -> bool:
    """Whether each reference is a list of right answers with their places, as in the original files of SQuAD.

    >>> are_spans([[{"text": "Bern", "answer_start": 0}, {"text": "in Bern", "answer_start": 7}], []])
    True
    """
    lists = [opened(reference) for reference in references]
    members = [one for found in lists if isinstance(found, list) for one in found]
    are_lists = all(isinstance(found, list) for found in lists)
    return (
        are_lists and bool(members) and all(isinstance(one, dict) and one.keys() >= SPANS for one in members)
    )


def field_said(references: Sequence[JSON], outputs: Sequence[JSON]) -> str:
    """The field of references, objects with the same fields, that outputs say, which are none themselves; else "".

    >>> drop = [{"spans": ["19"], "types": ["number"]}, {"spans": ["Ann"], "types": ["span"]}]
    >>> field_said(drop, ["It is 19.", "ann"])
    'spans'
    """
    objects = [opened(reference) for reference in references]
    if are_spans(references):
        return "text"
    if not all(isinstance(one, dict) for one in objects):
        return ""
    fields = {*objects[0]}
    if not 0 < len(fields) <= MOST_FIELDS or any(one.keys() != fields for one in objects):
        return ""
    if fields == SPANS:
        return "text"
    texts = [(text_of(output) or "")[-LOOKED_AT:] for output in outputs]
    if 2 * sum("{" in text for text in texts) > len(texts):
        return ""
    texts = [*map(as_words, texts)]
    shares = {field: _share(field, objects, texts) for field in objects[0]}
    best = max(shares, key=lambda field: shares[field])
    others = [share for field, share in shares.items() if not _say_the_same(objects, best, field)]
    return best if shares[best] >= SAID and shares[best] - max(others, default=0.0) >= SAID else ""


def _say_the_same(objects: Sequence[Any], one: str, other: str) -> bool:
    """Whether two fields share a value in nearly all objects, as an answer and its aliases do."""
    same = sum(not {*_values(fields[one])}.isdisjoint(_values(fields[other])) for fields in objects)
    return same >= SAME * len(objects)


def _share(field: str, objects: Sequence[Any], texts: Sequence[str]) -> float:
    """The share of texts that have a value of the field of their row."""
    said = sum(
        any(value in text for value in _values(one[field]))
        for one, text in zip(cycle(objects), texts, strict=False)
    )
    return said / len(texts) if texts else 0.0


def _values(value: JSON) -> list[str]:
    listed = value if isinstance(value, list) else [value]
    return [
        as_words(str(one))
        for one in listed
        if isinstance(one, str | int | float) and one not in ("", True, False)
    ]
