"""JSON objects and elements of XML inside texts of strangers."""

import pytest

from evaluations.metrics import fragments

BOMB = '<!DOCTYPE a [<!ENTITY b "bbbbbbbb"><!ENTITY c "&b;&b;&b;">]><a>&c;</a>'


@pytest.mark.parametrize(
    ("text", "objects"),
    [
        ('{"a": {"b": 1}} and {"c": "}"}', [{"a": {"b": 1}}, {"c": "}"}]),
        ('a { b {"c": 1}', [{"c": 1}]),
        ('{"a": NaN}', []),
        ("[1, 2]", []),
        ("{" * 100_000, []),
    ],
)
def test_json_objects_are_found_wherever_they_begin(text, objects):
    assert list(fragments.json_objects(text)) == objects


@pytest.mark.parametrize(
    ("text", "wanted", "result"),
    [
        ("<o><city>Graz</city></o>", ["o.city"], True),
        ("<o><a><city/></a></o>", ["o.city"], False),
        ("<o/>trailing", [], False),
        (BOMB, [], False),
        ("<a>" * 201 + "</a>" * 201, [], False),
        ("", [], False),
        ("<a>\ud800</a>", [], False),
    ],
)
def test_elements_are_found_by_their_path(text, wanted, result):
    assert fragments.has_elements(text, wanted) == result
