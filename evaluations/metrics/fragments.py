"""JSON objects inside a text, and the elements of a text that is XML."""

import json
from collections.abc import Iterable, Iterator
from typing import Any
from xml.parsers import expat

MOST_STARTS = 2_000  # opening brackets that are tried
DEEPEST = 200  # elements inside each other
DECODER = json.JSONDecoder(parse_constant=lambda constant: _refuse(constant))


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def json_objects(text: str) -> Iterator[Any]:
    """The JSON objects of a text that stand inside no other, from the left; NaN and Infinity are no JSON.

    >>> list(json_objects('a {"b": {}} {c} {"d": 1}'))
    [{'b': {}}, {'d': 1}]
    """
    at = -1
    for _ in range(MOST_STARTS):
        at = text.find("{", at + 1)
        if at < 0:
            return
        try:
            value, end = DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            continue
        yield value
        at = end - 1


class _NotXML(Exception):
    """A declaration, or too many elements inside each other."""


def has_elements(text: str, wanted: Iterable[str]) -> bool:
    """Whether a text is well-formed XML in which each wanted element occurs, named by its path from the root.

    A document type is refused, so that no text can define entities that grow without end.

    >>> has_elements("<order><city/></order>", ["order.city"]), has_elements("<order>", [])
    (True, False)
    """
    missing = set(wanted)
    depths = {path.count(".") + 1 for path in missing}
    inside: list[str] = []

    def begin(name: str, _: dict[str, str]) -> None:
        if len(inside) >= DEEPEST:
            raise _NotXML
        inside.append(name)
        if len(inside) in depths:
            missing.discard(".".join(inside))

    def refuse(*_: Any) -> None:
        raise _NotXML

    parser = expat.ParserCreate()
    parser.StartElementHandler = begin
    parser.EndElementHandler = lambda _: inside.pop()
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(text.strip(), True)
    except (expat.ExpatError, _NotXML, UnicodeEncodeError, ValueError):
        return False
    return not missing
