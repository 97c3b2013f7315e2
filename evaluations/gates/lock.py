"""The lock of a gate: everything its verdict depends on except the run, and its digest."""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from evaluations import kinds
from evaluations.datasets import splits
from evaluations.models import EvaluatorVersion, Gate, Run, Scoring, Split
from evaluations.scoring import columns
from evaluations.values import canonical_json

from .criteria import from_stored

Lock = dict[str, Any]


def build(gate: Gate, versions: Iterable[EvaluatorVersion]) -> Lock:
    """The lock of a gate now: the baseline's state and these versions of its evaluators."""
    baseline = gate.baseline
    lock = {
        "dataset": {
            "id": gate.dataset_id,
            "version": baseline.experiment.dataset_version if baseline else None,
        },
        "baseline": {"run": baseline.pk, "revision": baseline.revision} if baseline else None,
        "missing": gate.missing,
        "accepts_inconclusive": gate.accepts_inconclusive,
        "criteria": gate.criteria,
        "evaluators": [
            {
                "id": version.evaluator_id,
                "version": version.number,
                "kind": version.kind,
                "kind_version": version.kind_version,
                "config": version.config,
                "mapping": version.mapping,
                **_column(baseline, version),
            }
            for version in sorted(versions, key=lambda version: version.evaluator_id)
        ],
    }
    return lock | {"split": _split(gate.split)} if gate.split else lock


def _column(baseline: Run | None, version: EvaluatorVersion) -> Lock:
    """The digest of the baseline's scores, if they are records: these change without the outputs."""
    if baseline is None or version.kind in kinds.CATALOGUE:
        return {}
    return {"column": columns.digest(Scoring.objects.filter(run=baseline, evaluator_version=version).first())}


def _split(split: Split) -> Lock:
    """The facts of a split for the lock; a deleted split is marked as gone."""
    rule = {"deleted": True} if split.deleted_at else splits.definition(split)
    return {"id": split.pk, **rule}


def digest(lock: Lock) -> str:
    """SHA-256 of the lock as canonical JSON."""
    return sha256(canonical_json(lock).encode()).hexdigest()


def scorings(gate: Gate, runs: Iterable[Run]) -> dict[int, list[Scoring]]:
    """By run id, the scorings by the locked versions of the evaluators."""
    numbers = _locked_numbers(gate)
    stored = Scoring.objects.filter(run__in=list(runs), evaluator_version__evaluator__in=numbers)
    by_run: dict[int, list[Scoring]] = {run.pk: [] for run in runs}
    for scoring in stored.select_related("evaluator_version__evaluator").order_by("pk"):
        version = scoring.evaluator_version
        if version.number == numbers[version.evaluator_id]:
            by_run[scoring.run_id].append(scoring)
    return by_run


def _locked_numbers(gate: Gate) -> dict[int, int]:
    """The number of the locked version of each evaluator, by the evaluator's id."""
    return {evaluator["id"]: evaluator["version"] for evaluator in gate.lock["evaluators"]}


def changes(gate: Gate, run: Run, by_run: Mapping[int, list[Scoring]], sent_hash: str | None) -> list[str]:
    """Sentences about what differs from the lock or from the caller's hash; empty if nothing does."""
    return [*_of_gate(gate, by_run), *_of_run(gate, run, by_run), *_of_hash(gate, sent_hash)]


def _of_gate(gate: Gate, by_run: Mapping[int, list[Scoring]]) -> list[str]:
    baseline = gate.baseline
    if baseline is None or baseline.deleted_at or baseline.experiment.deleted_at:
        return ["The baseline was deleted."]
    now = build(gate, [scoring.evaluator_version for scoring in by_run[baseline.pk]])
    return [sentence for part, sentence in SENTENCES.items() if now.get(part) != gate.lock.get(part)]


HASH_SENT = "The hash sent is"
SENTENCES = {
    "dataset": "The baseline uses another version of the dataset.",
    "baseline": "The baseline or its outputs have changed.",
    "split": "The split was deleted or has changed.",
    "missing": "The treatment of unanswered examples and unreadable answers has changed.",
    "accepts_inconclusive": "Whether an inconclusive check passes has changed.",
    "criteria": "The criteria have changed.",
    "evaluators": "The baseline was scored by other versions of the evaluators, or other scores were sent.",
}


def _of_run(gate: Gate, run: Run, by_run: Mapping[int, list[Scoring]]) -> list[str]:
    version, locked_version = run.experiment.dataset_version, gate.lock["dataset"]["version"]
    changed = []
    if version != locked_version:
        changed.append(f"The run uses v{version} of the dataset; the gate uses v{locked_version}.")
    scored = {scoring.evaluator_version.evaluator_id for scoring in by_run[run.pk]}
    criteria = from_stored(gate.criteria)
    used = {pk for criterion in criteria for pk in (criterion.evaluator, criterion.helper) if pk}
    changed_scorings = Scoring.objects.filter(run=run, evaluator_version__evaluator__in=used - scored)
    locked_numbers = _locked_numbers(gate)
    for scoring in changed_scorings.select_related("evaluator_version__evaluator").order_by("pk"):
        locked_number = locked_numbers[scoring.evaluator_version.evaluator_id]
        changed.append(
            f"The run was scored by {scoring.evaluator_version}; the gate is locked to v{locked_number}."
        )
    return changed


def _of_hash(gate: Gate, sent_hash: str | None) -> list[str]:
    if sent_hash is None or sent_hash == gate.hash:
        return []
    sent, own = apart(sent_hash, gate.hash)
    return [f"{HASH_SENT} {sent}; the gate's hash is {own}."]


def is_hash_alone(changes: Sequence[str]) -> bool:
    """Whether nothing differs but the hash that a pipeline sent: the gate and what it judges are as they were."""
    return len(changes) == 1 and changes[0].startswith(HASH_SENT)


def hash_sent(changes: Sequence[str]) -> str:
    """The beginning of the hash that a pipeline sent, where nothing else differs."""
    [sentence] = changes
    return sentence.removeprefix(f"{HASH_SENT} ").partition(";")[0].removesuffix("…")


def apart(one: str, other: str) -> tuple[str, str]:
    """The beginnings of two digests, twelve characters or as many as tell them apart.

    >>> apart("ab" * 32, "ab" * 31 + "cd")[0] == "ab" * 31 + "a…"
    True
    """
    same = next(
        (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
    length = max(12, same + 1)

    def short(text: str) -> str:
        return f"{text[:length]}…" if len(text) > length else text

    return short(one), short(other)
