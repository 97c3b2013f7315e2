"""The variants of a launch as a matrix: prompt versions by models, one check box each."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from django.db.models import F, QuerySet
from django.http import QueryDict

from evaluations.launches import plans
from evaluations.launches.plans import Variant
from evaluations.models import Dataset, Generation, Price, Project, PromptVersion
from evaluations.numerals import whole
from evaluations.prompts import prices, templates
from evaluations.prompts.prices import Rates

from ..page_tools import offered_models
from ..page_tools.request import HttpRequest

OFFERED_PROMPTS, OFFERED_MODELS, OFFERED_VERSIONS = 5, 3, 200
MOST_ROWS, MOST_MODELS = 20, 8


@dataclass(frozen=True)
class Cell:
    """One version with one model; `is_named_model` marks the model that the version names."""

    version: PromptVersion
    model: str
    is_checked: bool = False
    rates: Rates | None = None
    is_priced_above: bool = False  # the head of the column says the price
    is_here: bool = False  # the experiment has this variant already

    @property
    def value(self) -> str:
        return f"{self.version.pk}:{self.model}"

    @property
    def is_named_model(self) -> bool:
        return self.model == self.version.model

    def variant(self, parameters: dict[str, Any]) -> Variant:
        return Variant(self.version, model="" if self.is_named_model else self.model, parameters=parameters)


class Matrix:
    """Prompt versions as rows, models as columns; checked cells are variants, and a new row is checked."""

    def __init__(
        self, project: Project, rows: Sequence[PromptVersion], models: Sequence[str], checked: set[str]
    ):
        self.project, self.versions, self.models, self.checked = project, rows, models, checked
        self.here: set[str] = set()  # the names of the variants that the experiment has

    @classmethod
    def from_request(cls, request: HttpRequest, project: Project) -> "Matrix":
        """The matrix from the submitted form, or from a link that describes variants."""
        if request.method == "POST":
            return cls._typed(project, request.POST)
        new = cls._typed if "variants" in request.GET else cls._new
        return new(project, request.GET)

    @classmethod
    def _typed(cls, project: Project, form_data: QueryDict) -> "Matrix":
        texts = [*form_data.getlist("row"), form_data.get("new_row", "")]
        ids = [pk for text in texts if (pk := whole(text)) is not None]
        versions_by_id = versions_of(project).in_bulk(ids[: MOST_ROWS + 1])
        rows = [versions_by_id[pk] for pk in dict.fromkeys(ids) if pk in versions_by_id][:MOST_ROWS]
        models = _columns(rows, [*form_data.getlist("model"), form_data.get("new_model", "").strip()[:200]])
        new_rows = [row for row in rows if f"{row.pk}" == form_data.get("new_row")]
        added = _values(new_rows, models, _last_model(project))
        return cls(project, rows, models, {*form_data.getlist("variants"), *added})

    @classmethod
    def _new(cls, project: Project, query: QueryDict) -> "Matrix":
        """The newest prompts that fit the dataset of the address; or three versions of the prompt `?prompt=`, beginning
        with `?version=` or the newest."""
        prompt, version = (whole(query.get(name, "")) for name in ("prompt", "version"))
        if prompt is None:
            rows = _fitting(newest_of(project), _dataset_of(project, query))
            return cls(project, rows, _columns(rows, _priced(project, rows)), set())
        versions = versions_of(project).filter(prompt=prompt)
        rows = list((versions if version is None else versions.filter(number__lte=version))[:3])
        last = _last_model(project)
        models = _columns(rows, [last, *_priced(project, rows)])
        return cls(project, rows, models, _values(rows[:1], models, last))

    @cached_property
    def rows(self) -> list[tuple[PromptVersion, list[Cell]]]:
        columns = [self._column(model) for model in self.models]
        return [(row, [column[index] for column in columns]) for index, row in enumerate(self.versions)]

    @property
    def heads(self) -> list[tuple[str, Cell | None]]:
        """Each model with a cell that has the price of the whole column; None where prices differ."""
        cells = self.rows[0][1] if self.rows else [None for _ in self.models]
        return [
            (model, cell if cell and cell.is_priced_above else None)
            for model, cell in zip(self.models, cells, strict=True)
        ]

    def _column(self, model: str) -> list[Cell]:
        """The cells of a model. Connections may have other prices for it."""
        cells = [self._cell(version, model) for version in self.versions]
        has_one_price = len({cell.rates for cell in cells}) == 1
        return [replace(cell, is_priced_above=has_one_price) for cell in cells]

    def _cell(self, version: PromptVersion, model: str) -> Cell:
        cell = Cell(version, model)
        variant = cell.variant({})
        connection = plans.connection_of(self.project, variant)
        rates = prices.rates(connection, model, prices.today()) if connection else None
        is_here = variant.label in self.here
        return replace(cell, is_checked=cell.value in self.checked, rates=rates, is_here=is_here)

    @property
    def choices(self) -> list[tuple[str, str]]:
        return [(cell.value, cell.value) for _, cells in self.rows for cell in cells]

    @property
    def labels(self) -> list[tuple[str, str]]:
        """The values of all cells with the names of their variants."""
        return [(cell.value, cell.variant({}).label) for _, cells in self.rows for cell in cells]

    @property
    def chosen(self) -> list[Cell]:
        return [cell for _, cells in self.rows for cell in cells if cell.is_checked]

    @property
    def lacks_model(self) -> bool:
        """Whether nothing is selected although rows are there that name no model."""
        return not self.chosen and len(self.models) > 1 and any(not row.model for row in self.versions)

    @property
    def offered(self) -> list[PromptVersion]:
        """The versions that are not rows yet."""
        missing_versions = versions_of(self.project).exclude(pk__in=[row.pk for row in self.versions])
        return list(missing_versions.order_by("prompt__name", "-number")[:OFFERED_VERSIONS])


def _values(rows: Sequence[PromptVersion], models: Sequence[str], last: str) -> set[str]:
    """The cells checked for these versions: with the model that each names, else with that of the last launch, or the
    only one; of several that nobody chose, none.
    """
    other = last if last in models else models[0] if len(models) == 1 else None
    return {Cell(row, row.model or other or "").value for row in rows if row.model or other is not None}


def _last_model(project: Project) -> str:
    """The model of the project's newest launch; "" without one."""
    newest = Generation.objects.filter(launch__project=project).order_by("-launch", "run")
    return newest.values_list("model", flat=True).first() or ""


def versions_of(project: Project) -> QuerySet[PromptVersion]:
    """All versions of the project's prompts, newest prompt and newest version first."""
    live = PromptVersion.objects.filter(prompt__project=project, prompt__deleted_at=None)
    return live.select_related("prompt", "connection").order_by("-prompt", "-number")


def _priced(project: Project, rows: Sequence[PromptVersion]) -> list[str]:
    """The models with a price at the connections of these versions."""
    servers = {row.connection_id or project.default_connection_id for row in rows}
    model_prices = Price.objects.filter(connection__in=servers - {None}).order_by("model")
    names = model_prices.exclude(model__in=offered_models.only_judging(project)).values_list(
        "model", flat=True
    )
    return list(names.distinct()[:OFFERED_MODELS])


def _dataset_of(project: Project, query: QueryDict) -> Dataset | None:
    """The dataset of `?dataset=`, or that of `?experiment=`."""
    datasets = Dataset.objects.live().filter(project=project)
    if experiment := whole(query.get("experiment", "")):
        return datasets.filter(experiments=experiment).first()
    return datasets.filter(pk=whole(query.get("dataset", "")) or 0).first()


def _fitting(newest: QuerySet[PromptVersion], dataset: Dataset | None) -> list[PromptVersion]:
    """The first of these versions whose variables the dataset fills; simply the first ones if it fills none."""
    if dataset is None:
        return list(newest[:OFFERED_PROMPTS])
    known = list(newest[:OFFERED_VERSIONS])
    fitting = [v for v in known if templates.are_columns(templates.variables(v.messages), dataset.columns)]
    return (fitting or known)[:OFFERED_PROMPTS]


def newest_of(project: Project) -> QuerySet[PromptVersion]:
    return versions_of(project).filter(number=F("prompt__version"))


def _columns(rows: Sequence[PromptVersion], models: Sequence[str]) -> list[str]:
    """The models of the versions, then further ones, each once; a single "" if there is none."""
    named = [model for model in [*(row.model for row in rows), *models] if model]
    return list(dict.fromkeys(named))[:MOST_MODELS] or [""]
