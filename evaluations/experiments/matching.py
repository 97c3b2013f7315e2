"""Finds the examples of an experiment by their keys, and those that the rows of a body name."""

from collections.abc import Sequence
from typing import Any

from evaluations import bulk
from evaluations.datasets import datasets
from evaluations.errors import Conflict, Invalid
from evaluations.models import Dataset, Example, Experiment, Import, Run, Split
from evaluations.scoring import coverage
from evaluations.values import key_text

DUPLICATE = {"output": "duplicate_output", "score": "duplicate_score", "label": "duplicate_label"}


class Keys:
    """Looks up positions of an experiment's examples by key."""

    def __init__(self, experiment: Experiment):
        self.examples = Example.objects.filter(
            dataset=experiment.dataset_id, added_in__lte=experiment.dataset_version
        )
        self.experiment = experiment
        self._retired: dict[str, int] = {}
        self._read_at = experiment.dataset_version  # because later versions may have removed examples

    def positions(self, keys: Sequence[str | None]) -> dict[str, int]:
        """The positions by key; unknown keys are absent."""
        present_keys = [key for key in keys if key is not None]
        positions = datasets.positions_by(self.examples.filter(removed_in=None), "key", present_keys)
        if any(key not in positions for key in present_keys):
            self._read_retired()
            positions.update((key, self._retired[key]) for key in present_keys if key in self._retired)
        return positions

    def _read_retired(self) -> None:
        """Read the keys of examples that were removed later, or by an import in progress.

        These keys have no index, so all are read, and read again only if their number may have grown.
        """
        dataset = self.experiment.dataset_id
        version = Dataset.objects.values_list("version", flat=True).get(pk=dataset)
        if version == self._read_at and not Import.objects.filter(dataset=dataset).exists():
            return
        removed_later = self.examples.filter(removed_in__gt=self.experiment.dataset_version)
        retired = removed_later.filter(key__isnull=False).order_by("position")
        self._retired, self._read_at = dict[Any, int](retired.values_list("key", "position")), version


def positions_of(run: Run, rows: Sequence[dict[str, Any]], noun: str, *, unasked: bool = False) -> list[int]:
    """The position of the example that each row names by key or position; no two rows name the same.

    Raises `Invalid` for the first row whose example the run was not asked; with `unasked`, `Conflict` for one that it
    was asked. `noun` says what the rows are: "output".
    """
    keys = [key_text(row.get("key")) for row in rows]
    by_key = Keys(run.experiment).positions(keys)
    sent_positions = [row.get("position") for row in rows]
    last = run.experiment.dataset.last_position
    named = frozenset(position for position in sent_positions if position and position <= last)
    stored = run.examples.filter(position__one_of=named).values_list("position")
    dataset_positions = {position for (position,) in bulk.select(stored)} if named else frozenset()
    included = coverage.mask(run, last)
    matched = []
    for number, (key, sent) in enumerate(zip(keys, sent_positions, strict=True), 1):
        position = by_key.get(key) if key is not None else sent if sent in dataset_positions else None
        is_asked = position is not None and (included is None or included[position - 1])
        if unasked and is_asked:
            raise _asked(noun, number, key, sent)
        if position is None or not (is_asked or unasked):
            raise _unknown(noun, number, key, sent, run.split if position else None)
        matched.append(position)
    _refuse_second(noun, matched, keys)
    return matched


def _refuse_second(noun: str, positions: Sequence[int], keys: Sequence[str | None]) -> None:
    """Raise `Invalid` if two rows are for one example: the second would replace the first without a word."""
    first: dict[int, int] = {}
    for number, (position, key) in enumerate(zip(positions, keys, strict=True), 1):
        if position in first:
            raise Invalid(
                DUPLICATE[noun],
                f"{noun.capitalize()}s {first[position]} and {number} are for the same example, with the "
                f"{_label(key, position)}.",
                hint=f"Nothing of this batch was stored. Each example has one {noun}; samples are runs of their own.",
                where={noun: number, "key": key, "position": position},
            )
        first[position] = number


def _label(key: str | None, position: int | None) -> str:
    return f"key “{key}”" if key is not None else f"position {position}"


def _asked(noun: str, number: int, key: str | None, position: int | None) -> Conflict:
    return Conflict(
        "run_not_draft",
        f"The run is completed, and {noun} {number} is for an example that it was asked, with the "
        f"{_label(key, position)}.",
        hint="Nothing of this batch was stored. Send those of examples that a newer dataset version added only.",
        where={noun: number, "key": key, "position": position},
    )


def _unknown(noun: str, number: int, key: str | None, position: int | None, split: Split | None) -> Invalid:
    where = f"split {split.name}" if split else "dataset"
    return Invalid(
        "unknown_example",
        f"{noun.capitalize()} {number}: the {where} has no example with the {_label(key, position)}.",
        hint="Nothing of this batch was stored. Send keys or positions of the experiment's dataset version.",
        where={noun: number, "key": key, "position": position},
    )
