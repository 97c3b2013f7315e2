"""The commands of the command line as Python methods."""

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

from . import files
from .answers import (
    Check,
    Experiment,
    Gate,
    Launch,
    NewOutput,
    Run,
)
from .evaluation import Evaluator
from .names import Reference, evaluator_ids, id_of, run_ids
from .people import People
from .plan import Evaluation, OnProgress, Plan
from .rescoring import score_run
from .targets import dataset_with
from .transport import OnBytes
from .waiting import OnState

BATCH = 1_000  # outputs per call


class Client(People):
    """One project of one site.

    `url` and `key` come from EVALSITE_URL and EVALSITE_KEY, or from `evalsite login`, unless they are given. Calls
    that fail with a network error, 429 or 5xx are retried for `patience` seconds; nothing is done twice. Any other
    refusal raises `Refused`. References are ids or names.
    """

    def run(
        self,
        experiment: Reference,
        variant: str | None,
        outputs: str | Path | Iterable[NewOutput],
        *,
        columns: Mapping[str, str] | None = None,
        reading: Mapping[str, Any] | None = None,
        about: Mapping[str, Any] | None = None,
        split: str | None = None,
        for_gate: bool = False,
        wait: bool = True,
        timeout: float | None = None,
        on_bytes: OnBytes | None = None,
        on_state: OnState = lambda state: None,
    ) -> Run:
        """Add the outputs of a variant, from a file or one by one, and score them with the experiment's evaluators.

        `columns` names the columns of a file: `output`, and `key` or `position`; with the output alone, rows are
        matched in the order of the examples. Without columns, the file is read as the first one of the experiment was,
        and may name its variant. `about` describes the variant. With a `split`, the run covers only its examples,
        so the others are not missing. A run that a pipeline sends `for_gate` is no variant of the experiment: it
        changes no interval, ranking or leaderboard. `timeout` is in seconds.

        `reading` says how a file is read, as in `upload`. With its `long` instead of `columns`, each variant or
        repetition in the file is a run, and the first is returned; `variant` is None if the rows name the variants.
        """
        fields: dict[str, Any] = {"experiment": id_of(self.transport, "experiments", experiment)}
        fields |= ({"variant": variant} if variant else {}) | ({"split": split} if split else {})
        if isinstance(outputs, str | Path):
            form = {name: str(value) for name, value in fields.items()} | files.reading_fields(reading)
            if columns:
                form["mapping"] = json.dumps(dict(columns))
            form["about"] = json.dumps(dict(about or {}))
            form |= {"for_gate": "true"} if for_gate else {}
            run = self.transport.upload("runs/", Path(outputs), form, on_bytes)
        else:
            fields |= {"for_gate": True} if for_gate else {}
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

    def add_repetitions(
        self,
        run: int,
        number: int = 1,
        *,
        all_variants: bool = False,
        budget: str | None = None,
        max_calls: int | None = None,
        estimate_only: bool = False,
        wait: bool = True,
        timeout: float | None = None,
        on_state: OnState = lambda state: None,
    ) -> dict[str, Any]:
        """Answer the examples of a run of a prompt again, so many times, in the same launch; returns the new `runs`.

        With `all_variants` every variant of its launch is repeated.
        `budget` (a text) and `max_calls` are new limits for the whole cost of the launch.
        """
        limits = {"budget": budget, "max_calls": max_calls}
        body: dict[str, Any] = {name: limit for name, limit in limits.items() if limit is not None}
        body |= {"add": number, "all_variants": all_variants, "estimate_only": estimate_only}
        answer = self.transport.post(f"runs/{run}/repetitions/", body)
        if wait and not estimate_only:
            self.wait("launch", answer["launch"], timeout=timeout, on_state=on_state)
        return cast(dict[str, Any], answer)

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

    # ---- prompts ----

    def label_prompt(self, prompt: Reference, label: str, version: int) -> dict[str, Any]:
        """Put a label on a version of a prompt, and take it from the version that had it."""
        number = id_of(self.transport, "prompts", prompt)
        moved = self.transport.put(f"prompts/{number}/labels/{quote(label, safe='')}/", {"version": version})
        return cast(dict[str, Any], moved)

    def unlabel_prompt(self, prompt: Reference, label: str) -> None:
        """Take a label from a prompt; programs that ask for it are refused from then on."""
        number = id_of(self.transport, "prompts", prompt)
        self.transport.delete(f"prompts/{number}/labels/{quote(label, safe='')}/")

    def import_prompt(self, file: str | Path) -> dict[str, Any]:
        """Create the prompt in a file, or add a version to the prompt of its name if anything differs.

        The answer has its `prompt` (id), `name` and `version`.
        """
        return cast(dict[str, Any], self.transport.upload("prompts/import/", Path(file), {}))

    # ---- the user's own code ----

    def ensure_dataset(self, name: str, rows: Iterable[Mapping[str, Any]]) -> int:
        """The id of the dataset with this name that has exactly these rows; created, or changed in a new version.

        A row has a `key`, by which it is the same example later, and `inputs`, `reference` and `metadata` by column.
        """
        return dataset_with(self, name, rows)

    def evaluate(
        self,
        dataset: Reference,
        task: Callable[..., Any],
        scorers: Iterable[Any] = (),
        *,
        variant: str,
        experiment: Reference | None = None,
        repetitions: int = 1,
        concurrency: int = 8,
        about: Mapping[str, Any] | None = None,
        split: str | None = None,
        for_gate: bool = False,
        resume: bool = True,
        wait: bool = True,
        timeout: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> Evaluation:
        """Run any function over the examples of a dataset, and score what it returns.

        `task` gets an `Example`, or by the names of its parameters `input`, `inputs`, `expected`, `metadata` and so on;
        it may be async. It returns an output, an `Output` with tokens, or an answer of the `openai` package; what it
        raises is the error of that output. `scorers` are functions of your own (`@scorer`) and names of evaluators of
        the site. Each repetition is a run of the variant in the `experiment`, by default the one with the name of the
        dataset, which is created. `for_gate` as in `run`.

        Answers are kept on disk and sent as they arrive. After Ctrl-C, a crash or an outage, the same call goes on
        where it stopped, unless `resume` is false; the code of the task and `about` must be the same.
        `on_progress(done, total)` replaces the line on standard error. `timeout` is in seconds, for the server's part.
        """
        plan = Plan(
            dataset, task, list(scorers), variant, experiment, repetitions, concurrency, about, split,
            resume, wait, timeout, on_progress, for_gate=for_gate,
        )  # fmt: skip
        return Evaluator(self, plan).evaluate()

    async def evaluate_async(
        self, dataset: Reference, task: Callable[..., Any], scorers: Iterable[Any] = (), **options: Any
    ) -> Evaluation:
        """`evaluate`, awaited: async tasks and scorers run on the loop of the caller, with its connections."""
        plan = Plan(dataset, task, list(scorers), **options)
        return await asyncio.to_thread(Evaluator(self, plan, asyncio.get_running_loop()).evaluate)

    def score(
        self,
        run: int,
        scorers: Callable[..., Any] | Iterable[Any],
        *,
        concurrency: int = 8,
        on_progress: OnProgress | None = None,
    ) -> Run:
        """Score the outputs of a run, also of a finished one, with functions of your own."""
        chosen = [scorers] if callable(scorers) else list(scorers)
        return cast(Run, score_run(self, run, chosen, concurrency=concurrency, on_progress=on_progress))

    async def score_async(
        self, run: int, scorers: Callable[..., Any] | Iterable[Any], *, concurrency: int = 8
    ) -> Run:
        """`score`, awaited: async scorers run on the loop of the caller."""
        chosen = [scorers] if callable(scorers) else list(scorers)
        loop = asyncio.get_running_loop()
        scored = await asyncio.to_thread(score_run, self, run, chosen, concurrency=concurrency, loop=loop)
        return cast(Run, scored)
