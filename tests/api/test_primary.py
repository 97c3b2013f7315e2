"""Primary evaluator, margins, ties and the treatment of unanswered examples by the API."""

import pytest

from evaluations.models import AuditEntry
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def experiment(project):
    experiment_of_two = factories.experiment(project, "exact_match", "levenshtein_similarity")
    factories.scored_run(experiment_of_two, ("Paris", "Rome", "Oslo"), "base")
    factories.scored_run(experiment_of_two, ("Paris", None, "Osl"), "terse")
    return experiment_of_two


def evaluators(experiment) -> list[int]:
    links = experiment.evaluator_links.order_by("pk")
    return list(links.values_list("evaluator_version__evaluator", flat=True))


def test_the_primary_evaluator_is_changed(writer, experiment):
    first, second = evaluators(experiment)
    address = f"experiments/{experiment.pk}/"
    before = writer.get(address)

    after = writer.patch(address, {"primary": second, "margins": {str(first): 0.02}})

    assert (before.json()["primary"], before.json()["margins"]) == (first, {})
    assert (after.json()["primary"], after.json()["margins"]) == (second, {str(first): 0.02})
    assert before["ETag"] != after["ETag"]


def test_the_audit_log_names_the_new_primary_evaluator(writer, experiment):
    writer.patch(f"experiments/{experiment.pk}/", {"primary": evaluators(experiment)[1]})

    [entry] = AuditEntry.objects.filter(action="experiment-change")
    assert entry.details["primary"] == "levenshtein similarity"


@pytest.mark.parametrize(
    "change",
    [
        {"primary": 999_999},
        {"primary": "first"},
        {"margins": {"1": -1}},
        {"margins": {"1": 0}},
        {"margins": {"1": "0.1"}},
        {"margins": {"1": True}},
        {"margins": {"x": 0.1}},
        {"margins": {"999999": 0.1}},
        {"margins": [0.1]},
        {"ties": {"1": -1}},
        {"ties": {"1": "0.1"}},
        {"ties": {"x": 0.1}},
        {"ties": {"999999": 0.1}},
    ],
)
def test_invalid_evaluators_and_margins_are_refused(writer, experiment, change):
    answer = writer.patch(f"experiments/{experiment.pk}/", change)

    assert answer.status_code in (400, 404)
    assert answer.json()["error"]["code"]


def test_what_counts_as_a_tie_is_chosen_and_left_to_the_usual_again(writer, experiment):
    similarity, address = evaluators(experiment)[1], f"experiments/{experiment.pk}/"
    asked = ",".join(str(pk) for pk in experiment.runs.order_by("pk").values_list("pk", flat=True))

    def figures() -> tuple[float, int]:
        entries = writer.get(f"comparisons/?runs={asked}&missing=exclude").json()["entries"]
        [of_similarity] = [entry for entry in entries if entry["evaluator"]["id"] == similarity]
        return of_similarity["tie_tolerance"], of_similarity["losses"]

    usual = figures()
    chosen = writer.patch(address, {"ties": {str(similarity): 0.5}})
    wider = figures()
    writer.patch(address, {"ties": {str(similarity): None}})

    assert chosen.json()["ties"] == {str(similarity): 0.5}
    assert (usual, wider, figures()) == ((0.001, 1), (0.5, 0), (0.001, 1))


def test_missing_outputs_are_treated_as_the_query_says(writer, experiment):
    ids = ",".join(str(pk) for pk in experiment.runs.order_by("pk").values_list("pk", flat=True))

    worst = writer.get(f"comparisons/?runs={ids}").json()
    excluded = writer.get(f"comparisons/?runs={ids}&missing=exclude").json()
    refusal = writer.get(f"comparisons/?runs={ids}&missing=zero")

    assert (worst["missing"], excluded["missing"], refusal.status_code) == ("worst", "exclude", 400)
    assert [entry["n"] for entry in worst["entries"]] == [3, 3]
    assert [entry["imputed"] for entry in worst["entries"]] == [1, 1]
    assert [entry["n"] for entry in excluded["entries"]] == [2, 2]
    assert worst["answers"][1]["answered"] == 2


def test_the_money_of_each_run_is_set_and_taken_back(writer, experiment):
    address = f"experiments/{experiment.pk}/"
    before = writer.get(address)
    named = writer.patch(address, {"budget_per_run": "0.5", "max_calls_per_run": 40}).json()
    fewer = writer.patch(address, {"max_calls_per_run": None}).json()
    refused = writer.patch(address, {"budget_per_run": "much"})
    late = writer.patch(address, {"budget_per_run": "1"}, **{"If-Match": before["ETag"]})

    assert (named["budget_per_run"], named["max_calls_per_run"]) == ("0.50", 40)
    assert (fewer["budget_per_run"], fewer["max_calls_per_run"]) == ("0.50", None)
    assert (refused.status_code, list(refused.json()["error"]["fields"])) == (400, ["budget_per_run"])
    assert late.status_code == 412
