"""promptfoo: results of the versions 1 to 3."""

import json

import pytest

from evaluations.ingest import FileError

from .files import changed, content, figure, grader, read

VERSIONS = ["promptfoo_v1.json", "promptfoo_v2.json", "promptfoo_v3.json"]
NAMES = [f"prompt {n}, openai:gpt-4.1-{model}" for n in (1, 2) for model in ("mini", "nano")]


@pytest.mark.parametrize("name", VERSIONS)
def test_prompts_by_providers_become_variants(name):
    evaluation = read(content(name))

    assert [variant.name for variant in evaluation.variants] == NAMES
    assert evaluation.variants[1].about["prompt"] == "Translate to French: {{text}}"
    assert evaluation.variants[1].about["model"] == "openai:gpt-4.1-nano"


@pytest.mark.parametrize("name", VERSIONS)
def test_tests_become_examples_with_their_answers(name):
    evaluation = read(content(name))

    assert [(item.inputs, item.reference["expected"]) for item in evaluation.items] == [
        ({"text": "Hello"}, "Bonjour"),
        ({"text": "Good night"}, "Bonne nuit"),
        ({"text": "Thank you"}, "Merci"),
    ]
    outputs = [[answer.output for answer in v.repetitions[0].values()] for v in evaluation.variants]
    assert outputs[1:3] == [["bonjour", "Bonne nuit!", None], ["Bonjour", "Bonne nuit", "Merci beaucoup"]]
    failed = evaluation.variants[1].repetitions[0][2]
    assert (failed.error, failed.latency_ms) == ("API error: 500", 202)


@pytest.mark.parametrize("name", VERSIONS)
def test_assertions_become_evaluators_where_every_answer_has_the_same_score(name):
    evaluation = read(content(name))

    assert {g.type: g.formula and (g.formula.kind, g.formula.config) for g in evaluation.graders} == {
        "success": None,
        "score": None,
        "equals": ("exact_match", {"strip": "none"}),
        "icontains": ("contains", {"case_sensitive": False}),
        "levenshtein": ("levenshtein_distance", {"threshold": 3}),
        "llm-rubric": None,
    }


@pytest.mark.parametrize("name", VERSIONS)
def test_answers_that_failed_are_no_difference_to_exact_match(name):
    assert grader(read(content(name)), "exact").failed == 1


def test_an_output_that_lacks_its_score_is_a_difference():
    def lose(document):
        graded = document["results"]["results"][0]["gradingResult"]
        graded["componentResults"] = graded["componentResults"][1:]

    assert grader(read(changed("promptfoo_v3.json", lose)), "exact").formula is None


def test_equals_becomes_exact_match_where_no_answer_failed():
    def drop_failed(document):
        document["results"]["results"] = [
            r for r in document["results"]["results"] if r["failureReason"] != 2
        ]

    evaluation = read(changed("promptfoo_v3.json", drop_failed))

    assert grader(evaluation, "exact").formula.kind == "exact_match"
    assert len(evaluation.variants[1].repetitions[0]) == 2


def test_the_parameters_of_a_provider_are_facts_of_its_variants():
    assert read(content("promptfoo_v3.json")).variants[0].about["parameters"] == {"temperature": 0}


def test_the_summaries_of_prompts_and_of_all_are_read():
    evaluation = read(content("promptfoo_v3.json"))

    third, graded = (
        figure(evaluation, NAMES[2], name) for name in ("All assertions", "Score of all assertions")
    )
    assert (third.n, third.mean, third.pass_rate) == (3, None, 2 / 3)
    assert (graded.n, graded.mean, graded.pass_rate) == (3, pytest.approx(2.425 / 3), None)
    assert (figure(evaluation, NAMES[2], "exact").n, figure(evaluation, NAMES[2], "exact").mean) == (3, 2 / 3)
    assert figure(evaluation, "", "All assertions").pass_rate == 5 / 12


@pytest.mark.parametrize("name", VERSIONS)
def test_answers_that_failed_are_tests_that_did_not_pass_in_every_version(name):
    overall = figure(read(content(name)), "", "All assertions")

    assert (overall.n, overall.pass_rate) == (12, 5 / 12)


def test_a_summary_alone_is_accepted():
    alone = json.dumps(json.loads(content("promptfoo_v3.json"))["results"]).encode()

    assert [variant.name for variant in read(alone).variants] == NAMES


@pytest.mark.parametrize(
    "options",
    [
        {"config": {"evaluateOptions": {"repeat": 2}}},
        {"config": {"evaluateOptions": {"repeat": 1}, "commandLineOptions": {"repeat": 2}}},
        {"config": {"evaluateOptions": {"repeat": 1}}, "runtimeOptions": {"repeat": 2}},
    ],
)
def test_repeats_become_repetitions(options):
    def repeat(document):
        results = document["results"]["results"]
        again = [result | {"testIdx": result["testIdx"] + 3} for result in results]
        document["results"]["results"] = results + again
        document.update(options)

    evaluation = read(changed("promptfoo_v3.json", repeat))

    assert len(evaluation.items) == 3
    assert [len(variant.repetitions) for variant in evaluation.variants] == [2, 2, 2, 2]


def test_equal_tests_without_repeats_are_examples_of_their_own():
    def double(document):
        results = document["results"]["results"]
        again = [result | {"testIdx": result["testIdx"] + 3} for result in results]
        document["results"]["results"] = results + again

    evaluation = read(changed("promptfoo_v3.json", double))

    assert len(evaluation.items) == 6
    assert evaluation.repetition_count == 1


def test_an_assertion_that_changes_the_output_first_keeps_its_scores():
    def transform(document):
        for result in document["results"]["results"]:
            for component in (result["gradingResult"] or {}).get("componentResults", []):
                component["assertion"]["transform"] = "output.trim()"

    assert {grader.formula for grader in read(changed("promptfoo_v3.json", transform)).graders} == {None}


def test_contains_with_a_blank_at_an_end_keeps_its_scores():
    def pad(document):
        for result in document["results"]["results"]:
            result["vars"]["expected"] += " "
            for component in (result["gradingResult"] or {}).get("componentResults", []):
                component["pass"] = component["score"] = False

    assert grader(read(changed("promptfoo_v3.json", pad)), "icontains").formula is None


@pytest.mark.parametrize("version", [4, 0, None, "3"])
def test_an_unknown_version_is_refused(version):
    def set_version(document):
        document["results"]["version"] = version

    with pytest.raises(FileError) as refusal:
        read(changed("promptfoo_v3.json", set_version))

    assert refusal.value.code == "other_tool"
    assert f"version {version}" in refusal.value.message


@pytest.mark.parametrize("name", VERSIONS)
@pytest.mark.parametrize(
    "field", ["prompt", "provider", "vars", "response", "gradingResult", "score", "testCase"]
)
@pytest.mark.parametrize("value", [None, 7, "text", [], {}, [None], {"a": {"b": 1}}])
def test_odd_values_of_a_field_are_read(name, field, value):
    def spoil(document):
        summary = document["results"] if "stats" not in document else document
        for result in summary["results"]:
            result[field] = value

    assert read(changed(name, spoil)).answer_count == 12


def test_the_file_that_the_web_viewer_reads_is_read_too():
    document = json.loads(content("promptfoo_v3.json"))
    answer = {"data": {"version": 4, "createdAt": "2026-11-20", **document}}

    assert [variant.name for variant in read(json.dumps(answer).encode()).variants] == NAMES
