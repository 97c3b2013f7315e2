"""Renaming, deleting and restoring, and what the state of an object forbids."""

import pytest

from evaluations import owned
from evaluations.models import Dataset
from tests import factories

from .conftest import CSV_OF_OUTPUTS, EXAMPLES, OUTPUTS, import_all, score_all
from .test_bodies import error


def named_object(noun: str, request) -> dict:
    if noun == "connection":
        body = {"name": "Server", "base_url": "https://8.8.8.8/v1"}
        return request.getfixturevalue("writer").create("connections/", body)
    return request.getfixturevalue("completed" if noun == "run" else noun)


NOUNS = ["dataset", "evaluator", "connection", "experiment", "run"]


@pytest.mark.parametrize("noun", NOUNS)
def test_deleted_objects_are_hidden_and_can_be_restored(writer, noun, request):
    item = f"{noun}s/{named_object(noun, request)['id']}/"
    before = writer.get(item).json()

    deleted = [writer.delete(item).status_code, writer.delete(item).status_code]
    status_after_deletion = writer.get(item).status_code
    listed = writer.get(f"{noun}s/").json()["results"]
    restored = writer.post(f"{item}restore/")
    second_restore = writer.post(f"{item}restore/")

    assert (deleted, status_after_deletion, listed) == ([204, 404], 404, [])
    assert restored.status_code == 200
    assert writer.get(item).json() == before | {"is_default": False} if noun == "connection" else before
    assert (second_restore.status_code, error(second_restore)["code"]) == (409, "not_deleted")


@pytest.mark.parametrize("noun", NOUNS)
def test_what_another_deletes_before_the_answer_is_made_is_not_found(writer, noun, request, monkeypatch):
    item = f"{noun}s/{named_object(noun, request)['id']}/"
    writer.delete(item)
    monkeypatch.setattr(owned, "_bring_back", lambda restored: None)

    response = writer.post(f"{item}restore/")

    assert (response.status_code, error(response)["code"]) == (404, "not_found")


@pytest.mark.parametrize("noun", NOUNS[:4])
def test_a_name_can_be_changed(writer, noun, request):
    item = f"{noun}s/{named_object(noun, request)['id']}/"

    response = writer.patch(item, {"name": "Another name"})

    assert (response.status_code, response.json()["name"]) == (200, "Another name")
    assert writer.get(item).json()["name"] == "Another name"


@pytest.mark.parametrize("noun", ["dataset", "evaluator", "connection", "experiment"])
def test_a_change_to_a_state_that_changed_meanwhile_is_refused(writer, noun, request):
    item = f"{noun}s/{named_object(noun, request)['id']}/"
    etag = writer.get(item).headers["ETag"]

    first = writer.patch(item, {"name": "First"}, **{"If-Match": etag})
    second = writer.patch(item, {"name": "Second"}, **{"If-Match": etag})
    third = writer.patch(item, {"name": "Third"}, **{"If-Match": first.headers["ETag"]})

    assert [first.status_code, second.status_code, third.status_code] == [200, 412, 200]
    assert error(second)["code"] == "changed_meanwhile"
    assert error(second)["hint"]
    assert writer.get(item).json()["name"] == "Third"


@pytest.mark.parametrize(
    ("if_match", "status"),
    [("*", 200), ('"x"', 412), ('W/"x"', 412), ('"x", "y"', 412), ("x", 400), ("", 400), ('"x" "y"', 400)],
)
def test_if_match_is_read_as_the_standard_says(writer, dataset, if_match, status):
    response = writer.patch(f"datasets/{dataset['id']}/", {"name": "Other"}, **{"If-Match": if_match})

    assert response.status_code == status
    if status == 400:
        assert error(response)["code"] == "invalid_if_match"


def test_one_of_several_tags_may_be_the_one(writer, dataset):
    item = f"datasets/{dataset['id']}/"
    tags = f'"old", {writer.get(item).headers["ETag"]}'

    assert writer.patch(item, {"name": "Other"}, **{"If-Match": tags}).status_code == 200


def test_an_example_that_was_edited_meanwhile_is_not_edited_twice(writer, dataset):
    item = f"datasets/{dataset['id']}/examples/2/"

    first = writer.patch(item, {"reference": {"answer": "Roma"}})
    second = writer.patch(item, {"reference": {"answer": "Rom"}})

    assert (first.status_code, second.status_code) == (200, 409)
    assert error(second)["code"] == "changed_meanwhile"


def test_the_runs_of_a_deleted_dataset_are_gone_with_it(writer, dataset, experiment, completed):
    writer.delete(f"datasets/{dataset['id']}/")
    after_deletion = [
        writer.get(path).status_code
        for path in (f"experiments/{experiment['id']}/", f"runs/{completed['id']}/")
    ]
    writer.post(f"datasets/{dataset['id']}/restore/")
    after_restoring = [
        writer.get(path).status_code
        for path in (f"experiments/{experiment['id']}/", f"runs/{completed['id']}/")
    ]

    assert (after_deletion, after_restoring) == ([404, 404], [200, 200])


def test_an_experiment_cannot_come_back_before_its_dataset(writer, dataset, experiment):
    writer.delete(f"datasets/{dataset['id']}/")

    response = writer.post(f"experiments/{experiment['id']}/restore/")

    assert (response.status_code, error(response)["code"]) == (409, "dataset_deleted")


@pytest.mark.parametrize("noun", ["dataset", "evaluator", "experiment", "run"])
def test_objects_that_a_running_job_needs_cannot_be_deleted(
    writer, noun, dataset, evaluator, experiment, queued
):
    pk = {"dataset": dataset, "evaluator": evaluator, "experiment": experiment, "run": queued}[noun]["id"]

    response = writer.delete(f"{noun}s/{pk}/")

    assert (response.status_code, error(response)["code"]) == (409, "in_use")


def test_a_dataset_that_is_importing_makes_no_experiment(writer):
    dataset = writer.upload("datasets/", b"q\n1\n", name="New").json()

    response = writer.post("experiments/", {"name": "x", "dataset": dataset["id"]})

    assert (response.status_code, error(response)["code"]) == (409, "dataset_not_ready")


def test_a_dataset_that_failed_makes_no_experiment(writer):
    dataset = writer.upload("datasets/", b"a,b\n1\n", name="New").json()
    import_all()

    response = writer.post("experiments/", {"name": "x", "dataset": dataset["id"]})

    assert (response.status_code, error(response)["code"]) == (409, "dataset_not_ready")


def test_an_empty_dataset_makes_no_experiment(writer):
    dataset = writer.create("datasets/", {"name": "Empty", "examples": []})

    response = writer.post("experiments/", {"name": "x", "dataset": dataset["id"]})

    assert (response.status_code, error(response)["code"]) == (409, "dataset_not_ready")


def test_scorings_of_a_draft_are_refused(writer, draft, evaluator):
    response = writer.post(f"runs/{draft['id']}/scorings/", {"evaluators": [evaluator["id"]]})

    assert (response.status_code, error(response)["code"]) == (409, "run_not_scorable")


def test_a_cancelled_run_is_resumed_and_a_running_one_is_not(writer, draft):
    writer.post(f"runs/{draft['id']}/start/")
    writer.post(f"runs/{draft['id']}/cancel/")

    resumed, resumed_twice = (writer.post(f"runs/{draft['id']}/resume/") for _ in range(2))

    assert (resumed.status_code, resumed.json()["status"]) == (202, "queued")
    assert (resumed_twice.status_code, error(resumed_twice)["code"]) == (409, "run_not_cancelled")


def test_a_run_is_started_once(writer, draft):
    codes = [writer.post(f"runs/{draft['id']}/start/").status_code for _ in range(2)]

    assert codes == [200, 409]


def test_outputs_wait_while_a_file_of_them_is_read(writer, experiment):
    run = writer.upload(
        "runs/",
        CSV_OF_OUTPUTS,
        experiment=str(experiment["id"]),
        variant="x",
        mapping={"key": "id", "output": "answer"},
    ).json()

    response = writer.post(f"runs/{run['id']}/outputs/", {"outputs": OUTPUTS})

    assert (response.status_code, error(response)["code"]) == (409, "outputs_importing")


@pytest.mark.parametrize(
    "mapping",
    [
        {"output": "nope"},
        {"key": "id"},
        {"output": "answer", "key": "id", "position": "id"},
        {"output": 1},
        {"out": "x"},
    ],
)
def test_a_file_of_outputs_needs_its_column(writer, experiment, mapping):
    response = writer.upload(
        "runs/", CSV_OF_OUTPUTS, experiment=str(experiment["id"]), variant="x", mapping=mapping
    )

    assert response.status_code == 400
    assert writer.get("runs/").json()["results"] == []


def test_a_file_that_matches_no_example_fails_the_run_and_says_so(writer, experiment):
    run = writer.upload(
        "runs/",
        b"id,answer\nz,1\n",
        experiment=str(experiment["id"]),
        variant="x",
        mapping={"key": "id", "output": "answer"},
    ).json()
    import_all()

    failed = writer.get(f"runs/{run['id']}/").json()

    assert (failed["status"], failed["error"]["code"]) == ("failed", "nothing_matched")


def test_only_errors_are_scored_again(writer, dataset, experiment):
    outputs = [{"key": "a", "output": "x" * 100_001}, {"key": "b", "output": "Rome"}]
    run = writer.create("runs/", {"experiment": experiment["id"], "variant": "x", "outputs": outputs})
    score_all()
    [scoring] = writer.get(f"runs/{run['id']}/").json()["scorings"]

    response = writer.post(
        f"runs/{run['id']}/scorings/", {"evaluators": [scoring["evaluator"]["id"]], "only": "errors"}
    )
    score_all()

    assert (response.status_code, response.json()["status"]) == (202, "queued")
    rescored_run = writer.get(f"runs/{run['id']}/").json()
    assert rescored_run["status"] == "completed"
    assert rescored_run["scorings"][0]["counts"] == scoring["counts"]
    assert scoring["counts"]["error"] == 1


def test_a_run_nobody_could_score_has_no_figures(writer, experiment):
    run = writer.create("runs/", {"experiment": experiment["id"], "variant": "x", "outputs": []})
    score_all()

    [scoring] = writer.get(f"runs/{run['id']}/").json()["scorings"]

    assert (scoring["n"], scoring["counts"]["missing_actual"]) == (0, 3)
    assert [scoring[name] for name in ("mean", "pass_rate", "min", "max", "median", "p10", "p90", "sd")] == [
        None
    ] * 8
    text = writer.get(f"runs/{run['id']}/").content
    assert b"NaN" not in text


def test_a_run_of_a_reuploaded_dataset_says_how_its_examples_were_matched(writer, completed):
    again = [*EXAMPLES[:2], {"inputs": EXAMPLES[2]["inputs"], "reference": EXAMPLES[2]["reference"]}]
    reordered = writer.create("datasets/", {"name": "Other", "examples": again[::-1]})
    experiment = writer.create("experiments/", {"name": "Other", "dataset": reordered["id"]})
    run = writer.create("runs/", {"experiment": experiment["id"], "variant": "x"})

    comparison = writer.get(f"comparisons/?runs={completed['id']},{run['id']}").json()

    assert comparison["alignment"] == [
        {
            "dataset": reordered["id"],
            "version": 1,
            "examples": 3,
            "by_key": 2,
            "changed": 0,
            "by_contents": 1,
            "left_out": 0,
            "ambiguous": [],
        }
    ]
    assert "other_datasets" in [warning["code"] for warning in comparison["warnings"]]


@pytest.mark.parametrize("repeats", ["", "&repeats=mean"])
@pytest.mark.parametrize(
    "view", ["examples/", "scatter/", "slices/", "agreement/", "corpus/", "report/?format=json", "export/"]
)
def test_every_view_of_a_comparison_takes_runs_of_two_datasets(writer, completed, view, repeats):
    shorter = writer.create("datasets/", {"name": "Other", "examples": EXAMPLES[1:]})
    scored = writer.get(f"runs/{completed['id']}/").json()["scorings"]
    chosen = {"evaluators": [evaluator["evaluator"]["id"] for evaluator in scored]}
    experiment = writer.create("experiments/", {"name": "Other", "dataset": shorter["id"], **chosen})
    outputs = [{"position": 1, "output": "Rome"}]
    run = writer.create("runs/", {"experiment": experiment["id"], "variant": "x", "outputs": outputs})
    score_all()

    address, _, query = view.partition("?")
    response = writer.get(f"comparisons/{address}?runs={completed['id']},{run['id']}&{query}{repeats}")

    assert response.status_code == 200, response.content


def test_a_run_compares_with_itself(writer, completed):
    response = writer.get(f"comparisons/?runs={completed['id']}&baseline={completed['id']}")

    assert (response.status_code, response.json()["entries"]) == (200, [])


@pytest.mark.parametrize("query", ["", "runs=", "runs=a", "runs=1;2", "runs=-1", "runs=1&baseline=x"])
def test_a_comparison_needs_ids(writer, query):
    assert writer.get(f"comparisons/?{query}").status_code == 400


def test_a_comparison_has_a_limit(writer):
    response = writer.get("comparisons/?runs=" + ",".join(map(str, range(1, 101))))

    assert (response.status_code, error(response)["code"]) == (400, "too_many_runs")


def test_a_baseline_must_be_an_existing_variant(writer, experiment, completed):
    item = f"experiments/{experiment['id']}/"

    refused_answer = writer.patch(item, {"baseline": "nothing", "name": "Not this either"})
    accepted = writer.patch(item, {"baseline": "short"})

    assert (refused_answer.status_code, error(refused_answer)["code"]) == (409, "unknown_variant")
    assert (accepted.json()["baseline"], accepted.json()["name"]) == ("short", "Which prompt?")


def test_added_evaluators_score_existing_runs(writer, experiment, completed):
    evaluator = writer.create("evaluators/", {"name": "Same", "kind": "exact_match"})

    response = writer.post(f"experiments/{experiment['id']}/evaluators/", {"evaluators": [evaluator["id"]]})
    score_all()

    assert response.status_code == 202
    [run] = writer.get(f"experiments/{experiment['id']}/").json()["runs"]
    assert [scoring["evaluator"]["name"] for scoring in run["scorings"]] == ["Edits", "Same"]


@pytest.mark.long
@pytest.mark.parametrize("count", [40_000])
def test_many_examples_and_outputs_fit_into_one_body(writer, evaluator, count):
    examples = [{"key": f"k{n}", "inputs": "", "reference": "x"} for n in range(count)]
    dataset = writer.create("datasets/", {"name": "Many", "examples": examples})
    experiment = writer.create("experiments/", {"name": "Many", "dataset": dataset["id"]})
    outputs = [{"key": f"k{n}", "output": "x"} for n in range(count)]
    run = writer.create("runs/", {"experiment": experiment["id"], "variant": "x", "outputs": outputs})

    assert (dataset["example_count"], run["output_count"]) == (count, count)
    assert Dataset.objects.get().last_position == count


def test_a_changed_address_does_not_get_the_old_key(writer):
    body = {"name": "Server", "base_url": "https://8.8.8.8/v1", "api_key": "sk-0123456789abcdef"}
    item = f"connections/{writer.create('connections/', body)['id']}/"

    response = writer.patch(item, {"base_url": "https://8.8.4.4/v1"})

    assert (response.status_code, error(response)["code"]) == (400, "key_required")
    assert writer.get(item).json()["base_url"] == "https://8.8.8.8/v1"


@pytest.mark.parametrize(
    "base_url",
    [
        "file:///etc/passwd",
        "gopher://x",
        "http://169.254.169.254/",
        "http://127.0.0.1:6379/",
        "http://u:p@8.8.8.8/",
        "nothing",
    ],
)
def test_an_address_that_is_not_allowed_is_refused(writer, base_url):
    response = writer.post("connections/", {"name": "Server", "base_url": base_url})

    assert response.status_code == 400
    assert "base_url" in error(response)["fields"]
    assert writer.get("connections/").json()["results"] == []


@pytest.mark.parametrize("key", ["sk-x\r\nX-Evil: 1", "schlüssel", "x" * 100_000])
def test_a_key_that_fits_no_header_is_refused(writer, key):
    response = writer.post("connections/", {"name": "S", "base_url": "https://8.8.8.8/v1", "api_key": key})

    assert response.status_code == 400
    assert "api_key" in error(response)["fields"]


def test_a_dataset_is_given_its_declared_comparisons(writer, project):
    dataset = f"datasets/{factories.dataset(project).pk}/"

    assert writer.patch(dataset, {"most_comparisons": 0}).status_code == 400
    assert writer.patch(dataset, {"most_comparisons": 40}).json()["most_comparisons"] == 40
    assert (
        writer.patch(dataset, {"most_comparisons": None, "name": "free"}).json()["most_comparisons"] is None
    )
