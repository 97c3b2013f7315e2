"""Imports a file with several rows for each example: equal parts are one example; variants or repetitions are runs."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, BinaryIO

from django.db import transaction

from evaluations import bulk, owned
from evaluations.datasets.datasets import EXAMPLE_FIELDS
from evaluations.models import Example, Experiment, Output, Run
from evaluations.numerals import grouped
from evaluations.values import LONGEST_NAME, LONGEST_RATER

from .. import claims
from ..columns.columnmap import IMPORTED_FIELDS, LONG
from ..rows import calls
from ..rows.incoming import Pending
from ..rows.schema_checks import drop_mismatches
from ..uploads.uploads import require_space
from .dataset_reading import DatasetReading

MOST_VARIANTS = 200
MOST_EXAMPLES = 2_000_000  # each takes about 120 bytes of memory
Rows = list[int]


class LongReading(DatasetReading):
    """Maps a hash of each example to its position, so that its rows may be anywhere in the file."""

    def _read(self, file: BinaryIO) -> None:
        self.positions: dict[int, int] = {}
        self.names: dict[str, str] = {}  # of the runs, by the variant in the file
        self.rows = 0
        self.seen: Counter[int] = Counter()  # rows of each example, if repetitions are known by their order
        self.experiment = Experiment.objects.get(dataset=self.dataset)
        super()._read(file)

    def _runs(self) -> dict[str, int]:
        """The runs by variant or repetition in the file; an import that was interrupted has left some."""
        repeats = self.columns.repeats
        runs = {
            (run.about.get(repeats) if repeats else run.variant): run.pk for run in self.experiment.runs.all()
        }
        return {variant: runs[name] for variant, name in self.names.items() if name in runs}

    def _count_repetitions(self, pending: Pending) -> None:
        """Number the rows of each example, in the order of the file."""
        numbers = []
        for identity in pending.identities:
            self.seen[identity] += 1
            numbers.append(str(self.seen[identity]))
        pending.variants[:] = numbers

    def _write(self, pending: Pending) -> None:
        require_space()
        drop_mismatches(self.checker, pending, self.refusals)
        self.rows += len(pending)
        if self.columns.repeats == "order":
            self._count_repetitions(pending)
        self._refuse_rows(pending, self._without_variant(pending))
        self._add_runs(dict.fromkeys(variant.strip() for variant in pending.variants if variant))
        self._refuse_rows(pending, self._with_second_output(pending))
        try:
            self._store(pending)
        except bulk.DuplicateRow:
            self._refuse_rows(pending, self._with_key_of_another(pending))
            self._store(pending)
        if len(self.positions) > MOST_EXAMPLES:
            raise claims.Rejected([too_many("rows_limit", f"over {grouped(MOST_EXAMPLES)} examples")])

    def _refuse_rows(self, pending: Pending, bad: dict[int, tuple[str, str]]) -> None:
        """Refuse rows, given as index, code and reason."""
        if not bad:
            return
        rows = pending.rows
        for index, (code, reason) in bad.items():
            line = pending.lines[index]
            self.refusals.add(line, code, reason, rows[index : index + 1])
        pending.keep([index for index in range(len(pending)) if index not in bad])

    def _without_variant(self, pending: Pending) -> dict[int, tuple[str, str]]:
        noun, longest = ("rater", LONGEST_RATER) if self.columns.label else ("variant", LONGEST_NAME)
        return {
            index: ("variant_missing", f"the row names no {noun}")
            for index, variant in enumerate(pending.variants)
            if not owned.visible(variant or "") or len(variant or "") > longest
        }

    def _add_runs(self, variants: Iterable[str]) -> None:
        new = [variant for variant in variants if variant not in self.names]
        if len(self.names) + len(new) > MOST_VARIANTS:
            raise claims.Rejected([too_many("too_many_runs", f"over {MOST_VARIANTS} variants")])
        if not new:
            return
        self.names |= owned.distinct(new, self.names.values())
        run: dict[str, Any] = {"project": self.dataset.project, "created_by": self.dataset.created_by}
        run |= {"experiment": self.experiment, "status": Run.Status.COMPLETED}
        new_variants = self.names.keys() - self._runs().keys()
        Run.objects.bulk_create(Run(**self._about(variant), **run) for variant in sorted(new_variants))
        self.runs = self._runs()

    def _about(self, variant: str) -> dict[str, Any]:
        """The variant of a run, and which repetition it is."""
        name = self.names[variant]
        repeats = self.columns.repeats
        return (
            {"variant": self.columns.of_variant, "about": {repeats: name}} if repeats else {"variant": name}
        )

    def _with_second_output(self, pending: Pending) -> dict[int, tuple[str, str]]:
        """The rows whose example already has an output of the same variant."""
        owners = [(self.runs[(variant or "").strip()], identity) for variant, identity in _owners(pending)]
        answered_before = {
            (run, self.positions[identity]) for run, identity in owners if identity in self.positions
        }
        stored = self._stored(answered_before)
        answered, bad = set[tuple[int, int]](), {}
        for index, owner in enumerate(owners):
            if owner in answered or (owner[0], self.positions.get(owner[1])) in stored:
                bad[index] = ("duplicate_output", "this variant has an output for this example already")
            answered.add(owner)
        return bad

    def _stored(self, pairs: set[tuple[int, int]]) -> set[tuple[int, int]]:
        positions = {position for _, position in pairs}
        outputs = Output.objects.filter(run__in={run for run, _ in pairs}, position__in=positions)
        return pairs & set(outputs.values_list("run", "position"))

    def _with_key_of_another(self, pending: Pending) -> dict[int, tuple[str, str]]:
        """The rows whose key belongs to an example with other contents."""
        keys = [key for key in pending.keys if key is not None]
        stored = Example.objects.filter(dataset=self.dataset, removed_in=None, key__in=keys)
        owners: dict[Any, Any] = dict(stored.values_list("key", "position"))
        bad = {}
        for index, (key, identity) in enumerate(zip(pending.keys, pending.identities, strict=True)):
            if key is None:
                continue
            owner = self.positions.get(identity, identity)
            if owners.setdefault(key, owner) != owner:
                bad[index] = ("duplicate_key", f"the key “{key[:80]}” belongs to a row with other contents")
        return bad

    def _store(self, pending: Pending) -> None:
        first = self.dataset.last_position + self.accepted + 1
        new: dict[int, int] = {}
        for identity in pending.identities:
            if identity not in self.positions and identity not in new:
                new[identity] = first + len(new)
        outputs = self._outputs(pending, new)
        with transaction.atomic():
            claims.keep(self.job, self.rows, pending.bytes_read)
            bulk.insert(Example, EXAMPLE_FIELDS, self._examples(pending, new))
            bulk.insert(Output, IMPORTED_FIELDS + pending.outputs[LONG].beside, outputs)
            if self.columns.measures:
                calls.store(pending.outputs[LONG], enumerate(self._places(pending, new)))
        self.positions |= new
        self.accepted += len(new)
        self.output_counts.update(Counter(run for run, _, text, *_ in outputs if text is not None))

    def _examples(self, pending: Pending, new: dict[int, int]) -> list[tuple[Any, ...]]:
        rows_by_identity = {identity: row for row, identity in reversed([*enumerate(pending.identities)])}
        rows = [row for identity, row in rows_by_identity.items() if identity in new]
        parts: list[Sequence[str | None]] = [pending.keys, *pending.parts.values()]
        return [
            (self.dataset.pk, new[pending.identities[row]], *(part[row] for part in parts), self.version)
            for row in sorted(rows)
        ]

    def _places(self, pending: Pending, new: dict[int, int]) -> list[tuple[int, int]]:
        """The run and the position of each row."""
        return [
            (self.runs[(variant or "").strip()], new.get(identity) or self.positions[identity])
            for variant, identity in _owners(pending)
        ]

    def _outputs(self, pending: Pending, new: dict[int, int]) -> list[tuple[Any, ...]]:
        return [
            (*place, *output)
            for place, output in zip(self._places(pending, new), pending.outputs[LONG].rows(), strict=True)
            if output[0] is not None or output[2] is not None  # the score of an empty output
        ]


def _owners(pending: Pending) -> list[tuple[str | None, int]]:
    return list(zip(pending.variants, pending.identities, strict=True))


def too_many(code: str, noun: str) -> dict[str, Any]:
    return {
        "code": code,
        "message": f"The file has {noun}.",
        "hint": "Check that the column of variants names systems or prompts, or split the file.",
    }
