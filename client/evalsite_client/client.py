"""The commands of the command line as Python methods."""

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Literal, cast

from . import files
from .answers import (
    Change,
    Check,
    Dataset,
    Experiment,
    FilePreview,
    Gate,
    Imported,
    Launch,
    NewOutput,
    ReadingTaken,
    Run,
)
from .errors import Refused
from .names import Reference, evaluator_ids, id_of, run_ids
from .reader import Reader
from .transport import OnBytes
from .waiting import OnState

BATCH = 1_000  # outputs per call
NOT_FOUND = 404


class Client(Reader):
    """One project of one site.

    `url` and `key` come from EVALSITE_URL and EVALSITE_KEY, or from `evalsite login`, unless they are given. Calls
    that fail with a network error, 429 or 5xx are retried for `patience` seconds; nothing is done twice. Any other
    refusal raises `Refused`. References are ids or names.
    """

    def upload(
        self,
        file: str | Path,
        name: str | None = None,
        *,
        inputs: Sequence[str] = (),
        reference: Sequence[str] = (),
        metadata: Sequence[str] = (),
        key: str | None = None,
        outputs: Mapping[str, str] | None = None,
        mapping: Mapping[str, Any] | str | None = None,
        schema: Mapping[str, Any] | None = None,
        on_error: str = "reject",
        duplicates: str = "keep",
        reading: Mapping[str, Any] | None = None,
        ask: bool = True,
        evaluators: Iterable[Reference] = (),
        wait: bool = True,
        timeout: float | None = None,
        on_bytes: OnBytes | None = None,
        on_state: OnState = lambda state: None,
    ) -> Dataset:
        """Create a dataset from a file; with `outputs` (column or JSONPath by variant) also an experiment with runs.

        Without columns, the server uses the roles that its upload page suggests. `on_error="skip"` leaves out rows
        that cannot be read. `duplicates` keeps, skips or fails rows with the contents of an earlier row.
        `evaluators` score the runs. `mapping` has further parts of the mapping, or the name or id of a saved
        mapping. `schema` has the allowed values of columns. `timeout` is in seconds, for each wait.

        `reading` says how the file is read: header, delimiter, encoding, escape, sheet, rows, decimal, long. Without a
        mapping, a file that can be read in several ways raises `Refused` with the code choice_needed, whose
        `error["choices"]` name the fields to send; `ask=False` imports it with the defaults.
        """
        fields = {"name": name or files.title(file), "on_error": on_error, "duplicates": duplicates}
        fields |= files.mapping_field(mapping, files.mapping(inputs, reference, metadata, key, outputs))
        fields |= {"schema": json.dumps(schema)} if schema else {}
        fields |= files.reading_fields(reading, ask=ask)
        dataset = self.transport.upload("datasets/", Path(file), fields, on_bytes)
        chosen = evaluator_ids(self.transport, evaluators)
        if wait or chosen:
            dataset = self.wait("dataset", dataset["id"], timeout=timeout, on_state=on_state)
        if chosen and dataset["experiment"]:
            self.add_evaluators(dataset["experiment"], chosen)
            if wait:
                self.wait_for_runs(dataset["experiment"], timeout=timeout, on_state=on_state)
        return cast(Dataset, dataset)

    def preview(
        self,
        file: str | Path,
        *,
        inputs: Sequence[str] = (),
        reference: Sequence[str] = (),
        metadata: Sequence[str] = (),
        key: str | None = None,
        outputs: Mapping[str, str] | None = None,
        mapping: Mapping[str, Any] | str | None = None,
        reading: Mapping[str, Any] | None = None,
        on_bytes: OnBytes | None = None,
    ) -> FilePreview:
        """What `upload` or `import_file` would create from a file; nothing is stored.

        Without columns, the server recognises exports of other tools, and suggests the roles of the columns of a table.
        """
        fields = files.mapping_field(mapping, files.mapping(inputs, reference, metadata, key, outputs))
        fields |= files.reading_fields(reading)
        answer = self.transport.upload("datasets/preview/", Path(file), fields, on_bytes)
        return cast(FilePreview, answer)

    def update(
        self,
        dataset: Reference,
        file: str | Path,
        mode: Literal["append", "merge", "mirror"],
        *,
        mapping: Mapping[str, Any] | str | None = None,
        on_error: str = "reject",
        duplicates: str = "keep",
        dry_run: bool = False,
        reading: Mapping[str, Any] | None = None,
        timeout: float | None = None,
        on_bytes: OnBytes | None = None,
        on_state: OnState = lambda state: None,
    ) -> Change:
        """Update a dataset from a file. If anything changes, this creates a new version.

        "append" adds new examples, "merge" also changes examples whose key exists, "mirror" also removes examples
        that the file lacks. `dry_run` only counts the changes. `timeout` is in seconds.
        """
        number = id_of(self.transport, "datasets", dataset)
        fields = {
            "mode": mode,
            "on_error": on_error,
            "duplicates": duplicates,
            "dry_run": json.dumps(dry_run),
        }
        fields |= files.mapping_field(mapping) | files.reading_fields(reading)
        begun = self.transport.upload(f"datasets/{number}/upload/", Path(file), fields, on_bytes)
        path = f"datasets/{number}/imports/{begun['import']}/"
        return cast(Change, self._until_ended("import", path, timeout, on_state))

    def import_file(
        self,
        file: str | Path,
        name: str | None = None,
        *,
        timeout: float | None = None,
        on_bytes: OnBytes | None = None,
        on_state: OnState = lambda state: None,
    ) -> Imported:
        """Import the results of another tool, which the server recognises; `source` compares the figures.

        `timeout` is in seconds, for each wait.
        """
        dataset = self.upload(file, name, ask=False, timeout=timeout, on_bytes=on_bytes, on_state=on_state)
        experiment = dataset["experiment"]
        if experiment is None:
            return {"dataset": dataset, "source": None}
        self.wait_for_runs(experiment, timeout=timeout, on_state=on_state)
        try:
            return {"dataset": dataset, "source": self.source(experiment)}
        except Refused as refusal:
            if refusal.status != NOT_FOUND:
                raise
            return {"dataset": dataset, "source": None}

    def add_evaluators(self, experiment: Reference, evaluators: Iterable[Reference]) -> Experiment:
        """Add evaluators to an experiment. They score its existing and later runs."""
        chosen = evaluator_ids(self.transport, evaluators)
        number = id_of(self.transport, "experiments", experiment)
        answer = self.transport.post(f"experiments/{number}/evaluators/", {"evaluators": chosen})
        return cast(Experiment, answer)

    def read_by(self, experiment: Reference, step: str) -> ReadingTaken:
        """Let an experiment's evaluators read answers by a step (reasoning, json or code), and score all its runs."""
        number = id_of(self.transport, "experiments", experiment)
        answer = self.transport.post(f"experiments/{number}/reading-steps/", {"step": step})
        return cast(ReadingTaken, answer)

    def undo_reading(self, experiment: Reference, taken: ReadingTaken) -> Experiment:
        """Use the versions before a step again; `taken` is what `read_by` returned."""
        number = id_of(self.transport, "experiments", experiment)
        before = [
            {"evaluator": change["evaluator"], "version": change["before"]} for change in taken["versions"]
        ]
        answer = self.transport.post(f"experiments/{number}/reading-steps/undo/", {"versions": before})
        return cast(Experiment, answer)

    def run(
        self,
        experiment: Reference,
        variant: str,
        outputs: str | Path | Iterable[NewOutput],
        *,
        columns: Mapping[str, str] | None = None,
        about: Mapping[str, Any] | None = None,
        split: str | None = None,
        wait: bool = True,
        timeout: float | None = None,
        on_bytes: OnBytes | None = None,
        on_state: OnState = lambda state: None,
    ) -> Run:
        """Add the outputs of a variant, from a file or one by one, and score them with the experiment's evaluators.

        `columns` names the columns of a file: `output`, and `key` or `position`; without these, rows are matched in
        the order of the examples. `about` describes the variant. With a `split`, the run covers only its examples,
        so the others are not missing. `timeout` is in seconds.
        """
        fields = {"experiment": id_of(self.transport, "experiments", experiment), "variant": variant}
        fields |= {"split": split} if split else {}
        if isinstance(outputs, str | Path):
            form = {name: str(value) for name, value in fields.items()}
            form["mapping"] = json.dumps(dict(columns or {"output": "output"}))
            form["about"] = json.dumps(dict(about or {}))
            run = self.transport.upload("runs/", Path(outputs), form, on_bytes)
        else:
            run = self._send(fields | {"about": dict(about or {})}, outputs)
        return cast(Run, self.wait("run", run["id"], timeout=timeout, on_state=on_state) if wait else run)

    def _send(self, fields: dict[str, Any], outputs: Iterable[NewOutput]) -> dict[str, Any]:
        """Create a run and send its outputs in batches; it is scored once the last one has arrived."""
        run = self.transport.post("runs/", fields | {"start": False})
        remaining = iter(outputs)
        while batch := list(islice(remaining, BATCH)):
            self.transport.post(f"runs/{run['id']}/outputs/", {"outputs": batch})
        return cast(dict[str, Any], self.transport.post(f"runs/{run['id']}/start/"))

    def launch(
        self,
        variants: Iterable[Mapping[str, Any]],
        *,
        experiment: Reference | None = None,
        name: str | None = None,
        dataset: Reference | None = None,
        evaluators: Iterable[Reference] = (),
        wait: bool = True,
        timeout: float | None = None,
        on_state: OnState = lambda state: None,
        **options: Any,
    ) -> Launch:
        """Run prompt versions on an experiment, or on the `dataset` of a new experiment with this `name`.

        A variant has a `prompt` (id or name) and optionally `version`, `model`, `parameters` and `name`.
        Options are those of `POST launches/`, such as `budget` (a text, in the currency of the project), `max_calls`,
        `split` and `sample`. With `estimate_only` the answer has only the `estimate`, and no model is called.
        `timeout` is in seconds.
        """
        body: dict[str, Any] = {"variants": [self._variant(variant) for variant in variants]} | options
        if experiment is not None:
            body["experiment"] = id_of(self.transport, "experiments", experiment)
        if dataset is not None:
            body |= {"dataset": id_of(self.transport, "datasets", dataset), "name": name}
            body["evaluators"] = evaluator_ids(self.transport, evaluators)
        launch = self.transport.post("launches/", body)
        if options.get("estimate_only") or not wait:
            return cast(Launch, launch)
        return cast(Launch, self.wait("launch", launch["id"], timeout=timeout, on_state=on_state))

    def ask_added(
        self,
        experiment: Reference,
        *,
        budget: str | None = None,
        max_calls: int | None = None,
        wait: bool = True,
        timeout: float | None = None,
        on_state: OnState = lambda state: None,
    ) -> Experiment:
        """Ask the runs of prompts the examples that a newer dataset version added, and score them again.

        `budget` (a text) and `max_calls` are new limits for the whole cost of each launch that continues.
        """
        number = id_of(self.transport, "experiments", experiment)
        limits = {"budget": budget, "max_calls": max_calls}
        body = {name: limit for name, limit in limits.items() if limit is not None}
        answer = self.transport.post(f"experiments/{number}/ask/", body)
        if wait:
            self.wait_for_runs(number, timeout=timeout, on_state=on_state)
        return cast(Experiment, answer)

    def add_outputs(self, run: int, outputs: Iterable[NewOutput]) -> int:
        """Send further outputs to a draft, or to a completed run for examples that a newer dataset version added.

        Returns the number of stored outputs.
        """
        remaining, stored = iter(outputs), 0
        while batch := list(islice(remaining, BATCH)):
            stored += self.transport.post(f"runs/{run}/outputs/", {"outputs": batch})["stored"]
        return stored

    def _variant(self, variant: Mapping[str, Any]) -> dict[str, Any]:
        return {**variant, "prompt": id_of(self.transport, "prompts", variant["prompt"])}

    def create_gate(
        self,
        name: str,
        baseline: Reference,
        criteria: Iterable[Mapping[str, Any]],
        *,
        experiment: Reference | None = None,
        dataset: Reference | None = None,
        **options: Any,
    ) -> Gate:
        """Create a gate: criteria for runs against a baseline; within an `experiment`, this can be a variant's name.

        A criterion has a `rule` and, as the rule needs, `evaluator` (id or name), `value`, `margin` and `figure`.
        Options are those of `POST gates/`: `split`, `missing` ("worst" or "exclude") and `accepts_inconclusive`.
        """
        body: dict[str, Any] = {"name": name, **options}
        [body["baseline"]] = run_ids(self.transport, [baseline], experiment)
        body["criteria"] = [self._criterion(criterion) for criterion in criteria]
        if dataset is not None:
            body["dataset"] = id_of(self.transport, "datasets", dataset)
        return cast(Gate, self.transport.post("gates/", body))

    def _criterion(self, criterion: Mapping[str, Any]) -> dict[str, Any]:
        evaluator = criterion.get("evaluator")
        if evaluator is None:
            return dict(criterion)
        return {**criterion, "evaluator": id_of(self.transport, "evaluators", evaluator)}

    def gate(self, gate: Reference, run: int, hash: str | None = None) -> Check:
        """Check a run against a gate. The check is added to the gate's list of checks.

        With the `hash` that you expect the gate to have, the verdict is "changed" if it differs.
        """
        body = {"run": run} | ({"hash": hash} if hash else {})
        number = id_of(self.transport, "gates", gate)
        return cast(Check, self.transport.post(f"gates/{number}/check/", body))
