"""The methods that create and change datasets from files; a base class of `Client`, which explains more."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, cast

from . import files
from .answers import Change, Dataset, Experiment, FilePreview, Imported, ReadingTaken
from .errors import Mistaken, Refused
from .names import Reference, evaluator_ids, id_of
from .people_reader import PeopleReader
from .transport import OnBytes
from .waiting import OnState

NOT_FOUND = 404


class Uploader(PeopleReader):
    """Sends files of datasets."""

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
        `evaluators` score the runs, beside those of the mapping. `mapping` has further parts of the mapping, or the
        name or id of a saved mapping. `schema` has the allowed values of columns. `timeout` is in seconds, for each
        wait.

        `reading` says how the file is read: header, delimiter, encoding, escape, sheet, rows, decimal, long. Without a
        mapping, a file that can be read in several ways raises `Refused` with the code choice_needed, whose
        `error["choices"]` name the fields to send; `ask=False` imports it with the defaults.
        """
        fields = {"name": name or files.title(file), "on_error": on_error, "duplicates": duplicates}
        fields |= files.mapping_field(mapping, files.mapping(inputs, reference, metadata, key, outputs))
        fields |= {"schema": json.dumps(schema)} if schema else {}
        fields |= files.reading_fields(reading, ask=ask)
        chosen = evaluator_ids(self.transport, evaluators)  # an unknown name leaves no dataset behind
        dataset = self.transport.upload("datasets/", Path(file), fields, on_bytes)
        if wait or chosen:
            dataset = self.wait("dataset", dataset["id"], timeout=timeout, on_state=on_state)
        if chosen and dataset["experiment"]:
            self.add_evaluators(dataset["experiment"], chosen)
        if wait and dataset["experiment"]:
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

    def ensure_evaluator(
        self,
        name: str,
        kind: str,
        config: Mapping[str, Any] | None = None,
        mapping: Mapping[str, Any] | None = None,
    ) -> int:
        """The id of the evaluator with this name that scores so; created, or changed in a new version.

        `mapping` says where each side stands, and by which steps it is read:
        `{"actual": {"path": "$.output", "read": ["reasoning", "last_line"]}}`.
        """
        body = {"config": dict(config or {}), "mapping": dict(mapping or {})}
        found = next(self.transport.rows("evaluators/", {"name": name}), None)
        if found is None:
            return int(self.transport.post("evaluators/", {"name": name, "kind": kind, **body})["id"])
        if found["kind"] != kind:
            raise Mistaken(f"The evaluator {name!r} is of the kind {found['kind']}, not {kind}.")
        return int(self.transport.patch(f"evaluators/{found['id']}/", body)["id"])

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
