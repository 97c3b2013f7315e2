"""Corpus scores: BLEU and chrF of all outputs together, beside the means of sentence scores."""

from dataclasses import dataclass

from evaluations.comparisons import corpus_scores
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.corpus_scores import CorpusTable

from ...page_tools.paging import address
from ...page_tools.request import HttpRequest


@dataclass(frozen=True)
class Corpus:
    """`tables` is empty unless `?corpus=` requests it, as `open_address` does."""

    tables: list[CorpusTable]
    open_address: str
    close_address: str


def corpus(request: HttpRequest, comparison: Comparison) -> Corpus | None:
    """The corpus scores; None if no evaluator has any."""
    corpus_evaluators = corpus_scores.evaluators(comparison)
    if not corpus_evaluators:
        return None
    is_asked = "corpus" in request.GET
    return Corpus(
        tables=[corpus_scores.table(comparison, evaluator) for evaluator in corpus_evaluators]
        if is_asked
        else [],
        open_address=f"{address(request, corpus='')}#corpus",
        close_address=address(request, corpus=None),
    )
