"""Strict JSON: refusals, agreement of both parsers, and counts before parsing."""

import json
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from evaluations.json_structure import WINDOW
from evaluations.strict_json import (
    PIECE,
    BadNumber,
    DuplicateName,
    JSONError,
    Limits,
    NotJSON,
    NotUTF8,
    TextTooLong,
    TooDeep,
    TooLarge,
    find_unstorable,
    is_unusual,
    parse,
    parse_objects,
)
from tests.processes import ROOT


@pytest.mark.parametrize(
    "text",
    [
        '{"a":1,"a":2}',
        '{"a":1,"a" :2}',
        '{"a":1,"a"\t:2}',
        '{"a":1,"\\u0061":2}',
        '{"b":{"a":1,"a":2}}',
        '{"b":[{"a":1},{"a":1,"a":2}]}',
        '{"a":"x\\":","a":2}',
        '{"a":":","a":":"}',
        '[{"a":1,"a":2}]',
    ],
)
def test_a_name_given_twice_is_refused(text):
    with pytest.raises(DuplicateName):
        parse(text.encode())


@pytest.mark.parametrize(
    "text",
    ['{"a":1,"a":2}', '{"a":1,"a" :2}', '{"a":"\\u0000"}', "[1]", '{"a":1', '{"a":18446744073709551616}'],
)
def test_a_block_with_a_line_that_needs_a_closer_look_is_left_to_parse(text):
    assert parse_objects(text.encode(), [text.encode()]) is None


@pytest.mark.parametrize(
    "text",
    [
        '{"a":"b: c","d":": "}',
        '{"a" : "b" , "c" : [ {"d" : 1} ] }',
        '{"a":"\\": ","b":{"c":{}}}',
        '{"a":18446744073709551615,"b":-9223372036854775808}',
        '{"a":"12345678901234567890","b":0.1234567890123456789}',
        '{"a":"tab\\t","b":"\\u00e9\\ud83d\\ude00"}',
        '[1, 2.5, null, true, "x"]',
        "3",
    ],
)
def test_both_parsers_agree_with_the_json_module(text):
    quick, strict = parse(text.encode()), parse(text.encode() + b" " * 9 + b"\n")

    assert quick == strict == json.loads(text)
    assert parse_objects(text.encode(), [text.encode()]) in ([json.loads(text)], None)


@pytest.mark.parametrize(
    "number", ["18446744073709551616", "-9223372036854775809", "9" * 5_000, "1e999", "NaN", "-Infinity"]
)
def test_numbers_that_no_machine_word_holds_are_refused(number):
    with pytest.raises(BadNumber):
        parse(b'{"a":%s}' % number.encode())


@pytest.mark.parametrize(
    ("content", "error"), [(b'{"a":"\xff"}', NotUTF8), (b"{", NotJSON), (b'{"a":"\n"}', NotJSON)]
)
def test_text_that_is_not_json_is_refused(content, error):
    with pytest.raises(error):
        parse(content)


@pytest.mark.parametrize(
    ("text", "levels"),
    [("[[]]", 2), ('{"a[": [1], "b": {}}', 2), ('"[\\"["', 0), ('["open [', 1), ("[" * 70, 70)],
)
def test_depth_is_counted_outside_texts(text, levels):
    Limits(depth=levels).check(text.encode())
    with pytest.raises(TooDeep):
        Limits(depth=levels - 1).check(text.encode())


@pytest.mark.parametrize(("text", "values"), [("[]", 2), ("[1,2,3]", 4), ('{"a":[{},{},{}],"b,":"[,"}', 13)])
def test_values_are_counted_by_their_brackets_and_commas(text, values):
    Limits(values=values).check(text.encode())
    with pytest.raises(TooLarge):
        Limits(values=values - 1).check(text.encode())


@pytest.mark.parametrize("count", [3, 2 * WINDOW])
@pytest.mark.parametrize("item", ["{}", '{"a":[1,2,3,4,5]}', '"a,b"', '"\\\\"', '"\\","'])
def test_the_items_of_each_list_are_counted_across_windows(item, count):
    text = '{"few":[1,2],"many":[' + ",".join([item] * count) + '],"others":[3,4]}'

    Limits(items=count).check(text.encode())
    with pytest.raises(TooLarge):
        Limits(items=count - 1).check(text.encode())


@contextmanager
def peak_below(maximum: float) -> Iterator[None]:
    """Fails if the block uses more memory."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < maximum
    finally:
        tracemalloc.stop()


def test_counting_takes_a_fraction_of_the_memory_of_reading():
    text = b'{"examples":[' + b"{}," * 3_000_000 + b"{}]}"

    with peak_below(len(text) / 2), pytest.raises(TooLarge):
        parse(text, limits=Limits(values=2_500_000))


GROWTH = r"""
import re, sys
from evaluations import strict_json

def peak():
    return int(re.search(r"VmHWM:\s+(\d+) kB", open("/proc/self/status").read())[1]) * 1024

item = b'{"q":"' + b"x" * 300 + "\N{GRINNING FACE}".encode() + b'"},'
text = b"[[" + item * 60_000 + b"{}]" + sys.argv[1].encode()
before = peak()
try:
    strict_json.parse(text)
except strict_json.JSONError:
    print((peak() - before) / len(text))
"""


@pytest.mark.parametrize("end", ["", ',{"a":1,"a":1}]', ",1e999]"])
def test_a_refused_long_text_is_in_memory_once(end):
    """Each takes four bytes per byte here, because of characters outside the BMP."""
    command = [sys.executable, "-c", GROWTH, end]
    growth = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True)

    assert float(growth.stdout) < 9.5


def test_searching_for_unusual_bytes_takes_little_memory():
    text = b'["' + b":" * 20_000_000 + b'"]'

    with peak_below(len(text)):
        assert not is_unusual(text)


@pytest.mark.parametrize("trace", [b'"a" :1', b"1" * 19])
@pytest.mark.parametrize("distance", range(-20, 21))
def test_unusual_bytes_across_two_pieces_are_noticed(trace, distance):
    text = b"x" * (PIECE + distance) + trace + b"x"

    assert is_unusual(text)


def test_a_text_longer_than_the_limit_is_refused_before_it_is_read():
    text = b'{"a":"' + b"x," * WINDOW * 2 + b'"}'

    parse(text, limits=Limits(text=len(text)))
    with pytest.raises(TextTooLong):
        parse(text, limits=Limits(text=2 * WINDOW))


@pytest.mark.parametrize(
    "value", ["9" * 30, {"a :": "\N{GRINNING FACE}\0"}, [-(2**63), 2**64 - 1, 1.5, 1e-9]]
)
def test_a_long_text_is_read_as_a_short_one(value):
    long = [value, "x" * PIECE]

    assert parse(json.dumps(long).encode()) == long
    assert parse(json.dumps(long).replace('":', '" :').encode()) == long


@pytest.mark.parametrize(
    ("value", "nul", "location"),
    [
        ({"a": ["x", "b\ud800"]}, True, ("a[1]", 1, "\ud800")),
        ({"a": {"b\0": 1}}, False, ("a.b\\x00", 1, "\0")),
        ({"a": "\0"}, True, None),
        ("😀", False, None),
    ],
)
def test_a_character_that_cannot_be_stored_is_found_with_its_path(value, nul, location):
    assert find_unstorable(value, nul=nul) == location


def test_every_refusal_is_a_json_error():
    assert all(
        issubclass(kind, JSONError)
        for kind in (BadNumber, DuplicateName, NotJSON, NotUTF8, TooDeep, TooLarge)
    )
