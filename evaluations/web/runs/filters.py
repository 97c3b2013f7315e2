"""The filters above the rows of a run: active ones, links that remove each, and the form to add others.

Other spellings of an address, such as older links, redirect to the page's own spelling.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from evaluations import numerals
from evaluations.datasets import metadata
from evaluations.errors import Invalid
from evaluations.models import Scoring
from evaluations.results import filter_params
from evaluations.results.filter_params import Pairs
from evaluations.results.filters import Cell, Filters, ScoreFilter
from evaluations.scoring.summaries import Figures
from evaluations.statistics.ordering import Verdict
from evaluations.templatetags.evalsite import words
from evaluations.values import Status

from ..page_tools import url_values
from ..page_tools.frame import Context
from ..page_tools.paging import address
from ..page_tools.request import HttpRequest
from . import rows as run_rows
from .selection import RunSelection

MOST_COLUMNS = 12  # metadata columns with a field in the form
OLD_NAMES = ("show", "min", "below", "version_of")


@dataclass(frozen=True)
class Chip:
    """A condition in words, and the address without it."""

    subject: str
    words: str
    address: str


@dataclass(frozen=True)
class ScoreField:
    """The fields of an evaluator in the form of filters."""

    name: str
    id: int
    low: str
    high: str
    passed: Verdict | None
    judges: bool
    has_neither: bool


@dataclass(frozen=True)
class MetadataField:
    """A metadata column in the form of filters; `choices` are its values if they are few."""

    column: str
    value: str
    choices: list[str]


# ---- addresses ---------------------------------------------------------------------------------------------


def canonical_address(request: HttpRequest, selection: RunSelection) -> str | None:
    """The page's own spelling of this address; None if this is it."""
    parameters = url_values.parameters(request)
    sent_filters = [pair for pair in parameters if filter_params.is_filter(pair[0])]
    pairs = filter_params.pairs_of(selection.filters)
    dropped = {*OLD_NAMES} | (set() if selection.version else {"version"})
    if sorted(sent_filters) == sorted(pairs) and not dropped & request.GET.keys():
        return None
    _say_what_is_dropped(request, sent_filters, selection.scorings)
    other_pairs = [pair for pair in parameters if pair not in sent_filters and pair[0] not in dropped]
    query = urlencode([*other_pairs, *pairs])
    return f"{request.path}{'?' if query else ''}{query}"


def _say_what_is_dropped(request: HttpRequest, sent: Pairs, scorings: Sequence[Scoring]) -> None:
    for name, value in sent:
        try:
            filter_params.parse([(name, value)], scorings)
        except Invalid:
            if value:
                url_values.not_understood(request, name, value)


def without(request: HttpRequest, pairs: Pairs) -> str:
    """This address without some of its parameters, on its first page."""
    dropped = {"row", "after", "before"}
    remaining_pairs = [pair for pair in url_values.parameters(request, without=dropped) if pair not in pairs]
    return f"{request.path}{'?' if remaining_pairs else ''}{urlencode(remaining_pairs)}"


def no_conditions(request: HttpRequest) -> dict[str, Any]:
    """Parameters that remove every filter from an address."""
    return {name: None for name in request.GET if filter_params.is_filter(name)} | {"q": None}


# ---- in words ----------------------------------------------------------------------------------------------


def chips(request: HttpRequest, selection: RunSelection) -> list[Chip]:
    """Every active condition, with the address without it."""
    listed = [chip for score_filter in selection.filters.scores for chip in _chips_of(request, score_filter)]
    for column, value in selection.filters.metadata:
        listed.append(Chip(column, value, without(request, [(f"metadata[{column}]", value)])))
    if search := selection.filters.search:
        search_pairs = [pair for pair in url_values.parameters(request) if pair[0] == "q"]
        listed.append(Chip("texts", search, without(request, search_pairs)))
    return listed


def _chips_of(request: HttpRequest, score_filter: ScoreFilter) -> list[Chip]:
    evaluator = score_filter.scoring.evaluator_version.evaluator
    pairs = filter_params.pairs_of(Filters(scores=(score_filter,)))
    ends = [pair for pair in pairs if pair[0].startswith(("min", "max"))]
    listed = [Chip(evaluator.name, _range(score_filter), without(request, ends))] if ends else []
    of_cell = [pair for pair in pairs if pair[0].startswith(("reference", "read", "outside"))]
    if of_cell:
        listed.append(Chip(evaluator.name, cell_words(score_filter.cell), without(request, of_cell)))
    verdicts = {"true": "pass", "false": "fail"}
    # a verdict implies an answer, as its tab has it
    scored = f"status[{evaluator.pk}]", Status.SCORED.word
    implied = [scored] if score_filter.passed is not None else []
    return listed + [
        Chip(evaluator.name, verdicts.get(pair[1]) or words(pair[1]), without(request, [pair, *implied]))
        for pair in pairs
        if pair not in (*ends, *of_cell, *implied)
    ]


def cell_words(cell: Cell) -> str:
    """A part of a label table in words: "spam read as ham"."""
    reference = cell.reference or "any label"
    if cell.is_outside:
        return f"{reference} with an answer outside the labels"
    return reference if cell.answer is None else f"{reference} read as {cell.answer}"


def _range(score_filter: ScoreFilter) -> str:
    """The scores between the ends of a filter, of which one may lack."""
    is_whole = all((end or 0) % 1 == 0 for end in (score_filter.low, score_filter.high))
    decimals = run_rows.decimals(score_filter.scoring.evaluator_version) if is_whole else 2
    low, high = (numerals.fixed(end, decimals) for end in (score_filter.low, score_filter.high))
    if score_filter.low is None:
        return f"up to {high}"
    return f"from {low}" if score_filter.high is None else f"{low} to {high}"


def fields(selection: RunSelection, figures: dict[int, Figures]) -> list[ScoreField]:
    """A range field for each evaluator, and a verdict field for those with verdicts."""
    conditions = {score_filter.scoring.pk: score_filter for score_filter in selection.filters.scores}
    return [
        ScoreField(
            scoring.evaluator_version.evaluator.name,
            scoring.evaluator_version.evaluator_id,
            _digits(score_filter.low),
            _digits(score_filter.high),
            score_filter.passed,
            figures[scoring.pk]["n_judged"] > 0,
            score_filter.passed == "neither"
            or figures[scoring.pk]["n"] > figures[scoring.pk]["n_judged"] > 0,
        )
        for scoring in selection.scorings
        for score_filter in [conditions.get(scoring.pk, ScoreFilter(scoring))]
    ]


def _digits(number: float | None) -> str:
    return "" if number is None else repr(number).removesuffix(".0")


def metadata_fields(selection: RunSelection) -> list[MetadataField]:
    """Metadata columns with their values in the filters; filtered columns are always included."""
    experiment = selection.run.experiment
    values, dataset = dict(reversed(selection.filters.metadata)), experiment.dataset
    columns = dict.fromkeys([*values, *dataset.columns.get("metadata", [])[:MOST_COLUMNS]])
    choices = metadata.choices(dataset, experiment.dataset_version) if columns else {}
    return [MetadataField(column, values.get(column, ""), choices.get(column, [])) for column in columns]


def carried(
    request: HttpRequest, selection: RunSelection, fields: list[MetadataField]
) -> list[tuple[str, str]]:
    """The hidden fields of the form of filters: statuses, further values of a column, and other parameters."""
    shown = [(f"metadata[{field.column}]", field.value) for field in fields]
    states = [
        pair
        for pair in filter_params.pairs_of(selection.filters)
        if pair[0].startswith(("status", "reference", "read", "outside", "metadata"))
    ]
    other_pairs = url_values.parameters(request, only=("evaluator", "order", "version", "q"))
    return [*other_pairs, *(pair for pair in states if pair not in shown)]


def hidden(request: HttpRequest, selection: RunSelection) -> list[tuple[str, str]]:
    """The hidden fields of the form for evaluator and search; the version belongs to the present evaluator."""
    version = [("version", f"{selection.version}"), ("version_of", f"{selection.evaluator_id}")]
    order_pairs = url_values.parameters(request, only=("order",))
    return [*order_pairs, *(version if selection.version else ()), *filter_params.pairs_of(selection.filters)]


def bar(request: HttpRequest, selection: RunSelection, figures: dict[int, Figures]) -> Context:
    metadata_columns = metadata_fields(selection)
    return {
        "chips": chips(request, selection),
        "cleared": address(request, **no_conditions(request), after=None, before=None),
        "fields": fields(selection, figures),
        "metadata_fields": metadata_columns,
        "hidden": hidden(request, selection),
        "carried": carried(request, selection, metadata_columns),
        "version_addresses": [(version, _at(request, selection, version)) for version in selection.versions],
    }


def _at(request: HttpRequest, selection: RunSelection, version: int) -> str:
    chosen = None if version == max(selection.versions) else version
    return address(request, evaluator=selection.evaluator_id, version=chosen, after=None, before=None)
