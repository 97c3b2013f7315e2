"""Stacked filters: several evaluators, ranges, verdicts, states, metadata and text at once."""

import pytest

from evaluations.comparisons.alignment import sides

from .conftest import score_all
from .test_bodies import error

EXAMPLES = [
    {"key": "a", "inputs": {"q": "1"}, "reference": {"r": "Paris"}, "metadata": {"topic": "law", "level": 1}},
    {"key": "b", "inputs": {"q": "2"}, "reference": {"r": "Rome"}, "metadata": {"topic": "law", "level": 2}},
    {"key": "c", "inputs": {"q": "3"}, "reference": {"r": "Oslo"}, "metadata": {"topic": "art", "level": 2}},
    {"key": "d", "inputs": {"q": "4"}, "reference": {"r": "Bern"}, "metadata": {"topic": "sea", "level": 22}},
]
# similarity: a 1, b 0.5, c 0.75, d none
OUTPUTS = [{"key": "a", "output": "Paris"}, {"key": "b", "output": "Roxx"}, {"key": "c", "output": "Osla"}]


@pytest.fixture
def run(writer):
    """A run by `exact` and `near [1]`: outputs that match fully, half, nearly, and a missing one."""
    dataset = writer.create("datasets/", {"name": "Cities", "examples": EXAMPLES})
    exact = writer.create("evaluators/", {"name": "exact", "kind": "exact_match"})
    near = writer.create("evaluators/", {"name": "near [1]", "kind": "levenshtein_similarity"})
    experiment = writer.create(
        "experiments/", {"name": "E", "dataset": dataset["id"], "evaluators": [exact["id"], near["id"]]}
    )
    run = writer.create("runs/", {"experiment": experiment["id"], "variant": "v", "outputs": OUTPUTS})
    score_all()
    return run | {"near": near["id"], "exact": exact["id"]}


def keys_of(response) -> str:
    """The keys of the examples in a list or an export."""
    body = b"".join(response) if response.streaming else response.content
    return "".join(example["key"] for example in EXAMPLES if f'"key":"{example["key"]}"'.encode() in body)


OF_A_COMPARISON = {
    "metadata[topic]=law": "ab",
    "metadata[topic]=law&search=Roxx": "b",
    "split=late": "cd",
    "split=late&metadata[level]=2": "c",
}


def test_the_file_of_an_experiment_has_the_examples_of_its_comparison(writer, reader, run):
    experiment = writer.get(f"experiments/{run['experiment']}/").json()
    writer.create(f"datasets/{experiment['dataset']}/splits/", {"name": "late", "keys": ["c", "d"]})
    path = f"experiments/{experiment['id']}/export/?format=jsonl"

    assert {query: keys_of(reader.get(f"{path}&{query}")) for query in OF_A_COMPARISON} == OF_A_COMPARISON


FILTERED = {
    "passed[exact]=false&min[near [1]]=0.6": "c",
    "passed[exact]=false&max[{near}]=0.6&status[{near}]=scored": "b",
    "metadata[topic]=law": "ab",
    "metadata[topic]=law&metadata[topic]=art": "abc",
    "metadata[topic]=law&metadata[topic]=art&metadata[level]=2": "bc",
    "metadata[level]=2": "bc",
    "metadata[nothing]=2": "",
    "status[exact]=missing_actual": "d",
    "min[{near}]=0.5&max[{near}]=0.8&search=Osla": "c",
    "min[{near}]=0.7&min[{near}]=0.2": "ac",
    "max[{near}]=0.6&max[{near}]=0.8": "b",
    "evaluator=exact&passed=true&min[{near}]=1&metadata[level]=1": "a",
}


@pytest.mark.parametrize("path", ["results/?", "export/?format=jsonl&"])
def test_all_filters_must_hold(reader, run, path):
    found = {query: reader.get(f"runs/{run['id']}/{path}{query.format(**run)}") for query in FILTERED}

    assert {query: keys_of(answer) for query, answer in found.items()} == FILTERED


REFUSED = {
    "min[exact]=high": "invalid",
    "min[exact]=1e999": "invalid",
    "passed[exact]=yes": "invalid_choice",
    "status[exact]=fine": "invalid_choice",
    "min[nobody]=1": "unknown_evaluator",
    "mean[exact]=1": "unknown_filter",
    "min[]=1": "unknown_filter",
}


def test_a_filter_that_cannot_hold_is_refused_by_its_name(reader, run):
    for query, code in REFUSED.items():
        response = reader.get(f"runs/{run['id']}/results/?{query}")

        assert (response.status_code, error(response)["code"]) == (400, code), query
        assert list(error(response)["fields"]) == [query.partition("=")[0]]


def test_a_verdict_and_its_opposite_are_refused(reader, run):
    answer = reader.get(f"runs/{run['id']}/results/?passed[exact]=true&passed[exact]=false")

    assert (answer.status_code, list(error(answer)["fields"])) == (400, ["passed[exact]"])


@pytest.fixture
def rivals(writer, run):
    """The id of a second run, which is right on b, wrong on c, equal on d and lacks a."""
    outputs = [{"key": "b", "output": "Rome"}, {"key": "c", "output": "Bern"}]
    rival = writer.create("runs/", {"experiment": run["experiment"], "variant": "w", "outputs": outputs})
    score_all()
    return run | {"rival": rival["id"]}


OUTCOMES = {
    "outcome=worse": "ac",
    "outcome=worse&missing=exclude": "c",
    "outcome=better": "b",
    "outcome=worse&evaluator=exact": "a",
    "outcome=worse&metadata[topic]=art": "c",
    "outcome=worse&search=Osla": "c",
    "outcome=better&runs={rival},{id}": "ac",
    "different=true": "abc",
    "least_difference=2": "",
    "least_difference=0.6": "ac",
}


def test_the_file_of_an_experiment_has_the_examples_of_an_outcome(reader, rivals):
    def exported(query: str) -> str:
        full_query = query if "evaluator" in query else f"{query}&evaluator={rivals['near']}"
        path = f"experiments/{rivals['experiment']}/export/?format=jsonl"
        return keys_of(reader.get(f"{path}&{full_query.format(**rivals)}"))

    assert {query: exported(query) for query in OUTCOMES} == OUTCOMES


def test_the_file_compares_the_variants_that_the_page_compares(writer, reader, rivals, monkeypatch):
    """With more variants than can be compared, these are the baseline and the newest others."""
    outputs = [{"key": key, "output": city} for key, city in (("a", "Paris"), ("b", "Rome"), ("c", "Oslo"))]
    writer.create("runs/", {"experiment": rivals["experiment"], "variant": "x", "outputs": outputs})
    score_all()
    monkeypatch.setattr(sides, "MOST_RUNS", 2)

    address = f"experiments/{rivals['experiment']}/export/?format=jsonl&evaluator={rivals['near']}"
    worse, better = (reader.get(f"{address}&outcome={outcome}") for outcome in ("worse", "better"))

    assert (worse.status_code, keys_of(worse), keys_of(better)) == (200, "", "bc")


def test_an_outcome_of_an_unknown_run_or_evaluator_is_refused(reader, rivals):
    for query, field in (("runs=999999", "runs"), ("evaluator=other", "evaluator"), ("runs=x", "runs")):
        answer = reader.get(f"experiments/{rivals['experiment']}/export/?outcome=worse&{query}")

        assert (answer.status_code, list(error(answer)["fields"])) == (400, [field]), query


UNUSED = {
    "experiments/{experiment}/export/?evaluator={near}": ["evaluator"],
    "experiments/{experiment}/export/?runs={id}": ["runs"],
    "experiments/{experiment}/export/?outcome=all&missing=exclude&runs=x": ["missing", "runs"],
    "experiments/{experiment}/export/?format=jsonl&bom=true": ["bom"],
    "runs/{id}/export/?evaluator=exact": ["evaluator"],
    "runs/{id}/results/?evaluator=exact&sort=exact": ["evaluator"],
}


def test_a_parameter_that_has_no_effect_without_another_is_refused(reader, run):
    for query, fields in UNUSED.items():
        answer = reader.get(query.format(**run))

        assert (answer.status_code, error(answer)["code"]) == (400, "unused_filter"), query
        assert sorted(error(answer)["fields"]) == fields


def test_a_parameter_is_used_together_with_a_filter_of_zero_or_of_false(reader, run):
    for query in (
        "results/?evaluator=exact&min=0",
        "export/?evaluator=exact&passed=false",
        "export/?bom=true",
    ):
        assert reader.get(f"runs/{run['id']}/{query}").status_code == 200, query


def test_pages_of_filtered_results_follow_their_filters(reader, run):
    path = f"runs/{run['id']}/results/?metadata[topic]=law&metadata[topic]=art&page_size=2"

    first = reader.get(path).json()
    second = reader.get(first["next"]).json()

    assert [row["key"] for row in first["results"] + second["results"]] == ["a", "b", "c"]
    assert second["next"] is None


@pytest.mark.parametrize("query", ["min[{near}]=0.6", "evaluator={near}&min=0.6", "sort=-{near}&min=0.6"])
def test_an_id_is_not_taken_for_the_name_of_another_evaluator(writer, reader, run, query):
    writer.patch(f"evaluators/{run['exact']}/", {"name": str(run["near"])})

    rows = reader.get(f"runs/{run['id']}/results/?{query.format(**run)}").json()["results"]

    assert {row["key"] for row in rows} == {"a", "c"}


@pytest.mark.parametrize("path", ["results/?", "export/?format=jsonl&"])
def test_scores_of_an_older_version_stay_readable(writer, reader, run, path):
    mapping = {"actual": {"path": "$.output"}, "expected": {"path": "$.input.q"}}
    writer.patch(f"evaluators/{run['exact']}/", {"mapping": mapping})
    writer.post(f"runs/{run['id']}/scorings/", {"evaluators": [run["exact"]]})
    score_all()
    results = f"runs/{run['id']}/{path}evaluator=exact&passed=true"

    older, newest = (keys_of(reader.get(f"{results}{version}")) for version in ("&version=1", ""))
    unknown = reader.get(f"{results}&version=9")

    assert (older, newest) == ("a", "")
    assert (unknown.status_code, error(unknown)["code"]) == (404, "not_found")


def test_an_experiment_moves_to_the_newest_version_of_its_dataset(writer, run):
    experiment = writer.get(f"experiments/{run['experiment']}/").json()
    writer.patch(f"datasets/{experiment['dataset']}/examples/1/", {"reference": {"r": "Lyon"}})

    moved = writer.post(f"experiments/{run['experiment']}/dataset/")
    score_all()

    assert (moved.status_code, moved.json()["dataset_version"]) == (202, 2)
    assert writer.get(f"runs/{run['id']}/").json()["status"] == "completed"


def test_examples_are_filtered_by_their_metadata(writer):
    rows = [
        {"inputs": f"{n}?", "reference": "a", "metadata": {"topic": topic}} for n, topic in enumerate("xyx")
    ]
    dataset = writer.create("datasets/", {"name": "Topics", "examples": rows})

    chosen = writer.get(f"datasets/{dataset['id']}/examples/?metadata[topic]=x&search=2")
    unknown = writer.get(f"datasets/{dataset['id']}/examples/?metadata[colour]=x")

    assert [example["position"] for example in chosen.json()["results"]] == [3]
    assert unknown.status_code == 400


def test_an_experiment_says_how_many_outputs_are_being_copied(writer, run):
    experiment = writer.get(f"experiments/{run['experiment']}/").json()
    writer.patch(f"datasets/{experiment['dataset']}/examples/1/", {"reference": {"r": "Lyon"}})

    moved = writer.post(f"experiments/{run['experiment']}/dataset/").json()

    assert moved["copying_outputs"] == {"done": 0, "total": 1}
    assert experiment["copying_outputs"] is None
