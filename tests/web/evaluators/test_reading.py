"""Reading steps and several right answers in the evaluator's form."""

import pytest

from evaluations.evaluators import evaluators
from evaluations.models import Evaluator

FORM = {"name": "Read", "case_sensitive": "on", "strip": "both", "threshold": "0.5", "many": "error"}
FORM |= {"actual_by": "path", "actual_from": "$.actual", "expected_by": "path", "expected_from": "$.expected"}


@pytest.fixture
def page(project):
    return f"/p/{project.slug}/evaluators/new/?kind=exact_match"


def test_steps_are_saved_and_shown_again(alices, page):
    alices.post(page, FORM | {"actual_read": '["reasoning"]', "do": "save"})

    saved = Evaluator.objects.get()
    assert evaluators.newest(saved).mapping == {"actual": {"path": "$.actual", "read": ["reasoning"]}}
    assert "[&quot;reasoning&quot;]" in alices.get(f"/evaluators/{saved.pk}/").content.decode()


def test_a_wrong_step_is_refused_at_its_field(alices, page):
    response = alices.post(page, FORM | {"actual_read": '["shorten"]', "do": "save"})

    assert "is no step" in str(response.context["form"].errors["actual_read"])
    assert not Evaluator.objects.exists()


def test_a_tryout_shows_what_each_step_left(alices, page):
    texts = {
        "try_actual": "<think>Rome?</think>Paris",
        "try_expected": "Paris",
        "actual_read": '["reasoning"]',
    }

    body = alices.post(page, FORM | texts | {"do": "try"}).content.decode()

    assert "Output read by <b>reasoning</b>" in body
    assert "Equal: 1.0" in body


def test_one_of_several_right_answers_can_be_chosen(alices, page):
    alices.post(page, FORM | {"many": "any", "do": "save"})

    assert evaluators.newest(Evaluator.objects.get()).mapping == {"many": "any"}


def test_an_older_formula_is_kept_until_the_newer_is_chosen(alices, alice, project):
    evaluator = evaluators.create(project, alice, "Number", "numeric_match", {}, {})
    evaluator.versions.update(
        kind_version=1, config={"extract": "whole", "tolerance": 0.0, "relative": False}
    )
    evaluators.change(evaluator, alice, name="Numbers")

    assert evaluators.newest(evaluator).kind_version == 1
    alices.post(f"/evaluators/{evaluator.pk}/", {"do": "newest_formula"})

    evaluator.refresh_from_db()
    assert (evaluator.version, evaluators.newest(evaluator).kind_version) == (2, 2)
