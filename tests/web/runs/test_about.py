"""Facts about variants on pages."""

import pytest

from evaluations.experiments import about
from evaluations.models import Prompt, Run
from evaluations.prompts import prompts
from tests import factories
from tests.pages import markup


@pytest.fixture
def prompt(project) -> Prompt:
    return factories.prompt(project)


def variants(project, *statements) -> list[Run]:
    experiment = factories.experiment(project)
    runs_of_variants = [
        factories.scored_run(experiment, variant=f"v{n}") for n, _ in enumerate(statements, 1)
    ]
    for run, statement in zip(runs_of_variants, statements, strict=True):
        Run.objects.filter(pk=run.pk).update(about=statement)
    return runs_of_variants


def test_the_page_of_a_run_shows_the_facts_about_its_variant(alices, project, prompt):
    [run] = variants(project, {"model": "<b>m</b>", "link": "https://example.com/1", "notes": "javascript:x"})

    html = markup(alices.get(f"/runs/{run.pk}/"))

    assert "&lt;b&gt;m&lt;/b&gt;" in html
    assert 'href="https://example.com/1"' in html
    assert 'href="javascript' not in html


def test_the_form_saves_the_facts_about_a_variant(alices, project, prompt):
    [run] = variants(project, {})
    form = {"prompt": f"{prompt.pk}:1", "model": "m", "parameters": '{"seed": 7}'}

    response = alices.post(f"/runs/{run.pk}/about/", form | {"notes": "a\r\nb", "others": '{"own": [1]}'})

    run.refresh_from_db()
    assert response["Location"] == f"/runs/{run.pk}/"
    assert run.about == {
        "prompt": prompt.pk,
        "prompt_version": 1,
        "model": "m",
        "parameters": {"seed": 7},
        "notes": "a\nb",
        "own": [1],
    }
    assert f'href="/prompts/{prompt.pk}/?version=1"' in markup(alices.get(f"/runs/{run.pk}/"))


@pytest.mark.parametrize(
    "statement",
    [
        {"model": 7, "parameters": "none", "own": {"a": None}},
        {"model": "m", "parameters": {"b": 1, "a": 2.0}, "notes": "x", "prompt": "Solve it."},
    ],
)
def test_an_unchanged_form_changes_nothing(alices, project, statement):
    [run] = variants(project, statement)
    initial = alices.get(f"/runs/{run.pk}/about/").context["form"].initial

    alices.post(f"/runs/{run.pk}/about/", initial)

    run.refresh_from_db()
    assert run.about == statement


@pytest.mark.parametrize(
    ("form", "field"),
    [
        ({"parameters": "[1]"}, "parameters"),
        ({"others": "x"}, "others"),
    ],
)
def test_a_field_that_cannot_be_used_is_named(alices, project, form, field):
    [run] = variants(project, {})

    response = alices.post(f"/runs/{run.pk}/about/", form)

    assert (response.status_code, list(response.context["form"].errors)) == (400, [field])


def test_a_version_that_the_prompt_does_not_have_is_named(alices, project, prompt):
    [run] = variants(project, {})

    response = alices.post(f"/runs/{run.pk}/about/", {"prompt": f"{prompt.pk}:2"})

    assert (response.status_code, list(response.context["form"].errors)) == (404, ["prompt"])


def test_the_versions_of_each_prompt_are_offered_below_its_name(alices, project, prompt):
    [run] = variants(project, {})
    about.describe(run, {"prompt": prompt.pk, "prompt_version": 1})

    field = alices.get(f"/runs/{run.pk}/about/").context["form"]["prompt"]

    named = [(f"{prompt.pk}:1", f"{prompt.name} v1")]
    assert field.field.choices == [("", "none"), (prompt.name, named)]
    assert field.value() == f"{prompt.pk}:1"


@pytest.mark.parametrize("models", [("a", "b"), ("a", "b", "b")])
def test_an_experiment_shows_the_facts_that_differ_between_variants(alices, project, models):
    first, *_ = variants(project, *({"model": model, "commit": "c"} for model in models))

    context = alices.get(f"/experiments/{first.experiment_id}/").context

    assert [(row.name, row.texts) for row in context["differing"].facts] == [("model", list(models))]
    if len(models) > 2:
        assert sorted(row.about for row in context["ranking"].rows) == sorted(models)


def test_an_experiment_leads_to_each_of_several_prompts(alices, project, prompt):
    second = prompts.duplicate(prompts.version_of(prompt), None)
    first, _ = variants(project, {}, {})
    for run, asked in zip(first.experiment.runs.order_by("pk"), (prompt, second), strict=True):
        about.describe(run, {"prompt": asked.pk, "prompt_version": 1})

    page = markup(alices.get(f"/experiments/{first.experiment_id}/"))

    for asked in (prompt, second):
        assert f'<a href="/prompts/{asked.pk}/?version=1">{asked.name} v1</a>' in page


def test_an_experiment_leads_to_the_changes_between_two_versions_of_a_prompt(alices, project, prompt):
    prompts.add_version(prompt, None, {"model": "m"})
    first, _ = variants(project, {}, {})
    for run, version in zip(first.experiment.runs.order_by("pk"), (1, 2), strict=True):
        about.describe(run, {"prompt": prompt.pk, "prompt_version": version})

    [changed] = alices.get(f"/experiments/{first.experiment_id}/").context["differing"].prompts

    assert changed.address == f"/prompts/{prompt.pk}/?version=2&against=1"
    prompts.add_version(prompt, None, {"messages": [{"role": "user", "content": "Solve it at once"}]})
    about.describe(run, {"prompt": prompt.pk, "prompt_version": 3, "model": "m"})
    shown = markup(alices.get(f"/experiments/{first.experiment_id}/"))
    assert "it at once" in shown.partition("about-differing")[2].partition("</details>")[0]
    about.describe(run, {"prompt": prompt.pk, "prompt_version": 1, "model": "m"})
    assert alices.get(f"/experiments/{first.experiment_id}/").context["differing"].prompts == []


def test_variants_without_facts_show_no_difference(alices, project):
    first, _ = variants(project, {}, {})

    assert not alices.get(f"/experiments/{first.experiment_id}/").context["differing"]


def test_a_variant_is_uploaded_with_its_facts(alices, project, prompt):
    experiment = factories.experiment(project)
    form = {"variant": "v9", "text": "output\na\nb\nc\n", "model": "m", "prompt": f"{prompt.pk}:1"}
    matching = alices.post(f"/experiments/{experiment.pk}/variants/new/", form)["Location"]

    alices.post(matching, {"output": "output", "match": "order", "start": "1"})

    run = Run.objects.get()
    assert run.about == {"prompt": prompt.pk, "prompt_version": 1, "model": "m"}
    assert run.prompt_version.prompt == prompt
