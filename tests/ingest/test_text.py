"""Cleaning of texts for databases and encoders."""

import pytest

from evaluations import ingest


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("a\0b", "a\ufffdb"),
        ("a\ud800b", "a\ufffdb"),
        ("\udfff\0", "\ufffd\ufffd"),
        ("é\0", "é\ufffd"),
    ],
)
def test_characters_that_databases_refuse_are_replaced(text, cleaned):
    assert ingest.clean(text) == cleaned


@pytest.mark.parametrize("text", ["", "plain", "é", "😀", "\x01\x7f\u2028", "\ufffe"])
def test_other_text_is_given_back_as_it_is(text):
    assert ingest.clean(text) is text


def test_names_and_texts_inside_json_are_cleaned():
    value = {"a\0": ["\ud800", 1, None, True, {"b": "\0"}]}

    assert ingest.clean_json(value) == {"a\ufffd": ["\ufffd", 1, None, True, {"b": "\ufffd"}]}
