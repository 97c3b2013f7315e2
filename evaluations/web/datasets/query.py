"""The examples that the page of a dataset shows, and the metadata values that it offers as filters."""

from dataclasses import dataclass

from django.http import Http404

from evaluations.datasets import live_positions, metadata, selections, splits
from evaluations.models import Dataset, Split
from evaluations.models.dataset import ExampleQuerySet
from evaluations.results import searching
from evaluations.results.searching import Stretch

from ..page_tools import searches
from ..page_tools.paging import number
from ..page_tools.request import HttpRequest
from . import example_choice


@dataclass(frozen=True)
class Query:
    """The examples of a version that the address selects; `metadata` are chosen values by column."""

    dataset: Dataset
    version: int
    search: str
    split: Split | None
    metadata: dict[str, str]
    searched: Stretch | None

    @property
    def is_filtered(self) -> bool:
        return bool(self.search or self.split or self.metadata)

    def examples(self, without: str = "") -> ExampleQuerySet:
        """The matching examples, ignoring the filter on the column `without`."""
        pairs = [(column, value) for column, value in self.metadata.items() if column != without]
        matching = selections.matching(self.dataset, self.version, self.search, self.split, pairs)
        if self.searched is None:
            return matching
        positions = live_positions.of_version(self.dataset, self.version)
        return searching.examples_of(matching, positions, self.searched)


@dataclass(frozen=True)
class MetadataChoice:
    """A metadata column with few values: the chosen one, and each value with its count under the other filters."""

    column: str
    chosen: str
    values: list[tuple[str, int]]


def read(request: HttpRequest, dataset: Dataset) -> Query:
    version = number(request, "version") or dataset.version
    if version > dataset.version:
        raise Http404
    split = splits.chosen(dataset, request.GET.get("split", ""))
    search = searches.text(request)
    whole = len(live_positions.of_version(dataset, version)) if search else 0
    chosen = example_choice.chosen_metadata(request)
    return Query(dataset, version, search, split, chosen, searches.stretch(request, whole))


def choices(query: Query) -> list[MetadataChoice]:
    columns = query.dataset.columns.get("metadata", [])
    counts = whole = metadata.counts_of_version(query.dataset, query.version)
    if query.is_filtered:
        counts = metadata.counts(query.examples(), columns)
        for column in query.metadata:
            counts |= metadata.counts(query.examples(without=column), [column])
    return [
        MetadataChoice(column, chosen, _with_chosen(counts.get(column, []), chosen))
        for column in columns
        if (chosen := query.metadata.get(column, "")) or column in counts or column in whole
    ]


def _with_chosen(values: list[tuple[str, int]], chosen: str) -> list[tuple[str, int]]:
    """The values, with the chosen one also where no example has it."""
    return values if not chosen or chosen in dict(values) else [*values, (chosen, 0)]
