"""An export of another tool can be the file of a further variant."""

import json

import pytest
from django.core.files.base import ContentFile

from evaluations.imports import imports, run_names, second_files, tool_outputs, tools
from evaluations.imports.uploads import uploads
from evaluations.models import Experiment, Import, Output, Run, Upload

pytestmark = pytest.mark.django_db


def samples(right: bool, filters: tuple[str, ...] = ("none",)) -> bytes:
    rows = [
        {
            "doc_id": number,
            "doc": {"question": f"What is {number} + 1?"},
            "target": f"{number + 1}",
            "arguments": [],
            "resps": [[f"{name}: {number + right}"]],
            "filtered_resps": [f"{number + right}"],
            "filter": name,
            "metrics": ["acc"],
            "acc": float(right),
            "doc_hash": "a",
            "prompt_hash": "b",
            "target_hash": "c",
        }
        for name in filters
        for number in range(1, 5)
    ]
    return "\n".join(map(json.dumps, rows)).encode()


def parked(project, content: bytes, name: str) -> Upload:
    return uploads.park(project, None, ContentFile(content, name), tools=True)


@pytest.fixture
def experiment(project) -> Experiment:
    upload = parked(project, samples(True), "samples_sums_A.jsonl")
    assert tools.tool_of(upload) == "lmeval"
    dataset = tools.begin(upload, "sums")
    imports.run_import(Import.objects.get().pk)
    return Experiment.objects.get(dataset=dataset)


def test_its_outputs_and_scores_are_matched_by_the_tools_keys(experiment):
    export = parked(experiment.project, samples(False), "samples_sums_B.jsonl")

    rows = tool_outputs.as_rows(export, experiment)

    assert not Upload.objects.filter(pk=export.pk).exists()
    suggestion = second_files.suggest(rows, experiment)
    assert suggestion.mapping == {"output": "output", "key": "key", "scores": {"acc": "scores.acc"}}
    assert run_names.suggested(rows, experiment) == "B"
    run = Run.objects.create(project=experiment.project, experiment=experiment, variant="B")
    imports.begin_outputs(rows, run, second_files.read(rows, experiment), start=False)
    imports.run_import(Import.objects.get(run=run).pk)
    stored = Output.objects.filter(run=run).order_by("position").values_list("text", "scores")
    assert [*stored] == [(f"{number}", {"acc": 0.0}) for number in range(1, 5)]


def test_several_variants_of_it_are_runs_with_names_of_their_own(experiment):
    export = parked(experiment.project, samples(False, ("none", "strict")), "samples_sums_B.jsonl")

    read = second_files.read(tool_outputs.as_rows(export, experiment), experiment)

    assert (read["variant"], read["repeats"]) == ("variant", "")


@pytest.mark.parametrize(
    ("filename", "variant"),
    [("samples_ifeval_2025.jsonl", "samples_ifeval_2025"), ("Qwen3-4B__samples_ifeval.jsonl", "Qwen3-4B")],
)
def test_the_only_run_of_an_export_without_names_is_called_after_its_file(project, filename, variant):
    evaluation = tools.evaluation(
        uploads.park(project, None, ContentFile(samples(True), filename), tools=True)
    )

    assert [one.name for one in evaluation.variants] == [variant]
