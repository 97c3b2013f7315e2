"""Outside scores in the columns of a file."""

import json

import pytest

from evaluations import ingest
from evaluations.comparisons.comparison import Comparison
from evaluations.errors import Invalid
from evaluations.evaluators import evaluators
from evaluations.experiments import experiments, runs
from evaluations.imports import imports
from evaluations.imports.columns import score_labels
from evaluations.imports.uploads import uploads
from evaluations.models import Evaluator, Import, Output, Run, Scoring
from evaluations.scoring import columns, scoring
from evaluations.values import Status
from tests import factories
from tests.factories import imported, jsonl

pytestmark = pytest.mark.django_db

WIDE = (
    {"id": "a", "q": "1+1", "r": "2", "v1": "2", "v2": "3", "comet_v1": 0.9, "comet_v2": "0.1", "ms": 10},
    {"id": "b", "q": "1+2", "r": "3", "v1": "3", "v2": None, "comet_v1": 0.8, "comet_v2": 0.7, "ms": 20},
    {"id": "c", "q": "1+3", "r": "4", "v1": "5", "v2": "4", "comet_v1": None, "comet_v2": "poor", "ms": 30},
)
MAPPING = {
    "inputs": ["q"],
    "reference": ["r"],
    "key": "id",
    "outputs": {"v1": "v1", "v2": "v2"},
    "scores": {"COMET": {"v1": "comet_v1", "v2": "comet_v2"}, "time": {"v1": "ms"}},
    "lower_is_better": ["time"],
}


def batch(rows) -> ingest.Objects:
    return ingest.Objects(range(len(rows)), rows)


def scored(project, *rows, mapping):
    imported(project, jsonl(*rows), mapping=mapping)
    while scoring.work(seconds=10):
        pass


def slots(variant, evaluator):
    run = Run.objects.get(variant=variant)
    column = columns.load(run.scorings.get(evaluator_version__evaluator__name=evaluator).pk)
    assert len(column) == run.examples.count()
    return column


def test_columns_of_numbers_become_scores_of_their_variants(project):
    scored(project, *WIDE, mapping=MAPPING)

    assert slots("v1", "COMET").values.tolist()[:2] == [0.9, 0.8]
    assert slots("v2", "COMET").values.tolist()[0] == 0.1
    assert slots("v1", "time").values.tolist() == [10, 20, 30]


def test_the_evaluator_of_a_score_has_its_direction(project):
    scored(project, *WIDE, mapping=MAPPING)

    directions = {
        evaluator.name: evaluators.newest(evaluator).config["direction"]
        for evaluator in Evaluator.objects.all()
    }
    assert directions == {"COMET": "maximize", "time": "minimize"}


def test_a_score_is_missing_unmapped_or_wrong_for_three_reasons(project):
    scored(project, *WIDE, mapping=MAPPING)

    assert slots("v1", "COMET").status.tolist() == [Status.SCORED, Status.SCORED, Status.UNMAPPED]
    assert slots("v2", "COMET").status.tolist() == [Status.SCORED, Status.MISSING_ACTUAL, Status.ERROR]


def test_a_missing_output_counts_against_its_variant_but_a_missing_score_does_not(project):
    scored(project, *WIDE, mapping=MAPPING)
    first, two = Run.objects.order_by("variant")

    entry = Comparison([first, two], first).figures.entries[0]

    assert entry.paired.n == 2
    assert entry.paired.imputed == 1


def test_an_evaluator_that_reads_the_score_is_used_again(project):
    scored(project, *WIDE, mapping=MAPPING)

    imported(project, jsonl(*WIDE), mapping=MAPPING, name="again")

    assert Evaluator.objects.count() == 2


def test_a_score_whose_name_another_evaluator_has_gets_a_longer_one(project):
    factories.evaluator(project, name="COMET")

    scored(project, *WIDE, mapping=MAPPING)

    assert Evaluator.objects.filter(name="COMET (outside score)").exists()


def test_rows_that_name_their_variants_bring_their_scores(project):
    rows = [
        {"q": "1", "system": system, "text": text, "mqm": mqm}
        for system, text, mqm in (("x", "one", -1), ("y", "uno", -5), ("x", "eins", None))
    ]
    rows[2]["q"] = "2"
    mapping = {"inputs": ["q"], "variant": "system", "output": "text", "scores": {"MQM": "mqm"}}

    scored(project, *rows, mapping=mapping)

    assert slots("x", "MQM").values.tolist()[0] == -1
    assert slots("x", "MQM").status.tolist() == [Status.SCORED, Status.UNMAPPED]
    assert slots("y", "MQM").values.tolist()[0] == -5


RATED = {"x": "it", "a": "one", "b": "two"}


def test_columns_of_several_raters_are_one_score_their_mean(project):
    rows = [
        RATED | {"ann_a": 5, "ben_a": 2, "ann_b": 1, "ben_b": 2},
        RATED | {"x": "this", "ann_a": None, "ben_a": "3", "ann_b": "", "ben_b": None},
    ]
    by_variant = {"a": ["ann_a", "ben_a"], "b": ["ann_b", "ben_b"]}
    mapping = {"inputs": ["x"], "outputs": {"a": "a", "b": "b"}, "scores": {"helpful": by_variant}}

    scored(project, *rows, mapping=mapping)

    assert slots("a", "helpful").values.tolist() == [3.5, 3]
    assert slots("b", "helpful").values.tolist()[0] == 1.5
    assert slots("b", "helpful").status.tolist() == [Status.SCORED, Status.UNMAPPED]
    assert Output.objects.filter(run__variant="a").order_by("position").first().scores == {"helpful": [5, 2]}


def test_a_file_of_outputs_brings_their_scores(project):
    evaluator = evaluators.create(project, None, "COMET", "value", {}, {"actual": {"path": "$.scores.COMET"}})
    experiment = factories.experiment(project)
    experiments.link(experiment, experiments.newest([evaluator]))
    run = factories.run(experiment, [], start=False)
    upload = factories.parked(project, jsonl({"key": "k1", "text": "Paris", "c": 0.5}))

    factories.begin_outputs(
        upload, run, {"output": "text", "key": "key", "scores": {"COMET": "c"}}, start=True
    )
    imports.run_import(Import.objects.get(run=run).pk)
    while scoring.work(seconds=10):
        pass

    assert slots("v1", "COMET").values.tolist()[0] == 0.5


def test_outputs_sent_as_json_bring_their_scores(project):
    experiment = factories.experiment(project)

    run = runs.create(
        experiment, None, "v1", [{"position": 1, "output": "a", "scores": {"COMET": 0.25}}], start=False
    )

    assert Output.objects.get(run=run).scores == {"COMET": 0.25}


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"scores": {"COMET": "nothing"}}, "invalid_mapping"),
        ({"scores": {"COMET": {"v1": "nothing"}}}, "missing_column"),
        ({"scores": {"COMET": {"v9": "ms"}}}, "invalid_mapping"),
        ({"scores": {"COMET": {"v1": []}}}, "invalid_mapping"),
        ({"scores": {"COMET": {"v1": ["ms", "ms"]}}}, "invalid_mapping"),
        ({"scores": {"COMET": {"v1": ["ms", "nothing"]}}}, "missing_column"),
        ({"scores": ["ms"]}, "invalid_mapping"),
        ({"scores": {" ": {"v1": "ms"}}}, "invalid_mapping"),
        ({"lower_is_better": ["speed"]}, "invalid_mapping"),
        ({"outputs": {}, "scores": {"time": "ms"}}, "invalid_mapping"),
    ],
)
def test_a_mapping_of_scores_that_fits_nothing_is_refused(project, changes, code):
    upload = factories.parked(project, jsonl(*WIDE))

    with pytest.raises(Invalid) as refused:
        imports.begin(upload, "refused", MAPPING | changes)

    assert refused.value.code == code


def test_text_evaluators_do_not_see_the_scores(project):
    exact = factories.evaluator(project, "exact_match")

    imported(project, jsonl(*WIDE), mapping=MAPPING, evaluators=[exact])
    while scoring.work(seconds=10):
        pass

    assert slots("v1", "exact match").values.tolist() == [1, 1, 0]
    assert Scoring.objects.count() == 6


def test_an_import_remembers_its_score_columns(project):
    upload = factories.parked(project, jsonl(*WIDE))
    preview = uploads.preview(upload)
    columns_of = imports.checked(upload, MAPPING)

    stored = json.loads(json.dumps(columns_of.as_dict()))

    assert type(columns_of).from_dict(stored) == columns_of
    assert columns_of.left_out(preview.columns) == []


GRADED = (
    {"id": "a", "q": "1+1", "r": "2", "v1": "2", "grade": "good"},
    {"id": "b", "q": "1+2", "r": "3", "v1": "3", "grade": "Bad"},
    {"id": "c", "q": "1+3", "r": "4", "v1": "5", "grade": "unclear"},
)
GRADES = {"inputs": ["q"], "reference": ["r"], "outputs": {"v1": "v1"}, "scores": {"grade": "grade"}}


def test_words_get_the_numbers_of_the_mapping(project):
    scored(project, *GRADED, mapping=GRADES | {"labels": {"grade": "good = 1, bad = 0"}})

    grades = slots("v1", "grade")
    assert grades.values.tolist()[:2] == [1, 0]
    assert grades.status.tolist() == [Status.SCORED, Status.SCORED, Status.ERROR]


@pytest.mark.parametrize("labels", [{"grade": "good"}, {"speed": "good = 1"}, {"grade": 1}, ["grade"]])
def test_labels_that_fit_nothing_are_refused(project, labels):
    upload = factories.parked(project, jsonl(*GRADED))

    with pytest.raises(Invalid) as refused:
        imports.begin(upload, "refused", GRADES | {"labels": labels})

    assert refused.value.code == "invalid_mapping"
    assert [*refused.value.fields] == ["mapping.labels"]


def test_the_words_of_a_file_exclude_numbers(project):
    columns_of = imports.checked(factories.parked(project, jsonl(*GRADED)), GRADES)
    further_rows = [{"grade": value} for value in (None, "", "0.5", "true", 3, " good ")]

    assert score_labels.words(batch([*GRADED, *further_rows]), columns_of.scores) == {
        "grade": ["Bad", "good", "unclear"]
    }


def test_a_verdict_between_right_and_wrong_counts_a_half(project):
    rows = [
        {"id": f"{n}", "q": "1+1", "r": "2", "v1": "2", "grade": word}
        for n, word in enumerate(["KO", "OK ", "Partiel", ""])
    ]
    columns_of = imports.checked(factories.parked(project, jsonl(*rows)), GRADES)

    assert score_labels.verdicts(batch(rows), columns_of.scores) == {"grade": "ok = 1, partiel = 0.5, ko = 0"}


@pytest.mark.parametrize(
    ("cells", "labels"),
    [(["1", 0, ""], {"grade": "1 = 1, 0 = 0"}), ([1, 0, 0.5], {}), ([1, 1, 1], {})],
)
def test_scores_of_only_one_and_zero_are_shares(project, cells, labels):
    rows = [{"id": f"{n}", "q": "1+1", "r": "2", "v1": "2", "grade": cell} for n, cell in enumerate(cells)]
    columns_of = imports.checked(factories.parked(project, jsonl(*rows)), GRADES)

    assert score_labels.verdicts(batch(rows), columns_of.scores) == labels


def test_stars_are_numbers(project):
    rows = [
        {"id": f"{n}", "q": "q", "r": "2", "v1": "2", "grade": word}
        for n, word in enumerate(["★★☆", "3 Sterne", "1"])
    ]
    columns_of = imports.checked(factories.parked(project, jsonl(*rows)), GRADES)

    assert score_labels.verdicts(batch(rows), columns_of.scores) == {"grade": "3 sterne = 3, ★★☆ = 2"}


def test_answers_on_a_scale_are_numbers_from_one_to_five(project):
    words = ["Strongly agree", "disagree", "Neutral", "agree"]
    rows = [{"id": f"{n}", "q": "q", "r": "2", "v1": "2", "grade": word} for n, word in enumerate(words)]
    columns_of = imports.checked(factories.parked(project, jsonl(*rows)), GRADES)

    assert score_labels.verdicts(batch(rows), columns_of.scores) == {
        "grade": "strongly agree = 5, agree = 4, neutral = 3, disagree = 2"
    }


def test_a_list_of_errors_is_the_sum_of_their_weights(project):
    cells = ['[{"severity": "major"}, {"severity": "Minor"}]', [], [{"severity": "critical"}], None]
    rows = [{"id": f"{n}", "q": "1+1", "r": "2", "v1": "2", "grade": cell} for n, cell in enumerate(cells)]
    scored(project, *rows, mapping=GRADES)

    assert slots("v1", "grade").values.tolist()[:3] == [6, 0, 10]


def test_an_import_remembers_the_numbers_of_words(project):
    upload = factories.parked(project, jsonl(*GRADED))
    columns_of = imports.checked(upload, GRADES | {"labels": {"grade": "good = 1"}})

    stored = json.loads(json.dumps(columns_of.as_dict()))

    assert type(columns_of).from_dict(stored) == columns_of


def test_a_warning_says_which_scores_lack_and_which_are_wrong(project):
    scored(project, *WIDE, mapping=MAPPING)
    first, two = Run.objects.order_by("variant")

    warnings = Comparison([first, two], first).warnings

    about_comet = {warning["code"] for warning in warnings if "COMET: 1 of 3 examples" in warning["message"]}
    assert about_comet == {"missing_scores", "evaluator_errors"}
    assert "missing_references" not in {warning["code"] for warning in warnings}


JUDGED = (
    {"id": "a", "q": "1+1", "v1": "2", "v2": "3", "judge": {"v1": {"mark": "0,9"}, "v2": {"mark": 0.5}}},
    {"id": "b", "q": "1+2", "v1": "3", "v2": "4", "judge": '{"v1": {"mark": 0.25}, "v2": {"mark": "poor"}}'},
    {"id": "c", "q": "1+3", "v1": "5", "v2": "6", "judge": {"v1": {}}},
)
MARKS = {
    "inputs": ["q"],
    "outputs": {"v1": "v1", "v2": "v2"},
    "scores": {"mark": {"v1": "$.judge.v1.mark", "v2": "judge.v2.mark"}},
    "labels": {"mark": "poor = 0"},
}


def test_scores_inside_a_column_are_read_by_their_paths(project):
    scored(project, *JUDGED, mapping=MARKS)

    assert slots("v1", "mark").values.tolist()[:2] == [0.9, 0.25]
    assert slots("v1", "mark").status.tolist()[2] == Status.UNMAPPED
    assert slots("v2", "mark").values.tolist()[:2] == [0.5, 0]


def test_an_import_remembers_the_paths_of_scores(project):
    columns_of = imports.checked(factories.parked(project, jsonl(*JUDGED)), MARKS)

    stored = json.loads(json.dumps(columns_of.as_dict()))

    assert type(columns_of).from_dict(stored) == columns_of
    assert columns_of.left_out(["id", "judge"]) == ["id"]


def test_words_inside_a_column_are_asked_for(project):
    columns_of = imports.checked(factories.parked(project, jsonl(*JUDGED)), MARKS)

    assert score_labels.words(batch(JUDGED), columns_of.scores) == {"mark": ["poor"]}


def test_a_file_of_outputs_brings_scores_inside_a_column(project):
    evaluator = evaluators.create(project, None, "mark", "value", {}, {"actual": {"path": "$.scores.mark"}})
    experiment = factories.experiment(project)
    experiments.link(experiment, experiments.newest([evaluator]))
    run = factories.run(experiment, [], start=False)
    upload = factories.parked(project, jsonl({"key": "k1", "text": "Paris", "judge": {"mark": 0.5}}))

    mapping = {"output": "text", "key": "key", "scores": {"mark": "$.judge.mark"}}
    factories.begin_outputs(upload, run, mapping, start=True)
    imports.run_import(Import.objects.get(run=run).pk)

    assert Output.objects.get(run=run).scores == {"mark": 0.5}


@pytest.mark.parametrize(
    ("second", "lower", "labels"),
    [([1, 0], ["flag"], "1 = 1, 0 = 0"), ([4, 5], [], None), (["good", "bad"], [], "good = 1, bad = 0")],
)
def test_a_score_of_the_same_name_that_means_something_else_has_an_evaluator_of_its_own(
    project, second, lower, labels
):
    def mapping(lower, labels):
        known = {"labels": {"flag": labels}} if labels else {}
        return {
            "inputs": ["q"], "key": "id", "outputs": {"v1": "v1"}, "scores": {"flag": "flag"}, "lower_is_better": lower,
        } | known  # fmt: skip

    for cells, chosen in ([1, 0], mapping([], "1 = 1, 0 = 0")), (second, mapping(lower, labels)):
        rows = [{"id": f"{n}", "q": "?", "v1": "x", "flag": cell} for n, cell in enumerate(cells)]
        imported(project, jsonl(*rows), name=f"""{cells} {chosen["lower_is_better"]}""", mapping=chosen)
        while scoring.work(seconds=10):
            pass

    assert Evaluator.objects.filter(project=project).count() == 2
    for run in Run.objects.all():
        column = columns.load(run.scorings.get().pk)
        assert (column.status == Status.SCORED).all()


@pytest.mark.parametrize("is_long", [False, True])
def test_an_empty_output_counts_as_its_own_score_if_that_is_worse_than_all_answers(project, is_long):
    """COMET gives an empty translation 0.31; the worst answer has 0.7, and silence must not be worth that."""
    texts = {"old": ["x"] * 30, "new": [*["y"] * 27, *[None] * 3]}
    comet = {"old": [0.8] * 15 + [0.75] * 15, "new": [0.9] * 14 + [0.7] * 13 + [0.31] * 3}
    if is_long:
        rows = [
            {"id": f"{n}", "q": f"{n}?", "model": name, "text": texts[name][n], "comet": comet[name][n]}
            for name in texts
            for n in range(30)
        ]
        mapping = {"variant": "model", "output": "text", "scores": {"comet": "comet"}}
    else:
        rows = [
            {"id": f"{n}", "q": f"{n}?"}
            | {name: texts[name][n] for name in texts}
            | {f"{name} comet": comet[name][n] for name in texts}
            for n in range(30)
        ]
        mapping = {"outputs": {"old": "old", "new": "new"}}
        mapping["scores"] = {"comet": {name: f"{name} comet" for name in texts}}

    scored(project, *rows, mapping={"inputs": ["q"], "key": "id"} | mapping)

    runs = [Run.objects.get(variant=name) for name in ("old", "new")]
    comparison = Comparison(runs, runs[0])
    [evaluator] = comparison.evaluators
    [entry] = [one for one in comparison.figures.entries_of(evaluator) if one.paired]
    assert entry.paired.mean == pytest.approx((0.9 * 14 + 0.7 * 13 + 0.31 * 3) / 30)
    assert [run.output_count for run in runs] == [30, 27]
