"""N-gram counts from which corpus scores are computed: stored with the scores, or counted from the texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, compress, zip_longest
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sacrebleu.metrics.base import Metric

from evaluations.evaluators.recipe import Recipe
from evaluations.jsonpath import ABSENT
from evaluations.metrics import corpus
from evaluations.metrics.corpus import Counts, References
from evaluations.models import Scoring
from evaluations.scoring import columns
from evaluations.scoring.rows import Rows
from evaluations.values import Status, text_of

if TYPE_CHECKING:
    from .alignment.alignment import Aligner

AT_ONCE = 5_000
Indices: TypeAlias = NDArray[np.intp]  # indices of rows of the comparison
Texts: TypeAlias = list[str | None]  # texts of one example: the output, and its references


@dataclass(frozen=True)
class Source:
    """The outputs of one run. `further` are reference columns in addition to the one that the evaluator reads."""

    aligner: Aligner
    scoring: Scoring
    recipe: Recipe
    further: Sequence[str]

    @cached_property
    def is_stored(self) -> bool:
        return not self.further and columns.has_counts(self.scoring.pk)

    def unread(self, rows: Indices, width: int) -> Indices:
        """Those of `rows` that have no stored counts."""
        if not self.is_stored:
            return rows
        unscored = rows[~self._has_score[rows]]
        return unscored[self.stored(unscored, width)[:, 0] < 0] if len(unscored) else unscored

    @cached_property
    def _has_score(self) -> NDArray[np.bool_]:
        [slots] = self.aligner.slots([self.scoring]).values()
        return np.asarray(
            self.aligner.part_of(self.scoring.run_id, slots.status, Status.ABSENT) == Status.SCORED
        )

    def stored(self, rows: Indices, width: int) -> Counts:
        """The stored counts of these rows, −1 for rows without; and the number of references of each."""
        counts = np.full((len(rows), width + 1), -1, np.int64)
        if self.is_stored:
            positions = self.aligner.placement(self.scoring.run_id).positions
            slots, is_here = positions.find(self._positions(rows))
            stored_counts = columns.load_counts(self.scoring.pk, positions)
            counts[is_here, -1] = 1
            if stored_counts is not None:
                counts[is_here, : stored_counts.shape[1]] = stored_counts[slots[is_here]]
        return counts

    def texts(self, rows: Indices) -> list[Texts]:
        """The run's outputs and references for these rows."""
        positions = self._positions(rows).tolist()
        read: dict[int, Texts] = {}
        for first in range(0, len(positions), AT_ONCE):
            read |= self._read(sorted(positions[first : first + AT_ONCE]))
        nothing: Texts = [None, None]
        return [read.get(position, nothing) for position in positions]

    def _positions(self, rows: Indices) -> NDArray[np.int64]:
        """The run's positions; 0 for an example that its version lacks."""
        run_id = self.scoring.run_id
        return self.aligner.part_of(run_id, self.aligner.placement(run_id).positions.every, 0)[rows]

    def _read(self, positions: Sequence[int]) -> dict[int, Texts]:
        rows = Rows.at(self.scoring.run, positions, self.recipe.needs | {"reference"})
        resolved = self.recipe.mapping.resolve(rows.contexts)
        further_references = [rows.contexts.values(("reference", name)) for name in self.further]
        values = zip(resolved["actual"].values, resolved["expected"].values, *further_references, strict=True)
        return dict(zip(rows.positions.tolist(), map(_texts, values), strict=True))


def _texts(values: Iterable[Any]) -> Texts:
    parts = chain.from_iterable(value if isinstance(value, tuple) else (value,) for value in values)
    return [None if value is ABSENT else text_of(value) for value in parts]


@dataclass(frozen=True)
class SourceTexts:
    """Several runs over the same `rows`, and the texts of rows without stored counts."""

    sources: Sequence[Source]
    rows: Indices
    unread: Sequence[Indices]
    texts: Sequence[Sequence[Texts]]

    @classmethod
    def from_sources(cls, sources: Sequence[Source], rows: Indices, width: int) -> SourceTexts:
        unread = [source.unread(rows, width) for source in sources]
        texts = [source.texts(rows_unread) for source, rows_unread in zip(sources, unread, strict=True)]
        return cls(sources, rows, unread, texts)

    def complete_rows(self, *, is_worst: bool) -> Indices:
        """The rows that have a reference in all runs, and an output unless a missing one counts as worst."""
        incomplete_rows = [
            rows_unread[[text[1] is None or (text[0] is None and not is_worst) for text in texts]]
            for rows_unread, texts in zip(self.unread, self.texts, strict=True)
            if len(rows_unread)
        ]
        return np.setdiff1d(self.rows, np.concatenate(incomplete_rows)) if incomplete_rows else self.rows

    def counts(self, metric: Metric, complete: Indices) -> Iterator[Counts]:
        """The counts of each run for the complete rows, and the number of references of each row.

        Only one run at a time is in memory.
        """
        chosen = [np.isin(rows_unread, complete) for rows_unread in self.unread]
        texts = [
            list(compress(run_texts, is_kept)) for run_texts, is_kept in zip(self.texts, chosen, strict=True)
        ]
        by_text = corpus.counts(metric, list(map(_streams, texts)))
        for n, (source, counted) in enumerate(zip(self.sources, by_text, strict=True)):
            counts = source.stored(complete, corpus.width(metric))
            indices = np.searchsorted(complete, self.unread[n][chosen[n]])
            counts[indices] = np.column_stack([counted, list(map(_references, texts[n]))])
            yield counts


def _references(texts: Texts) -> int:
    return sum(text is not None for text in texts[1:])


def _streams(texts: Sequence[Texts]) -> tuple[list[str], References]:
    """The outputs, and one list for each reference; None where an example has fewer references than others."""
    if not texts:
        return [], []
    actual, *references = zip_longest(*texts)
    return [text or "" for text in actual], references
