"""A dataset after many mirrors: columns have a slot for each of its rows, and figures equal those of a new dataset.

All figures are compared with those of a dataset created from the same rows, whose positions have no gaps.
"""

import io
import json
from copy import deepcopy
from typing import Any

import orjson
import pytest
from django.contrib.auth.models import User

from evaluations.access import projects
from evaluations.comparisons import corpus_scores, evaluator_agreement, subsets, thresholds
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.examples import examples, gains
from evaluations.comparisons.examples.examples import Question
from evaluations.comparisons.grouping.example_filter import ALL_EXAMPLES, ExampleFilter, exported_examples
from evaluations.datasets import datasets, splits
from evaluations.datasets.splits import Rule
from evaluations.evaluators import evaluators
from evaluations.experiments import experiments, runs
from evaluations.imports import changes, imports
from evaluations.models import Dataset, Evaluator, Experiment, Import, Project, Run
from evaluations.results import exports, results
from evaluations.results.filters import Filters, ScoreFilter
from evaluations.results.shown import scorings_of
from evaluations.scoring import column_cache, coverage, scoring, stretches
from evaluations.values import PARTS
from tests import factories

pytestmark = pytest.mark.django_db
SIZE, WEEKS = 80, 2
MAPPING = {"inputs": ["q"], "reference": ["a"], "metadata": ["topic", "document"], "key": "id"}
TOPICS = ("law", "tax", "law", "travel")


def row(number: int, week: int) -> dict[str, Any]:
    """A row whose question changes every week; figures do not depend on the question."""
    question = f"question {number} of week {week}" + "?" * (number % 7)
    answer = f"the answer is {number % 5}"
    return {
        "id": f"k{number}",
        "q": question,
        "a": answer,
        "topic": TOPICS[number % 4],
        "document": f"d{number // 6}",
    }


def mirror(dataset: Dataset, rows: list[dict[str, Any]]) -> None:
    started = changes.begin(
        factories.parked(dataset.project, factories.jsonl(*rows)), dataset, "mirror", MAPPING
    )
    imports.run_import(Import.objects.get(change=started).pk)
    dataset.refresh_from_db()


@pytest.fixture(scope="module")
def made(kept) -> dict[str, Any]:
    """Everything, once for all tests."""
    project = projects.create("Default", User.objects.create_user("alice", "alice@example.com"))
    aged, judges = age(project), make_judges(project)
    fresh = renew(project, aged)
    both = pair(aged, judges), pair(fresh, judges)
    return {"project": project, "aged": aged, "fresh": fresh, "judges": judges, "both": both}


@pytest.fixture
def project(made, db) -> Project:
    return deepcopy(made["project"])


@pytest.fixture
def aged(made, db) -> Dataset:
    return deepcopy(made["aged"])


@pytest.fixture
def fresh(made, db) -> Dataset:
    """A dataset with the same rows in the same order, without removed ones."""
    return deepcopy(made["fresh"])


@pytest.fixture
def judges(made, db) -> list[Evaluator]:
    return deepcopy(made["judges"])


@pytest.fixture
def both(made, db) -> tuple[list[Run], list[Run]]:
    """Two runs on the aged dataset, and the same on the new one."""
    return deepcopy(made["both"])


def age(project: Project) -> Dataset:
    """Every row changes in every week, and a third of them once more in the last."""
    dataset = factories.imported(
        project, factories.jsonl(*(row(n, 0) for n in range(SIZE))), mapping=MAPPING, name="aged"
    )
    for week in range(1, WEEKS):
        mirror(dataset, [row(n, week) for n in range(SIZE)])
    mirror(dataset, [row(n, WEEKS if n % 3 == 0 else WEEKS - 1) for n in range(SIZE)])
    return dataset


def renew(project: Project, aged: Dataset) -> Dataset:
    rows = [
        {"key": key} | {name: orjson.loads(text) for name, text in zip(PARTS, texts, strict=True)}
        for key, *texts in datasets.examples(aged).values_list("key", *PARTS)
    ]
    return datasets.create(project, None, "fresh", rows)


def make_judges(project: Project) -> list[Evaluator]:
    kinds = ("exact_match", "levenshtein_similarity", "chrf")
    return [evaluators.create(project, None, kind, kind, {}, {}) for kind in kinds]


def on(dataset: Dataset, judges: list[Evaluator]) -> Experiment:
    return experiments.create(dataset.project, None, f"on {dataset.name} v{dataset.version}", dataset, judges)


def scored(experiment: Experiment, variant: str, wrong: int) -> Run:
    """Every answer is right except each `wrong`-th, which is wrong, missing or an error in turn."""
    outputs = []
    for number in range(SIZE):
        output: dict[str, Any] = {"output": f"the answer is {number % 5}", "latency_ms": 100 + number % wrong}
        if number % wrong == 0:
            output = [{"output": "no answer"}, {"output": None}, {"output": "half", "error": "timeout"}][
                number // wrong % 3
            ]
        outputs.append({"key": f"k{number}", **output})
    run = runs.create(experiment, None, variant, outputs)
    while scoring.work(seconds=10):
        pass
    run.refresh_from_db()
    return run


def pair(dataset: Dataset, judges: list[Evaluator]) -> list[Run]:
    experiment = on(dataset, judges)
    return [scored(experiment, "first", 3), scored(experiment, "second", 5)]


def compared(compared_runs: list[Run], example_filter: ExampleFilter = ALL_EXAMPLES) -> Comparison:
    return Comparison(compared_runs, compared_runs[0], example_filter=example_filter)


def figures(comparison: Comparison) -> list[Any]:
    """Everything that is computed."""
    family = comparison.figures.primary_family
    return [
        comparison.figures.size,
        [
            (entry.evaluator.name, entry.role, entry.paired, entry.leftover)
            for entry in comparison.figures.entries
        ],
        [(ranked.mean, ranked.rank, ranked.group) for ranked in comparison.figures.ranking],
        (family.means, family.n, family.scored, family.clusters),
        comparison.figures.measures,
        subsets.search(comparison.figures, comparison.evaluators.primary),
        comparison.sentence.text,
    ]


def test_positions_grow_and_columns_do_not(aged, both):
    [first, _], _ = both
    scorings = scorings_of(first)

    columns = column_cache.load(scorings, coverage.positions(first))

    assert aged.last_position > WEEKS * SIZE
    assert {len(column) for column in columns.values()} == {SIZE}
    assert {
        len(side) for side in compared(both[0]).figures.columns(scorings[0].evaluator_version.evaluator_id)
    } == {SIZE}


def test_a_comparison_is_that_of_a_new_dataset(both):
    assert figures(compared(both[0])) == figures(compared(both[1]))
    assert [entry.paired.n for entry in compared(both[0]).figures.entries] == [SIZE] * 3
    assert [measure.name for measure in compared(both[0]).figures.measures.measures] == ["answers", "latency"]


def test_columns_that_no_cache_can_hold_give_the_same_figures(both, monkeypatch):
    cached = figures(compared(both[1]))
    monkeypatch.setattr(column_cache, "MOST_BYTES", 0)

    assert figures(compared(both[0])) == cached


def test_corpus_scores_and_agreement_equal_a_new_dataset(both, judges):
    old, new = (compared(comparison) for comparison in both)

    assert corpus_scores.corpus_scores(old, judges[2]) == corpus_scores.corpus_scores(new, judges[2])
    assert evaluator_agreement.matrix(old) == evaluator_agreement.matrix(new)


def test_thresholds_equal_those_of_a_new_dataset(both, judges):
    old, new = (thresholds.explore(first, str(judges[1].pk)) for first, _ in both)

    assert [line.sweep for line in old.lines] == [line.sweep for line in new.lines]


@pytest.mark.parametrize("by", ["metadata", "filter", "hand"])
def test_a_part_is_that_of_a_new_dataset(both, aged, fresh, by):
    rules = {"filter": Rule(filter=[("topic", "law")]), "hand": Rule(keys=[f"k{n}" for n in range(0, 60, 2)])}

    def part(dataset: Dataset) -> ExampleFilter:
        if by == "metadata":
            return ExampleFilter((("topic", "law"),))
        return ExampleFilter(split=splits.create(dataset, None, "part", rules[by]))

    old, new = (
        compared(comparison, part(dataset)) for comparison, dataset in zip(both, (aged, fresh), strict=True)
    )

    assert figures(old) == figures(new)
    assert 0 < old.figures.size < SIZE


CHOICES = ({}, {"different": True}, {"search": "question 1"}, {"outcome": "worse"})


def test_examples_stand_in_the_order_of_a_new_dataset(both):
    def keys(comparison: Comparison, question: Question) -> list[str | None]:
        listed, after = [], None
        while not listed or after:
            page = examples.examples(comparison, question, 20, after=after)
            listed += [row.rows[0].key for row in page.rows]
            after = page.after
        return listed

    def listed(comparison: Comparison) -> list[list[str | None]]:
        evaluator = comparison.evaluators[1]
        questions = [
            Question(evaluator, order=order, **chosen) for order in gains.ORDERS for chosen in CHOICES
        ]
        return [keys(comparison, question) for question in questions]

    old, new = (listed(compared(comparison)) for comparison in both)

    assert old == new
    # All of them, those that are not answered alike, and 1 with 10 to 19; many are worse.
    assert [len(listing) for listing in old[:3]] == [SIZE, len(differing(3, 5)), 11]
    assert len(old[3]) > 5


def test_a_page_of_rows_equals_that_of_a_new_dataset(both):
    def shown(run: Run) -> list[Any]:
        exact, similar, _ = scorings_of(run)
        conditions = Filters((ScoreFilter(exact, passed=True),), (("topic", "law"),), "of week")
        query = results.Query(similar, by_score=True, more=conditions)
        order = results.Order.from_query(run, query)
        page = results.page(run, query, 10)
        slots = order.rows.part(10).rows
        assert [row.position for row in page.rows] == page.positions == order.positions.at(slots).tolist()
        return [page.total, [(row.key, row.output, row.scores) for row in page.rows]]

    old, new = (shown(first) for first, _ in both)

    assert old == new
    assert old[0] > 10


@pytest.mark.parametrize("is_chosen", [False, True])
def test_an_export_of_a_run_has_the_rows_of_a_new_dataset(both, is_chosen):
    def lines(run: Run) -> list[Any]:
        chosen = results.chosen(run, results.Query(more=Filters(search="question 1"))) if is_chosen else None
        text = b"".join(exports.of_run(run, "jsonl", chosen=chosen)).decode()
        own = {"position": 0, "run": 0, "dataset": "", "dataset_version": 0}
        return [json.loads(line) | own for line in io.StringIO(text)]

    old, new = (lines(first) for first, _ in both)

    assert old == new
    assert len(old) == (11 if is_chosen else SIZE)


def test_an_export_of_a_dataset_or_a_split_is_that_of_a_new_one(aged, fresh):
    def files(dataset: Dataset) -> list[bytes]:
        law = splits.create(dataset, None, "law", Rule(filter=[("topic", "law")]))
        return [b"".join(exports.of_dataset(dataset, "csv", split=split)) for split in (None, law)]

    assert files(aged) == files(fresh)


def test_an_export_asks_for_no_stretch_in_which_nothing_is_left(
    aged, monkeypatch, django_assert_max_num_queries
):
    monkeypatch.setattr(stretches, "CHUNK", 20)

    # 80 rows at the positions 81 to 187 lie in six stretches of ten; which they are takes two queries.
    with django_assert_max_num_queries(6 + 2):
        assert len(b"".join(exports.of_dataset(aged, "csv")).splitlines()) == 1 + SIZE


def test_a_search_finds_the_rows_of_a_new_dataset(both):
    old, new = (
        exported_examples(comparison[0].experiment, comparison, ALL_EXAMPLES, "half") for comparison in both
    )

    assert old.tolist() == new.tolist()
    assert 0 < old.sum() < len(old) == SIZE


def test_runs_of_the_first_and_the_last_version_share_every_example(project, judges):
    """Examples that changed in between keep their identity, so all versions share their rows."""
    dataset = factories.imported(
        project, factories.jsonl(*(row(n, 0) for n in range(SIZE))), mapping=MAPPING, name="weekly"
    )
    early = scored(on(dataset, judges), "early", 3)
    for week in range(1, WEEKS):
        mirror(dataset, [row(n, week) for n in range(SIZE)])
    late = scored(on(dataset, judges), "late", 5)
    comparison = compared([early, late])

    entry = comparison.figures.entries[0]
    different = examples.examples(comparison, Question(comparison.evaluators[0], different=True), SIZE)

    assert (comparison.figures.size, len(comparison.aligner.positions), comparison.aligner.edited) == (
        SIZE,
        SIZE,
        SIZE,
    )
    # Of 80, every third is wrong in one and every fifth in the other; both of them at every fifteenth.
    assert (entry.paired.n, entry.paired.wins, entry.paired.losses) == (SIZE, 27 - 6, 16 - 6)
    # Both lack an answer, or say the same, where both are wrong in the same way.
    assert {row.rows[0].key for row in different.rows} == differing(3, 5)


def differing(first: int, second: int) -> set[str]:
    """The keys of the examples that two runs answer differently."""

    def text(number: int, wrong: int) -> str | None:
        if number % wrong:
            return f"the answer is {number % 5}"
        return ("no answer", None, "half")[number // wrong % 3]

    return {f"k{n}" for n in range(SIZE) if text(n, first) != text(n, second)}
