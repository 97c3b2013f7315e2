"""BLEU and chrF equal those of sacrebleu, called sentence by sentence."""

import random
from itertools import zip_longest

import numpy as np
import pytest
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from evaluations.metrics import bleu, chrf, corpus


@pytest.fixture(scope="module")
def pairs():
    chance = random.Random(3)
    words = [
        "the",
        "cat,",
        "sat",
        "on",
        "1.5",
        "mats:",
        "(really)",
        "naïve",
        "“quoted”",
        "日本語",
        "x-y",
        "Füße",
        "—",
    ]
    return [[" ".join(chance.choices(words, k=chance.randrange(12))) for _ in range(60)] for _ in range(2)]


@pytest.mark.parametrize("tokenize", ["13a", "intl", "char", "none"])
@pytest.mark.parametrize("lowercase", [False, True])
def test_bleu_is_sacrebleus(pairs, tokenize, lowercase):
    witness = BLEU(tokenize=tokenize, lowercase=lowercase, effective_order=True)

    scores = bleu.scores(*pairs, tokenize=tokenize, lowercase=lowercase)

    expected = [witness.sentence_score(a, [e]).score / 100 for a, e in zip(*pairs, strict=True)]
    np.testing.assert_allclose(scores, expected, atol=1e-12)


def test_bleu_keeps_no_texts_in_memory(pairs):
    bleu.scores(*pairs)

    assert Tokenizer13a.__call__.cache_info().currsize == 0


@pytest.mark.parametrize("word_order", [0, 1, 2])
@pytest.mark.parametrize("beta", [1, 2, 3])
def test_chrf_is_sacrebleus(pairs, word_order, beta):
    witness = CHRF(word_order=word_order, beta=beta)

    scores = chrf.scores(*pairs, word_order=word_order, beta=beta)

    expected = [witness.sentence_score(a, [e]).score / 100 for a, e in zip(*pairs, strict=True)]
    np.testing.assert_allclose(scores, expected, atol=1e-12)


def test_chrf_is_sacrebleus_for_thousands_of_different_characters():
    chance = random.Random(4)
    letters = "".join(map(chr, range(0x4E00, 0x4E00 + 3000)))
    actual = ["".join(chance.choices(letters, k=2500)), "short one"]
    expected = ["".join(c if chance.random() > 0.2 else "x" for c in actual[0]), "short two"]

    scores = chrf.scores(actual, expected)

    witness = [CHRF().sentence_score(a, [e]).score / 100 for a, e in zip(actual, expected, strict=True)]
    np.testing.assert_allclose(scores, witness, atol=1e-12)


@pytest.mark.parametrize(
    "metric",
    [corpus.bleu(tokenize="13a", lowercase=False), *(corpus.chrf(word_order=n, beta=3) for n in (0, 2))],
)
def test_scores_of_many_sums_equal_single_scores(metric):
    chance = np.random.default_rng(21)
    width = 10 if isinstance(metric, BLEU) else 3 * metric.order
    summed = chance.integers(0, 40, (500, width)) * (chance.random((500, width)) < 0.8)

    single = [metric._compute_score_from_stats(counts).score for counts in summed.tolist()]

    assert corpus.scores(metric, summed) == pytest.approx(single, abs=1e-9)
    assert 0 in single


@pytest.fixture(scope="module")
def several(pairs):
    """Up to four references of each text, of which some are empty or the same."""
    chance, (actual, expected) = random.Random(7), pairs
    references = [
        (
            text,
            *("" if chance.random() < 0.1 else chance.choice(expected) for _ in range(chance.randrange(4))),
        )
        for text in expected
    ]
    return ["", *actual[1:]], references


@pytest.mark.parametrize(
    ("formula", "witness"),
    [
        (bleu, BLEU(effective_order=True, force=True)),
        (chrf, CHRF()),
        (chrf, CHRF(word_order=2)),
    ],
)
def test_scores_and_counts_of_several_references_are_sacrebleus(several, formula, witness):
    actual, references = several
    settings = {"word_order": witness.word_order} if isinstance(witness, CHRF) else {}

    scores, counts = formula.counted(actual, references, **settings)

    rows = list(zip(actual, references, strict=True))
    assert scores == pytest.approx([witness.sentence_score(*row).score / 100 for row in rows], abs=1e-12)
    streams = list(zip_longest(*references))
    assert counts.tolist() == witness._extract_corpus_statistics(actual, streams)


def test_the_reference_that_counts_for_chrf_is_the_most_similar():
    assert chrf.best("a cat", ("the dog", "a cat!", "cats")) == "a cat!"
