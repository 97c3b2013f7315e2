"""Subsets on which a variant is better or worse than overall: which exist, and what sentences say."""

from dataclasses import replace

import numpy as np
import pytest

from evaluations.comparisons import subsets
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.grouping import clustering, groups, subset_columns
from evaluations.comparisons.grouping.example_filter import ExampleFilter
from evaluations.datasets import arrays, datasets, live_positions
from evaluations.datasets.live_positions import Positions
from evaluations.models import Dataset
from evaluations.statistics.subsets import by_importance
from tests.comparisons import columns

SIZE, LEGAL = 300, 43


def topics(legal: int = LEGAL) -> list[dict]:
    return [{"topic": "legal" if n < legal else "billing" if n % 2 else "travel"} for n in range(SIZE)]


def planted(project, metadata=None, kind="rouge_l", missing=()) -> Comparison:
    """A variant that is better by 0.29 everywhere, and worse by 0.46 on the first 43 examples."""
    chance = np.random.default_rng(11)
    experiment = columns.experiment(project, SIZE, [kind], metadata or topics())
    base = chance.uniform(0.45, 0.55, SIZE)
    gain = np.where(np.arange(SIZE) < LEGAL, -0.46, 0.29) + chance.normal(0, 0.05, SIZE)
    variant = np.clip(base + gain, 0, 1)
    variant[list(missing)] = np.nan
    runs = [columns.run(experiment, name, [scores]) for name, scores in (("a", base), ("b", variant))]
    return Comparison(runs, runs[0])


def positions_of(dataset: Dataset) -> Positions:
    return live_positions.of_version(dataset, dataset.version)


def search_of(comparison: Comparison) -> subsets.Search:
    return subsets.search(comparison.figures, comparison.evaluators.primary)


def names(metadata) -> list[str]:
    """The subsets that a column with these values has."""
    column = subset_column("column", metadata)
    return list(column.names) if column else []


def subset_column(name: str, metadata):
    coded = arrays.coded(metadata)
    return groups.subsets_of(name, coded.codes, coded.values, lambda slots: {n: metadata[n] for n in slots})


def test_a_planted_reversal_is_named_in_the_sentence(project):
    comparison = planted(project)

    assert comparison.sentence.text.startswith("b is better than a on ")
    assert ", but worse on legal." in comparison.sentence.text


def test_whole_objects_are_no_subsets(project):
    metadata = [{"answered": {"message": row["topic"]}} for row in topics()]

    comparison = planted(project, metadata)

    assert "worse on" not in comparison.sentence.text
    assert "answered" not in search_of(comparison).columns


def test_a_planted_reversal_comes_first(project):
    comparison = planted(project)

    first = search_of(comparison).subsets[0]

    assert (first.column, first.name, first.n) == ("topic", "legal", LEGAL)
    assert (first.reported, first.reversal) == (True, True)
    assert first.difference == pytest.approx(-0.46, abs=0.05)
    assert first.difference_outside == pytest.approx(0.29, abs=0.05)


def test_the_brief_verdict_names_opposing_subsets(project):
    brief = "".join(text for _, text in planted(project).sentence.brief)

    assert brief == "b better, but worse on legal"


def test_where_lower_is_better_the_words_turn(project):
    comparison = planted(project, kind="levenshtein_distance")

    assert comparison.sentence.text.startswith("b is worse than a on ")
    assert ", but better on legal." in comparison.sentence.text


def test_an_unanswered_example_counts_as_worst(project):
    comparison = planted(project, missing=range(LEGAL))

    first = search_of(comparison).subsets[0]

    assert (first.name, first.n) == ("legal", LEGAL)
    assert first.difference == pytest.approx(-0.5, abs=0.05)


@pytest.mark.parametrize(("is_reported", "labels"), [(True, ["legal"]), (False, [])])
def test_the_sentence_names_what_the_table_reports(project, is_reported, labels):
    first = replace(search_of(planted(project)).subsets[0], p_corrected=0.035, reported=is_reported)
    search = subsets.Search(["topic"], [first], None)

    for overall in ("better", "cannot_tell"):
        assert [label for _, label in search.exceptions(1, "maximize", overall)] == labels


def test_differences_that_chance_explains_are_not_named(project):
    chance = np.random.default_rng(12)
    experiment = columns.experiment(project, SIZE, ["rouge_l"], topics())
    base = chance.uniform(0.2, 0.8, SIZE)
    runs = [columns.run(experiment, "a", [base]), columns.run(experiment, "b", [base + 0.1])]
    runs.append(columns.run(experiment, "c", [base + chance.normal(0.1, 0.05, SIZE)]))

    search = search_of(Comparison(runs, runs[0]))

    assert not any(subset.reported for subset in search.subsets)
    assert search.heterogeneity_p > 0.05


def test_a_reversal_among_100_000_examples_is_named_at_first_sight(project):
    comparison = planted(project)
    comparison.sides.dataset.example_count = 100_000

    assert ", but worse on legal." in comparison.sentence.text


def test_every_variant_counts_towards_the_limit_of_the_search(project, monkeypatch):
    two = planted(project)
    third = columns.run(two.sides.experiment, "c", [np.full(SIZE, 0.5)])
    monkeypatch.setattr(subsets, "MOST_PAIRS", SIZE)

    three = Comparison([*two.sides.runs, third], two.sides.runs[0])

    assert subsets.cached_search(three.figures) is None
    assert subsets.cached_search(two.figures) is not None


def test_large_comparisons_name_subsets_of_an_earlier_search(project, monkeypatch):
    monkeypatch.setattr(subsets, "MOST_PAIRS", SIZE - 1)
    comparison = planted(project)
    before = comparison.sentence.text

    again = Comparison(comparison.sides.runs, comparison.sides.runs[0])
    search_of(again)

    assert "legal" not in before
    assert ", but worse on legal." in again.sentence.text


def test_a_search_is_kept(project, django_assert_num_queries):
    comparison = planted(project)
    search_of(comparison)
    again = Comparison(
        comparison.sides.runs, comparison.sides.runs[0], dict(comparison.sides.scorings_by_run)
    )

    with django_assert_num_queries(0):
        search_of(again)


@pytest.mark.long
def test_a_scoring_that_is_computed_again_is_searched_again(project):
    comparison = planted(project)
    search_of(comparison)
    scoring = comparison.evaluators.scoring(comparison.evaluators.primary.pk)
    scoring.blocks.all().delete()
    scoring.delete()
    version = scoring.evaluator_version
    columns.store(comparison.sides.runs[0], version, np.full(SIZE, 0.5), np.zeros(SIZE, np.uint8))

    again = Comparison(comparison.sides.runs, comparison.sides.runs[0])

    assert search_of(again).subsets[0].difference != pytest.approx(
        search_of(comparison).subsets[0].difference, abs=1e-9
    )


# ---- which subsets there are ----


def test_values_that_enough_examples_share_are_subsets():
    assert names(["a"] * 20 + ["b"] * 25 + ["rare"] * 19 + [None] * 9 + [""] * 30) == ["a", "b"]


def test_few_different_numbers_are_subsets_of_their_own_in_their_order():
    assert names([3, 1, 2] * 20) == ["1", "2", "3"]


def test_many_different_numbers_are_cut_into_quarters():
    assert names([n // 2 for n in range(80)]) == ["up to 9", "10 to 19", "20 to 29", "above 29"]


def test_quarters_of_fractions_are_named_by_their_edges():
    assert names([n / 80 for n in range(80)]) == [
        "up to 0.247", "0.247 to 0.494", "0.494 to 0.741", "above 0.741"
    ]  # fmt: skip


def test_numbers_of_a_csv_file_are_cut_into_quarters():
    assert names([str(n // 2) for n in range(80)]) == ["up to 9", "10 to 19", "20 to 29", "above 29"]


def test_few_numbers_of_a_csv_file_are_in_their_order():
    assert names(["10", "9", "-0.5"] * 20) == ["-0.5", "9", "10"]


def test_codes_of_digits_are_values():
    assert names([f"{n:03}" for n in range(12)] * 20) == [f"{n:03}" for n in range(12)]


def test_truth_is_no_number():
    assert names([True, False] * 30 + [1] * 20) == ["true", "false", "1"]


@pytest.mark.parametrize(
    "ids", [range(1, 301), [f"customer {n}" for n in range(300)], [n // 3 for n in range(300)]]
)
def test_ids_are_no_subsets(ids):
    assert subset_column("document_id", ids) is None


def test_numbers_that_never_repeat_are_ids_by_any_name():
    assert names(range(1, 301)) == []


def test_a_long_value_is_named_in_full():
    article = "The dataset's own text. " * 20

    assert names([article, "short"] * 30) == [article, "short"]


def test_a_value_too_long_for_an_address_is_no_subset():
    fits, too_long = "é" * 1_000, "é" * 1_001

    assert names([fits, too_long, "short"] * 30) == [fits, "short"]


def test_of_very_many_values_the_most_frequent_are_subsets():
    values = [f"v{n}" for n in range(60) for _ in range(20 + n)]

    assert len(names(values)) == groups.MOST_VALUES
    assert "v59" in names(values)
    assert "v0" not in names(values)


def test_lengths_of_inputs_and_references_are_subsets(project):
    rows = [
        {
            "inputs": {"q": "x" * (n % 40 + 1)},
            "reference": {"a": chr(97 + n % 26) * (n % 4 + 1)},
            "metadata": {},
        }
        for n in range(120)
    ]
    dataset = datasets.create(project, None, "texts", rows)

    by_name = {column.name: column for column in subset_columns.of_dataset(dataset, positions_of(dataset))}

    assert by_name["input length"].names == ("up to 10", "11 to 20", "21 to 30", "above 30")
    assert by_name["reference length"].names == ("up to 1", "2", "3", "above 3")
    assert by_name["input length"].codes[:12].tolist() == [0] * 10 + [1] * 2


def labelled(project, *labels, count=60) -> Dataset:
    rows = [{"inputs": {"q": "x"}, "reference": {"a": labels[n % len(labels)]}} for n in range(count)]
    return datasets.create(project, None, "texts", rows)


def test_right_answers_that_are_labels_are_subsets(project):
    dataset = labelled(project, "refund", "cancellation", "billing")
    positions = positions_of(dataset)

    by_name = {column.name: column for column in subset_columns.of_dataset(dataset, positions)}

    assert by_name["right answer"].names == ("refund", "cancellation", "billing")
    assert "reference length" not in by_name
    assert subset_columns.mask(dataset, positions, [("right answer", "refund")]).sum() == 20


@pytest.mark.parametrize("labels", [["the one"], [f"answer {n}" for n in range(40)], [["a"], ["b"]]])
def test_right_answers_that_are_no_labels_are_no_subsets(project, labels):
    dataset = labelled(project, *labels, count=80)

    names = [column.name for column in subset_columns.of_dataset(dataset, positions_of(dataset))]
    assert "right answer" not in names


def test_the_lengths_of_two_labels_are_no_subsets(project):
    rows = [{"inputs": {"q": "x"}, "reference": {"a": ["good", "terrible"][n % 2]}} for n in range(60)]
    dataset = datasets.create(project, None, "texts", rows)

    names = [column.name for column in subset_columns.of_dataset(dataset, positions_of(dataset))]
    assert "reference length" not in names


def test_a_column_called_as_a_length_is_the_users(project):
    rows = [{"inputs": {"q": "x"}, "metadata": {"input length": "ab"[n % 2]}} for n in range(60)]
    dataset = datasets.create(project, None, "texts", rows)

    names = [column.names for column in subset_columns.of_dataset(dataset, positions_of(dataset))]
    assert names == [("a", "b")]


def test_columns_about_the_outputs_of_variants_are_no_subsets(project):
    said = {"label small": "right", "label large": "wrong", "large city": "yes"}
    rows = [
        {"inputs": {"q": "x"}, "metadata": {name: f"{value}{n % 2}" for name, value in said.items()}}
        for n in range(60)
    ]
    dataset = datasets.create(project, None, "texts", rows)
    positions = positions_of(dataset)

    names = [
        column.name for column in subset_columns.of_dataset(dataset, positions, ["mt small", "mt large"])
    ]
    assert names == ["large city"]


# ---- the sentence, the table and the page of a subset ----


def passes(chance, rate):
    return (chance.random(len(rate)) < rate) * 1.0


def grades(chance, mean):
    return np.clip(np.round((mean + chance.normal(0, 0.2, len(mean))) * 4) / 4, 0, 1)


def similarities(chance, mean):
    return chance.beta(8 * mean, 8 * (1 - mean))


@pytest.mark.parametrize("scores", [passes, grades, similarities])
@pytest.mark.parametrize("fall", [0.46, 0.12])
def test_each_reported_subset_has_the_figures_of_its_page(project, scores, fall):
    legal = np.arange(SIZE) < 60
    chance = np.random.default_rng(7)
    rows = [
        {"topic": "legal" if n < 60 else f"t{n % 3}", "noise": int(chance.integers(4))} for n in range(SIZE)
    ]
    experiment = columns.experiment(project, SIZE, ["rouge_l"], rows)
    means = np.where(legal, 0.88, 0.6), np.where(legal, 0.88 - fall, 0.78)
    runs = [
        columns.run(experiment, name, [scores(chance, mean)]) for name, mean in zip("ab", means, strict=True)
    ]
    comparison = Comparison(runs, runs[0])

    reported = [subset for subset in search_of(comparison).subsets if subset.reported]

    assert "legal" in {subset.name for subset in reported}
    for subset in reported:
        page = Comparison(runs, runs[0], example_filter=ExampleFilter(((subset.column, subset.name),)))
        paired = page.figures.entries[0].paired
        assert (subset.n, subset.difference, subset.interval) == (
            paired.n,
            paired.difference,
            paired.interval,
        )
        assert subsets.verdict(subset, "maximize") == paired.verdict
        assert subset.reversal == (paired.verdict == "worse")
    on_legal = next(subset for subset in reported if subset.name == "legal")
    assert ("worse on legal" in comparison.sentence.text) == on_legal.reversal
    assert on_legal.reversal or fall < 0.46


def test_a_fall_that_is_not_clear_on_its_own_page_is_not_called_one(project):
    first = replace(search_of(planted(project)).subsets[0], interval=(-0.9, 0.01))

    search = subsets.Search(["topic"], [first], None)

    assert not first.reversal
    assert search.exceptions(1, "maximize", "better") == [("cannot_tell", "legal")]
    assert search.exceptions(1, "maximize", "cannot_tell") == []


def test_a_subset_whose_page_is_not_computed_is_not_named(project):
    first = replace(search_of(planted(project)).subsets[0], is_settled=False)

    assert subsets.Search(["topic"], [first], None).exceptions(1, "maximize", "better") == []


def test_a_subset_whose_page_is_not_computed_has_no_verdict(project):
    first = replace(search_of(planted(project)).subsets[0], is_settled=False)

    assert first.opposes
    assert (first.reversal, subsets.verdict(first, "maximize")) == (False, None)


def test_a_subset_that_a_variant_did_not_answer_has_no_verdict_anywhere(project):
    comparison = planted(project, missing=range(LEGAL))
    on_legal = next(subset for subset in search_of(comparison).subsets if subset.name == "legal")
    page = Comparison(
        comparison.sides.runs, comparison.sides.runs[0], example_filter=ExampleFilter((("topic", "legal"),))
    )

    assert on_legal.reported
    assert (subsets.verdict(on_legal, "maximize"), page.figures.entries[0].paired.verdict) == (None, None)
    assert page.sentence.text.startswith("No verdict on ")
    assert "on legal" not in comparison.sentence.text


def test_subsets_with_figures_of_their_page_come_first(project):
    first = search_of(planted(project)).subsets[0]
    unsettled, quiet = replace(first, is_settled=False), replace(first, interval=(-0.9, 0.01), p=0.01)

    assert unsettled.opposes
    assert by_importance([unsettled, quiet]) == [quiet, unsettled]


@pytest.mark.parametrize("blank", ["", {"title": [], "pages": {"url": None}}])
def test_examples_with_blank_metadata_have_nothing_in_common(project, blank):
    hints = [{"hint": blank if n % 2 else "the same"} for n in range(SIZE)]
    dataset = columns.experiment(project, SIZE, ["rouge_l"], hints).dataset

    found = clustering.labels(dataset, live_positions.of_version(dataset, dataset.version), ["hint"])["hint"]
    assert len({*found[::2].tolist()}) == 1
    assert len({*found[1::2].tolist()}) == SIZE // 2
