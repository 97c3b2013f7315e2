"""Records the cases of a pytest session as runs."""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .scorers import Scorer
from .sending import OUTAGE, send_outputs, send_scores
from .targets import dataset_with, experiment_on, on_newest

if TYPE_CHECKING:
    from .uploader import Uploader

Record = Mapping[str, Any]
COMMITS = ("GITHUB_SHA", "CI_COMMIT_SHA", "BUILD_SOURCEVERSION", "GIT_COMMIT")  # set by pipelines


def record(
    client: "Uploader",
    variant: str,
    records: Sequence[Record],
    about: Mapping[str, Any],
    *,
    for_gate: bool = False,
) -> list[Mapping[str, Any]]:
    """A run of the variant for each repetition, with the outputs and scores of one test; the experiment's evaluators
    score it.
    """
    options = records[0]["options"]
    dataset = options["dataset"]
    if records[0]["is_own"]:
        dataset = dataset_with(client, str(dataset), [record["example"] for record in records])
    experiment = experiment_on(client, dataset, options.get("experiment"), options["evaluators"])
    if records[0]["is_own"]:
        experiment = on_newest(client, experiment)
    described = {"test": records[0]["test"], **_commit(), **about}
    fields = {"experiment": experiment["id"], "variant": variant, "about": described, "start": False}
    fields |= {"for_gate": True} if for_gate else {}
    repetitions: dict[int, list[Record]] = {}
    for record in records:
        repetitions.setdefault(record["repetition"], []).append(record)
    return [_run(client, fields, repetitions[number]) for number in sorted(repetitions)]


def _run(client: "Uploader", fields: dict[str, Any], records: Sequence[Record]) -> Mapping[str, Any]:
    run: Mapping[str, Any] = client.transport.post("runs/", fields)
    send_outputs(client.transport, run["id"], [_of(record) | dict(record["output"]) for record in records])
    for name in dict.fromkeys(name for record in records for name in record["scores"]):
        rows = [_of(record) | record["scores"][name] for record in records if name in record["scores"]]
        send_scores(client.transport, run["id"], _scorer(name, records[0]), rows)
    started: Mapping[str, Any] = client.transport.post(f"runs/{run['id']}/start/", patience=OUTAGE)
    return started


def _commit() -> dict[str, str]:
    found = next((os.environ[name] for name in COMMITS if os.environ.get(name)), None)
    return {"commit": found} if found else {}


def _of(record: Record) -> dict[str, Any]:
    """By what a row is known: the key of a dataset that the test made, else the position on the site."""
    return {"key": record["example"]["key"]} if record["is_own"] else {"position": record["position"]}


def _scorer(name: str, record: Record) -> Scorer:
    """The scores of a test are known by the code of the test, or by the `version` of its mark."""
    bounds = {"minimum": 0.0, "maximum": 1.0} if name == "pass" else {}
    version = record["options"].get("version")
    version = f"code {record['code']}" if version is None else str(version)
    return Scorer(record, name, version=version, **bounds)  # type: ignore[arg-type] # never called
