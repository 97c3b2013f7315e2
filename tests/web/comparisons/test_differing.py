"""In what the variants of an experiment differ, and what is equal."""

from evaluations.experiments import about
from evaluations.prompts import prompts
from tests import factories
from tests.pages import text_of


def experiment_of(project, *variants):
    experiment = factories.experiment(project, "exact_match")
    for name, described in variants:
        about.describe(factories.scored_run(experiment, variant=name), described)
    return f"/experiments/{experiment.pk}/"


def test_what_is_equal_is_shown_on_request(alices, project):
    page = experiment_of(project, ("a", {"model": "m", "seed": 1}), ("b", {"model": "m", "seed": 2}))

    brief, whole = (alices.get(page + query) for query in ("", "?equal=1"))

    assert [row.name for row in brief.context["differing"].rows] == ["seed"]
    assert "Show what is equal, too" in text_of(brief)
    assert [row.name for row in whole.context["differing"].rows] == ["model", "seed"]
    assert "Show only what differs" in text_of(whole)


def test_every_prompt_is_compared_with_that_of_the_baseline(alices, project):
    prompt, other = (
        factories.prompt(project, "Answer briefly"),
        factories.prompt(project, "Answer", name="other"),
    )
    prompts.add_version(prompt, None, {"messages": [{"role": "user", "content": "Answer kindly"}]})
    page = experiment_of(
        project,
        ("first", {"prompt": prompt.pk, "prompt_version": 1}),
        ("second", {"prompt": prompt.pk, "prompt_version": 2}),
        ("third", {"prompt": other.pk}),
    )

    response = alices.get(page)

    changed = response.context["differing"].prompts
    assert [(one.name, bool(one.address)) for one in changed] == [("second", True), ("third", False)]
    assert "Prompt of third, against the baseline's" in text_of(response)
