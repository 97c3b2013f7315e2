"""Reading steps and several right answers in the evaluator's form."""

import pytest

from evaluations.evaluators import evaluators
from evaluations.mapping.step import Step
from evaluations.models import Evaluator
from evaluations.web.forms.steps import TYPES

FORM = {"name": "Read", "case_sensitive": "on", "strip": "both", "threshold": "0.5"}
FORM |= {"actual_by": "path", "actual_from": "$.actual", "expected_by": "path", "expected_from": "$.expected"}


@pytest.fixture
def page(project):
    return f"/p/{project.slug}/evaluators/new/?kind=exact_match"


MARKED = {"actual_read_step": ["reasoning", "after"], "actual_read_1_marker": "####"}
READ = ["reasoning", {"step": "after", "marker": "####"}]


def saved_mapping():
    return evaluators.newest(Evaluator.objects.get()).mapping


def test_steps_are_saved_and_shown_again(alices, page):
    alices.post(page, FORM | MARKED | {"do": "save"})

    assert saved_mapping() == {"actual": {"path": "$.actual", "read": READ}}
    body = alices.get(f"/evaluators/{Evaluator.objects.get().pk}/").content.decode()
    assert (
        body.index("Drop the reasoning")
        < body.index("Take what follows a marker")
        < body.index('value="####"')
    )


def test_options_of_a_stored_mapping_are_shown_and_stay(alices, project):
    read = [{"step": "choice", "labels": ["A", "B"]}]
    options = {"A": "$.input.A", "B": "$.input.B"}
    mapping = {"actual": {"path": "$.output", "read": read, "options": options}}
    evaluator = evaluators.create(project, None, "Letters", "label", {}, mapping)
    page = f"/evaluators/{evaluator.pk}/"

    shown = alices.get(page).content.decode()
    typed = {"name": "Letters", "do": "save", "actual_by": "path", "actual_from": "$.output", "headline": "mean",
             "expected_by": "path", "expected_from": "$.expected", "actual_read_step": ["reasoning", "choice"],
             "actual_read_1_labels": "A\nB"}  # fmt: skip
    alices.post(page, typed)

    assert "the text of an option stands for its label" in shown
    assert saved_mapping()["actual"] == mapping["actual"] | {"read": ["reasoning", *read]}


@pytest.mark.parametrize(
    ("button", "left"),
    [
        ("actual_read remove 0", ["after"]),
        ("actual_read up 1", ["after", "reasoning"]),
        ("actual_read down 0", ["after", "reasoning"]),
        ("actual_read add", ["reasoning", "after", "choice"]),
        ("actual_read remove 7", ["reasoning", "after"]),
        ("expected_read remove 0", ["reasoning", "after"]),
    ],
)
def test_a_button_changes_the_list_without_saving(alices, page, button, left):
    response = alices.post(page, FORM | MARKED | {"steps": button, "actual_read_add": "choice"})

    [reading, _] = [side.reading for side in response.context["form"].sides()]
    assert [row.kind.key for row in reading.rows] == left
    assert "Fill this in." not in response.content.decode()
    assert not reading.errors
    assert not Evaluator.objects.exists()


def test_a_step_without_its_setting_is_refused_at_its_side(alices, page):
    response = alices.post(page, FORM | {"actual_read_step": ["reasoning", "choice"], "do": "save"})

    assert response.status_code == 400
    assert "Step 2, labels:" in str(response.context["form"].errors["actual_read"])
    assert not Evaluator.objects.exists()


def test_other_words_for_labels_are_saved_and_shown_again(alices, page):
    typed = {"actual_read_0_labels": "true\nfalse", "actual_read_0_also": "yes = true\n no=false "}
    alices.post(page, FORM | {"actual_read_step": ["choice"], "do": "save"} | typed)

    [step] = saved_mapping()["actual"]["read"]
    assert step == {"step": "choice", "labels": ["true", "false"], "also": {"yes": "true", "no": "false"}}
    assert (
        "yes = true\nno = false" in alices.get(f"/evaluators/{Evaluator.objects.get().pk}/").content.decode()
    )


def test_every_setting_of_every_step_has_a_field():
    settings = {
        model.model_fields["step"].annotation.__args__: set(model.model_fields) - {"step"}
        for model in Step.__subclasses__()
    }

    assert {kind.key: {setting.name for setting in kind.settings} for kind in TYPES} == {
        key: names for keys, names in settings.items() for key in keys
    }


def test_saving_unchanged_makes_no_version(alices, alice, project):
    mapping = {
        "expected": {"path": "$.reference", "many": "any", "read": ["last_line"]},
        "case_sensitive": {"path": "$.metadata.strict"},
    }
    evaluator = evaluators.create(project, alice, "Read", "exact_match", {}, mapping)
    fields = {"expected_from": "$.reference", "expected_many": "any", "expected_read_step": "last_line"}

    alices.post(
        f"/evaluators/{evaluator.pk}/",
        FORM | fields | {"case_sensitive_path": "$.metadata.strict", "do": "save"},
    )

    evaluator.refresh_from_db()
    assert evaluator.version == 1
    assert saved_mapping() == mapping


def test_a_setting_can_come_from_the_examples(alices, page):
    alices.post(page, FORM | {"case_sensitive_path": "$.metadata.strict", "do": "save"})

    assert saved_mapping() == {"case_sensitive": {"path": "$.metadata.strict"}}


def test_a_wrong_path_of_a_setting_is_refused_at_its_field(alices, page):
    response = alices.post(page, FORM | {"case_sensitive_path": "$.[", "do": "save"})

    assert response.context["form"].errors["case_sensitive_path"]


def test_a_tryout_shows_what_each_step_left(alices, page):
    texts = {
        "try_actual": "<think>Rome?</think>Paris",
        "try_expected": "Paris",
        "actual_read_step": "reasoning",
    }

    body = alices.post(page, FORM | texts | {"do": "try"}).content.decode()

    assert "Output read by <b>reasoning</b>" in body
    assert "Equal texts: 1" in body


def test_a_kind_without_a_reference_asks_for_none(alices, page):
    texts = {"must": "not_contain", "mode": "all", "unit": "character", "phrases": "Acme", "try_actual": "us"}

    body = alices.post(page.replace("exact_match", "check"), FORM | texts | {"do": "try"}).content.decode()

    assert "1.00" in body
    assert "xpected</dt>" not in body
    assert 'name="try_expected"' not in body


def test_one_of_several_right_answers_can_be_chosen(alices, page):
    alices.post(page, FORM | {"expected_many": "any", "do": "save"})

    assert saved_mapping() == {"many": "any"}


def test_each_side_says_what_several_matches_mean(alices, page):
    alices.post(page, FORM | {"actual_many": "join", "expected_many": "any", "do": "save"})

    assert saved_mapping() == {
        "actual": {"path": "$.actual", "many": "join"},
        "expected": {"path": "$.expected", "many": "any"},
    }


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


def test_add_without_a_chosen_step_is_answered(alices, page):
    response = alices.post(page, FORM | {"steps": "actual_read add", "actual_read_add": ""})

    [output, reference] = [side.reading for side in response.context["form"].sides()]
    assert (output.rows, list(output.errors)) == ([], ["Choose the step to add."])
    assert not reference.errors
