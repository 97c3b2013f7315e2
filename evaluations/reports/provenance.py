"""The provenance of a report: digests of its sources, and versions of the software that computed it."""

import platform
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from importlib.metadata import version
from typing import Any

import orjson
from django.conf import settings

from evaluations import bulk
from evaluations.comparisons.comparison import Comparison
from evaluations.models import Dataset, EvaluatorVersion, Example, Output, PromptVersion, Run
from evaluations.numerals import plural
from evaluations.process_cache import remembered
from evaluations.values import canonical_json

MOST_HASHED = 1_000_000  # rows of dataset and runs together; hashing them takes a few seconds
PACKAGES = ("numpy", "scipy", "rapidfuzz", "sacrebleu", "Django")


@dataclass(frozen=True)
class Source:
    """A source of the report; `sha256` is "" if dataset and runs together have too many rows to hash."""

    kind: str
    name: str
    words: str
    sha256: str


def sources(comparison: Comparison) -> list[Source]:
    """Dataset versions, runs with their outputs, evaluator versions and prompt versions."""
    versions = {
        (run.experiment.dataset_id, run.experiment.dataset_version): run.experiment.dataset
        for run in comparison.sides.runs
    }
    rows = comparison.sides.dataset.example_count * (len(versions) + len(comparison.sides.runs))
    is_hashed = rows <= MOST_HASHED
    return [
        *(_dataset(versions[version], version[1], is_hashed) for version in sorted(versions)),
        *(_run(comparison, run, is_hashed) for run in comparison.sides.runs),
        *(_evaluator(version) for version in _evaluator_versions(comparison)),
        *(_prompt(version) for version in _prompt_versions(comparison.sides.runs)),
    ]


def _dataset(dataset: Dataset, number: int, is_hashed: bool) -> Source:
    count = Example.objects.of_version(dataset.pk, number).count()
    digest = _of_examples(dataset.pk, dataset.created_at, number) if is_hashed else ""
    return Source("dataset", f"{dataset.name} v{number}", plural(count, "example"), digest)


def _run(comparison: Comparison, run: Run, is_hashed: bool) -> Source:
    digest = _of_outputs(run.pk, run.created_at, run.revision, run.output_count) if is_hashed else ""
    words = f"run {run.pk}, {plural(run.output_count, 'output')}, {run.created_at:%-d %b %Y}"
    return Source("run", comparison.sides.label(run), words, digest)


def _evaluator_versions(comparison: Comparison) -> list[EvaluatorVersion]:
    used = {
        s.evaluator_version_id: s.evaluator_version
        for of_run in comparison.sides.scorings.values()
        for s in of_run
    }
    return [used[pk] for pk in sorted(used)]


def _evaluator(version: EvaluatorVersion) -> Source:
    content = {
        "kind": version.kind,
        "kind_version": version.kind_version,
        "config": version.config,
        "mapping": version.mapping,
    }
    return Source("evaluator", str(version), f"{version.kind} {version.kind_version}", _of_json(content))


def _prompt_versions(runs: Iterable[Run]) -> list[PromptVersion]:
    ids = {run.prompt_version_id for run in runs if run.prompt_version_id}
    return list(PromptVersion.objects.filter(pk__in=ids).select_related("prompt").order_by("pk"))


def _prompt(version: PromptVersion) -> Source:
    names = ["messages", "model", "parameters", "schema", "tools"]
    names += [] if version.split_reasoning else ["split_reasoning"]
    return Source(
        "prompt", str(version), version.model, _of_json({name: getattr(version, name) for name in names})
    )


def software() -> dict[str, str]:
    """The versions of the installed software, by name."""
    packages = {name: version(name) for name in PACKAGES}
    return {"Evalsite": settings.VERSION, "Python": platform.python_version()} | packages


# ---- digests -------------------------------------------------------------------------------------------------


def _of_json(content: Any) -> str:
    return sha256(canonical_json(content).encode()).hexdigest()


@remembered("digests of datasets", 64)
def _of_examples(dataset_id: int, created_at: datetime, number: int) -> str:
    """The digest of a dataset version: SHA-256 over lines, each a JSON array of one example, in order."""
    rows = Example.objects.of_version(dataset_id, number).order_by("position")
    return _of_rows(bulk.stream(rows.values_list("position", "key", "inputs", "reference", "metadata")))


@remembered("digests of outputs", 256)
def _of_outputs(run_id: int, created_at: datetime, revision: int, count: int) -> str:
    rows = Output.objects.filter(run=run_id).order_by("position")
    return _of_rows(bulk.stream(rows.values_list("position", "text", "error")))


def _of_rows(rows: Iterable[tuple[Any, ...]]) -> str:
    digest = sha256()
    for row in rows:
        digest.update(orjson.dumps(row) + b"\n")
    return digest.hexdigest()
