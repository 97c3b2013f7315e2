"""The calls and fields that programs rely on are all there, spelt as in the contract."""

import csv
import io

import pytest

from .conftest import EXAMPLES, OUTPUTS, import_all, score_all

SCORING = {
    "evaluator",
    "mean",
    "n",
    "pass_rate",
    "counts",
    "truncated",
    "min",
    "max",
    "median",
    "p10",
    "p90",
    "sd",
    "histogram",
}
CSV = b"question,ground_truth,topic,short,long\nCapital of France?,Paris,geo,Paris,It is Paris\n2+2?,4,maths,5,4\n"


def test_a_dataset_of_examples_is_ready_at_once(writer):
    response = writer.post("datasets/", {"name": "Capitals", "examples": EXAMPLES})

    assert response.status_code == 201
    dataset = response.json()
    assert dataset["name"] == "Capitals"
    assert (dataset["status"], dataset["version"], dataset["example_count"]) == ("ready", 1, 3)
    assert dataset["columns"] == {"inputs": ["question"], "reference": ["answer"], "metadata": []}
    assert (dataset["errors"], dataset["error_count"], dataset["warnings"], dataset["experiment"]) == (
        [],
        0,
        [],
        None,
    )


def test_an_uploaded_dataset_is_importing_and_then_ready(writer):
    response = writer.upload("datasets/", CSV, name="Questions")
    dataset = response.json()
    listed_before = writer.get("datasets/").json()["results"]
    import_all()

    assert response.status_code == 202
    assert dataset["status"] == "importing"
    assert listed_before == []
    ready = writer.get(f"datasets/{dataset['id']}/").json()
    assert (ready["status"], ready["version"], ready["example_count"]) == ("ready", 1, 2)
    assert ready["columns"]["inputs"] == ["question"]
    assert ready["columns"]["reference"] == ["ground_truth"]
    assert [row["id"] for row in writer.get("datasets/").json()["results"]] == [dataset["id"]]


def test_columns_that_a_mapping_leaves_out_are_listed_in_warnings(writer):
    dataset = writer.upload("datasets/", CSV, name="Questions", mapping={"inputs": ["question"]}).json()
    import_all()

    [warning] = writer.get(f"datasets/{dataset['id']}/").json()["warnings"]

    assert warning["code"] == "columns_left_out"
    assert "topic" in warning["message"]


def test_mapped_outputs_make_an_experiment_with_a_run_per_variant(writer):
    mapping = {
        "inputs": ["question"],
        "reference": ["ground_truth"],
        "outputs": {"short one": "short", "long one": "$.long"},
    }
    dataset = writer.upload("datasets/", CSV, name="Questions", mapping=mapping).json()
    listed_before = writer.get("experiments/").json()["results"]
    import_all()

    experiment = writer.get(f"experiments/{dataset['experiment']}/").json()

    assert listed_before == []
    assert [(run["variant"], run["status"], run["scorings"]) for run in experiment["runs"]] == [
        ("short one", "completed", []),
        ("long one", "completed", []),
    ]
    results = writer.get(f"runs/{experiment['runs'][1]['id']}/results/").json()["results"]
    assert [row["output"] for row in results] == ["It is Paris", "4"]


def test_a_failed_import_keeps_its_errors(writer):
    dataset = writer.upload("datasets/", b"question,answer\nonly one cell\n", name="Broken").json()
    import_all()

    failed = writer.get(f"datasets/{dataset['id']}/").json()

    assert failed["status"] == "failed"
    assert failed["error_count"] == 1
    assert set(failed["errors"][0]) >= {"code", "message", "where"}
    assert writer.get("datasets/").json()["results"] == []


def test_a_file_that_is_no_table_is_refused_at_once(writer):
    response = writer.upload("datasets/", b"%PDF-1.7 ...", "paper.csv", name="Paper")

    assert response.status_code == 400
    assert writer.get("datasets/").json()["results"] == []


def test_examples_are_listed_by_position(writer, dataset):
    page = writer.get(f"datasets/{dataset['id']}/examples/").json()

    assert set(page) == {"next", "previous", "results", "searched"}
    assert page["results"][0] == {
        "position": 1,
        "key": "a",
        "inputs": {"question": "Capital of France?"},
        "reference": {"answer": "Paris"},
        "metadata": {},
    }


def test_an_edit_makes_a_version_and_a_new_position(writer, dataset):
    address = f"datasets/{dataset['id']}/examples/"

    new_example = writer.patch(f"{address}2/", {"reference": {"answer": "Roma"}}).json()

    assert (new_example["position"], new_example["key"], new_example["reference"]) == (
        4,
        "b",
        {"answer": "Roma"},
    )
    assert new_example["inputs"] == {"question": "Capital of Italy?"}
    assert writer.get(f"datasets/{dataset['id']}/").json()["version"] == 2
    assert [row["position"] for row in writer.get(address).json()["results"]] == [1, 3, 4]
    assert [row["position"] for row in writer.get(f"{address}?version=1").json()["results"]] == [1, 2, 3]


def test_an_example_can_be_removed(writer, dataset):
    address = f"datasets/{dataset['id']}/examples/"

    assert writer.delete(f"{address}2/").status_code == 204
    assert writer.delete(f"{address}2/").status_code == 404
    assert writer.get(f"datasets/{dataset['id']}/").json()["example_count"] == 2


def test_examples_are_appended_as_a_new_version(writer, dataset):
    response = writer.post(f"datasets/{dataset['id']}/examples/", {"examples": [{"inputs": "a plain text"}]})

    assert response.status_code == 201
    assert (response.json()["version"], response.json()["example_count"]) == (2, 4)
    versions = writer.get(f"datasets/{dataset['id']}/versions/").json()["results"]
    assert [(version["number"], version["example_count"]) for version in versions] == [(2, 4), (1, 3)]


def test_a_file_can_be_appended(writer, dataset):
    response = writer.upload(f"datasets/{dataset['id']}/examples/", CSV, mapping={"inputs": ["question"]})
    import_all()

    assert response.status_code == 202
    assert writer.get(f"datasets/{dataset['id']}/").json()["example_count"] == 5


def test_an_existing_key_refuses_the_batch(writer, dataset):
    response = writer.post(f"datasets/{dataset['id']}/examples/", {"examples": [{"key": "n"}, {"key": "a"}]})

    assert response.status_code == 409
    assert response.json()["error"]["code"] == "duplicate_key"
    assert writer.get(f"datasets/{dataset['id']}/").json()["version"] == 1


def test_the_catalogue_describes_every_kind(reader):
    kinds = reader.get("evaluator-kinds/").json()["results"]

    first = kinds[0]
    assert set(first) >= {
        "key",
        "title",
        "description",
        "parameters",
        "config",
        "direction",
        "bounds",
        "presets",
    }
    assert first["key"] == "levenshtein_similarity"
    assert first["parameters"] == ["actual", "expected"]
    assert first["bounds"] == [0.0, 1.0]
    assert first["config"]["properties"]["threshold"]["default"] == 0.7
    assert reader.get("evaluator-kinds/levenshtein_similarity/").json() == first


def test_an_evaluator_keeps_its_config_and_mapping(writer):
    body = {
        "name": "Close enough",
        "kind": "levenshtein_similarity",
        "config": {"threshold": 0.8},
        "mapping": {"actual": {"path": "$.output"}, "expected": {"literal": "Paris"}},
    }

    response = writer.post("evaluators/", body)

    assert response.status_code == 201
    evaluator = response.json()
    assert (evaluator["name"], evaluator["version"], evaluator["kind"]) == (
        "Close enough",
        1,
        "levenshtein_similarity",
    )
    assert evaluator["config"]["threshold"] == 0.8
    assert evaluator["mapping"] == body["mapping"]
    assert evaluator["used_by"] == 0


def test_a_changed_config_is_a_new_version(writer, evaluator):
    new_version = writer.patch(f"evaluators/{evaluator['id']}/", {"config": {"threshold": 2}}).json()
    renamed = writer.patch(f"evaluators/{evaluator['id']}/", {"name": "Typing errors"}).json()

    assert (new_version["version"], new_version["config"]["threshold"]) == (2, 2)
    assert (renamed["version"], renamed["name"]) == (2, "Typing errors")
    versions = writer.get(f"evaluators/{evaluator['id']}/versions/").json()["results"]
    assert [(version["version"], version["config"]["threshold"]) for version in versions] == [(2, 2), (1, 1)]


def test_sent_items_are_scored_in_the_response(writer):
    items = [{"actual": "kitten", "expected": "sitting"}, {"actual": None, "expected": "x"}]

    answer = writer.post(
        "score/", {"kind": "levenshtein_distance", "config": {"threshold": 3}, "items": items}
    ).json()

    first, second = answer["results"]
    assert first == {"value": 3.0, "passed": True, "label": "pass", "status": "scored", "message": ""}
    assert (second["value"], second["passed"], second["status"]) == (None, None, "missing_actual")
    assert answer["summary"]["n"] == 1
    assert answer["summary"]["counts"]["total"] == 2


def test_scoring_can_explain(writer):
    body = {"kind": "exact_match", "items": [{"actual": "a", "expected": "b"}], "explain": True}

    assert writer.post("score/", body).json()["results"][0]["detail"]


def test_items_may_be_whole_contexts(writer):
    body = {
        "kind": "exact_match",
        "mapping": {"expected": {"path": "$.reference.answer"}},
        "items": [{"input": {}, "output": "Rome", "reference": {"answer": "Rome"}, "metadata": {}}],
    }

    assert writer.post("score/", body).json()["results"][0]["value"] == 1.0


def test_texts_are_scored_exactly_as_sent(writer):
    items = [{"actual": "a\0b", "expected": "ab"}, {"actual": " \u2028", "expected": "\u2028 "}]

    answer = writer.post("score/", {"kind": "levenshtein_distance", "items": items}).json()

    assert [result["value"] for result in answer["results"]] == [1.0, 2.0]


def test_a_run_with_outputs_is_queued_and_then_completed(writer, experiment):
    body = {"experiment": experiment["id"], "variant": "short", "outputs": OUTPUTS}

    response = writer.post("runs/", body)
    score_all()

    assert response.status_code == 201
    new_run = response.json()
    assert (new_run["status"], new_run["experiment"], new_run["variant"]) == (
        "queued",
        experiment["id"],
        "short",
    )
    assert (new_run["progress"]["done"], new_run["progress"]["total"]) == (0, 3)
    assert set(new_run["scorings"][0]) >= SCORING
    run = writer.get(f"runs/{new_run['id']}/").json()
    assert run["status"] == "completed"
    assert (run["progress"]["done"], run["progress"]["total"]) == (3, 3)
    [scoring] = run["scorings"]
    assert scoring["n"] == 3
    assert set(scoring["evaluator"]) == {"id", "version", "name", "kind"}
    assert set(scoring["counts"]) == {
        "total",
        "scored",
        "missing_expected",
        "missing_actual",
        "unmapped",
        "error",
        "not_found",
        "not_sent",
        "no_verdict",
    }
    assert set(scoring["histogram"]) == {"edges", "counts"}
    assert sum(scoring["histogram"]["counts"]) == 3


def test_results_carry_output_and_scores_by_evaluator(writer, completed):
    page = writer.get(f"runs/{completed['id']}/results/").json()

    assert set(page) == {"next", "previous", "results", "searched"}
    row = page["results"][1]
    assert (row["position"], row["key"], row["output"]) == (2, "b", "Roma")
    assert row["scores"] == {"Edits": {"value": 1.0, "passed": True, "status": "scored", "message": ""}}


def draft_of(writer, experiment) -> str:
    """The address of a new draft."""
    run = writer.create("runs/", {"experiment": experiment["id"], "variant": "late", "start": False})
    assert run["status"] == "draft"
    return f"runs/{run['id']}"


def test_a_draft_is_filled_in_batches(writer, experiment):
    draft = draft_of(writer, experiment)

    batches = [writer.post(f"{draft}/outputs/", {"outputs": [output]}) for output in OUTPUTS]
    start = writer.post(f"{draft}/start/")

    assert [response.status_code for response in batches] == [200, 200, 200]
    assert (start.status_code, start.json()["status"]) == (200, "queued")


def test_a_run_that_was_started_takes_no_more_outputs(writer, experiment):
    draft = draft_of(writer, experiment)
    writer.post(f"{draft}/outputs/", {"outputs": OUTPUTS})
    writer.post(f"{draft}/start/")

    late_batch = writer.post(f"{draft}/outputs/", {"outputs": OUTPUTS})

    assert (late_batch.status_code, late_batch.json()["error"]["code"]) == (409, "run_not_draft")


def test_an_unknown_key_refuses_the_batch_and_is_named(writer, draft):
    outputs = [{"key": "a", "output": "changed"}, {"key": "nobody", "output": "x"}]

    response = writer.post(f"runs/{draft['id']}/outputs/", {"outputs": outputs})

    assert response.status_code == 400
    assert "nobody" in response.json()["error"]["message"]
    results = writer.get(f"runs/{draft['id']}/results/").json()["results"]
    assert results[0]["output"] == "Paris"


def test_a_file_of_outputs_is_scored_when_it_is_read(writer, experiment):
    mapping = {"key": "id", "output": "answer"}
    response = writer.upload(
        "runs/",
        b"id,answer\na,Paris\nb,Rome\nc,Madrid\n",
        experiment=str(experiment["id"]),
        variant="from a file",
        mapping=mapping,
    )
    import_all()
    score_all()

    run = writer.get(f"runs/{response.json()['id']}/").json()

    assert response.status_code == 202
    assert run["status"] == "completed"
    assert run["scorings"][0]["mean"] == 0.0


def test_further_evaluators_score_a_run_again(writer, completed):
    evaluator = writer.create("evaluators/", {"name": "Same", "kind": "exact_match"})

    response = writer.post(f"runs/{completed['id']}/scorings/", {"evaluators": [evaluator["id"]]})
    score_all()

    assert (response.status_code, response.json()["status"]) == (202, "queued")
    run = writer.get(f"runs/{completed['id']}/").json()
    assert run["status"] == "completed"
    assert [scoring["evaluator"]["name"] for scoring in run["scorings"]] == ["Edits", "Same"]
    assert run["scorings"][1]["mean"] == 1 / 3


def test_a_cancelled_run_stays_cancelled(writer, queued):
    response = writer.post(f"runs/{queued['id']}/cancel/")
    score_all()

    assert (response.status_code, response.json()["status"]) == (200, "cancelled")
    assert writer.get(f"runs/{queued['id']}/").json()["status"] == "cancelled"
    assert writer.post(f"runs/{queued['id']}/cancel/").status_code == 409


def test_the_whole_run_can_be_exported(writer, completed):
    response = writer.get(f"runs/{completed['id']}/export/?format=csv")

    rows = list(csv.DictReader(io.StringIO(b"".join(response.streaming_content).decode())))
    assert response.status_code == 200
    assert [row["output"] for row in rows] == ["Paris", "Roma", "Lisbon"]
    assert rows[1]["Edits"] == "1.0"


def test_a_comparison_says_whether_the_difference_is_real(writer, experiment, completed):
    better = [{"key": key, "output": text} for key, text in (("a", "Paris"), ("b", "Rome"), ("c", "Madrid"))]
    second_run = writer.create(
        "runs/", {"experiment": experiment["id"], "variant": "long", "outputs": better}
    )
    score_all()

    response = writer.get(
        f"comparisons/?runs={completed['id']},{second_run['id']}&baseline={completed['id']}"
    )

    assert response.status_code == 200
    comparison = response.json()
    assert set(comparison) >= {
        *("baseline", "primary", "missing", "cluster", "repeats", "sentence", "remarks", "warnings"),
        *("ranking", "answers", "entries", "measures"),
    }
    [entry] = comparison["entries"]
    assert entry["run"] == second_run["id"]
    assert set(entry["evaluator"]) == {"id", "name"}
    assert set(entry) >= {
        "mean",
        "baseline_mean",
        "n",
        "only_run",
        "only_baseline",
        "difference",
        "interval",
        "effect_size",
        "p",
        "p_corrected",
        "method",
        "seed",
        "wins",
        "losses",
        "ties",
        "verdict",
        *("interval_single", "imputed", "role", "margin", "equivalence", "examples_needed"),
    }
    assert (entry["mean"], entry["n"], entry["wins"], entry["ties"]) == (0.0, 3, 2, 1)
    assert set(comparison["ranking"][0]) >= {"run", "variant", "mean", "rank", "group"}
    assert comparison["answers"] == [
        {"run": completed["id"], "answered": 3, "of": 3},
        {"run": second_run["id"], "answered": 3, "of": 3},
    ]
    [answers] = [
        m for m in comparison["measures"] if (m["run"], m["measure"]) == (second_run["id"], "answers")
    ]
    assert set(answers) >= {"mean", "difference", "interval", "p", "verdict"}


@pytest.fixture
def by_topic(writer):
    """Two runs on sixty questions of twelve topics; the second is better on every question of every other topic."""
    topics = [{"inputs": {"q": n}, "reference": {"a": "y"}, "metadata": {"topic": n // 5}} for n in range(60)]
    dataset = writer.create("datasets/", {"name": "by topic", "examples": topics})
    evaluator = writer.create("evaluators/", {"name": "Right", "kind": "exact_match"})
    experiment = writer.create(
        "experiments/", {"name": "topics", "dataset": dataset["id"], "evaluators": [evaluator["id"]]}
    )
    rules = {"old": lambda n: n % 7 == 0, "new": lambda n: (n // 5) % 2 == 0}
    runs = []
    for name, is_right in rules.items():
        outputs = [{"position": n + 1, "output": "y" if is_right(n) else "n"} for n in range(60)]
        runs.append(
            writer.create("runs/", {"experiment": experiment["id"], "variant": name, "outputs": outputs})
        )
    score_all()
    return [run["id"] for run in runs]


def test_a_comparison_names_the_clusters_it_found(writer, by_topic):
    ids = ",".join(map(str, by_topic))
    clustered, unclustered = (
        writer.get(f"comparisons/?runs={ids}{parameter}").json() for parameter in ("", "&cluster=none")
    )

    assert set(clustered["cluster"]) >= {"column", "design_effect", "clusters"}
    assert (clustered["cluster"]["column"], clustered["cluster"]["clusters"]) == ("topic", 12)
    assert "Rows with the same topic" in clustered["sentence"]
    assert unclustered["cluster"] is None
    assert "Rows with the same" not in unclustered["sentence"]


def test_an_open_comparison_says_how_many_more_examples_would_decide(writer, by_topic):
    ids = ",".join(map(str, by_topic))
    [entry] = writer.get(f"comparisons/?runs={ids}").json()["entries"]

    assert entry["verdict"] == "cannot_tell"
    assert entry["examples_needed"] > 0
    assert isinstance(entry["seed"], int)


def test_a_comparison_is_exported_with_its_verdicts(writer, by_topic):
    ids = ",".join(map(str, by_topic))
    entry = writer.get(f"comparisons/?runs={ids}").json()["entries"][0]
    response = writer.get(f"comparisons/export/?runs={ids}")

    rows = list(csv.DictReader(io.StringIO(response.content.decode())))
    assert response["Content-Type"].startswith("text/csv")
    assert [(row["role"], row["evaluator"]) for row in rows] == [("primary", "Right"), ("measure", "answers")]
    assert [float(rows[0]["low"]), float(rows[0]["high"])] == entry["interval"]
    assert rows[0]["verdict"] == entry["verdict"]


def test_a_key_knows_its_project(reader, project):
    answer = reader.get("projects/current/").json()

    assert (answer["name"], answer["slug"], answer["key"]["scope"]) == ("Default", project.slug, "read")


def test_a_connections_key_is_never_given_back(writer):
    body = {"name": "Server", "base_url": "https://8.8.8.8/v1", "api_key": "sk-0123456789abcdef"}

    response = writer.post("connections/", body)
    connection = response.json()

    assert response.status_code == 201
    assert connection["key_ending"] == "cdef"
    assert connection["key_set_at"]
    assert "0123456789" not in writer.get(f"connections/{connection['id']}/").content.decode()
