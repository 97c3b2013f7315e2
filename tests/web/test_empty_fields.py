"""What a form says where a required field was left empty."""

import pytest
from django import forms

from evaluations.web.forms.form import Form
from evaluations.web.forms.own_words import DJANGOS
from evaluations.web.forms.proof import AppForm
from tests.pages import text_of


class Everything(Form):
    name = forms.CharField()
    base_url = forms.CharField()
    size = forms.IntegerField()
    answers = forms.ChoiceField(choices=[("a", "A")], widget=forms.RadioSelect)
    columns = forms.MultipleChoiceField(choices=[("a", "A")])
    agrees = forms.BooleanField()
    file = forms.FileField()
    rows = forms.ChoiceField(
        choices=[("a", "A")], error_messages={"required": "Choose what becomes of them."}
    )


def test_an_empty_field_says_what_to_do():
    assert {name: list(errors) for name, errors in Everything({}).errors.items()} == {
        "name": ["Write a name."],
        "base_url": ["Fill this in."],
        "size": ["Write a number."],
        "answers": ["Choose one."],
        "columns": ["Choose at least one."],
        "agrees": ["Tick this to go on."],
        "file": ["Choose a file."],
        "rows": ["Choose what becomes of them."],
    }


def test_a_field_that_is_added_later_says_it_too():
    form = Everything({})
    form.fields["setting"] = forms.CharField()

    assert form.errors["setting"] == ["Fill this in."]


@pytest.mark.parametrize("form", [Everything(), AppForm()])
def test_no_check_of_the_browser_comes_before_the_words(form):
    html = str(form)

    assert " required" not in html
    assert 'aria-required="true"' in html


def test_an_empty_name_is_refused_beside_its_field(alices, project):
    page = alices.get("/account/").content.decode()
    refused = alices.post("/account/keys/", {"name": "", "project": project.pk, "scope": "read"})

    assert " required" not in page
    assert "Write a name." in text_of(refused)
    assert str(DJANGOS) not in text_of(refused)
