"""Where outputs go: a dataset that has the given rows, and an experiment on it with the wanted evaluators."""

import json
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import Mistaken
from .examples import Example
from .names import Reference, evaluator_ids, id_of

if TYPE_CHECKING:
    from .uploader import Uploader

PAGE = 1_000  # rows per call
PATIENCE = 600.0  # seconds for a worker to read the rows
PARTS = ("inputs", "reference", "metadata")


def experiment_on(
    client: "Uploader", dataset: Reference, experiment: Reference | None, evaluators: Sequence[Reference] = ()
) -> Mapping[str, Any]:
    """The experiment with the evaluators: the one named, else that with the name of the dataset, created once."""
    number = id_of(client.transport, "datasets", dataset)
    found = existing(client, number, experiment) or _created(client, number)
    present = {evaluator["id"] for evaluator in found["evaluators"]}
    wanted = evaluator_ids(client.transport, evaluators)
    if missing := [evaluator for evaluator in wanted if evaluator not in present]:
        return client.add_evaluators(found["id"], missing)
    return found


def _created(client: "Uploader", dataset: int) -> Mapping[str, Any]:
    name = client.dataset(dataset)["name"]
    created: Mapping[str, Any] = client.transport.post("experiments/", {"name": name, "dataset": dataset})
    return created


def existing(client: "Uploader", dataset: int, experiment: Reference | None) -> Mapping[str, Any] | None:
    """The experiment named, else that with the name of the dataset; None if there is none yet."""
    if experiment is None:
        name = client.dataset(dataset)["name"]
        named = next(client.transport.rows("experiments/", {"name": name}), None)
        if named is None:
            return None
        experiment = int(named["id"])
    chosen = client.experiment(experiment)
    if chosen["dataset"] != dataset:
        raise Mistaken(f"The experiment {chosen['name']!r} is on another dataset. Name one that is on this.")
    return chosen


def examples_of(client: "Uploader", experiment: Mapping[str, Any], split: str | None = None) -> list[Example]:
    """The examples of the version that the experiment is on."""
    return examples_in(client, experiment["dataset"], experiment["dataset_version"], split)


def examples_in(
    client: "Uploader", dataset: int, version: int | None = None, split: str | None = None
) -> list[Example]:
    """The examples of a version of a dataset, by default the newest."""
    query = {"version": version, "split": split, "page_size": PAGE}
    return [Example.from_row(row) for row in client.transport.rows(f"datasets/{dataset}/examples/", query)]


def dataset_with(client: "Uploader", name: str, rows: Iterable[Mapping[str, Any]]) -> int:
    """The id of the dataset with this name that has exactly these rows, by key; created or changed as needed.

    A row has `key`, `inputs`, `reference` and `metadata`, the last three by column.
    """
    wanted = {row["key"]: {part: row.get(part) or {} for part in PARTS} for row in rows}
    named = list(client.transport.rows("datasets/", {"name": name}))
    if not named:
        examples = [{"key": key} | row for key, row in wanted.items()]
        return int(client.transport.post("datasets/", {"name": name, "examples": examples})["id"])
    number = int(named[0]["id"])
    stored = client.transport.rows(f"datasets/{number}/examples/", {"page_size": PAGE})
    if {row["key"]: {part: row[part] or {} for part in PARTS} for row in stored} != wanted:
        _mirror(client, number, wanted)
    return number


def _mirror(client: "Uploader", number: int, wanted: Mapping[str, Mapping[str, Any]]) -> None:
    """Make the rows of a dataset those that are wanted; its experiment moves to the new version."""
    columns = {part: sorted({name for row in wanted.values() for name in row[part]}) for part in PARTS}
    mapping: dict[str, Any] = {"key": "key"}
    mapping |= {
        part: {name: f"$.{part}[{json.dumps(name)}]" for name in names} for part, names in columns.items()
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "examples.jsonl"
        lines = (json.dumps({"key": key} | dict(row), ensure_ascii=False) for key, row in wanted.items())
        path.write_text("\n".join(lines), encoding="utf-8")
        used = {name: part for name, part in mapping.items() if part}
        client.update(number, path, "mirror", mapping=used, timeout=PATIENCE)


def on_newest(client: "Uploader", experiment: Mapping[str, Any]) -> Mapping[str, Any]:
    """The experiment on the newest version of its dataset."""
    newest = client.dataset(experiment["dataset"])["version"]
    if experiment["dataset_version"] < newest:
        moved: Mapping[str, Any] = client.transport.post(f"experiments/{experiment['id']}/dataset/", {})
        return moved
    return experiment
