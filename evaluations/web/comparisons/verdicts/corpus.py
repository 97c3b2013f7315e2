"""Corpus scores: BLEU and chrF of all outputs together, beside the means of sentence scores."""

from dataclasses import dataclass

from evaluations.comparisons import corpus_scores
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.corpus_scores import CorpusTable

from ...page_tools.paging import address
from ...page_tools.request import HttpRequest


@dataclass(frozen=True)
class Reference:
    """A reference column, and the address that adds or removes it."""

    name: str
    is_used: bool
    address: str


@dataclass(frozen=True)
class Corpus:
    """`tables` is empty unless `?corpus=` requests it, as `open_address` does."""

    tables: list[CorpusTable]
    references: list[Reference]
    open_address: str
    close_address: str


def corpus(request: HttpRequest, comparison: Comparison) -> Corpus | None:
    """The corpus scores; None if no evaluator has any. `?corpus=` lists additional reference columns, or is empty."""
    corpus_evaluators = corpus_scores.evaluators(comparison)
    if not corpus_evaluators:
        return None
    takes_more = not all(
        corpus_scores.reads_several(comparison, evaluator) for evaluator in corpus_evaluators
    )
    columns = corpus_scores.reference_columns(comparison) if takes_more else []
    used = [name for name in request.GET.getlist("corpus") if name in columns]
    is_asked = "corpus" in request.GET
    return Corpus(
        tables=[corpus_scores.table(comparison, evaluator, used) for evaluator in corpus_evaluators]
        if is_asked
        else [],
        references=[_reference(request, name, used) for name in columns],
        open_address=f"{address(request, corpus='')}#corpus",
        close_address=address(request, corpus=None),
    )


def _reference(request: HttpRequest, name: str, used: list[str]) -> Reference:
    remaining_names = [used_name for used_name in used if used_name != name]
    names = remaining_names if name in used else [*used, name]
    return Reference(name, name in used, f"{address(request, corpus=names or '')}#corpus")
