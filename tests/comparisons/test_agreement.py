"""Random comparisons: page, API, lists and export agree; interval and verdict never contradict each other."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from django.test import RequestFactory

from evaluations.api.serializers.comparison_shape import ComparisonSerializer
from evaluations.comparisons import export, overviews
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.grouping.example_filter import ALL_EXAMPLES, ExampleFilter
from evaluations.experiments import experiments
from evaluations.models import Experiment
from evaluations.values import Status
from evaluations.web.comparisons.verdicts import duel, listing, ranking
from tests.comparisons import columns

answer_of = ComparisonSerializer().to_representation
pytestmark = pytest.mark.django_db
KINDS = ("levenshtein_similarity", "exact_match", "levenshtein_distance")
SIZES = (1, 2, 3, 7, 20, 60, 200, 2_000)
SEEDS = range(20)
MARGINS = (0.01, 0.1, 1.0)
UNSCORED = (Status.MISSING_ACTUAL, Status.MISSING_EXPECTED, Status.ERROR)


def column(chance: np.random.Generator, kind: str, base: np.ndarray) -> np.ndarray:
    """A variant's scores: the baseline's, changed in one of several misleading ways."""
    n, shape = len(base), chance.choice(["same", "constant", "rare gains", "one-sided", "random"])
    if shape == "constant":
        base = np.full(n, 0.5)
    if shape == "rare gains":
        base = base + np.where(chance.random(n) < 0.1, 0.5, -0.05)
    if shape == "one-sided":
        base = base + chance.exponential(0.1, n)
    if shape == "random":
        base = chance.random(n)
    base = np.clip(base, 0, 1)
    return {"exact_match": np.round(base), "levenshtein_distance": np.round(10 * base)}.get(kind, base)


def holes(chance: np.random.Generator, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    share = chance.choice([0.0, 0.0, 0.1, 0.6, 1.0], p=[0.5, 0.1, 0.2, 0.15, 0.05])
    missing = chance.random(len(scores)) < share
    status = np.where(missing, chance.choice(UNSCORED, len(scores)), Status.SCORED)
    return np.where(missing, np.nan, scores), status.astype(np.uint8)


def random_comparison(project, seed: int) -> Comparison:
    chance = np.random.default_rng(seed)
    n, variants = int(chance.choice(SIZES)), int(chance.integers(2, 9))
    kinds = list(chance.permutation(KINDS)[: chance.integers(1, 4)])
    metadata = [{"group": i // 3, "half": ("first", "second")[2 * i // n]} for i in range(n)]
    experiment = columns.experiment(project, n, kinds, metadata)
    used = [version.evaluator_id for version in experiments.versions_of(experiment)]
    experiments.set_margins(experiment, dict(zip(used, chance.permutation(MARGINS).tolist(), strict=False)))
    bases = [chance.random(n) for _ in kinds]
    for number in range(variants):
        parts = [holes(chance, column(chance, kind, base)) for kind, base in zip(kinds, bases, strict=True)]
        columns.run(
            experiment,
            f"v{number}",
            [part[0] for part in parts],
            {i: part[1] for i, part in enumerate(parts)},
        )
    reloaded = Experiment.objects.select_related("dataset").get(pk=experiment.pk)
    runs = list(reloaded.runs.select_related("experiment__dataset").order_by("pk"))
    return Comparison(
        runs,
        runs[0],
        missing=str(chance.choice(["worst", "exclude"])),
        cluster=str(chance.choice(["auto", "auto", "none", "group"])),
        example_filter=ExampleFilter((("half", "first"),) if chance.random() < 0.25 else ()),
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_interval_p_and_verdict_agree(project, seed):
    for entry in random_comparison(project, seed).figures.entries:
        paired = entry.paired
        if paired.verdict is None:
            assert paired.interval is paired.p_corrected is None
            assert paired.reason
            continue
        decided = paired.verdict != "cannot_tell"
        low, high = paired.interval if paired.interval else (-1.0, 1.0)
        assert (low > 0 or high < 0) == decided
        assert (paired.p_corrected is not None and paired.p_corrected <= 0.05) == decided
        if decided:
            assert (paired.difference > 0) == (
                (paired.verdict == "better") == (paired.direction == "maximize")
            )
        assert paired.wins + paired.losses + paired.ties == paired.n


@pytest.mark.parametrize("seed", SEEDS)
def test_every_example_is_counted_once(project, seed):
    comparison = random_comparison(project, seed)

    for entry in comparison.figures.entries:
        leftover = entry.leftover
        count = (
            entry.paired.n
            + leftover.only_run
            + leftover.only_baseline
            + leftover.missing
            + leftover.error
            + leftover.not_common
        )
        assert count == comparison.figures.size


@pytest.mark.long
@pytest.mark.parametrize("seed", SEEDS)
def test_sentence_ranking_table_list_and_api_agree(project, seed):
    comparison = random_comparison(project, seed)
    answer = answer_of(comparison)

    json.dumps(answer, allow_nan=False)
    statements = {
        (entry.run.pk, entry.evaluator.name): statement(entry.paired) for entry in comparison.figures.entries
    }
    assert statements == {
        (entry["run"], entry["evaluator"]["name"]): (
            entry["verdict"],
            entry["interval"],
            entry["equivalence"],
        )
        for entry in answer["entries"]
    }
    assert statements == in_export(comparison)
    shown = {
        (entry.run.pk, entry.evaluator.name): (
            entry.paired.verdict or "none",
            entry.paired.shown_interval and [*entry.paired.shown_interval],
            entry.paired.equivalence,
        )
        for entry in comparison.figures.entries
    }
    assert in_table(comparison) == shown
    assert answer["sentence"].startswith("".join(text for _, text in comparison.sentence.parts))
    assert_ranks_follow_verdicts(comparison)
    assert_words_follow_verdicts(comparison)
    if (comparison.missing, comparison.cluster, comparison.example_filter) == ("worst", "auto", ALL_EXAMPLES):
        [overview] = overviews.load([comparison.sides.experiment])
        [row] = listing.table([overview]).rows
        assert (
            overview.entry.paired
            == comparison.figures.entry(overview.entry.run.pk, comparison.evaluators.primary.pk).paired
        )
        assert row.change.verdict == (overview.entry.paired.verdict or "cannot_tell")
        assert row.parts == comparison.sentence.brief


def statement(paired) -> tuple[str | None, list[float] | None, str | None]:
    return paired.verdict, paired.interval and list(paired.interval), paired.equivalence


def in_export(comparison: Comparison) -> dict:
    rows = csv.DictReader(export.as_csv(comparison, safe=False).decode().splitlines())
    return {
        (int(row["run"]), row["evaluator"]): (
            row["verdict"] or None,
            [float(row["low"]), float(row["high"])] if row["low"] else None,
            row["equivalence"] or None,
        )
        for row in rows
        if row["role"] != "measure"
    }


def in_table(comparison: Comparison) -> dict:
    """Verdict and interval of every variant and evaluator, from the page's table."""
    request = RequestFactory().get("/", {"evaluators": "all"})
    if len(comparison.sides) == 2:
        pair = duel.duel(request, comparison)
        cells = [(pair.variant.run.pk, row.name, row.change) for row in pair.rows if row.head]
    else:
        table = ranking.ranking(request, comparison)
        assert [row.run for row in table.rows if row.rank != "–"] == [
            r.side.run for r in comparison.figures.ranking
        ]
        cells = [(row.run.pk, comparison.evaluators.primary.name, row.change) for row in table.rows]
        cells += [(row.run.pk, cell.name, cell.change) for row in table.rows for cell in row.secondary]
    return {(run, name): (c.verdict, list(c.interval) or None, c.equivalence) for run, name, c in cells if c}


def assert_ranks_follow_verdicts(comparison: Comparison) -> None:
    """Assert that ranks agree with each variant's verdict against the baseline."""
    ranks = {ranked.side.run.pk: ranked.rank for ranked in comparison.figures.ranking}
    baseline = ranks.get(comparison.sides.baseline.run.pk)
    for entry in comparison.figures.entries_of(comparison.evaluators.primary):
        if baseline and entry.run.pk in ranks:
            first, last = ranks[entry.run.pk]
            assert entry.paired.verdict != "better" or baseline[0] > 1
            assert entry.paired.verdict != "worse" or first > 1
            assert entry.paired.verdict != "better" or last < len(ranks)


def assert_words_follow_verdicts(comparison: Comparison) -> None:
    roles = {role for role, _ in comparison.sentence.parts}
    if not comparison.figures.ranking:
        assert not roles & {"better", "worse", "tied"}
    elif len(comparison.sides) == 2:
        [entry] = comparison.figures.entries_of(comparison.evaluators.primary)
        assert entry.paired.verdict in roles
        assert ("equivalent" in roles) == (entry.paired.equivalence == "equivalent")
    else:
        best = [
            comparison.sides.label(ranked.side.run)
            for ranked in comparison.figures.ranking
            if ranked.rank[0] == 1
        ]
        names = [text for role, text in comparison.sentence.parts if role == "name"]
        assert len(best) == len(comparison.figures.ranking) or best[0] in names


# ---- real data ---------------------------------------------------------------------------------------------


def test_published_solutions_of_gsm8k_are_ranked_without_a_tie(project):
    """Whether each of 1 319 published solutions is correct, by four models (Cobbe et al. 2021)."""
    published = json.loads((Path(__file__).parents[1] / "data" / "gsm8k_correct.json").read_text())
    experiment = columns.experiment(project, 1319, ["numeric_match"])
    for model, bits in published.items():
        columns.run(experiment, model, [[float(bit) for bit in bits]])
    runs = list(experiment.runs.select_related("experiment__dataset").order_by("pk"))

    comparison = Comparison(runs, runs[0])

    ranked = [(ranked.side.run.variant, ranked.rank) for ranked in comparison.figures.ranking]
    models = ["175b_verification", "6b_verification", "175b_finetuning", "6b_finetuning"]
    assert ranked == [(model, (rank, rank)) for rank, model in enumerate(models, 1)]
    assert [round(rank.mean, 3) for rank in comparison.figures.ranking] == [0.563, 0.390, 0.347, 0.217]
