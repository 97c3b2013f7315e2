"""The verbs of the command line for programs."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast
from urllib.parse import urlencode

from . import files, settings, tables
from .answers import Check, Comparison, Dataset, Experiment, Kind, Launch, NewOutput, Project, Result, Run
from .errors import Unfinished
from .names import Reference, evaluator_ids, id_of, run_ids
from .transport import OnBytes, Transport
from .waiting import OnState, has_succeeded, until_ended

BATCH = 1_000  # outputs in one call
OUTAGE = 600.0  # seconds that the server may be away while something is waited for


class Client:
    """One project of one site.

    `url` and `key` come from EVALSITE_URL and EVALSITE_KEY, or from `evalsite login`, unless they are given. Calls
    that fail by the network, by 429 or by 5xx are tried again for `patience` seconds; nothing is done twice.
    Everything else raises `Refused`. References are ids or names.
    """

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        patience: float = 60.0,
        on_retry: Callable[[str], object] = lambda reason: None,
    ) -> None:
        self.settings = settings.load(url, key)
        self.transport = Transport(self.settings, patience=patience, on_retry=on_retry)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections to the server."""
        self.transport.close()

    # ---- reading ----

    def project(self) -> Project:
        """The project of the key, with the key's name, scope and end."""
        return cast(Project, self.transport.get("projects/current/"))

    def dataset(self, dataset: Reference) -> Dataset:
        return cast(Dataset, self._one("dataset", dataset))

    def experiment(self, experiment: Reference) -> Experiment:
        """An experiment with its runs."""
        return cast(Experiment, self._one("experiment", experiment))

    def read_run(self, run: int) -> Run:
        """A run with its progress (examples) and its figures so far."""
        return cast(Run, self._one("run", run))

    def read_launch(self, launch: int) -> Launch:
        """A launch with its progress (answers) and what it has spent, in the currency of the project."""
        return cast(Launch, self._one("launch", launch))

    def rows(self, collection: str, **query: str | int | None) -> Iterator[dict[str, Any]]:
        """Every row of a collection such as "experiments" or "runs", page after page."""
        return self.transport.rows(f"{collection}/", query)

    def results(self, run: int, **filters: str | float | None) -> Iterator[Result]:
        """The examples of a run with their scores; docs/api.md has the filters, such as `sort` and `min`."""
        rows = self.transport.rows(f"runs/{run}/results/", {"page_size": BATCH} | filters)
        return cast(Iterator[Result], rows)

    def explain(self, run: int, position: int) -> dict[str, Any]:
        """One example of a run: its texts, its scores, and why they are what they are."""
        return cast(dict[str, Any], self.transport.get(f"runs/{run}/results/{position}/"))

    def address(self, kind: Kind, reference: Reference) -> str:
        """The address of the page of a thing."""
        return f"{self.settings.url}/{kind}s/{id_of(self.transport, f'{kind}s', reference)}/"

    def comparison_address(
        self, baseline: Reference, *runs: Reference, experiment: Reference | None = None
    ) -> str:
        """The address of the page that compares runs."""
        chosen = run_ids(self.transport, [baseline, *runs], experiment)
        query = urlencode(_compared(chosen), safe=",")
        return f"{self.settings.url}/compare/?{query}"

    # ---- making ----

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
        mapping: Mapping[str, Any] | None = None,
        on_error: str = "reject",
        evaluators: Iterable[Reference] = (),
        wait: bool = True,
        timeout: float | None = None,
        on_bytes: OnBytes | None = None,
        on_state: OnState = lambda state: None,
    ) -> Dataset:
        """Make a dataset of a file; with `outputs` (column or JSONPath by variant) also an experiment with runs.

        Without any column the server reads the file as its upload page suggests. `on_error="skip"` leaves out rows
        that cannot be read. `evaluators` score the runs. `timeout` is in seconds, for each
        wait.
        """
        columns = files.mapping(inputs, reference, metadata, key, outputs) | dict(mapping or {})
        fields = {"name": name or files.title(file), "on_error": on_error}
        if columns:
            fields["mapping"] = json.dumps(columns)
        dataset = self.transport.upload("datasets/", Path(file), fields, on_bytes)
        chosen = evaluator_ids(self.transport, evaluators)
        if wait or chosen:
            dataset = self.wait("dataset", dataset["id"], timeout=timeout, on_state=on_state)
        if chosen and dataset["experiment"]:
            scored = self.add_evaluators(dataset["experiment"], chosen)
            for run in scored["runs"] if wait else []:
                self.wait("run", run["id"], timeout=timeout, on_state=on_state)
        return cast(Dataset, dataset)

    def add_evaluators(self, experiment: Reference, evaluators: Iterable[Reference]) -> Experiment:
        """Use more evaluators in an experiment; they score its runs, those of now and those to come."""
        chosen = evaluator_ids(self.transport, evaluators)
        number = id_of(self.transport, "experiments", experiment)
        answer = self.transport.post(f"experiments/{number}/evaluators/", {"evaluators": chosen})
        return cast(Experiment, answer)

    def run(
        self,
        experiment: Reference,
        variant: str,
        outputs: str | Path | Iterable[NewOutput],
        *,
        columns: Mapping[str, str] | None = None,
        about: Mapping[str, Any] | None = None,
        wait: bool = True,
        timeout: float | None = None,
        on_bytes: OnBytes | None = None,
        on_state: OnState = lambda state: None,
    ) -> Run:
        """Add the outputs of a variant, from a file or one by one, and score them with the experiment's evaluators.

        `columns` names the columns of a file: `output`, and `key` or `position`; with neither, rows are taken in the
        order of the examples. `about` says what the variant is. `timeout` is in seconds.
        """
        fields = {"experiment": id_of(self.transport, "experiments", experiment), "variant": variant}
        said = dict(about or {})
        if isinstance(outputs, str | Path):
            form = {"mapping": json.dumps(dict(columns or {"output": "output"})), "about": json.dumps(said)}
            texts = {name: str(value) for name, value in fields.items()} | form
            run = self.transport.upload("runs/", Path(outputs), texts, on_bytes)
        else:
            run = self._send(fields | {"about": said}, outputs)
        return cast(Run, self.wait("run", run["id"], timeout=timeout, on_state=on_state) if wait else run)

    def _send(self, fields: dict[str, Any], outputs: Iterable[NewOutput]) -> dict[str, Any]:
        """A run of outputs in batches; it is scored when the last one has arrived."""
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
        """Let prompt versions answer an experiment, or the `dataset` of a new one that is called `name`.

        A variant has `prompt` (id or name) and perhaps `version`, `model`, `parameters`, `name`. Options are those of
        `POST launches/`, such as `budget` (a text, in the currency of the project), `max_calls` and `sample`. With
        `estimate_only` the answer has `estimate` alone, and nothing is called. `timeout` is in seconds.
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

    def _variant(self, variant: Mapping[str, Any]) -> dict[str, Any]:
        return {**variant, "prompt": id_of(self.transport, "prompts", variant["prompt"])}

    # ---- waiting ----

    def wait(
        self,
        kind: Kind,
        number: int,
        *,
        timeout: float | None = None,
        on_state: OnState = lambda state: None,
    ) -> Mapping[str, Any]:
        """The thing when it has ended well, else `Unfinished`. The server may be away for ten minutes meanwhile.

        `timeout` is in seconds; then `TimedOut`, and the server goes on.
        """

        def read() -> Mapping[str, Any]:
            return cast(Mapping[str, Any], self.transport.get(f"{kind}s/{number}/", patience=OUTAGE))

        thing = until_ended(read, kind, timeout=timeout, on_state=on_state)
        if not has_succeeded(kind, thing):
            raise Unfinished(files.ending(kind, thing), thing)
        return thing

    # ---- deciding ----

    def compare(
        self,
        baseline: Reference,
        *runs: Reference,
        experiment: Reference | None = None,
        missing: str | None = None,
        cluster: str | None = None,
        repeats: str | None = None,
    ) -> Comparison:
        """Whether the differences between runs and a baseline are real.

        Runs are ids; with an `experiment` also names of its variants, whose newest runs are taken. `missing` is
        "worst" or "exclude", `cluster` "auto", "none" or a metadata column, `repeats` "mean" or None.
        """
        query = _compared(run_ids(self.transport, [baseline, *runs], experiment))
        how = {"missing": missing, "cluster": cluster, "repeats": repeats}
        return cast(Comparison, self.transport.get("comparisons/", query | how))

    def gate(self, gate: Reference, run: int, hash: str | None = None) -> Check:
        """What a gate says of a run, kept in the gate's list of checks.

        With the `hash` of the gate that you rely on, the verdict is "changed" where it is another one.
        """
        body = {"run": run} | ({"hash": hash} if hash else {})
        number = id_of(self.transport, "gates", gate)
        return cast(Check, self.transport.post(f"gates/{number}/check/", body))

    def try_gate(self, gate: Reference, run: int, hash: str | None = None) -> Check:
        """The same as `gate`, without keeping the check; a key of the scope "read" is enough."""
        number = id_of(self.transport, "gates", gate)
        return cast(Check, self.transport.get(f"gates/{number}/check/", {"run": run, "hash": hash}))

    def save_check(self, check: Check, target: str | Path, format: str) -> Path:
        """Write a check into a file: junit (XML) or markdown, a comment for a pull request."""
        path = f"gates/{check['gate']}/checks/{check['id']}/{format}/"
        return files.save(self.transport, path, {}, Path(target))

    # ---- taking away ----

    def export(
        self,
        kind: Kind,
        reference: Reference,
        target: str | Path,
        format: str = "csv",
        *,
        on_bytes: OnBytes | None = None,
        **filters: str | float | None,
    ) -> Path:
        """Write a dataset, experiment or run into a file: csv, jsonl, parquet or xlsx; a run takes filters."""
        number = id_of(self.transport, f"{kind}s", reference)
        query = {"format": format, **filters}
        return files.save(self.transport, f"{kind}s/{number}/export/", query, Path(target), on_bytes)

    def to_arrow(self, run: int, **filters: str | float | None) -> Any:
        """The rows of a run as a pyarrow.Table; needs the extra "arrow"."""
        return tables.arrow(self.transport, run, filters)

    def to_pandas(self, run: int, **filters: str | float | None) -> Any:
        """The rows of a run as a pandas.DataFrame; needs the extra "pandas"."""
        return tables.pandas(self.transport, run, filters)

    def _one(self, kind: Kind, reference: Reference) -> Any:
        return self.transport.get(f"{kind}s/{id_of(self.transport, f'{kind}s', reference)}/")


def _compared(runs: Sequence[int]) -> dict[str, str | None]:
    """The parameters of a comparison; the first run is the baseline."""
    return {"runs": ",".join(map(str, dict.fromkeys(runs))), "baseline": str(runs[0])}
