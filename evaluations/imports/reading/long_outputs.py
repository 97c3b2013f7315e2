"""Imports a file with several outputs for each example: each variant or repetition in it is a run."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from evaluations import owned
from evaluations.models import Allowance, Import, Run
from evaluations.values import LONGEST_NAME

from .. import claims
from ..rows.incoming import Pending
from .long_reading import MOST_VARIANTS, too_many
from .output_reading import OutputReading


class LongOutputs(OutputReading):
    """The first variant is the run that was asked for; the others are like it, and drafts until all rows are read.

    The import keeps their ids by the variant in the file, so that another attempt finds them.
    """

    def __init__(self, job: Import):
        super().__init__(job)
        self.by_name: dict[str, int] = job.mapping.get("runs", {})
        self.seen = Counter[int | None]()  # rows of each position

    @property
    def runs(self) -> list[int]:
        return [*self.by_name.values()] or [self.run.pk]

    def _owners(self, pending: Pending, positions: Sequence[int | None]) -> Sequence[int]:
        names = [
            "" if position is None else self._name(pending, index, position)
            for index, position in enumerate(positions)
        ]
        self._add_runs(dict.fromkeys(filter(None, names)))
        return [self.by_name.get(name, 0) for name in names]

    def _name(self, pending: Pending, index: int, position: int) -> str:
        """The variant of a row, or the number of the repetition."""
        if self.columns.repeats == "order":
            self.seen[position] += 1
            return f"{self.seen[position]}"
        name = (pending.variants[index] or "").strip()
        if not owned.visible(name) or len(name) > LONGEST_NAME:
            line = pending.lines[index]
            raise claims.Rejected([_without_name(line, self.columns.variant or "")])
        return name

    def _add_runs(self, names: Iterable[str]) -> None:
        new = [name for name in names if name not in self.by_name]
        if len(self.by_name) + len(new) > MOST_VARIANTS:
            raise claims.Rejected([too_many("too_many_runs", f"over {MOST_VARIANTS} variants")])
        for name in new:
            self.by_name[name] = self._run(name, is_first=not self.by_name)
        if new:
            Import.objects.filter(pk=self.job.pk).update(mapping=self.job.mapping | {"runs": self.by_name})

    def _run(self, name: str, is_first: bool) -> int:
        """The id of the run for a variant or repetition, which is created unless it is the first."""
        run = Run.objects.get(pk=self.run.pk)
        run.outputs_note = {"reading": self.job.pk}
        if self.columns.repeats:
            named = {name: value for name, value in run.about.items() if name != self.columns.repeats}
            run.about = named | {self.columns.repeats: name}
        else:
            run.variant = name
        if not is_first:
            run.pk, run._state.adding = None, True
        run.save()
        if run.pk != self.run.pk:
            self._let_read(run)
        return run.pk

    def _let_read(self, run: Run) -> None:
        """Let judges that have money for the first run read this one with it."""
        named = self.run.allowances.values_list("evaluator", "budget")
        Allowance.objects.bulk_create(
            Allowance(run=run, evaluator_id=evaluator, budget_id=budget) for evaluator, budget in named
        )


def _without_name(line: int, column: str) -> dict[str, Any]:
    return {
        "code": "variant_missing",
        "message": f"Line {line}: the column “{column}” is empty, or longer than {LONGEST_NAME} characters.",
        "hint": "Each row must say which variant, repetition or rater it belongs to.",
        "where": {"line": line},
    }
