"""The export of an experiment."""

from collections.abc import Sequence
from typing import Any

from django.http import StreamingHttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from evaluations.comparisons import export
from evaluations.comparisons.alignment.sides import newest_comparable
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.examples.examples import Question, slots_in_experiment
from evaluations.comparisons.grouping.example_filter import ExampleFilter, exported_examples
from evaluations.errors import Invalid
from evaluations.experiments import experiments
from evaluations.models import Experiment, Run
from evaluations.results import exports, filter_params
from evaluations.results.shown import scorings_by_run
from evaluations.statistics.terms import Mask

from ..routes import route
from ..serializers.result import ExperimentExportQuery
from .base import find, visible
from .compared import evaluator_of
from .comparisons import ids
from .datasets import split_of
from .results import FILES, Export


@route("experiments/<id:pk>/export/", "experiment-export")
class ExperimentExport(Export):
    query = ExperimentExportQuery

    @extend_schema(responses=FILES)
    def get(self, request: Request, pk: int) -> StreamingHttpResponse:
        """All variants of an experiment in one table: one row per example, with all outputs and scores."""
        experiment, kind = find(visible(Experiment, self.key), pk), self.params["format"]
        shown = experiments.exported_runs(experiment)
        rows = self._chosen(experiment, shown)
        count = experiment.examples.count() if rows is None else int(rows.sum())
        exports.check(kind, count)
        summary = self._summary(experiment, shown, count) if kind == "xlsx" else []
        content = exports.of_experiment(
            experiment, shown, kind, chosen=rows, summary=summary, **self.format_options
        )
        return self.file(experiment.name, content, count)

    def _summary(self, experiment: Experiment, shown: Sequence[Run], count: int) -> list[list[Any]]:
        scorings = scorings_by_run(shown)
        compared = newest_comparable([run for run in shown if scorings[run.pk]])
        if not compared:
            return []
        metadata = filter_params.parse(self.params["filters"], ()).metadata
        example_filter = ExampleFilter(metadata, split_of(experiment.dataset, self.params))
        missing = self.params["missing"]
        return export.summary(
            Comparison(compared, compared[0], scorings, missing=missing, example_filter=example_filter),
            count,
            experiment.examples.count(),
        )

    def _chosen(self, experiment: Experiment, shown: Sequence[Run]) -> Mask | None:
        """The slots of the examples that match the parameters; None for all."""
        metadata = filter_params.parse(self.params["filters"], ()).metadata
        example_filter = ExampleFilter(metadata, split_of(experiment.dataset, self.params))
        search = self.params.get("search", "")
        least = self.params["least_difference"]
        asks_outcome = self.params["outcome"] != "all" or self.params["different"] or least
        if not asks_outcome:
            return exported_examples(experiment, shown, example_filter, search)
        compared = self._compared(shown)
        comparison = Comparison(
            compared, compared[0], missing=self.params["missing"], example_filter=example_filter
        )
        conditions = {name: self.params[name] for name in ("outcome", "different")}
        evaluator = evaluator_of(comparison, self.params.get("evaluator", ""))
        question = Question(evaluator, search=search, least=least, **conditions)
        return slots_in_experiment(comparison, question, experiment)

    def _compared(self, shown: Sequence[Run]) -> list[Run]:
        """The named runs; without names those that the page compares."""
        by_id = {run.pk: run for run in shown}
        run_ids = ids(self.params["runs"], "runs") if "runs" in self.params else _compared_on_page(shown)
        if not run_ids or not by_id.keys() >= set(run_ids):
            listed = ", ".join(map(str, by_id)) or "none"
            message = f"Runs of this experiment that can be compared: {listed}."
            raise Invalid("invalid", message, fields={"runs": [message]})
        return [by_id[pk] for pk in run_ids]


def _compared_on_page(shown: Sequence[Run]) -> list[int]:
    scorings = scorings_by_run(shown)
    return [run.pk for run in newest_comparable([run for run in shown if scorings[run.pk]])]
