"""The form of an evaluator: what it asks for, what it tries, and when it offers to save."""

import json
import re

import pytest

from evaluations.datasets import datasets
from evaluations.evaluators import evaluators
from evaluations.experiments import experiments
from evaluations.models import Evaluator
from evaluations.scoring import tryouts
from tests import factories
from tests.pages import text_of

pytestmark = pytest.mark.django_db


def _new(client, kind):
    return client.get(f"/p/default/evaluators/new/?kind={kind}")


def test_a_new_evaluator_is_tried_on_the_newest_run(alices, project):
    run = factories.scored_run(factories.experiment(project))

    page = _new(alices, "levenshtein_similarity")

    assert page.context["tryout"].source.run == run
    assert page.context["tryout"].outcome is not None


def test_a_json_schema_is_asked_for(alices, project):
    factories.scored_run(factories.experiment(project))
    page = _new(alices, "json_schema")
    fields = {
        "name": "Form",
        "actual_by": "path",
        "actual_from": "$.actual",
        "actual_many": "error",
        "do": "save",
    }

    refused = alices.post("/p/default/evaluators/new/?kind=json_schema", fields | {"schema": ""})

    assert "Complete the settings to see a score." in text_of(page)
    assert not page.context["form"]["schema"].value()
    assert refused.context["form"].errors["schema"] == ["Fill this in."]


@pytest.fixture
def invoices(project):
    rows = [
        {"inputs": {"q": "a"}, "reference": {"r": '{"sum": 4, "lines": [{"no": 1}]}'}},
        {"inputs": {"q": "b"}, "reference": {"r": '{"sum": 4.5, "lines": [], "note": "late"}'}},
    ]
    return datasets.create(project, None, "Invoices", rows)


def test_a_schema_is_made_from_references_that_are_json(alices, project, invoices):
    said = experiments.create(project, None, "e", invoices, [factories.evaluator(project, "json_match")])
    run = factories.scored_run(said, ['{"sum": 4}', '{"sum": 5}'])
    factories.scored_run(factories.experiment(project))

    page = _new(alices, "json_schema")
    made = alices.get(f"/p/default/evaluators/new/?kind=json_schema&schema_of={invoices.pk}")

    assert page.context["tryout"].source.run == run
    assert "Make one from the references of Invoices" in text_of(page)
    assert json.loads(made.context["form"]["schema"].value()) == {
        "type": "object",
        "required": ["sum", "lines"],
        "properties": {
            "sum": {"type": "number"},
            "lines": {
                "type": "array",
                "items": {"type": "object", "required": ["no"], "properties": {"no": {"type": "integer"}}},
            },
            "note": {"type": "string"},
        },
    }
    assert made.context["tryout"].outcome.result.value == 0


def test_no_schema_is_offered_of_references_that_are_texts(alices, project):
    factories.scored_run(factories.experiment(project))

    assert "Make one from" not in text_of(_new(alices, "json_schema"))


def test_a_saved_schema_is_tried_at_once(alices, project, invoices):
    config = {"schema": {"type": "object", "required": ["sum"]}}
    schema = factories.evaluator(project, "json_schema", **config)
    run = factories.scored_run(
        experiments.create(project, None, "e", invoices, [schema]), ['{"sum": 4}', "4"]
    )

    page = alices.get(f"/evaluators/{schema.pk}/")

    assert page.context["tryout"].source.run == run
    assert page.context["tryout"].outcome.result.value == 1


def test_a_check_without_phrases_shows_the_output_and_no_errors(alices, project):
    factories.scored_run(factories.experiment(project), ["Paris", "Lyon", "Oslo"])

    page = _new(alices, "check")

    assert "Write a phrase to see a score. Output Paris" in text_of(page)
    assert page.context["tryout"].sample is None
    assert "no_phrases" not in text_of(page)


def test_a_new_evaluator_is_saved_by_the_main_button_once_nothing_is_missing(alices, project):
    factories.scored_run(factories.experiment(project), ["Paris", "Lyon", "Oslo"])
    fields = {"name": "Names", "must": "contain", "mode": "any", "unit": "character", "do": "try"}
    fields |= {"actual_by": "path", "actual_from": "$.actual", "actual_many": "error"}
    htmx = {"HTTP_HX_REQUEST": "true", "HTTP_HX_TARGET": "tryout"}
    address = "/p/default/evaluators/new/?kind=check"

    empty = alices.post(address, fields | {"phrases": ""}, **htmx).content.decode()
    written = alices.post(address, fields | {"phrases": "Paris"}, **htmx).content.decode()

    is_main = r'button-main"\s+id="save"'
    assert not re.search(is_main, _new(alices, "check").content.decode())
    assert 'id="save"' in empty
    assert not re.search(is_main, empty)
    assert re.search(is_main, written)
    assert re.search(is_main, _new(alices, "exact_match").content.decode())


def test_phrases_are_written_on_lines_of_their_own(alices, project):
    fields = {"name": "Names", "must": "contain", "mode": "any", "unit": "character", "do": "save"}
    fields |= {"actual_by": "path", "actual_from": "$.actual", "actual_many": "error"}

    alices.post("/p/default/evaluators/new/?kind=check", fields | {"phrases": "Acme, Inc.\n\n [1] \n"})

    saved = Evaluator.objects.get(name="Names")
    assert evaluators.newest(saved).config["phrases"] == ["Acme, Inc.", "[1]"]
    page = alices.get(f"/evaluators/{saved.pk}/")
    assert page.context["form"]["phrases"].value() == "Acme, Inc.\n[1]"
    assert 'name="separator"' not in page.content.decode()


def test_phrases_with_a_separator_of_their_own_keep_it(alices, project):
    config = {"phrases": "a;b", "separator": ";"}
    saved = evaluators.create(project, None, "Names", "check", config, {})

    page = alices.get(f"/evaluators/{saved.pk}/")

    assert page.context["form"]["phrases"].value() == "a\nb"
    assert 'name="separator"' in page.content.decode()


def test_equal_texts_are_said_once_in_words(alices, project):
    factories.scored_run(factories.experiment(project))

    page = text_of(_new(alices, "exact_match"))

    assert "Reference Paris Equal texts: 1, passes at 0.5" in page


def test_a_formula_is_tried_on_a_number_for_each_of_its_names(alices, project):
    for name in ("Exact match", "Half right"):
        evaluators.create(project, None, name, "exact_match", {}, {})
    address = "/p/default/evaluators/new/?kind=formula"
    fields = {
        "name": "Mix",
        "expression": "0.5 * exact_match + half_right",
        "direction": "maximize",
        "do": "try",
    }
    htmx = {"HTTP_HX_REQUEST": "true", "HTTP_HX_TARGET": "tryout"}

    page = alices.post(address, fields)
    part = alices.post(
        address, fields | {"try_names": "exact_match half_right", "score_half_right": "0.2"}, **htmx
    )
    unfinished = alices.post(
        address, fields | {"expression": "0.5 * exact_match +", "try_names": "exact_match half_right"}
    )

    assert [score.title for score in page.context["tryout"].scores] == ["Exact match", "Half right"]
    assert page.context["tryout"].outcome.result.value == 1.5
    assert part.context["tryout"].outcome.result.value == pytest.approx(0.7)
    assert "try-scores" not in part.content.decode()
    assert len(unfinished.context["tryout"].scores) == 2


def test_the_fields_of_a_formula_follow_its_names(alices, project):
    evaluators.create(project, None, "Exact match", "exact_match", {}, {})
    fields = {
        "name": "Mix",
        "expression": "exact_match",
        "direction": "maximize",
        "do": "try",
        "try_names": "",
    }

    part = alices.post(
        "/p/default/evaluators/new/?kind=formula", fields, HTTP_HX_REQUEST="true", HTTP_HX_TARGET="tryout"
    )

    assert re.search(r'id="try-scores" hx-swap-oob="true"', part.content.decode())
    assert 'name="score_exact_match"' in part.content.decode()


def test_saving_is_the_main_act_once_something_changed(alices, project):
    evaluator = factories.evaluator(project, "exact_match")
    address = f"/evaluators/{evaluator.pk}/"
    page = alices.get(address)
    fields = {
        name: page.context["form"][name].value()
        for name in page.context["form"].fields
        if page.context["form"][name].value() not in (None, False, [])
    }
    htmx = {"HTTP_HX_REQUEST": "true", "HTTP_HX_TARGET": "tryout"}

    same = alices.post(address, fields | {"do": "try"}, **htmx).content.decode()
    other = alices.post(address, fields | {"do": "try", "threshold": "0.9"}, **htmx).content.decode()

    assert not re.search(r'button-main"\s+id="save"', page.content.decode())
    assert re.search(r'id="discard"[^>]*hidden', same)
    assert not re.search(r'id="discard"[^>]*hidden', other)
    assert 'id="save"' in same
    assert not re.search(r'button-main"\s+id="save"', same)
    assert re.search(r'button-main"\s+id="save"', other)


def test_a_saved_evaluator_offers_no_other_kinds(alices, project):
    page = alices.get(f"/evaluators/{factories.evaluator(project).pk}/")

    assert "Opinion of a model" not in text_of(page)
    assert 'id="kinds"' not in page.content.decode()


def test_a_saved_evaluator_is_tried_on_a_run_that_it_scored(alices, project, monkeypatch):
    monkeypatch.setattr(tryouts, "MOST_SOURCES", 1)
    run = factories.scored_run(factories.experiment(project, "exact_match"))
    others = experiments.create(
        project, None, "others", run.experiment.dataset, [factories.evaluator(project, "rouge_l")]
    )
    factories.scored_run(others)

    page = alices.get(f"/evaluators/{run.experiment.primary_id}/")

    assert page.context["tryout"].source.run == run
    assert page.context["tryout"].outcome is not None
