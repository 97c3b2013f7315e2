"""Files with a row for each rater of an example."""

import pytest

from evaluations.evaluators import evaluators
from evaluations.imports.rows import incoming
from evaluations.kinds.people import PeopleConfig
from evaluations.labelling import facts
from evaluations.models import Dataset, Evaluator, Job, Label, LabelTask, Output, Run
from tests.factories import imported, jsonl

pytestmark = pytest.mark.django_db
MAPPING = {"inputs": ["text"], "key": "id", "rater": "who", "label": "said"}


def rows(*said: str) -> list[dict]:
    """A row for each word, by raters a, b, c, …, three to an example."""
    return [
        {"id": f"k{n // 3}", "text": f"t{n // 3}", "who": "abc"[n % 3], "said": word}
        for n, word in enumerate(said)
    ]


def decided(run: Run) -> dict[int, tuple[float | None, str | None]]:
    """What counts for each answer, by position."""
    version = Evaluator.objects.get(name="said").versions.get()
    config = PeopleConfig.model_validate(version.config)
    return {position: facts.decided(config, given) for position, given in facts.of_run(version, run).items()}


@pytest.fixture(autouse=True, params=[1, 5_000])
def at_once(request, monkeypatch):
    """Rows stored at a time; their number changes no result."""
    monkeypatch.setattr(incoming, "AT_ONCE", request.param)


def test_each_rater_has_a_label_and_the_majority_counts(project):
    dataset = imported(project, jsonl(*rows("Good", "bad", "good", "bad", "bad", "bad")), mapping=MAPPING)

    run, task = Run.objects.get(), LabelTask.objects.get()
    assert (dataset.status, dataset.example_count) == ("ready", 2)
    assert (run.variant, run.output_count) == ("text", 2)
    assert list(Output.objects.order_by("position").values_list("text", flat=True)) == ["t0", "t1"]
    assert [rater.name for rater in task.people.order_by("number")] == ["a", "b", "c"]
    assert decided(run) == {1: (1.0, "good"), 2: (0.0, "bad")}
    assert Evaluator.objects.get().name == "said"


def test_evaluators_score_the_run_beside_the_labels(project):
    exact = evaluators.create(project, None, "exact", "exact_match", {}, {})

    dataset = imported(project, jsonl(*rows("good", "bad", "good")), mapping=MAPPING, evaluators=[exact])

    assert (dataset.status, Label.objects.count()) == ("ready", 3)
    assert Job.objects.get().run == Run.objects.get()


def test_every_example_is_labelled_so_their_mean_is_an_estimate(project):
    imported(project, jsonl(*rows("pass", "fail", "pass")), mapping=MAPPING)

    version, run = Evaluator.objects.get().versions.get(), Run.objects.get()
    assert [fact.probability for fact in facts.of_run(version, run)[1]] == [1.0, 1.0, 1.0]
    assert decided(run) == {1: (2 / 3, None)}


def test_an_empty_label_is_a_rater_who_is_unsure(project):
    imported(project, jsonl(*rows("3", "", "5")), mapping=MAPPING)

    assert [label.value for label in Label.objects.order_by("pk")] == [3.0, None, 5.0]


def test_the_labelled_output_can_be_named(project):
    table = [row | {"answer": f"a{row['id']}"} for row in rows("yes", "no", "yes")]

    imported(project, jsonl(*table), mapping=MAPPING | {"output": "answer"})

    assert [output.text for output in Output.objects.all()] == ["ak0"]


def test_a_rater_who_labels_an_example_twice_is_refused_with_the_line(project):
    table = [*rows("yes", "no", "yes"), *rows("no")]

    failed = imported(project, jsonl(*table), mapping=MAPPING)
    in_part = imported(project, jsonl(*table), mapping=MAPPING, on_error="skip", name="kept")

    assert (failed.errors[0]["code"], failed.errors[0]["where"]["line"]) == ("duplicate_label", 4)
    assert (in_part.error_counts, Label.objects.count()) == ({"duplicate_label": 1}, 3)


@pytest.mark.parametrize(
    ("row", "code"), [({"who": ""}, "variant_missing"), ({"text": None}, "nothing_to_label")]
)
def test_a_row_without_rater_or_text_is_refused(project, row, code):
    table = [*rows("yes", "no", "yes"), {"id": "z", "text": "t", "who": "a", "said": "no"} | row]

    dataset = imported(project, jsonl(*table), mapping=MAPPING, on_error="skip")

    assert (dataset.example_count, dataset.error_counts) == (1, {code: 1})


@pytest.mark.parametrize(
    "said", [("same",) * 3, ("a, b", "a", "c"), tuple("abcdefghij")], ids=["one", "commas", "ten"]
)
def test_what_cannot_be_labels_fails_and_leaves_nothing(project, said):
    dataset = imported(project, jsonl(*rows(*said)), mapping=MAPPING)

    assert (dataset.status, dataset.errors[0]["code"]) == ("failed", "labels_do_not_fit")
    assert not Evaluator.objects.exists()
    assert not Label.objects.exists()
    assert Dataset.objects.get().failed_import.filename
