"""Corpus BLEU and chrF of a comparison are sacrebleu's."""

import numpy as np
import pytest
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.significance import PairedTest

from evaluations.comparisons import corpus_scores
from evaluations.comparisons.comparison import Comparison
from evaluations.datasets import datasets
from evaluations.evaluators import evaluators
from evaluations.experiments import experiments, runs
from evaluations.models import Output
from evaluations.scoring import run_counts, run_statistics, scoring
from evaluations.statistics import randomization
from tests import factories
from tests.comparisons import columns

WORDS = ["the", "cat", "dog", "sat", "on", "mat", ",", ".", "ran", "house", "Müller", "12", "(slowly)"]
KINDS = {"sentence_bleu": BLEU, "chrf": CHRF}
SIZE = 40


def sentences(seed: int, noise: float) -> list[str]:
    """The same sentences for every seed, with words changed at random."""
    plain, chance = np.random.default_rng(1), np.random.default_rng(seed)
    lines = [plain.choice(WORDS, plain.integers(1, 14)) for _ in range(SIZE)]
    return [
        " ".join(np.where(chance.random(len(line)) < noise, chance.choice(WORDS, len(line)), line))
        for line in lines
    ]


FIRST, SECOND = sentences(2, 0.1), sentences(3, 0.2)
VARIANTS = {"a": sentences(4, 0.4), "b": sentences(5, 0.3), "c": sentences(6, 0.35)}
SPARSE: list[str | None] = [text if n % 3 else None for n, text in enumerate(SECOND)]


@pytest.fixture(autouse=True)
def _few_draws(monkeypatch) -> None:
    monkeypatch.setattr(randomization, "DRAWS", 1_000)


@pytest.fixture
def experiment(project):
    rows = [
        {
            "inputs": {"n": n},
            "reference": {"one": FIRST[n], "two": SECOND[n], "sparse": SPARSE[n]},
            "metadata": {"page": n // 4},
        }
        for n in range(SIZE)
    ]
    dataset = datasets.create(project, None, "translations", rows)
    mapping = {"actual": {"path": "$.output"}, "expected": {"path": "$.reference.one"}}
    used = [evaluators.create(project, None, kind, kind, {}, mapping) for kind in (*KINDS, "rouge_l")]
    return experiments.create(project, None, "systems", dataset, used)


def run(experiment, variant, texts):
    scores = [0.5 if text is not None else np.nan for text in texts]
    scored_run = columns.run(experiment, variant, [scores] * 3)
    Output.objects.bulk_create(
        Output(run=scored_run, position=n, text=text, is_json=False)
        for n, text in enumerate(texts, 1)
        if text is not None
    )
    return scored_run


def compared(experiment, variants=VARIANTS, **options) -> Comparison:
    all_runs = [run(experiment, variant, texts) for variant, texts in variants.items()]
    return Comparison(all_runs, all_runs[0], **{"cluster": "none"} | options)


def computed(comparison, kind):
    evaluator = next(evaluator for evaluator in comparison.evaluators if evaluator.name == kind)
    return corpus_scores.corpus_scores(comparison, evaluator)


@pytest.mark.parametrize("kind", KINDS)
def test_scores_and_signatures_are_sacrebleus(experiment, kind):
    table = computed(compared(experiment), kind)

    metric = KINDS[kind]()
    expected = [metric.corpus_score(texts, [FIRST]).score for texts in VARIANTS.values()]
    assert [score.score for score in table.scores] == pytest.approx(expected, abs=1e-9)
    assert table.signature == metric.get_signature().format()
    assert (table.examples, table.total) == (SIZE, SIZE)


@pytest.mark.parametrize("unanswered", [0, 9])
@pytest.mark.parametrize("kind", KINDS)
def test_p_is_that_of_sacrebleus_approximate_randomization(experiment, kind, unanswered):
    variants = VARIANTS | {"b": [None] * unanswered + VARIANTS["b"][unanswered:]}
    table = computed(compared(experiment, variants), kind)

    texts = [(name, [text or "" for text in lines]) for name, lines in variants.items()]
    test = PairedTest(texts, {kind: KINDS[kind]()}, [FIRST], test_type="ar", n_samples=1_000)
    _, results = test()
    [results] = [values for name, values in results.items() if name != "System"]
    assert [score.p for score in table.scores] == [
        None,
        *(pytest.approx(result.p_value, abs=1e-9) for result in results[1:]),
    ]
    assert [score.difference for score in table.scores][1:] == pytest.approx(
        [result.score - results[0].score for result in results[1:]], abs=1e-9
    )


@pytest.mark.parametrize("kind", KINDS)
def test_the_interval_excludes_zero_where_p_is_small(experiment, kind):
    variants = {"a": VARIANTS["a"], "b": FIRST, "c": VARIANTS["c"]}
    _, clear, unclear = computed(compared(experiment, variants), kind).scores

    assert (clear.p <= 0.05, clear.interval[0] > 0) == (True, True)
    assert (unclear.p <= 0.05, unclear.interval[0] > 0) == (False, False)
    assert sum(clear.interval) / 2 == pytest.approx(clear.difference)


def test_equal_outputs_have_no_interval(experiment):
    _, same = computed(compared(experiment, {"a": VARIANTS["a"], "b": VARIANTS["a"]}), "chrf").scores

    assert (same.difference, same.interval, same.p) == (0, None, 1)


def test_a_missing_output_is_an_empty_text_where_it_counts_as_worst(experiment):
    texts = [None, *VARIANTS["b"][1:]]
    both = (
        compared(experiment, {"a": VARIANTS["a"], "b": texts}),
        compared(experiment, {"a": VARIANTS["a"], "b": texts}, missing="exclude"),
    )

    worst, excluded = (computed(comparison, "sentence_bleu") for comparison in both)

    assert (worst.examples, excluded.examples) == (SIZE, SIZE - 1)
    assert worst.scores[1].score == pytest.approx(
        BLEU().corpus_score(["", *texts[1:]], [FIRST]).score, abs=1e-9
    )
    assert excluded.scores[1].score == pytest.approx(
        BLEU().corpus_score(texts[1:], [FIRST[1:]]).score, abs=1e-9
    )


def test_examples_of_a_cluster_change_sides_together(experiment):
    both = compared(
        experiment, {"a": FIRST, "b": [FIRST[n] if n > 3 else "nothing" for n in range(SIZE)]}
    ).sides.runs

    alone, together = (
        computed(Comparison(both, both[0], cluster=cluster), "chrf").scores[1].p
        for cluster in ("none", "page")
    )

    assert together == 1  # All that differs is one page, which moves as a whole.
    assert alone < together


def test_many_scores_older_than_their_counts_have_a_sentence_instead(experiment, monkeypatch):
    monkeypatch.setattr(run_counts, "MOST_READ", 30)

    table = computed(compared(experiment), "chrf")

    assert (table.scores, table.missing) == ([], run_counts.UNSTORED)


def test_only_measures_of_corpora_have_corpus_scores(experiment):
    assert [evaluator.name for evaluator in corpus_scores.evaluators(compared(experiment))] == list(KINDS)


def test_the_mean_of_single_scores_stands_beside(experiment):
    assert {score.mean for score in computed(compared(experiment), "chrf").scores} == {0.5}


@pytest.fixture
def scored(experiment) -> Comparison:
    """Three runs, scored by the engine; the last lacks an output."""
    texts = VARIANTS | {"c": [None, *VARIANTS["c"][1:]]}
    all_runs = [factories.scored_run(experiment, outputs, name) for name, outputs in texts.items()]
    return Comparison(all_runs, all_runs[0], cluster="none")


@pytest.mark.parametrize("kind", KINDS)
def test_counts_are_stored_with_the_scores(scored, kind):
    Output.objects.all().delete()

    table = computed(scored, kind)

    outputs = [*list(VARIANTS.values())[:2], ["", *VARIANTS["c"][1:]]]
    expected = [KINDS[kind]().corpus_score(texts, [FIRST]).score for texts in outputs]
    assert [score.score for score in table.scores] == pytest.approx(expected, abs=1e-9)
    assert (table.examples, table.signature) == (SIZE, corpus_signature(kind))


def corpus_signature(kind: str) -> str:
    metric = KINDS[kind]()
    metric.corpus_score([FIRST[0]], [[FIRST[0]]])
    return metric.get_signature().format()


def test_of_many_examples_with_stored_counts_all_are_used(scored, monkeypatch):
    monkeypatch.setattr(run_counts, "MOST_READ", 0)

    table = computed(scored, "chrf")

    assert (table.missing, table.examples, table.total) == (None, SIZE, SIZE)


def test_the_score_is_the_run_statistic_and_the_headline(project, experiment):
    mapping = {"actual": {"path": "$.output"}, "expected": {"path": "$.reference.one"}}
    config = {"headline": "corpus_chrf"}
    used = [evaluators.create(project, None, "headed", "chrf", config, mapping)]
    headed = experiments.create(project, None, "headed", experiment.dataset, used)
    both = [factories.scored_run(headed, VARIANTS[name], name) for name in "ab"]
    comparison = Comparison(both, both[0], cluster="none")

    scores = [score.score / 100 for score in computed(comparison, "headed").scores]

    of_runs = [run_statistics.of_scoring(one.scorings.get()).statistics[0].value for one in both]
    [entry] = comparison.figures.entries
    assert scores == pytest.approx(of_runs, abs=1e-12)
    assert scores[1] - scores[0] == pytest.approx(entry.paired.difference, abs=1e-12)


def test_repetitions_are_averaged_and_tested_if_the_baseline_has_as_many(experiment):
    names = {"a": "ab", "b": "bc"}
    repeated = {
        name: [factories.scored_run(experiment, VARIANTS[text], name) for text in texts]
        for name, texts in names.items()
    }
    runs_of_both = [*repeated["a"], *repeated["b"]]
    uneven = [repeated["a"][0], *repeated["b"]]

    even = computed(Comparison(runs_of_both, runs_of_both[0], cluster="none", repeats=True), "chrf")
    other = computed(Comparison(uneven, uneven[0], cluster="none", repeats=True), "chrf")

    single = {name: CHRF().corpus_score(texts, [FIRST]).score for name, texts in VARIANTS.items()}
    means = [np.mean([single[text] for text in texts]) for texts in names.values()]
    assert [score.score for score in even.scores] == pytest.approx(means, abs=1e-9)
    assert 0 < even.scores[1].p <= 1
    assert other.scores[1].difference == pytest.approx(means[1] - single["a"], abs=1e-9)
    assert (other.scores[1].interval, other.scores[1].p) == (None, None)


def test_stored_counts_follow_examples_that_were_edited(project, experiment):
    before = factories.scored_run(experiment, VARIANTS["a"], "a")
    changed = {"one": "now another sentence", "two": "", "sparse": None}
    edited = datasets.edit(experiment.dataset, None, 1, {"reference": changed})
    used = [version.evaluator for version in experiments.versions_of(experiment)]
    later = experiments.create(project, None, "later", experiment.dataset, used)
    rows = [
        {"position": n if n > 1 else edited.position, "output": t} for n, t in enumerate(VARIANTS["b"], 1)
    ]
    after = runs.create(later, None, "b", rows)
    while scoring.work(seconds=10):
        pass

    table = computed(Comparison([before, after], before, cluster="none"), "chrf")

    assert [score.score for score in table.scores] == pytest.approx(
        [
            CHRF().corpus_score(VARIANTS["a"], [FIRST]).score,
            CHRF().corpus_score(VARIANTS["b"], [[changed["one"], *FIRST[1:]]]).score,
        ],
        abs=1e-9,
    )
    assert table.examples == SIZE
