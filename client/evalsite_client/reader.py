"""The methods that only read; base class of `Client`."""

import io
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self, cast
from urllib.parse import urlencode

from . import files, settings, tables
from .answers import Check, Comparison, Dataset, Experiment, Gate, Kind, Launch, Project, Result, Run, Source
from .errors import Unfinished
from .names import COLLECTIONS, Reference, compared, id_of, id_to_wait_for, run_ids
from .prompt import Prompt, Prompts
from .transport import OnBytes, Transport
from .waiting import OnState, has_succeeded, until_ended

PAGE = 1_000  # rows per call
OUTAGE = 600.0  # seconds that the server may be unavailable during a wait


class Reader:
    """Read-only methods; `Client` explains their arguments."""

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
        self._prompts = Prompts(self.transport)

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
        """The project of the key, with the key's name, scope and expiry."""
        return cast(Project, self.transport.get("projects/current/"))

    def dataset(self, dataset: Reference) -> Dataset:
        return cast(Dataset, self._object("dataset", dataset))

    def experiment(self, experiment: Reference) -> Experiment:
        """An experiment with its runs."""
        return cast(Experiment, self._object("experiment", experiment))

    def read_run(self, run: int) -> Run:
        """A run with its progress (examples) and its figures so far."""
        return cast(Run, self._object("run", run))

    def read_launch(self, launch: int) -> Launch:
        """A launch with its progress (answers) and cost so far, in the currency of the project."""
        return cast(Launch, self._object("launch", launch))

    def rows(self, collection: str, **query: str | int | None) -> Iterator[dict[str, Any]]:
        """All rows of a collection such as "experiments" or "runs", page by page."""
        return self.transport.rows(f"{collection}/", query)

    def results(self, run: int, **filters: str | float | None) -> Iterator[Result]:
        """The examples of a run with their scores; docs/api.md has the filters, such as `sort` and `min`."""
        rows = self.transport.rows(f"runs/{run}/results/", {"page_size": PAGE} | filters)
        return cast(Iterator[Result], rows)

    def explain(self, run: int, position: int) -> dict[str, Any]:
        """One example of a run: its texts, its scores, and explanations of the scores."""
        return cast(dict[str, Any], self.transport.get(f"runs/{run}/results/{position}/"))

    def statistics(self, run: int, evaluator: Reference | None = None) -> dict[str, Any]:
        """What is no mean of a run's scores: F1, MCC and the like with the table of labels, corpus BLEU, error rate.

        `evaluator` is a name or an id; without it, the first one.
        """
        query = {"evaluator": None if evaluator is None else str(evaluator)}
        return cast(dict[str, Any], self.transport.get(f"runs/{run}/statistics/", query))

    def repetitions(self, run: int, evaluator: Reference | None = None) -> dict[str, Any]:
        """All repetitions of a variant: pass@k, pass^k, examples that pass sometimes, and what more would gain."""
        query = {"evaluator": None if evaluator is None else str(evaluator)}
        return cast(dict[str, Any], self.transport.get(f"runs/{run}/repetitions/", query))

    def source(self, experiment: Reference) -> Source:
        """The source of an imported experiment: the other tool's figures compared with Evalsite's."""
        number = id_of(self.transport, "experiments", experiment)
        return cast(Source, self.transport.get(f"experiments/{number}/source/"))

    def address(self, kind: Kind, reference: Reference) -> str:
        """The address of an object's page."""
        return f"{self.settings.url}/{self._path(kind, reference)}"

    def comparison_address(
        self, baseline: Reference, *runs: Reference, experiment: Reference | None = None
    ) -> str:
        """The address of a comparison's page."""
        chosen = run_ids(self.transport, [baseline, *runs], experiment)
        query = urlencode(compared(chosen), safe=",")
        return f"{self.settings.url}/compare/?{query}"

    # ---- prompts ----

    def prompt(
        self, name: str, label: str = "production", *, version: int | None = None, max_age: float = 60.0
    ) -> Prompt:
        """The version of a prompt that has the label, or the `version` with this number; "latest" is the newest.

        An answer is used for `max_age` seconds without another call. If the site is slow (1 s) or away, the copy of
        the last answer on disk is used: its `kept_at` says since when, and the logger "evalsite" warns.
        """
        return self._prompts.get(name, label, version, max_age)

    def prompt_file(self, prompt: Reference, target: str | Path, version: int | None = None) -> Path:
        """Save a version of a prompt as a YAML file, by default the newest."""
        number = id_of(self.transport, "prompts", prompt)
        return files.save(self.transport, f"prompts/{number}/export/", {"version": version}, Path(target))

    def prompt_code(self, prompt: Reference, version: int | None = None) -> str:
        """A version of a prompt as Python for the `openai` package."""
        number = id_of(self.transport, "prompts", prompt)
        content = io.BytesIO()
        self.transport.download(f"prompts/{number}/code/", {"version": version}, content)
        return content.getvalue().decode()

    # ---- waiting ----

    def wait(
        self,
        kind: Kind,
        reference: Reference,
        *,
        experiment: Reference | None = None,
        timeout: float | None = None,
        on_state: OnState = lambda state: None,
    ) -> Mapping[str, Any]:
        """Wait for an object to be ready; raises `Unfinished` if it fails.

        The server may be unavailable for ten minutes meanwhile. With an `experiment`, a run can be given by its
        variant's name. After `timeout` seconds raises `TimedOut`, while the server continues.
        """
        number = id_to_wait_for(self.transport, kind, reference, experiment)
        return self._until_ended(kind, f"{COLLECTIONS[kind]}/{number}/", timeout, on_state)

    def _until_ended(
        self, kind: str, path: str, timeout: float | None, on_state: OnState
    ) -> Mapping[str, Any]:
        def read() -> Mapping[str, Any]:
            return cast(Mapping[str, Any], self.transport.get(path, patience=OUTAGE))

        job = until_ended(read, kind, timeout=timeout, on_state=on_state)
        if not has_succeeded(kind, job):
            raise Unfinished(files.ending(kind, job), job)
        return job

    def wait_for_runs(
        self,
        experiment: Reference,
        *,
        timeout: float | None = None,
        on_state: OnState = lambda state: None,
    ) -> None:
        """Wait for all runs of an experiment, like `wait`; `timeout` is in seconds for each."""
        for run in self.experiment(experiment)["runs"]:
            self.wait("run", run["id"], timeout=timeout, on_state=on_state)

    # ---- deciding ----

    def compare(
        self,
        baseline: Reference,
        *runs: Reference,
        experiment: Reference | None = None,
        missing: str | None = None,
        cluster: str | None = None,
        repeats: str | None = None,
        split: str | None = None,
    ) -> Comparison:
        """Compare runs with a baseline.

        Runs are ids. With an `experiment` they can also be names of its variants; the newest run of each is used.
        `missing` is "worst" or "exclude", `cluster` "auto", "none" or a metadata column, `repeats` "mean" or None.
        With a `split`, only its examples are compared.
        """
        query = compared(run_ids(self.transport, [baseline, *runs], experiment))
        how = {"missing": missing, "cluster": cluster, "repeats": repeats, "split": split}
        return cast(Comparison, self.transport.get("comparisons/", query | how))

    def compared_examples(
        self,
        baseline: Reference,
        *runs: Reference,
        experiment: Reference | None = None,
        order: Literal["regressions", "improvements", "disagreement"] = "regressions",
        **query: str | int | None,
    ) -> Iterator[dict[str, Any]]:
        """Examples with the texts and scores of every run, largest regressions first.

        `gain` of a run is positive where it is better than the baseline, in the unit of the evaluator. `query` takes
        `evaluator`, `outcome`, `search` and `page_size`.
        """
        chosen = run_ids(self.transport, [baseline, *runs], experiment)
        return self.transport.rows("comparisons/examples/", {**compared(chosen), "order": order, **query})

    def gates(self) -> Iterator[Gate]:
        """Every gate of the project."""
        return cast(Iterator[Gate], self.rows("gates"))

    def try_gate(self, gate: Reference, run: int, hash: str | None = None) -> Check:
        """Like `gate`, without storing the check; a key of the scope "read" suffices."""
        number = id_of(self.transport, "gates", gate)
        return cast(Check, self.transport.get(f"gates/{number}/check/", {"run": run, "hash": hash}))

    def save_check(self, check: Check, target: str | Path, format: str) -> Path:
        """Save a check as a file: junit (XML), or markdown for a comment on a pull request."""
        path = f"gates/{check['gate']}/checks/{check['id']}/{format}/"
        return files.save(self.transport, path, {}, Path(target))

    # ---- exporting ----

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
        """Save a dataset, experiment or run as a file: csv, jsonl, json, parquet or xlsx.

        Runs accept filters, datasets a `split`.
        """
        query = {"format": format, **filters}
        path = f"{self._path(kind, reference)}export/"
        return files.save(self.transport, path, query, Path(target), on_bytes)

    def report(
        self,
        baseline: Reference,
        *runs: Reference,
        target: str | Path,
        experiment: Reference | None = None,
        format: Literal["html", "json"] = "html",
        split: str | None = None,
    ) -> Path:
        """Save the report of a comparison as one file: html, which opens without a network, or json."""
        chosen = run_ids(self.transport, [baseline, *runs], experiment)
        query = {**compared(chosen), "format": format, "split": split}
        return files.save(self.transport, "comparisons/report/", query, Path(target))

    def to_arrow(self, run: int, **filters: str | float | None) -> Any:
        """The rows of a run as a pyarrow.Table; needs the extra "arrow"."""
        return tables.arrow(self.transport, run, filters)

    def to_pandas(self, run: int, **filters: str | float | None) -> Any:
        """The rows of a run as a pandas.DataFrame; needs the extra "pandas"."""
        return tables.pandas(self.transport, run, filters)

    def _object(self, kind: Kind, reference: Reference) -> Any:
        return self.transport.get(self._path(kind, reference))

    def _path(self, kind: Kind, reference: Reference) -> str:
        """The path of an object, both on the site and in the API."""
        return f"{COLLECTIONS[kind]}/{id_of(self.transport, COLLECTIONS[kind], reference)}/"
