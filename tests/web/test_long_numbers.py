"""Numbers that Python cannot read as such are no numbers, and no fault of the site."""

import pytest
from django.http import QueryDict

from evaluations.imports.outputs import whole_number
from evaluations.web.forms.prompt import moved
from evaluations.web.forms.split import selected_positions


@pytest.mark.parametrize("text", ["1" * 5_000, "²", "9" * 19])
def test_a_number_of_thousands_of_digits_is_none(text):
    form = QueryDict(mutable=True)
    form.setlist("position", [text, "3"])

    assert selected_positions(form) == [3]
    assert moved([], f"up-{text}") == []
    assert whole_number(text) is None
