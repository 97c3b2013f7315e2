"""Columns and canonical JSON."""

import pytest

from evaluations.values import Column


@pytest.mark.parametrize("values", [[], ["a", ""], ["日本"]])
def test_a_column_of_texts_says_so(values):
    assert Column(values).is_text


@pytest.mark.parametrize("value", [None, 1, 1.5, True, [], {}])
def test_a_column_with_anything_else_is_no_text(value):
    assert not Column(["a", value]).is_text


@pytest.mark.parametrize("letter", ["a", "é", "日", "😀"])
@pytest.mark.parametrize("other_values", [[], [None], [["a", "list", "of", "five", "words"]]])
def test_a_text_fits_up_to_its_number_of_characters(letter, other_values):
    column = Column([letter * 4, *other_values])

    assert column.fits(4)
    assert not column.fits(3)


def test_a_column_without_texts_fits_everywhere():
    assert Column([]).fits(0)
    assert Column([None, {}]).fits(0)
