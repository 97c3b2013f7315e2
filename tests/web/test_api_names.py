"""Pages understand the API's names of parameters: an address with them leads to the same rows."""

import pytest

from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(project):
    experiment = factories.experiment(project, "exact_match", "levenshtein_distance")
    factories.scored_run(experiment, ("Paris", "Rome", "Oslo"), "right")
    return factories.scored_run(experiment)


@pytest.fixture
def ids(run) -> dict[str, int]:
    exact, distance = (version.evaluator_id for version in run.experiment.evaluator_versions.order_by("pk"))
    return {"exact": exact, "distance": distance}


@pytest.fixture
def get(client, alice):
    client.force_login(alice)
    return client.get


@pytest.mark.parametrize(
    ("query", "page_query"),
    [
        ("search=Lyon", "q=Lyon"),
        ("status=scored", "status[{exact}]=scored"),
        ("passed=false", "passed[{exact}]=false"),
        ("evaluator=levenshtein distance&max=2", "evaluator={distance}&max[{distance}]=2.0"),
        ("evaluator=levenshtein distance&min=2", "evaluator={distance}&min[{distance}]=2.0"),
        ("sort=levenshtein distance", "evaluator={distance}&order=best"),
        ("sort=-levenshtein distance", "evaluator={distance}&order=worst"),
        ("sort=-exact match", "evaluator={exact}&order=best"),
        ("sort=position", "order=file"),
    ],
)
def test_the_page_of_a_run_has_other_names_for_them(get, run, ids, query, page_query):
    answer = get(f"/runs/{run.pk}/?{query}", follow=True)

    address, _ = answer.redirect_chain[-1]
    assert address.replace("%5B", "[").replace("%5D", "]") == f"/runs/{run.pk}/?{page_query.format(**ids)}"


def test_a_search_by_the_name_of_the_api_finds_the_same_rows(get, run):
    answer = get(f"/runs/{run.pk}/?search=Lyon", follow=True)

    assert answer.context["total"] == 1


@pytest.mark.parametrize(
    ("query", "page_query"),
    [
        ("outcome=worse", "show=worse"),
        ("search=Lyon&different=true", "q=Lyon&only=1"),
        ("different=false", ""),
        ("least_difference=0.5", "least=0.5"),
        ("order=improvements", "order=gain"),
        ("evaluator=levenshtein distance", "evaluator={distance}"),
    ],
)
def test_the_page_of_an_experiment_has_other_names_for_them(get, run, ids, query, page_query):
    page = f"/experiments/{run.experiment_id}/"

    answer = get(f"{page}?{query}")

    expected_query = page_query.format(**ids)
    assert answer.url == (f"{page}?{expected_query}" if expected_query else page)


def test_the_page_of_a_dataset_has_another_name_for_a_search(get, run):
    page = f"/datasets/{run.experiment.dataset_id}/"

    assert get(f"{page}?search=Paris&version=1").url == f"{page}?q=Paris&version=1"


@pytest.mark.parametrize("query", ["q=Lyon", "order=best", "evaluator=nobody", "sort=nobody&order=file"])
def test_an_address_in_the_own_names_of_the_page_is_answered(get, run, query):
    assert get(f"/runs/{run.pk}/?{query}", follow=True).status_code == 200


def test_a_file_of_a_page_keeps_to_filters_by_names_of_the_api(get, run, ids):
    """Without this, the file would have every row, and nothing in it would say so."""
    of_run = get(f"/runs/{run.pk}/export/?passed=false&format=csv")
    of_experiment = get(f"/experiments/{run.experiment_id}/export/?outcome=worse&evaluator=exact match")

    assert of_run.headers["Location"].replace("%5B", "[").replace("%5D", "]") == (
        f"/runs/{run.pk}/export/?passed[{ids['exact']}]=false&format=csv"
    )
    assert of_experiment.headers["Location"].endswith(f"/export/?show=worse&evaluator={ids['exact']}")


@pytest.mark.parametrize("query", ["show=worse&evaluator=999999", "show=wrose"])
def test_a_file_of_an_experiment_is_refused_for_what_its_page_would_ignore(get, run, query):
    assert get(f"/experiments/{run.experiment_id}/export/?{query}").status_code == 400


def test_a_file_of_a_run_is_refused_for_a_filter_that_cannot_hold(get, run):
    assert get(f"/runs/{run.pk}/export/?passed[999999]=false").status_code == 400
