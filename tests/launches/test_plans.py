"""Launches that cannot be sent are refused before anything is stored, with the place of the fault."""

import pytest

from evaluations.errors import Invalid
from evaluations.launches.plans import Plan, Variant, check
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def version(project):
    return factories.prompt(project).versions.get()


def refused_at(project, variants, plan) -> list[str]:
    with pytest.raises(Invalid) as refusal:
        check(project, factories.questions(project), variants, plan)
    return list(refusal.value.fields)


def test_a_launch_without_variants_is_refused(project):
    assert refused_at(project, [], Plan()) == ["variants"]


def test_more_than_fifty_runs_are_refused(project, version):
    variants = [Variant(version, name=f"v{number}") for number in range(17)]
    assert refused_at(project, variants, Plan(repetitions=3)) == ["variants"]


@pytest.mark.parametrize("second_name", ["short", " short "])
def test_two_variants_of_one_name_are_refused(project, version, second_name):
    assert refused_at(project, [Variant(version, "short"), Variant(version, second_name)], Plan()) == [
        "variants"
    ]


def test_a_prompt_without_a_connection_is_refused_by_its_number(project, version):
    assert refused_at(project, [Variant(version, model="small")], Plan()) == ["variants/0"]


def test_a_prompt_without_a_model_is_refused_by_its_number(project, version, settings):
    project.default_connection = factories.connection(project, settings)
    assert refused_at(project, [Variant(version)], Plan()) == ["variants/0"]


def test_versions_of_a_prompt_with_a_long_name_are_told_apart(project):
    prompt = factories.prompt(project)
    prompt.name = "p" * 200
    version = prompt.versions.get()
    version.prompt = prompt
    labels = [Variant(version, model=model).label for model in ("", "small", "large")]
    assert [label[-8:] for label in labels] == ["ppppp v1", "v1 small", "v1 large"]
    assert {len(label) for label in labels} == {200}
