"""Imports an export of another tool: examples, a run for each variant and repetition, evaluators for its graders."""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, BinaryIO

import numpy as np
from django.db import transaction

from evaluations import bulk, other_tools, owned
from evaluations.datasets import bitmaps, datasets
from evaluations.datasets.datasets import EXAMPLE_FIELDS, MOST_COLUMNS
from evaluations.errors import Refusal
from evaluations.experiments import about, experiments
from evaluations.ingest import clean
from evaluations.models import Dataset, Example, Experiment, Import, Output, Prompt, Run
from evaluations.numerals import grouped
from evaluations.other_tools import Answer, Evaluation, Item, OutsideScore, Variant
from evaluations.prompts import prompts
from evaluations.prompts.content import Content
from evaluations.scoring import jobs
from evaluations.values import PARTS, output_text, stored_json

from .. import claims, run_names, tool_evaluators, tool_figures
from ..uploads.uploads import require_space
from .dataset_reading import end_failed, keep_errors

FIELDS = ("run_id", "position", "text", "is_json", "error", "latency_ms", "tokens", "scores")
SLICE = 2_000
LARGE_FACTS = ("messages", "prompt", "task_args", "parameters")


class ToolReading:
    """Reads one file. Nobody sees its rows before `_finish`, which publishes all of them."""

    keeps_file = False

    def __init__(self, job: Import):
        assert job.dataset is not None  # an export of another tool becomes a new dataset
        self.job, self.dataset = job, job.dataset
        self.done = 0

    def read(self, file: BinaryIO) -> None:
        self._clear()
        evaluation = run_names.of_tool(other_tools.read(file, self.job.mapping["tool"]), self.job.filename)
        columns = _columns(evaluation.items)
        self.outside = {score.grader: score for score in other_tools.outside_scores(evaluation)}
        self.experiment = Experiment.objects.get(dataset=self.dataset)
        self._insert(Example, EXAMPLE_FIELDS, self._examples(evaluation.items))
        self.names = owned.distinct(variant.name for variant in evaluation.variants)
        runs = [run for variant in evaluation.variants for run in self._runs(variant, len(evaluation.items))]
        self._finish(evaluation, columns, runs)

    # ---- rows ------------------------------------------------------------------------------------------------

    def _insert(self, model: Any, fields: tuple[str, ...], rows: Iterator[tuple[Any, ...]]) -> None:
        while batch := list(islice(rows, SLICE)):
            require_space()
            self.done += len(batch)
            with transaction.atomic():
                claims.keep(self.job, self.done, 0)
                bulk.insert(model, fields, batch)

    def _examples(self, items: list[Item]) -> Iterator[tuple[Any, ...]]:
        for position, item in enumerate(items, 1):
            parts = (stored_json(getattr(item, part)) for part in PARTS)
            yield self.dataset.pk, position, item.key, *parts, 1

    def _runs(self, variant: Variant, items: int) -> Iterator[Run]:
        facts = within_limits(variant.about)
        for answers in variant.repetitions:
            positions = np.array(sorted(answers), np.int64) + 1
            run = Run.objects.create(
                project=self.dataset.project,
                created_by=self.dataset.created_by,
                experiment=self.experiment,
                variant=self.names[variant.name],
                about=facts,
                status=Run.Status.COMPLETED,
                asked_rows=None if len(answers) == items else bitmaps.packed(positions),
                output_count=sum(answer.output is not None for answer in answers.values()),
            )
            self._insert(Output, FIELDS, _outputs(run, answers, self.outside))
            yield run

    # ---- end -------------------------------------------------------------------------------------------------

    def _finish(self, evaluation: Evaluation, columns: dict[str, list[str]], runs: list[Run]) -> None:
        with transaction.atomic():
            claims.end(self.job)
            dataset = Dataset.objects.select_for_update().get(pk=self.dataset.pk)
            dataset.status, dataset.columns = Dataset.Status.READY, columns
            dataset.last_position = len(evaluation.items)
            keep_errors(dataset, [], Counter())
            dataset.save()
            note = f"from {self.job.filename}"[:200]
            datasets.next_version(dataset, dataset.created_by, len(evaluation.items), note)
            by_grader = tool_evaluators.for_graders(dataset.project, dataset.created_by, evaluation)
            experiments.link(self.experiment, experiments.newest(by_grader.values()))
            self._add_prompts(evaluation)
            source = tool_figures.stored_source(evaluation, self.job.filename, by_grader, runs)
            Experiment.objects.filter(pk=self.experiment.pk).update(source=source)
            self._score(runs)

    def _add_prompts(self, evaluation: Evaluation) -> None:
        """Create the prompts of a configuration, each under a free name."""
        project, user = self.dataset.project, self.dataset.created_by
        for prompt in evaluation.prompts:
            prompts_of_project = Prompt.objects.live().filter(project=project)
            name = owned.free_name(prompts_of_project, prompt.name, owned.numbered())
            try:
                prompts.create(project, user, name, Content(prompt.messages))
            except Refusal as refusal:
                evaluation.notes.append(f"The prompt “{prompt.name}” is not imported: {refusal.message}")

    def _score(self, runs: list[Run]) -> None:
        for run in runs:
            jobs.open_job(run, experiments.versions_of(self.experiment))

    def fail(self, errors: list[dict[str, Any]], counts: Counter[str]) -> None:
        """Store the errors and no rows; this is rare, because files are checked when they are parked."""
        self._clear()
        with transaction.atomic():
            claims.end(self.job)
            end_failed(self.dataset, errors, counts)

    def _clear(self) -> None:
        """Delete the rows of an earlier attempt."""
        runs = Run.objects.filter(experiment__dataset=self.dataset)
        with transaction.atomic():
            claims.keep(self.job, 0, 0)
            Output.objects.filter(run__in=runs.values_list("pk", flat=True)).delete()
            runs.delete()
            Example.objects.filter(dataset=self.dataset).delete()


def _columns(items: list[Item]) -> dict[str, list[str]]:
    """The columns of each part, in order of appearance."""
    columns = {
        part: list(dict.fromkeys(name for item in items for name in getattr(item, part))) for part in PARTS
    }
    if sum(map(len, columns.values())) > MOST_COLUMNS:
        message = f"The items of the file have more than {grouped(MOST_COLUMNS)} different fields."
        raise claims.Rejected([{"code": "columns_limit", "message": message, "hint": ""}])
    return columns


def _outputs(
    run: Run, answers: dict[int, Answer], outside: Mapping[str, OutsideScore]
) -> Iterator[tuple[Any, ...]]:
    for index, answer in answers.items():
        text, is_json = output_text(answer.output)
        error = clean(answer.error) if answer.error else None
        scores = {
            name: outside[name].kept_value(score) for name, score in answer.scores.items() if name in outside
        }
        stored_scores = stored_json(scores) if scores else None
        yield run.pk, index + 1, text, is_json, error, answer.latency_ms, answer.tokens, stored_scores


def within_limits(facts: dict[str, Any]) -> dict[str, Any]:
    """The facts about a variant; if they exceed the limit of `about`, without the largest ones."""
    for name in LARGE_FACTS:
        if len(stored_json(facts).encode()) > about.MOST_BYTES:
            facts = {key: value for key, value in facts.items() if key != name}
    return facts
