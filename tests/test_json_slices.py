"""JSON parsed in slices equals JSON parsed at once."""

import random

import orjson
import pytest

from evaluations import json_slices


@pytest.fixture(autouse=True)
def short_slices(monkeypatch):
    monkeypatch.setattr(json_slices, "SLICE", 8)


def value(chance: random.Random, depth: int = 0):
    kind = chance.randrange(5 if depth < 5 else 3)
    if kind == 0:
        return chance.choice([None, True, 1.5, -7, 10**15])
    if kind < 3:
        return "".join(chance.choices('ab ,:"\\[]{}\n\tü€😀', k=chance.randrange(12)))
    inner = [value(chance, depth + 1) for _ in range(chance.randrange(6))]
    return inner if kind == 3 else {str(value(chance, 9)): item for item in inner}


def test_values_are_the_same():
    chance = random.Random(1)
    for _ in range(2_000):
        whole = value(chance)
        options = chance.choice([0, orjson.OPT_INDENT_2])
        text = orjson.dumps(whole, option=options)

        assert json_slices.loads(b" " * chance.randrange(3) + text + b"\n") == whole


def test_broken_texts_are_refused_as_before():
    chance = random.Random(2)
    for _ in range(4_000):
        text = bytearray(orjson.dumps(value(chance)))
        for _ in range(chance.randrange(1, 3)):
            text[chance.randrange(len(text))] = chance.choice(b'[]{},:"\\ 1x')
        text = bytes(text)
        try:
            expected = orjson.loads(text)
        except orjson.JSONDecodeError:
            with pytest.raises(orjson.JSONDecodeError):
                json_slices.loads(text)
        else:
            assert json_slices.loads(text) == expected


@pytest.mark.parametrize(
    "text", ["[1,,2]", "[1,2,]", "[,1]", "[" + " " * 40 + ",1]", "[[1],[2]],[3]", "[1]]", '{"a":1,}']
)
def test_a_missing_value_is_refused(text):
    with pytest.raises(orjson.JSONDecodeError):
        json_slices.loads(text.encode())


def test_values_are_written_as_at_once(monkeypatch):
    monkeypatch.setattr(json_slices, "ROWS", 2)
    chance = random.Random(3)
    for _ in range(2_000):
        whole = ["POST", value(chance), value(chance)]

        assert b"".join(json_slices.dumped(whole)) == orjson.dumps(whole, option=orjson.OPT_SORT_KEYS)
