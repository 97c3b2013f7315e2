"""Corpus scores of evaluators that read several references are sacrebleu's, from stored counts alone."""

import pytest
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.significance import PairedTest

from evaluations.comparisons import corpus_scores
from evaluations.comparisons.comparison import Comparison
from evaluations.datasets import datasets
from evaluations.evaluators import evaluators
from evaluations.experiments import experiments
from evaluations.models import Example, Output
from evaluations.scoring import run_counts
from evaluations.statistics import randomization
from tests import factories
from tests.comparisons.test_corpus_scores import FIRST, SECOND, SIZE, SPARSE, VARIANTS, sentences

KINDS = {"sentence_bleu": BLEU, "chrf": CHRF}
THIRD = sentences(9, 0.25)
LISTS = [[FIRST[n], SECOND[n], SPARSE[n], THIRD[n]][: 1 + n % 4] for n in range(SIZE)]
OUTPUTS = VARIANTS | {"b": [None, "", *VARIANTS["b"][2:]]}
EVERY_REFERENCE = {"many": "references"}
MAPPINGS = {
    "all columns": (EVERY_REFERENCE, [FIRST, SECOND, SPARSE]),
    "two columns": ({"expected": EVERY_REFERENCE | {"path": "$.reference['one', 'two']"}}, [FIRST, SECOND]),
    "one column": ({"expected": EVERY_REFERENCE | {"path": "$.reference.one"}}, [FIRST]),
    "a list": ({"expected": EVERY_REFERENCE | {"path": "$.metadata.list"}}, LISTS),
}


@pytest.fixture(autouse=True)
def _few(monkeypatch) -> None:
    monkeypatch.setattr(randomization, "DRAWS", 1_000)
    monkeypatch.setattr(run_counts, "MOST_READ", 0)


def streams(references: list) -> list[list[str | None]]:
    """The references as sacrebleu takes them: the first of each text, the second of each, and so on."""
    if references is not LISTS:
        return references
    return [[references[n] if n < len(references) else None for references in LISTS] for n in range(4)]


@pytest.fixture
def compared(project):
    rows = [
        {
            "inputs": {"n": n},
            "reference": {"one": FIRST[n], "two": SECOND[n], "sparse": SPARSE[n]},
            "metadata": {"list": LISTS[n]},
        }
        for n in range(SIZE)
    ]
    dataset = datasets.create(project, None, "translations", rows)

    def compare(kind: str, mapping: dict, **options) -> Comparison:
        """The comparison from stored counts, without the texts."""
        used = [evaluators.create(project, None, kind, kind, {}, mapping)]
        experiment = experiments.create(project, None, "systems", dataset, used)
        runs = [factories.scored_run(experiment, outputs, name) for name, outputs in OUTPUTS.items()]
        Output.objects.all().delete()
        Example.objects.update(reference="{}", metadata="{}")
        return Comparison(runs, runs[0], **{"cluster": "none"} | options)

    return compare


def table(comparison: Comparison) -> corpus_scores.CorpusScores:
    return corpus_scores.corpus_scores(comparison, comparison.evaluators[0])


@pytest.mark.parametrize("name", MAPPINGS)
@pytest.mark.parametrize("kind", KINDS)
def test_scores_and_signatures_are_sacrebleus(compared, kind, name):
    mapping, references = MAPPINGS[name]

    scores = table(compared(kind, mapping))

    metric = KINDS[kind]()
    texts = [[text or "" for text in outputs] for outputs in OUTPUTS.values()]
    expected = [metric.corpus_score(text, streams(references)).score for text in texts]
    assert [score.score for score in scores.scores] == pytest.approx(expected, abs=1e-9)
    assert scores.signature == metric.get_signature().format()
    assert (scores.examples, scores.total, scores.missing) == (SIZE, SIZE, None)


@pytest.mark.parametrize("kind", KINDS)
def test_p_is_that_of_sacrebleus_approximate_randomization(compared, kind):
    scores = table(compared(kind, EVERY_REFERENCE))

    systems = [(name, [text or "" for text in outputs]) for name, outputs in OUTPUTS.items()]
    test = PairedTest(
        systems, {kind: KINDS[kind]()}, [FIRST, SECOND, SPARSE], test_type="ar", n_samples=1_000
    )
    _, results = test()
    [results] = [values for name, values in results.items() if name != "System"]
    assert [score.p for score in scores.scores][1:] == pytest.approx(
        [result.p_value for result in results[1:]]
    )


def test_unanswered_examples_can_be_excluded(compared):
    scores = table(compared("chrf", EVERY_REFERENCE, missing="exclude"))

    answered = [VARIANTS["a"][1:], ["", *VARIANTS["b"][2:]]]
    expected = [
        CHRF().corpus_score(texts, [references[1:] for references in (FIRST, SECOND, SPARSE)]).score
        for texts in answered
    ]
    assert [score.score for score in scores.scores][:2] == pytest.approx(expected, abs=1e-9)
    assert (scores.examples, scores.total) == (SIZE - 1, SIZE - 1)


def test_the_score_of_an_example_is_sacrebleus_for_all_of_its_references(compared):
    comparison = compared("chrf", EVERY_REFERENCE)

    rows = zip(VARIANTS["a"], zip(FIRST, SECOND, SPARSE, strict=True), strict=True)
    single = [
        CHRF().sentence_score(text, [reference for reference in references if reference is not None]).score
        for text, references in rows
    ]
    assert table(comparison).scores[0].mean == pytest.approx(sum(single) / SIZE / 100, abs=1e-9)
