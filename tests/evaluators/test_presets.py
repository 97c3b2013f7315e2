"""A preset in a project: when it is offered, reused or created."""

import pytest
from model_bakery import baker

from evaluations.evaluators import evaluators
from evaluations.kinds.presets import BY_KEY
from evaluations.models import Project
from evaluations.web.forms.evaluators import settled

pytestmark = pytest.mark.django_db
PRESET = BY_KEY["axion_exact_string_match"]


@pytest.fixture
def project():
    return baker.make(Project, name="Support", slug="support")


def test_a_preset_is_created_once(project):
    first = evaluators.from_preset(project, None, PRESET)

    assert evaluators.from_preset(project, None, PRESET) == first
    assert first.name == "Exact match"


def test_a_renamed_evaluator_still_stands_for_its_preset(project):
    evaluator = evaluators.from_preset(project, None, PRESET)
    evaluators.change(evaluator, None, name="Same text")

    assert evaluators.from_preset(project, None, PRESET) == evaluator


def test_an_evaluator_named_like_a_preset_with_other_settings_is_not_reused(project):
    existing = evaluators.create(project, None, "exact match", "exact_match", {"case_sensitive": False}, {})

    evaluator = evaluators.from_preset(project, None, PRESET)

    assert evaluator != existing
    assert evaluator.name == "Exact match (2)"


def test_an_evaluator_that_was_changed_no_longer_stands_for_its_preset(project):
    evaluator = evaluators.from_preset(project, None, PRESET)
    evaluators.change(evaluator, None, config={"strip": "none"})

    assert evaluators.like_preset(project, PRESET) is None


def test_of_a_kind_the_evaluator_like_the_preset_comes_before_older_ones(project):
    changed = evaluators.from_preset(project, None, PRESET)
    evaluators.change(changed, None, config={"strip": "none"})

    before = evaluators.of_preset_kind(project, PRESET)
    of_preset = evaluators.from_preset(project, None, PRESET)

    assert (before, evaluators.of_preset_kind(project, PRESET)) == (changed, of_preset)


def test_an_evaluator_that_reads_other_values_is_not_taken_for_a_preset(project):
    elsewhere = {"actual": {"path": "$.output.text"}}
    evaluators.create(project, None, "inside", "exact_match", {}, elsewhere)

    assert evaluators.of_preset_kind(project, PRESET) is None


@pytest.mark.parametrize("name", ["List F1", "JSON fields, total as a number"])
def test_settings_that_were_advised_for_other_data_do_not_stand_for_a_kind(project, name):
    config = {"measure": "f1", "lists": "best"}
    evaluators.create(project, None, name, "json_fields", config, evaluators.OUTPUT_TO_REFERENCE)

    assert settled(project, "kind:json_fields") == "kind:json_fields"


def test_settings_that_somebody_chose_stand_for_their_kind(project):
    own = evaluators.create(
        project, None, "Our fields", "json_fields", {"measure": "f1"}, evaluators.OUTPUT_TO_REFERENCE
    )

    assert settled(project, "kind:json_fields") == f"evaluator:{own.pk}"
