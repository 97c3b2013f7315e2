"""Lists of named things are sorted by the heads of their columns, and the address keeps the order."""

from datetime import UTC, datetime

import pytest

from evaluations.access import projects
from evaluations.models import Dataset, EvaluatorVersion, Gate, PromptVersion
from tests import factories
from tests.pages import markup

pytestmark = pytest.mark.django_db


def day(number: int) -> datetime:
    return datetime(2026, 5, number, tzinfo=UTC)


@pytest.fixture
def things(project) -> None:
    """Of each noun "beta", "Gamma" and "alpha", made in this order; by sizes and days gamma is first, then alpha."""
    for name, size in (("beta", 1), ("Gamma", 3), ("alpha", 2)):
        dataset = factories.dataset(project, ["x"] * size, name=name)
        Dataset.objects.filter(pk=dataset.pk).update(created_at=day(size))
        evaluator = factories.evaluator(project, name=name)
        EvaluatorVersion.objects.filter(evaluator=evaluator).update(created_at=day(size))
        prompt = factories.prompt(project, name=name)
        PromptVersion.objects.filter(prompt=prompt).update(created_at=day(size))


def names(page) -> list[str]:
    return [thing.name for thing in page.context["page"].rows]


def order(html: str) -> list[str]:
    rows = html[html.index("<tbody>") :]
    return sorted(("alpha", "beta", "Gamma"), key=rows.index)


NOUNS = [
    ("datasets", "examples"),
    ("datasets", "created"),
    ("evaluators", "changed"),
    ("prompts", "changed"),
]


@pytest.mark.parametrize(("noun", "column"), NOUNS)
def test_a_list_is_in_the_order_of_its_address(alices, things, noun, column):
    address = f"/p/default/{noun}/"

    assert order(markup(alices.get(address))) == ["alpha", "Gamma", "beta"]
    assert order(markup(alices.get(address, {"sort": "name"}))) == ["alpha", "beta", "Gamma"]
    assert order(markup(alices.get(address, {"sort": "-name"}))) == ["Gamma", "beta", "alpha"]
    assert order(markup(alices.get(address, {"sort": column}))) == ["beta", "alpha", "Gamma"]
    assert order(markup(alices.get(address, {"sort": f"-{column}"}))) == ["Gamma", "alpha", "beta"]


@pytest.mark.parametrize("column", ["name", "members", "experiments", "newest experiment"])
def test_projects_are_sorted_by_each_head_with_a_link(alices, alice, project, column):
    projects.create("alpha", alice)
    address = alices.get("/p/").context["heads"][column].address

    page = alices.get(address)
    first, turned = names(page), names(alices.get(page.context["heads"][column].address))

    assert {*first} == {*turned} == {"alpha", project.name}
    if column == "name":
        assert first == turned[::-1] == ["alpha", project.name]


def test_gates_are_sorted_by_name(alices, project):
    dataset = factories.dataset(project)
    for name in ("beta", "Gamma", "alpha"):
        lock = {"dataset": {"version": 1}, "evaluators": []}
        Gate.objects.create(project=project, dataset=dataset, name=name, lock=lock, criteria=[])

    assert order(markup(alices.get("/p/default/gates/", {"sort": "name"}))) == ["alpha", "beta", "Gamma"]
    assert order(markup(alices.get("/p/default/gates/", {"sort": "-checked"}))) == ["alpha", "Gamma", "beta"]


@pytest.mark.parametrize("noun", ["datasets", "evaluators", "prompts"])
def test_a_second_click_on_a_head_turns_the_order_round(alices, things, noun):
    first = alices.get(f"/p/default/{noun}/")
    once = alices.get(first.context["heads"]["name"].address)
    again = alices.get(once.context["heads"]["name"].address)

    assert [markup(page).count('aria-sort="ascending"') for page in (first, once, again)] == [0, 1, 0]
    assert order(markup(again)) == order(markup(once))[::-1]
    assert "by name, descending" in again.content.decode()
