"""Imports a file with a row for each rater of an example: what they read is an output, what they said are labels."""

from collections import Counter
from typing import Any, BinaryIO

from evaluations.errors import Refusal
from evaluations.labelling import imported, sent_labels
from evaluations.models import Run

from .. import claims
from ..rows.incoming import Pending, Report
from .long_reading import LongReading


class RaterReading(LongReading):
    """Keeps what was said until the end, because only then is known which label set fits."""

    def _read(self, file: BinaryIO) -> None:
        self.labels: list[tuple[int, str, str | None]] = []
        self.said: set[tuple[str, int]] = set()  # raters and examples
        super()._read(file)

    def _runs(self) -> dict[str, int]:
        return {"": Run.objects.get(experiment=self.experiment).pk}

    def _add_runs(self, variants: Any) -> None:
        """There is one run, which stands already."""

    def _with_second_output(self, pending: Pending) -> dict[int, tuple[str, str]]:
        """The rows of a rater who labelled their example already, and of examples without anything to label."""
        bad = {}
        rows = zip(_raters(pending), pending.identities, pending.outputs[""].texts, strict=True)
        for index, (rater, identity, text) in enumerate(rows):
            if text is None:
                bad[index] = ("nothing_to_label", f"“{self.columns.of_variant[:80]}” is empty")
            elif (rater, identity) in self.said:
                bad[index] = ("duplicate_label", f"“{rater}” labels this example twice")
            else:
                self.said.add((rater, identity))
        return bad

    def _outputs(self, pending: Pending, new: dict[int, int]) -> list[tuple[Any, ...]]:
        """One output for each new example; the other rows repeat it."""
        rows = zip(pending.identities, pending.outputs[""].rows(), strict=True)
        answers = dict(reversed([(new[identity], row) for identity, row in rows if identity in new]))
        return [(self.runs[""], position, *answer) for position, answer in sorted(answers.items())]

    def _store(self, pending: Pending) -> None:
        super()._store(pending)
        rows = zip(pending.identities, _raters(pending), pending.labels, strict=True)
        self.labels += [(self.positions[identity], rater, label) for identity, rater, label in rows]
        if len(self.labels) > sent_labels.MOST:
            raise claims.Rejected([imported.too_many()])

    def _finish(self, report: Report, errors: list[dict[str, Any]], counts: Counter[str]) -> None:
        """Publish rows and labels at once."""
        try:
            super()._finish(report, errors, counts)
        except Refusal as refusal:
            raise claims.Rejected([refusal.as_dict()]) from refusal

    def _score(self) -> None:
        """Keep the labels before the run is scored: people label complete runs."""
        run = Run.objects.get(pk=self.runs[""])
        imported.keep(self.dataset, self.columns.label, run, self.labels)
        super()._score()


def _raters(pending: Pending) -> list[str]:
    return [(rater or "").strip() for rater in pending.variants]
