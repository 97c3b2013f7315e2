"""Exports of other tools become datasets, runs and evaluators, with the figures of the tool's own summary."""

import io
import json

import pytest
from django.core.files.base import File

from evaluations.datasets import datasets
from evaluations.errors import Invalid
from evaluations.evaluators import outside
from evaluations.experiments import about, experiments
from evaluations.imports import imports, tool_evaluators, tool_figures, tools
from evaluations.imports.uploads import uploads
from evaluations.models import Dataset, Evaluator, Import, Output, Prompt, Run, Upload
from evaluations.other_tools import Answer, Evaluation, Grader, Item, Score, Variant
from evaluations.scoring import scoring
from tests.other_tools.files import archive, content

pytestmark = pytest.mark.django_db


def imported(project, exported: bytes, name: str = "Moved") -> Dataset:
    upload = uploads.park(project, None, File(io.BytesIO(exported), name="export.json"), tools=True)
    dataset = tools.begin(upload, name)
    imports.run_import(Import.objects.get(dataset=dataset).pk)
    while scoring.work(seconds=10):
        pass
    dataset.refresh_from_db()
    return dataset


def exported(name: str) -> bytes:
    return archive(json.loads(content("inspect.json"))) if name == "inspect.eval" else content(name)


ALL = [
    "openai.jsonl",
    "promptfoo_v1.json",
    "promptfoo_v2.json",
    "promptfoo_v3.json",
    "inspect.json",
    "inspect.eval",
]


@pytest.mark.long
@pytest.mark.parametrize("name", ALL)
def test_every_figure_of_the_source_is_the_same_here(project, name):
    experiment = imported(project, exported(name)).experiments.get()

    lines = tool_figures.lines(experiment)
    compared = [line for line in lines if line.is_equal is not None]
    assert compared
    assert [line for line in compared if not line.is_equal] == []


@pytest.mark.parametrize(
    ("name", "examples", "outputs"),
    [
        ("openai.jsonl", 4, {"short prompt": 4, "long prompt": 4}),
        ("inspect.json", 3, {"openai/gpt-4o": 3}),
    ],
)
def test_a_file_becomes_a_dataset_with_runs(project, name, examples, outputs):
    dataset = imported(project, exported(name))

    assert (dataset.status, dataset.example_count) == (Dataset.Status.READY, examples)
    assert dict(Run.objects.values_list("variant", "output_count")) == outputs
    assert set(Run.objects.values_list("status", flat=True)) == {Run.Status.COMPLETED}


def test_variants_of_a_tool_that_look_the_same_stay_two(project):
    content = exported("openai.jsonl").replace(b"long prompt", b"short prompt\\u200b")

    imported(project, content)

    assert set(Run.objects.values_list("variant", flat=True)) == {"short prompt", "short prompt 2"}


@pytest.mark.parametrize(("name", "mean"), [("phoenix.json", 2 / 3), ("langfuse.jsonl", 1 / 2)])
def test_scores_of_tools_without_a_summary_are_outside_scores(project, name, mean):
    experiment = imported(project, exported(name)).experiments.get()

    first = next(line for line in tool_figures.lines(experiment) if line.grader in ("correct", "exact"))
    both = [line for line in tool_figures.lines(experiment) if line.grader == first.grader]
    n = sum(line.evalsite_figures.n for line in both)
    assert sum(line.evalsite_figures.mean * line.evalsite_figures.n for line in both) / n == pytest.approx(
        mean
    )
    assert {line.is_equal for line in both} == {None}


def test_a_configuration_becomes_a_dataset_evaluators_and_prompts(project):
    dataset = imported(project, exported("promptfooconfig.yaml"))

    experiment = dataset.experiments.get()
    assert (dataset.status, dataset.example_count, experiment.runs.count()) == (Dataset.Status.READY, 2, 0)
    assert [version.kind for version in experiments.versions_of(experiment)] == ["contains"]
    assert set(Prompt.objects.values_list("name", flat=True)) == {"prompt 1", "chat"}


def test_epochs_are_repeated_runs_of_one_variant(project):
    experiment = imported(project, exported("inspect.eval")).experiments.get()

    runs = list(experiments.runs_of(experiment))
    assert len(runs) == 2
    assert len({about.identity(run) for run in runs}) == 1


def test_graders_with_a_formula_score_as_evaluators(project):
    experiment = imported(project, exported("openai.jsonl")).experiments.get()

    versions = {version.evaluator.name: version for version in experiments.versions_of(experiment)}
    assert {name: version.kind for name, version in versions.items()} == {
        "All graders": "value",
        "Category": "exact_match",
        "Names it": "contains",
        "Close to it": "value",
        "Not sport": "value",
    }
    first = experiment.runs.get(variant="short prompt").scorings.get(evaluator_version=versions["Category"])
    assert (first.summary["n"], first.summary["mean"], first.summary["pass_rate"]) == (4, 0.75, 0.75)


@pytest.mark.long
def test_a_second_import_uses_the_evaluators_of_the_first(project):
    imported(project, exported("openai.jsonl"))
    imported(project, exported("openai.jsonl"), "Again")

    assert Evaluator.objects.count() == 5


def test_scores_of_all_graders_are_kept_with_the_outputs(project):
    dataset = imported(project, exported("openai.jsonl"))

    output = Output.objects.get(run__experiment__dataset=dataset, run__variant="short prompt", position=3)
    assert output.scores["Close to it"] == 0.8


def test_graders_without_a_formula_go_on_as_outside_scores(project):
    experiment = imported(project, exported("openai.jsonl")).experiments.get()

    run = experiment.runs.get(variant="long prompt")
    similar = run.scorings.get(evaluator_version__evaluator__name="Close to it").summary
    assert (similar["n"], similar["mean"], similar["pass_rate"]) == (4, pytest.approx(0.845), 0.75)


def test_a_failed_answer_has_an_error_and_no_output(project):
    dataset = imported(project, exported("promptfoo_v3.json"))

    failed = Output.objects.get(run__experiment__dataset=dataset, error__isnull=False)
    assert (failed.text, failed.error, failed.latency_ms) == (None, "API error: 500", 202)


def test_a_run_that_answered_some_examples_was_asked_no_others(project):
    objects = [json.loads(line) for line in content("openai.jsonl").splitlines()]
    dataset = imported(project, "\n".join(map(json.dumps, objects[:-1])).encode())

    run = Run.objects.get(experiment__dataset=dataset, output_count=3)
    evaluated = run.scorings.first().summary
    assert (evaluated["n"], evaluated["counts"]["total"]) == (3, 3)


def test_the_parts_of_an_example_are_stored(project):
    dataset = imported(project, exported("promptfoo_v3.json"))

    assert dataset.columns["inputs"] == ["text"]
    first = datasets.examples(dataset).first()
    assert (json.loads(first.inputs), json.loads(first.reference)["expected"]) == (
        {"text": "Hello"},
        "Bonjour",
    )


def parked(project, exported: bytes, name: str = "a.json") -> Upload:
    return uploads.park(project, None, File(io.BytesIO(exported), name=name), tools=True)


def test_a_file_that_cannot_be_imported_is_refused_and_not_kept(project):
    with pytest.raises(Invalid) as refusal:
        parked(project, b'{"evalId": "e", "results": {"version": 9}}')

    assert refusal.value.code == "other_tool"
    assert "version 9" in refusal.value.message
    assert not Upload.objects.exists()


def test_output_items_that_cannot_be_imported_may_be_a_table(project):
    items = [{"object": "eval.run.output_item", "eval_id": f"e{n}", "id": n} for n in (1, 2)]

    upload = parked(project, "\n".join(map(json.dumps, items)).encode(), "a.jsonl")

    assert (tools.tool_of(upload), tools.may_be_table(upload)) == ("openai", True)
    with pytest.raises(Invalid) as refusal:
        tools.begin(upload, "Moved")
    assert "2 evals" in refusal.value.message
    uploads.choose(upload, {})
    assert (tools.tool_of(upload), upload.format["kind"]) == ("", "jsonl")


def test_an_import_that_is_cut_off_starts_again_from_nothing(project, monkeypatch):
    upload = uploads.park(
        project, None, File(io.BytesIO(exported("openai.jsonl")), name="a.json"), tools=True
    )
    dataset = tools.begin(upload, "Moved")
    job = Import.objects.get(dataset=dataset)

    with monkeypatch.context() as patch:
        patch.setattr(tool_figures, "stored_source", interrupt)
        with pytest.raises(KeyboardInterrupt):
            imports.run_import(job.pk)
    Import.objects.update(state="ready", lease_until=None)
    imports.run_import(job.pk)

    dataset.refresh_from_db()
    assert (dataset.example_count, Run.objects.count(), Output.objects.count()) == (4, 2, 8)


def interrupt(*_):
    raise KeyboardInterrupt


def test_a_table_is_parked_as_before(project):
    upload = parked(project, b"a,b\n1,2\n", "a.csv")

    assert (tools.tool_of(upload), upload.format["kind"]) == ("", "csv")


def test_equal_names_of_different_tools_have_evaluators_of_their_own(project, alice):
    """Inspect's `exact` normalises articles; that of a Phoenix experiment is anybody's function."""

    def of(tool: str) -> Evaluation:
        answer = Answer("a", scores={"exact": Score(1.0, None)})
        variant = Variant("v", {}, [{0: answer}])
        return Evaluation(tool, "1", "e", [Item({"q": "1"})], [variant], [Grader("exact", "exact", why="so")])

    made = [
        tool_evaluators.for_graders(project, alice, of(tool))["exact"]
        for tool in ("Inspect", "Phoenix", "Inspect")
    ]
    of_table = outside.of_scores(project, alice, [("exact", {"direction": "maximize"})])

    assert made[0] == made[2] != made[1]
    assert of_table[0] not in made
    assert len({evaluator.name for evaluator in (*made, *of_table)}) == 3
