"""A caution where the answers of two variants differ in length or form, beside the verdict."""

import pytest

from evaluations.comparisons import notes
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.grouping.example_filter import ExampleFilter
from evaluations.datasets import datasets
from evaluations.evaluators import evaluators
from evaluations.experiments import experiments
from evaluations.kinds.value import ValueConfig
from evaluations.statistics.wording import text
from tests import factories

pytestmark = pytest.mark.django_db
ANSWERS = [f"The price of item {n} is {n} euros." for n in range(24)]


def caution(project, changed, kind="levenshtein_similarity", mapping=None) -> str:
    name = f"mine {len(changed[0])}"
    evaluator = evaluators.create(project, None, name, kind, {}, mapping or {})
    dataset = factories.dataset(project, ANSWERS, name=name)
    experiment = experiments.create(project, None, name, dataset, [evaluator])
    runs = [
        factories.scored_run(experiment, outputs, name)
        for name, outputs in (("short", ANSWERS), ("other", changed))
    ]
    return text(Comparison(runs, runs[0]).sentence.form)


@pytest.mark.parametrize(
    ("kind", "end"),
    [
        ("levenshtein_similarity", " counts that, whatever they say."),
        ("contains", " does not see that."),
    ],
)
def test_answers_that_are_twice_as_long_are_named_with_what_the_primary_makes_of_it(project, kind, end):
    told = caution(project, [f"{answer} {answer}" for answer in ANSWERS], kind)

    assert told.startswith("Answers of other are 2.0 times as long as those of short (median ")
    assert told.endswith(end)


@pytest.mark.parametrize(
    ("kind", "end"), [("exact_match", " does not see that."), ("rouge_l", " reads a part of them.")]
)
def test_the_length_of_an_answer_of_which_a_part_is_read_is_not_said_to_count(project, kind, end):
    mapping = {"actual": {"path": "$.output", "read": ["first_line"]}}

    assert caution(project, [f"{answer}\n\n{answer}" for answer in ANSWERS], kind, mapping).endswith(end)


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        (
            "exact_match",
            "Answers of other are longer than those of short (median 107 and 1 characters); mine 24 counts",
        ),
        ("contains", ""),
    ],
)
def test_beside_answers_of_one_letter_length_is_told_only_where_it_counts(project, kind, told):
    evaluator = evaluators.create(project, None, "mine 24", kind, {}, {})
    letters = ["ABCD"[n % 4] for n in range(24)]
    dataset = factories.dataset(project, letters, name="letters")
    experiment = experiments.create(project, None, "letters", dataset, [evaluator])
    whole = [
        f"Let us look at each of the options in turn, and then at the text again. So the right one must be {x}.".ljust(
            107, "."
        )
        for x in letters
    ]
    runs = [
        factories.scored_run(experiment, outputs, name)
        for name, outputs in (("short", letters), ("other", whole))
    ]

    caution = text(Comparison(runs, runs[0]).sentence.form)

    assert caution.startswith(told) if told else caution == ""


def test_lengths_are_those_of_all_answers_that_are_compared_and_of_the_filter_alone(project):
    """Of the first forty answers they would be 3.0 times as long, and so under every filter."""
    answers = [f"The price of item {n % 10} is {n % 10} euros." for n in range(100)]
    changed = [answer * 3 if n < 40 else answer for n, answer in enumerate(answers)]
    evaluator = evaluators.create(project, None, "mine", "levenshtein_similarity", {}, {})
    rows = [
        {
            "key": f"k{n}",
            "inputs": {"q": f"q{n}"},
            "reference": {"answer": answer},
            "metadata": {"part": "one" if n < 40 else "other"},
        }
        for n, answer in enumerate(answers)
    ]
    dataset = datasets.create(project, None, "parts", rows)
    experiment = experiments.create(project, None, "parts", dataset, [evaluator])
    runs = [
        factories.scored_run(experiment, outputs, name) for name, outputs in (("a", answers), ("b", changed))
    ]

    def told(*metadata) -> str:
        return text(Comparison(runs, runs[0], example_filter=ExampleFilter(metadata)).sentence.form)

    assert "as long" not in told()
    assert "b are 3.0 times as long as those of a" in told(("part", "one"))
    assert "as long" not in told(("part", "other"))


def test_a_fence_around_a_label_is_named_where_the_label_is_found_in_it(project):
    mapping = {"actual": {"path": "$.output", "read": [{"step": "choice", "labels": ANSWERS}]}}
    told = caution(project, [f"```\n{answer}\n```" for answer in ANSWERS], "label", mapping)

    assert "begin with a fence, none of short" in told
    assert told.endswith(" does not see that.")


def test_a_fence_or_reasoning_of_one_variant_is_named(project):
    fenced = caution(project, [f"```\n{answer}\n```" for answer in ANSWERS])
    reasoned = caution(project, [f"<think>So.</think>{answer}" for answer in ANSWERS])

    assert "24 of 24 answers of other that were looked at begin with a fence, none of short" in fenced
    assert "begin with a block of reasoning, none of short" in reasoned


def test_a_step_that_drops_the_reasoning_needs_no_caution(project):
    mapping = {"actual": {"path": "$.output", "read": ["reasoning"]}}

    assert caution(project, [f"<think>So.</think>{answer}" for answer in ANSWERS], mapping=mapping) == ""


def test_answers_of_like_form_need_no_caution(project):
    assert caution(project, [answer.replace("item", "thing") for answer in ANSWERS]) == ""


@pytest.mark.parametrize(
    ("last", "is_told"), [(ANSWERS[-1], True), ("The price of item 23 is 32 euros.", False)]
)
def test_the_same_answers_under_two_names_are_told(project, last, is_told):
    told = "short and other have the same answers, word for word: was one of them sent twice?"

    assert (caution(project, [*ANSWERS[:-1], last]) == told) == is_told


LONG = [
    f"You can send the parcel back within {30 + n} days, and we pay for the way if it was damaged when it came to you."
    for n in range(24)
]


@pytest.mark.parametrize(("old", "new"), [("within 3", "within 4"), (" days", " weeks")])
@pytest.mark.parametrize(
    ("kind", "is_told"), [("levenshtein_similarity", True), ("rouge_l", True), ("exact_match", False)]
)
def test_answers_that_differ_in_one_number_or_unit_are_named_where_the_primary_hardly_counts_it(
    project, kind, is_told, old, new
):
    experiment = factories.experiment(project, kind, references=LONG)
    changed = [answer.replace(old, new) for answer in LONG[:18]] + LONG[18:]
    runs = [
        factories.scored_run(experiment, outputs, name) for name, outputs in (("a", LONG), ("b", changed))
    ]

    told = text(Comparison(runs, runs[0]).sentence.form)

    assert ("answers that differ, of those looked at, do so in one word or number only" in told) == is_told


def test_answers_too_long_to_be_looked_at_do_not_differ_in_one_word(project):
    experiment = factories.experiment(project, "levenshtein_similarity", references=LONG)
    first = [f"Item {n} costs more. {'So it is. ' * 2_100}Pay {n} euros." for n in range(len(LONG))]
    second = [f"Item {n} costs less. {'So it is. ' * 2_100}Nobody knows." for n in range(len(LONG))]
    runs = [factories.scored_run(experiment, texts, name) for name, texts in (("a", first), ("b", second))]

    assert "do so in one word" not in text(Comparison(runs, runs[0]).sentence.form)


def test_numbers_of_answers_too_long_to_be_looked_at_are_not_told(project):
    right = [f"{'Well, 500 of them. ' * 1_200}So {n} euros." for n in range(24)]

    assert "references with a number" not in caution(project, right, "rouge_l")


def test_other_numbers_than_the_references_are_told_where_prose_is_compared(project):
    wrong = [f"The price of item {n} is {n + 40 * (n % 3 == 0)} euros, they say." for n in range(24)]
    short = [f"{n + 40 * (n % 3 == 0)} euros [{n}]" for n in range(24)]

    assert "references with a number" not in caution(project, wrong, "rouge_l")  # they name the item as well
    assert caution(project, short, "rouge_l").endswith(
        "Of 24 references with a number that were looked at, 0 of short and 8 of other say only others; "
        "mine 12 hardly counts that."
    )
    assert "references with a number" not in caution(project, [f"{one}." for one in short], "numeric_match")


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("levenshtein_similarity", "measures how like the reference an answer is, not whether"),
        ("chrf", "measures how like the reference an answer is, not whether"),
        ("error_rate", "measures how far an answer is from the reference, not whether"),
        ("exact_match", ""),
        ("numeric_match", ""),
    ],
)
def test_a_verdict_by_likeness_says_that_it_does_not_tell_right_from_wrong(project, kind, told):
    experiment = factories.experiment(project, kind, references=ANSWERS)
    runs = [factories.scored_run(experiment, ANSWERS, name) for name in ("a", "b")]

    remarks = notes.remarks(Comparison(runs, runs[0]))

    assert told in remarks
    assert ("not whether it is right." in remarks) == bool(told)


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        ("ok = 1, partiel = 0.5, ko = 0", "counts ok 1, partiel 0.5 and ko 0."),
        ("pass = 1, fail = 0", ""),
        ("won = 1, tie = 0.5, lost = 0", ""),
    ],
)
def test_what_words_count_stands_beside_a_verdict_by_them(labels, told):
    assert ValueConfig(labels=labels).words_told == told.removeprefix("counts ").removesuffix(".")


def test_a_verdict_by_words_says_what_they_count(project):
    graded = evaluators.create(
        project,
        None,
        "grade",
        "value",
        {"labels": "ok = 1, partly = 0.5, ko = 0"},
        {"actual": {"path": "$.actual"}},
    )
    experiment = experiments.create(project, None, "graded", factories.dataset(project, ANSWERS), [graded])
    words = ["ok", "partly", "ko"] * len(ANSWERS)
    runs = [
        factories.scored_run(experiment, words[n : len(ANSWERS) + n], name) for n, name in enumerate("ab")
    ]

    assert "counts ok 1, partly 0.5 and ko 0." in notes.remarks(Comparison(runs, runs[0]))
