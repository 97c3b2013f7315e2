"""Inspect: logs as JSON and as archives."""

import json

import pytest

from evaluations.ingest import FileError
from evaluations.other_tools import Figure
from evaluations.zstd import zipfile

from .files import archive, changed, content, figure, grader, read


def log():
    return json.loads(content("inspect.json"))


@pytest.mark.parametrize("compression", [zipfile.ZIP_DEFLATED, zipfile.ZIP_ZSTANDARD])
def test_an_archive_equals_the_json(compression):
    assert read(archive(log(), compression)) == read(content("inspect.json"))


def test_epochs_become_repetitions_of_one_variant():
    evaluation = read(content("inspect.json"))

    [variant] = evaluation.variants
    assert variant.name == "openai/gpt-4o"
    assert (variant.about["commit"], variant.about["parameters"]) == (
        "abc1234",
        {"temperature": 0.0, "max_tokens": 100},
    )
    assert [[answer.output for answer in answers.values()] for answers in variant.repetitions] == [
        ["Lima", "A spider has eight legs.", "It was GOETHE."],
        ["It is Lima.", "8", "Schiller"],
    ]
    assert variant.repetitions[0][0].latency_ms == 750


def test_samples_become_examples():
    first = read(content("inspect.json")).items[0]

    assert (first.key, first.inputs, first.reference) == (
        "a1",
        {"input": "What is the capital of Peru?"},
        {"target": "Lima"},
    )
    assert first.metadata == {"topic": "facts"}


def test_scorers_become_evaluators_only_where_the_formula_is_the_same():
    evaluation = read(content("inspect.json"))

    assert {grader.name: grader.formula and grader.formula.kind for grader in evaluation.graders} == {
        "includes": "contains",
        "model_graded_qa": None,
        "quality/tone": None,
        "quality/length": None,
    }
    values = [
        a.scores["model_graded_qa"].value for r in evaluation.variants[0].repetitions for a in r.values()
    ]
    assert values == [1.0, 0.5, 1.0, 1.0, 1.0, 0.0]


def test_an_accuracy_is_the_mean_of_its_grader():
    evaluation = read(content("inspect.json"))

    assert figure(evaluation, "openai/gpt-4o", "includes") == Figure("openai/gpt-4o", "includes", 6, 4 / 6)


def test_a_mean_is_that_of_its_grader():
    evaluation = read(content("inspect.json"))

    assert figure(evaluation, "openai/gpt-4o", "quality/tone").mean == 0.75


def test_the_figure_of_another_reducer_is_not_compared():
    def reduce(document):
        document["results"]["scores"][0]["reducer"] = "pass_at_2"

    evaluation = read(changed("inspect.json", reduce))

    assert "includes" not in {figure.grader for figure in evaluation.figures}
    assert any("pass_at_2" in note for note in evaluation.notes)


@pytest.mark.parametrize(
    ("value", "score"),
    [("C", 1.0), ("N", 0.0), ("Yes", 1.0), ("false", 0.0), ("0.25", 0.25), ("nan", None), ("?", None)],
)
def test_words_and_numerals_are_the_numbers_that_inspect_takes_them_for(value, score):
    def answer(document):
        document["samples"][0]["scores"]["includes"]["value"] = value

    first = read(changed("inspect.json", answer)).variants[0].repetitions[0][0]
    assert first.scores["includes"].value == score


def test_means_of_samples_with_fewer_scored_epochs_are_not_compared():
    def fail_once(document):
        del document["samples"][0]["scores"]["includes"]

    evaluation = read(changed("inspect.json", fail_once))

    graders = {figure.grader for figure in evaluation.figures}
    assert "includes" not in graders
    assert "model_graded_qa" in graders
    assert any(note.startswith("Some samples have scores of includes") for note in evaluation.notes)


def test_several_targets_keep_the_scores():
    def add_target(document):
        document["samples"][0]["target"] = ["Lima", "Lima, Peru"]

    assert "targets" in grader(read(changed("inspect.json", add_target)), "includes").why


def test_texts_kept_as_attachments_are_put_back():
    def attach(document):
        sample = document["samples"][0]
        sample["input"], sample["attachments"] = "attachment://abc", {"abc": "What is the capital of Peru?"}

    assert read(changed("inspect.json", attach)).items[0].inputs["input"] == "What is the capital of Peru?"


def test_messages_keep_their_roles_and_texts():
    def converse(document):
        for sample in document["samples"]:
            sample["input"] = [
                {"role": "system", "content": "Be brief."},
                {
                    "role": "user",
                    "content": [{"type": "text", "text": "Hi"}, {"type": "image", "image": "…"}],
                },
            ]

    assert read(changed("inspect.json", converse)).items[0].inputs["input"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hi\n[image]"},
    ]


def test_an_older_log_without_completion_is_read_from_its_choices():
    def age(document):
        for sample in document["samples"]:
            del sample["output"]["completion"]

    assert read(changed("inspect.json", age)).variants == read(content("inspect.json")).variants


@pytest.mark.parametrize("version", [1, 3, None])
def test_an_unknown_version_is_refused(version):
    with pytest.raises(FileError) as refusal:
        read(archive(log() | {"version": version}))

    assert refusal.value.code == "other_tool"


def test_a_log_without_samples_is_refused():
    with pytest.raises(FileError, match="no samples"):
        read(archive(log() | {"samples": []}))


def test_a_compression_that_is_not_known_is_refused():
    packed = archive(log(), zipfile.ZIP_STORED).replace(b"\x00\x00\x00\x00", b"\x00\x00\x62\x00")

    with pytest.raises(FileError) as refusal:
        read(packed)

    assert refusal.value.code == "other_tool"


def test_a_damaged_archive_is_refused():
    packed = archive(log(), zipfile.ZIP_ZSTANDARD)
    middle = packed.index(b"samples/") + 60

    with pytest.raises(FileError) as refusal:
        read(packed[:middle] + bytes(40) + packed[middle + 40 :])

    assert refusal.value.code == "other_tool"


def test_a_cut_archive_is_refused():
    with pytest.raises(FileError) as refusal:
        read(archive(log())[:-40])

    assert refusal.value.code == "other_tool"


@pytest.mark.long
def test_an_archive_that_unpacks_to_far_more_is_refused():
    bomb = log()
    bomb["samples"][0]["store"] = {"zeros": "0" * 150_000_000}

    with pytest.raises(FileError) as refusal:
        read(archive(bomb))

    assert refusal.value.code == "bytes_limit"


@pytest.mark.parametrize("field", ["output", "scores", "input", "target", "metadata", "epoch", "error", "id"])
@pytest.mark.parametrize("value", [None, 7, "text", [], {}, [None], {"a": {"b": 1}}])
def test_odd_values_of_a_field_are_read(field, value):
    def spoil(document):
        for sample in document["samples"]:
            sample[field] = value

    assert read(changed("inspect.json", spoil)).answer_count <= 6
