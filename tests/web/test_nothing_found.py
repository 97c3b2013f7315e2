"""A list in which nothing matches says so in the same words on every page, with the way back to the whole list."""

import pytest

from evaluations.models import Comment
from tests import factories
from tests.pages import markup

NOWHERE = "zzzz-nowhere"


@pytest.fixture
def pages(project, alice) -> dict[str, str]:
    """Addresses of lists in which nothing has these letters, with what they are lists of."""
    run = factories.scored_run(factories.experiment(project))
    factories.prompt(project)
    Comment.objects.create(
        project=project, dataset=run.experiment.dataset, example=1, text="Is it?", created_by=alice
    )
    return {
        "/p/": "projects",
        "/p/default/experiments/": "experiments",
        "/p/default/datasets/": "datasets",
        "/p/default/evaluators/": "evaluators",
        "/p/default/prompts/": "prompts",
        "/p/default/comments/": "comments",
        f"/datasets/{run.experiment.dataset_id}/": "examples",
        f"/experiments/{run.experiment_id}/": "examples",
        f"/runs/{run.pk}/": "examples",
    }


@pytest.mark.django_db(transaction=True)
def test_every_list_says_alike_that_nothing_matches(alices, pages):
    said = {}
    for address, nouns in pages.items():
        page = markup(alices.get(f"{address}?q={NOWHERE}"))
        said[address] = (
            page.count(f'<p class="nothing-found">No {nouns} match.<a') and ">Show all</a>" in page
        )

    assert [address for address, is_said in said.items() if not is_said] == []


@pytest.mark.django_db
def test_the_audit_log_says_so_too(alices, project):
    page = markup(alices.get("/p/default/audit/?until=1+Jan+2020&since=1+Jan+2019"))

    assert '<p class="nothing-found">No entries match.<a href="/p/default/audit/">Show all</a>' in page
