"""Runs and experiments that are exported and uploaded again, with what the pages suggest, are what they were."""

import csv
import io
import json

import pytest

from evaluations import ingest
from evaluations.evaluators import evaluators
from evaluations.experiments import experiments, runs
from evaluations.files.formats import Format
from evaluations.imports.columns import saved_mappings
from evaluations.ingest import own_exports
from evaluations.models import Answer, Output
from evaluations.results import exports
from evaluations.scoring import scoring
from tests import factories

pytestmark = pytest.mark.django_db
KINDS = ("csv", "jsonl", "json", "parquet", "xlsx")
RIGHT = [f"city {n}" for n in range(14)]
SAID = {"old": ["city 3"] * 14, "new prompt": [*RIGHT[:12], "", 'say "it", twice']}


@pytest.fixture
def scored(project):
    """Two variants with an evaluator, and a score of people that comes with the outputs."""
    experiment = factories.experiment(project, references=RIGHT)
    path = {"actual": {"path": "$.scores.rating"}}
    rating = evaluators.create(project, None, "rating", "value", {"direction": "maximize"}, path)
    label = factories.evaluator(project, "exact_match", "Right city")
    experiments.add_evaluators(experiment, [rating, label])
    for variant, said in SAID.items():
        rows = [
            {"position": n, "output": text, "scores": {"rating": n % 5}} for n, text in enumerate(said, 1)
        ]
        runs.create(experiment, None, variant, rows)
    while scoring.work(seconds=5):
        pass
    return experiment


def preview(content, kind):
    return ingest.preview(io.BytesIO(content), f"export.{kind}", limits=ingest.Limits())


def roles(seen):
    return seen.roles | {name: guess.role for name, guess in seen.guesses.items()}


@pytest.mark.parametrize("kind", KINDS)
def test_the_outputs_of_an_experiment_belong_to_their_variants(scored, kind):
    of = [*scored.runs.order_by("pk")]
    seen = preview(b"".join(exports.of_experiment(scored, of, kind)), kind)

    assert seen.outputs == {name: f"{name} output" for name in SAID}
    assert [row["new prompt output"] or "" for row in seen.rows] == SAID["new prompt"]
    assert "own_export" in [warning.code for warning in seen.warnings]
    by_role = roles(seen)
    scores = {"old rating", "old Right city", "new prompt rating", "new prompt Right city"}
    assert {name for name, role in by_role.items() if role == "leave out"} >= scores
    assert [name for name, role in by_role.items() if role == "reference"]
    left_out = {name for name, role in by_role.items() if role == "leave out"}
    assert {name for name in seen.columns if name.endswith((" passed", " status", " version"))} <= left_out
    assert "position" in left_out
    assert not {"versions", "variants"} & {*seen.columns}
    assert Format.from_dict(json.loads(json.dumps(seen.format.as_dict()))) == seen.format


@pytest.mark.parametrize("kind", KINDS)
def test_the_output_of_a_run_is_one_and_its_origin_is_left_out(scored, kind):
    run = scored.runs.get(variant="old")
    seen = preview(b"".join(exports.of_run(run, kind)), kind)

    assert seen.outputs == {"old": "output"}
    assert [row["output"] for row in seen.rows] == SAID["old"]
    of_origin = ("run", "variant", "dataset", "dataset_version", "position", "Right city")
    assert {roles(seen)[name] for name in of_origin} == {"leave out"}


@pytest.mark.parametrize(
    ("kind", "empty"), [("jsonl", ""), ("json", ""), ("parquet", ""), ("csv", None), ("xlsx", None)]
)
def test_an_empty_answer_comes_back_as_such_unless_the_format_has_cells(project, kind, empty):
    experiment = factories.experiment(project, references=["", "b", "c"])
    run = factories.run(experiment, ["", None, "c"])
    of_run = preview(b"".join(exports.of_run(run, kind)), kind)
    of_experiment = preview(b"".join(exports.of_experiment(experiment, [run], kind)), kind)

    assert [row["output"] for row in of_run.rows] == [empty, None, "c"]
    assert [row["v1 output"] for row in of_experiment.rows] == [empty, None, "c"]
    assert [row["answer"] for row in of_run.rows] == [empty, "b", "c"]


@pytest.mark.parametrize("kind", KINDS)
def test_scores_count_where_nothing_is_known_to_be_right(project, kind):
    dataset = factories.imported(
        project,
        factories.jsonl(*({"id": n, "question": f"q {n}"} for n in range(1, 15))),
        mapping={"inputs": ["question"], "key": "id"},
    )
    experiment = experiments.create(project, None, "E", dataset, [])
    rating = evaluators.create(
        project, None, "rating", "value", {"direction": "maximize"}, {"actual": {"path": "$.scores.rating"}}
    )
    experiments.add_evaluators(experiment, [rating])
    for variant in ("old", "new"):
        rows = [{"position": n, "output": f"say {n}", "scores": {"rating": n % 5}} for n in range(1, 15)]
        runs.create(experiment, None, variant, rows)
    while scoring.work(seconds=5):
        pass
    seen = preview(b"".join(exports.of_experiment(experiment, [*experiment.runs.all()], kind)), kind)

    found = {name: (guess.role, guess.variant, guess.name) for name, guess in seen.guesses.items()}
    assert {name: found.get(name) for name in ("old rating", "new rating")} == {
        f"{variant} rating": ("score", variant, "rating") for variant in ("old", "new")
    }


@pytest.mark.parametrize("kind", ["jsonl", "json"])
def test_what_examples_hold_comes_back_under_its_names_and_roles(scored, kind):
    run = scored.runs.first()
    for content in (exports.of_experiment(scored, [run], kind), exports.of_run(run, kind)):
        seen = preview(b"".join(content), kind)
        by_role = roles(seen)

        assert [row["answer"] for row in seen.rows] == RIGHT
        assert (by_role["answer"], by_role["question"]) == ("reference", "inputs")
        assert "reference" not in by_role


def test_what_only_later_examples_hold_is_not_lost(scored):
    content = b"".join(exports.of_run(scored.runs.first(), "jsonl"))
    first, *_ = map(json.loads, content.splitlines())
    own = own_exports.find([first])

    row, _ = own_exports.with_columns(first | {"metadata": {"topic": "rivers"}}, own)

    assert row["metadata.topic"] == "rivers"


@pytest.mark.parametrize("kind", KINDS)
def test_what_answers_took_comes_back_by_its_names_also_where_the_first_lack_it(scored, kind):
    run = scored.runs.get(variant="new prompt")
    Output.objects.filter(run=run, position__gt=9).update(latency_ms=250)
    Answer.objects.create(run=run, position=14, tokens_in=7)
    of_experiment = preview(b"".join(exports.of_experiment(scored, [*scored.runs.all()], kind)), kind)
    of_run = preview(b"".join(exports.of_run(run, kind)), kind)

    for name in ("latency_ms", "tokens_in", "tokens_out", "cost"):
        guess = of_experiment.guesses[f"new prompt {name}"]
        assert (guess.role, guess.variant) == (name, "new prompt")
        assert (of_run.guesses[name].role, of_run.guesses[name].variant) == (name, "new prompt")
    assert [row["tokens_in"] for row in of_run.rows if row["tokens_in"]] in ([7], ["7"])


@pytest.fixture
def two_inputs(project):
    """Two variants without scores on examples of two inputs, whose names do not say what they are."""
    rows = [
        {"id": f"k{n}", "frage": f"Wie viele? {n}", "kontext": f"Es sind {n}.", "thema": "a"}
        for n in range(1, 15)
    ]
    mapping = {"inputs": ["frage", "kontext"], "metadata": ["thema"], "key": "id"}
    dataset = factories.imported(project, factories.jsonl(*rows), mapping=mapping)
    experiment = experiments.create(project, None, "E", dataset, [])
    for variant in ("old", "new"):
        runs.create(experiment, None, variant, [{"position": n, "output": f"say {n}"} for n in range(1, 15)])
    return experiment


@pytest.mark.parametrize("kind", KINDS)
def test_second_inputs_come_back_and_files_without_scores_are_recognised(two_inputs, kind):
    of = [*two_inputs.runs.order_by("pk")]
    for content, outputs in (
        (exports.of_experiment(two_inputs, of, kind), {"old": "old output", "new": "new output"}),
        (exports.of_run(of[0], kind), {"old": "output"}),
    ):
        seen = preview(b"".join(content), kind)
        by_role = roles(seen)

        assert "own_export" in [warning.code for warning in seen.warnings]
        assert seen.outputs == outputs
        named = {name.removeprefix("inputs."): role for name, role in by_role.items()}
        assert (named["frage"], named["kontext"]) == ("inputs", "inputs")
        assert named["thema"] == "metadata"
        origin = {
            name for name in seen.columns if name.split(" ")[-1] in ("run", "dataset", "dataset_version")
        }
        assert {by_role[name] for name in (*origin, "position")} == {"leave out"}


def test_the_rows_of_an_experiment_say_which_runs_and_dataset_they_are_of(two_inputs):
    of = [*two_inputs.runs.order_by("pk")]
    [first, *_] = csv.DictReader(io.StringIO(b"".join(exports.of_experiment(two_inputs, of, "csv")).decode()))
    line = json.loads(b"".join(exports.of_experiment(two_inputs, of, "jsonl")).splitlines()[0])

    assert [first[f"{run.variant} run"] for run in of] == [str(run.pk) for run in of]
    assert (first["dataset"], first["dataset_version"]) == (two_inputs.dataset.name, "1")
    assert [line["variants"][run.variant]["run"] for run in of] == [run.pk for run in of]
    assert (line["dataset"], line["dataset_version"]) == (two_inputs.dataset.name, 1)


def test_what_an_export_says_of_its_columns_wins_over_remembered_roles(two_inputs):
    content = b"".join(exports.of_run(two_inputs.runs.first(), "csv"))
    seen = preview(content, "csv")
    saved_mappings.remember(two_inputs.project, seen.columns, {"inputs": ["position"]})
    other = preview(b"position,q\n1,a\n", "csv")
    saved_mappings.remember(two_inputs.project, other.columns, {"inputs": ["position"]})

    assert saved_mappings.recall_for(two_inputs.project, seen) is None
    assert saved_mappings.recall_for(two_inputs.project, other) == {"inputs": ["position"]}


@pytest.mark.parametrize("kind", KINDS)
def test_an_output_without_the_numbers_of_the_others_is_an_output(project, kind):
    references = [f"Please wait within {n} days." for n in range(30)]
    experiment = factories.experiment(project, "levenshtein_similarity", references=references)
    said = {
        "old": references,
        "loud": [text.upper() for text in references],
        "random": [f"order {chr(97 + n % 26)} ship {chr(97 + n * 7 % 26)} parcel" for n in range(30)],
    }
    made = [factories.scored_run(experiment, outputs, variant) for variant, outputs in said.items()]

    seen = preview(b"".join(exports.of_experiment(experiment, made, kind)), kind)

    assert seen.outputs == {name: f"{name} output" for name in said}
    assert {roles(seen).get(f"{name} output", "output") for name in said} == {"output"}
