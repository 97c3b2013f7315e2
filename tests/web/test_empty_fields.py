"""What a form says where a required field was left empty."""

import re
from pathlib import Path

import pytest
from django import forms

from evaluations.web.forms.form import Form
from evaluations.web.forms.own_words import DJANGOS
from evaluations.web.forms.proof import AppForm
from tests import factories
from tests.pages import text_of

TEMPLATES = Path(__file__).parents[2] / "templates"


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


def test_no_field_that_a_template_draws_has_a_check_of_the_browser():
    drawn = {
        path.name
        for path in TEMPLATES.rglob("*.html")
        if re.search(r"<(input|select|textarea)\b[^>]*\srequired\b", path.read_text())
    }

    assert drawn == set()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("address", "field", "words"),
    [
        ("/runs/{run}/repetitions/", "add", "Add 1 to "),
        ("/runs/{run}/rows/1/comments/", "text", "A comment has 1 to "),
        ("/datasets/{dataset}/rename/", "name", "Write a name."),
        ("/p/{project}/views/", "name", "A view needs a name"),
    ],
)
def test_an_empty_field_of_a_form_drawn_by_hand_is_refused_in_our_words(
    alices, project, address, field, words
):
    run = factories.scored_run(factories.experiment(project))
    address = address.format(run=run.pk, dataset=run.experiment.dataset_id, project=project.slug)
    sent = {field: " ", "seen_name": run.experiment.dataset.name, "path": f"/runs/{run.pk}/"}

    assert words in text_of(alices.post(address, sent, follow=True))


def test_an_empty_name_is_refused_beside_its_field(alices, project):
    page = alices.get("/account/").content.decode()
    refused = alices.post("/account/keys/", {"name": "", "project": project.pk, "scope": "read"})

    assert " required" not in page
    assert "Write a name." in text_of(refused)
    assert str(DJANGOS) not in text_of(refused)
