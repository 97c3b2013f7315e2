"""The file of a further variant is read as the first file of its experiment was."""

import json

import pytest
from django.core.files.base import ContentFile

from evaluations.imports import imports, matches, run_names, same_examples, second_files
from evaluations.imports.uploads import uploads
from evaluations.models import Experiment, Import, Output, Run

pytestmark = pytest.mark.django_db
MAPPING = {
    "key": "doc_id",
    "inputs": ["question"],
    "reference": ["target"],
    "outputs": {"filtered_resps": "$.filtered_resps[0]"},
    "scores": {"exact_match": "exact_match"},
}


def row(number: int, answer: str, score: float = 1.0, **more: object) -> dict[str, object]:
    return {
        "doc_id": number,
        "question": f"What is {number} + {number}?",
        "target": f"{2 * number}",
        "filtered_resps": [answer],
        "exact_match": score,
    } | more


def lines(*rows: dict[str, object]) -> bytes:
    return "\n".join(map(json.dumps, rows)).encode()


FIRST = lines(*(row(number, f"{2 * number}") for number in range(1, 7)))


@pytest.fixture
def experiment(project) -> Experiment:
    upload = uploads.park(project, None, ContentFile(FIRST, "samples_A.jsonl"))
    dataset = imports.begin(upload, "sums", MAPPING)
    imports.run_import(Import.objects.get().pk)
    return Experiment.objects.get(dataset=dataset)


def second(experiment: Experiment, *rows: dict[str, object], name: str = "samples_B.jsonl"):
    return uploads.park(experiment.project, None, ContentFile(lines(*rows), name))


def test_the_output_inside_a_list_the_key_and_the_scores_are_those_of_the_first_file(experiment):
    upload = second(experiment, *(row(number, "x", 0.0) for number in (3, 1, 2)))

    suggestion = second_files.suggest(upload, experiment)

    assert suggestion.is_as_first
    assert suggestion.mapping == {
        "output": "$.filtered_resps[0]",
        "key": "doc_id",
        "scores": {"exact_match": "exact_match"},
    }


def test_outputs_inside_a_list_are_imported_with_their_scores(experiment):
    upload = second(experiment, *(row(number, f"no {number}", 0.0) for number in (3, 1, 2)))
    run = Run.objects.create(project=experiment.project, experiment=experiment, variant="B")

    imports.begin_outputs(upload, run, second_files.read(upload, experiment), start=False)
    imports.run_import(Import.objects.get(run=run).pk)

    stored = Output.objects.filter(run=run).order_by("position").values_list("position", "text", "scores")
    assert [*stored] == [(number, f"no {number}", {"exact_match": 0.0}) for number in (1, 2, 3)]


def test_what_the_file_gives_to_an_empty_output_is_kept_as_of_a_first_file(experiment):
    rows = [row(1, "2", 0.9), row(2, "x", 0.3) | {"filtered_resps": [None]}]
    upload = second(experiment, *rows)
    run = Run.objects.create(project=experiment.project, experiment=experiment, variant="B")

    imports.begin_outputs(upload, run, second_files.read(upload, experiment), start=False)
    imports.run_import(Import.objects.get(run=run).pk)

    stored = Output.objects.filter(run=run).order_by("position").values_list("text", "scores")
    assert [*stored] == [("2", {"exact_match": 0.9}), (None, {"exact_match": 0.3})]
    run.refresh_from_db()
    assert (run.output_count, run.outputs_note["matched"], run.outputs_note["missing"]) == (1, 1, 5)


def test_rows_with_other_keys_are_matched_by_their_inputs_in_any_order(experiment):
    upload = second(experiment, *(row(number, f"{number}", doc_id=f"run-{number}") for number in (6, 5, 1)))

    read = second_files.read(upload, experiment)

    assert read["inputs"] == {"question": "question"}
    match = matches.match(upload, experiment, read)
    assert (match.matched, match.extra, [*match.first_matched.values()]) == (3, 0, [6, 5, 1])


def test_an_input_that_differs_between_the_runs_does_not_hinder_the_match(project):
    rows = [row(number, f"{number}", context=f"first {number}") for number in range(1, 7)]
    mapping = MAPPING | {"key": None, "inputs": ["question", "context"]}
    upload = uploads.park(project, None, ContentFile(lines(*rows), "rag_a.jsonl"))
    experiment = Experiment.objects.get(dataset=imports.begin(upload, "rag", mapping))
    imports.run_import(Import.objects.get().pk)
    experiment.refresh_from_db()

    again = second(experiment, *(row(n, "x", doc_id=f"r{n}", context=f"other {n}") for n in (1, 2, 3)))

    assert second_files.suggest(again, experiment).mapping["inputs"] == {"question": "question"}


def test_inputs_that_several_examples_share_match_nothing(experiment):
    experiment.examples.update(inputs='{"question":"same"}')
    upload = second(
        experiment, *(row(number, "x", doc_id=f"r{number}", question="same") for number in (1, 2))
    )

    suggestion = second_files.suggest(upload, experiment)

    assert "inputs" not in suggestion.mapping


def test_order_is_only_taken_from_the_sender(experiment):
    upload = second(experiment, {"filtered_resps": ["a"]}, {"filtered_resps": ["b"]})

    assert not second_files.suggest(upload, experiment).is_matched
    with pytest.raises(Exception, match="No column names the examples"):
        second_files.read(upload, experiment)


def test_a_file_without_the_columns_of_the_first_is_read_by_its_own_names(experiment):
    upload = second(experiment, *({"doc_id": number, "answer": f"{number}"} for number in (1, 2, 3)))

    suggestion = second_files.suggest(upload, experiment)

    assert not suggestion.is_as_first
    assert suggestion.mapping == {"output": "answer", "key": "doc_id"}


def test_rows_that_repeat_are_told_apart_by_the_column_that_does(experiment):
    rows = [row(n, f"{n}", filter=name) for name in ("strict", "loose") for n in (1, 2, 3)]
    upload = second(experiment, *rows)

    read = second_files.read(upload, experiment)

    assert (read["variant"], read["repeats"]) == ("filter", "")
    assert matches.match(upload, experiment, read).answered == [("strict", 3), ("loose", 3)]


@pytest.mark.parametrize(
    ("more", "filename", "name"),
    [
        ({"model": "gpt-5-nano"}, "samples_B.jsonl", "gpt-5-nano"),
        ({"provider": {"id": "openai:gpt-4.1"}}, "samples_B.jsonl", "openai:gpt-4.1"),
        ({"metadata": {"model": "llama3.1:8b"}}, "x.jsonl", "llama3.1:8b"),
        ({"response": {"body": {"model": "gpt-5"}}}, "batch_68e2f4d71b308190_output.jsonl", "gpt-5"),
        ({}, "samples_B.jsonl", "B"),
        ({}, "samples_2025-09-04T09-41-07.884120.jsonl", "samples_2025-09-04T09-41-07.884120"),
        ({"model": "filtered_resps"}, "samples_B.jsonl", "B"),
    ],
)
def test_the_variant_is_called_after_its_model_or_what_is_new_in_the_name_of_the_file(
    experiment, more, filename, name
):
    upload = second(experiment, *(row(number, "x", **more) for number in (1, 2, 3)), name=filename)

    assert run_names.suggested(upload, experiment) == name


@pytest.mark.parametrize(
    ("first", "later", "name"),
    [
        ("Ergebnis_Prompt_v1.xlsx", "Ergebnis_Prompt_v2.xlsx", "Prompt v2"),
        ("samples_gsm8k_A.jsonl", "samples_gsm8k_B.jsonl", "B"),
        ("hr-bot-prompt-v3-1f9c20ab.csv", "hr-bot-prompt-v4-7be4410d.csv", "prompt v4"),
        ("ragas_naive_chunking_k2.csv", "ragas_hybrid_rerank_k4.csv", "hybrid rerank k4"),
        ("swe_gpt-4.1.verified-subset.json", "swe_claude-4.verified-subset.json", "claude-4"),
        ("a.csv", "a.csv", ""),
        ("details_2025-07-21T10-33-18.20.parquet", "details_2025-07-21T12-10-52.77.parquet", ""),
    ],
)
def test_what_sets_the_names_of_two_files_apart(first, later, name):
    assert run_names.apart(later, first) == name


def test_of_several_columns_of_outputs_the_one_that_is_new_is_that_of_the_run(project):
    rows = [{"doc_id": n, "question": f"What is {n}?", "gold": f"{n}", "bot": f"so {n}"} for n in range(1, 7)]
    mapping = {"key": "doc_id", "inputs": ["question"], "outputs": {"gold": "gold", "bot": "bot"}}
    upload = uploads.park(project, None, ContentFile(lines(*rows), "v1.jsonl"))
    experiment = Experiment.objects.get(dataset=imports.begin(upload, "sums", mapping))
    imports.run_import(Import.objects.get().pk)
    experiment.refresh_from_db()

    again = second(experiment, *(kept | {"bot": "other"} for kept in rows[:4]))

    assert second_files.suggest(again, experiment).mapping["output"] == "bot"


@pytest.mark.parametrize(
    ("filename", "name"),
    [
        ("Qwen3-4B__samples_mmlu_2025-08-11T14-20-09.55.jsonl", "Qwen3-4B"),
        ("model_outputs_Mistral-Nemo-Instruct-2407.json", "Mistral-Nemo-Instruct-2407"),
        ("swe_gpt-4.1-mini.verified-subset.json", "gpt-4.1-mini"),
        ("philosophy_exam.csv", ""),
        ("answers.csv", ""),
    ],
)
def test_a_model_in_the_name_of_a_file(filename, name):
    assert run_names.model_in(filename) == name


@pytest.mark.parametrize(
    ("outputs_of", "renamed_to"),
    [
        ({"answer": "answer"}, {"gpt-4.1": "answer"}),
        ({"output": "outputs.output"}, {"gpt-4.1": "outputs.output"}),
        ({"my bot": "answer"}, {"my bot": "answer"}),
        ({"a": "a", "b": "b"}, {"a": "a", "b": "b"}),
    ],
)
def test_the_only_variant_of_a_file_is_called_after_its_model_unless_it_has_a_name(outputs_of, renamed_to):
    scores = {"score": dict.fromkeys(outputs_of, "right")}

    mapping = run_names.renamed({"outputs": outputs_of, "scores": scores}, "gpt-4.1", ())

    assert mapping["outputs"] == renamed_to
    assert mapping["scores"] == {"score": dict.fromkeys(renamed_to, "right")}


def test_objects_of_measures_are_read_as_in_the_first_file(project):
    def rows(right: int) -> bytes:
        return lines(
            *(
                {
                    "instance_id": f"id{n}",
                    "predicted_text": f"a {n}",
                    "stats": {"exact_match": float(n < right)},
                }
                for n in range(12)
            )
        )

    mapping = {
        "key": "instance_id",
        "outputs": {"one": "predicted_text"},
        "scores": {"stats.exact_match": {"one": "stats.exact_match"}},
    }
    imports.begin(
        uploads.park(project, None, ContentFile(rows(6), "one_predictions.jsonl")), "predictions", mapping
    )
    imports.run_import(Import.objects.get().pk)
    experiment = Experiment.objects.get()
    upload = uploads.park(project, None, ContentFile(rows(9), "two_predictions.jsonl"))

    suggestion = second_files.suggest(upload, experiment)

    assert same_examples.of_upload(upload) == experiment
    assert suggestion.is_as_first
    assert [*suggestion.mapping["scores"]] == ["stats.exact_match"]
