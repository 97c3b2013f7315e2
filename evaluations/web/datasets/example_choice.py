"""The examples of a dataset that an address selects for an edit: given rows, matches of a filter, or all."""

from collections.abc import Mapping
from urllib.parse import urlencode

from django.urls import reverse

from evaluations.datasets import splits
from evaluations.datasets.selections import Selection
from evaluations.models import Dataset, Split
from evaluations.results import filter_params

from ..forms.split import selected_positions
from ..page_tools import url_values
from ..page_tools.paging import number
from ..page_tools.request import HttpRequest

ALL = "all"


def chosen_metadata(request: HttpRequest) -> dict[str, str]:
    """Metadata columns and values in the address, in the syntax of results filters."""
    filled = [pair for pair in url_values.parameters(request) if pair[1]]
    return dict(filter_params.parse(filled, (), strict=False).metadata)


def selection(request: HttpRequest, dataset: Dataset) -> Selection:
    return Selection(
        dataset,
        number(request, "version") or dataset.version,
        search=request.GET.get("q", "").strip(),
        filter=list(chosen_metadata(request).items()),
        split=splits.chosen(dataset, request.GET.get("split", "")),
        positions=selected_positions(request.GET),
        everything=ALL in request.GET,
    )


def address(dataset: Dataset, search: str, split: Split | None, metadata: Mapping[str, str]) -> str:
    """The address that edits all examples of the newest version that match a filter."""
    pairs = [("q", search), ("split", split.pk if split else "")]
    pairs += [(f"metadata[{column}]", value) for column, value in metadata.items()]
    chosen_pairs = [pair for pair in pairs if pair[1]] or [(ALL, "yes")]
    return f"{reverse('example-bulk', args=[dataset.pk])}?{urlencode([('version', dataset.version), *chosen_pairs])}"


def words(chosen: Selection) -> list[str]:
    """The conditions of a selection in words."""
    ticks = ["selected"] if chosen.positions else []
    split = [f"split {chosen.split}"] if chosen.split else []
    text = [f"with “{chosen.search}”"] if chosen.search else []
    metadata = [f"{column}: {value}" for column, value in chosen.filter]
    return [*ticks, *split, *text, *metadata] or ["all examples"]
