"""The kinds `sentence_bleu` and `chrf`, from machine translation, for single sentences."""

from collections.abc import Sequence
from functools import partial
from itertools import chain
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, field_validator
from sacrebleu.metrics.base import Metric

from evaluations.kinds import explain
from evaluations.kinds.config import Config, IgnoreCase, Threshold
from evaluations.kinds.kind import Family, Kind
from evaluations.kinds.pairs import Pairs
from evaluations.kinds.scores import Scores
from evaluations.kinds.statistic import Counting, Counts, Statistic, each
from evaluations.metrics import bleu, chrf, corpus


class SentenceBleuConfig(Config):
    tokenize: Annotated[
        Literal["13a", "intl", "zh", "ja-mecab", "ko-mecab", "char", "none"],
        Field(
            title="Tokens",
            description="sacrebleu's tokenizer: 13a for Western languages, intl for all punctuation, zh for Chinese, "
            "ja-mecab and ko-mecab where MeCab is installed, char for single characters.",
        ),
    ] = "13a"
    lowercase: IgnoreCase = False
    threshold: Threshold = None
    headline: Annotated[
        Literal["mean", "corpus_bleu"],
        Field(
            title="Headline",
            description="The figure by which runs are compared: the mean of sentence scores, or corpus BLEU (0 to 1), "
            "which publications give.",
        ),
    ] = "mean"

    @field_validator("tokenize")
    @classmethod
    def _is_installed(cls, tokenize: str) -> str:
        if not bleu.is_installed(tokenize):
            raise ValueError(f"{tokenize} needs MeCab: the operator installs sacrebleu[{tokenize[:2]}].")
        return tokenize


class ChrfConfig(Config):
    word_order: Annotated[
        int,
        Field(
            ge=0,
            le=2,
            title="Words in a row",
            description="0 is chrF; 2 is chrF++, which also counts words and pairs of words.",
        ),
    ] = 0
    beta: Annotated[
        int,
        Field(
            ge=1,
            le=10,
            title="Weight of recall",
            description="How much more recall counts than precision: 2 means twice as much.",
        ),
    ] = 2
    threshold: Threshold = None
    headline: Annotated[
        Literal["mean", "corpus_chrf"],
        Field(
            title="Headline",
            description="The figure by which runs are compared: the mean of sentence scores, or corpus chrF (0 to 1), "
            "which publications give.",
        ),
    ] = "mean"


def score_bleu(config: SentenceBleuConfig, pairs: Pairs) -> Scores:
    """Sentence BLEU: effective order, exponential smoothing, divided by 100."""
    values, counts = bleu.counted(
        pairs.actual, pairs.expected, tokenize=config.tokenize, lowercase=config.lowercase
    )
    return Scores.scored(
        values, None if config.threshold is None else values >= config.threshold, counts=counts
    )


def score_chrf(config: ChrfConfig, pairs: Pairs) -> Scores:
    """chrF over character n-grams of up to six, divided by 100."""
    values, counts = chrf.counted(
        pairs.actual, pairs.expected, word_order=config.word_order, beta=config.beta
    )
    return Scores.scored(
        values, None if config.threshold is None else values >= config.threshold, counts=counts
    )


def explain_bleu(config: SentenceBleuConfig, actual: str, expected: bleu.Texts) -> dict[str, Any]:
    [(bleu_score, actual_tokens, expected_tokens)] = bleu.explained(
        [actual], [expected], tokenize=config.tokenize, lowercase=config.lowercase
    )
    value = min(bleu_score.score / 100, 1.0)
    orders = [order for order, total in enumerate(bleu_score.counts) if bleu_score.totals[order]]
    precisions = [bleu_score.precisions[order] / 100 for order in orders]
    mean = " × ".join(explain.number(precision) for precision in precisions) or "no tokens"
    formula = (
        f"{explain.number(bleu_score.bp)} × ({mean})^(1/{max(len(orders), 1)}) = {explain.number(value)}"
    )
    return {
        "compared": explain.compared(
            " ".join(actual_tokens), "\n".join(" ".join(token) for token in expected_tokens)
        ),
        "bleu": {
            "precisions": precisions,
            "matched": bleu_score.counts,
            "total": bleu_score.totals,
            "brevity_penalty": bleu_score.bp,
            "actual_tokens": bleu_score.sys_len,
            "expected_tokens": bleu_score.ref_len,
        },
        "formula": formula + explain.against(value, config.threshold),
    } | explain.words(actual_tokens, chain.from_iterable(expected_tokens))


def explain_chrf(config: ChrfConfig, actual: str, expected: bleu.Texts) -> dict[str, Any]:
    settings = {"word_order": config.word_order, "beta": config.beta}
    expected = chrf.best(actual, expected, **settings)
    value = float(chrf.scores([actual], [expected], **settings)[0])
    name = "chrF" + "+" * config.word_order + str(config.beta)
    blocks = {"compared": explain.compared(actual, expected)} | explain.difference(actual, expected)
    return blocks | {"formula": f"{name} = {explain.number(value)}{explain.against(value, config.threshold)}"}


# Counts that an empty answer has not: its length, its n-grams, and those that it shares.
BLEU_OF_TEXT = [0, *range(2, 10)]
CHRF_OF_TEXT = [column for column in range(24) if column % 3 != 1]


def corpus_bleu(config: SentenceBleuConfig) -> Counting:
    metric = corpus.bleu(tokenize=config.tokenize, lowercase=config.lowercase)
    return _corpus("corpus_bleu", "Corpus BLEU", metric, BLEU_OF_TEXT)


def corpus_chrf(config: ChrfConfig) -> Counting:
    metric = corpus.chrf(word_order=config.word_order, beta=config.beta)
    return _corpus("corpus_chrf", "Corpus chrF", metric, CHRF_OF_TEXT)


def _corpus(name: str, title: str, metric: Metric, of_text: Sequence[int]) -> Counting:
    width = corpus.width(metric)

    def silent(counts: Counts) -> Counts:
        emptied = counts.copy()
        emptied[:, [column for column in of_text if column < width]] *= counts[:, :1] < 0
        return emptied

    statistic = Statistic(
        name,
        title,
        "of the whole corpus, divided by 100",
        lambda sums: np.minimum(corpus.scores(metric, sums) / 100, 1.0),
    )
    return Counting(
        (statistic,),
        lambda counts: each(counts[:, :width]),
        silent,
        signature=partial(corpus.signature, metric),
    )


sentence_bleu = Kind(
    key="sentence_bleu",
    title="Sentence BLEU",
    family=Family.OVERLAP,
    summary="Word n-grams, as in translation",
    description="How many runs of up to four words the output shares with the reference, with a penalty for "
    "short outputs. Designed for whole corpora of translations; on single sentences it is only a rough "
    "indication.",
    source="sacrebleu, sentence BLEU with effective order and exponential smoothing, "
    "divided by 100; axion offers a Sentence BLEU.",
    version=1,
    Config=SentenceBleuConfig,
    score=score_bleu,
    detail=explain_bleu,
    several=("expected",),
    counting=lambda config, labels: corpus_bleu(config),
)

chrf_score = Kind(
    key="chrf",
    title="chrF",
    family=Family.OVERLAP,
    summary="Character n-grams, as in translation",
    description="How many runs of up to six characters the output shares with the reference; recall counts "
    "more than precision. Suits languages with many word forms, and is more stable than BLEU on single "
    "sentences.",
    source="sacrebleu, sentence chrF (chrF++ with words), divided by 100.",
    version=1,
    Config=ChrfConfig,
    score=score_chrf,
    detail=explain_chrf,
    several=("expected",),
    counting=lambda config, labels: corpus_chrf(config),
)
