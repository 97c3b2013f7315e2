"""What the seal hides: what a judge said about answers with sealed labels, wherever a single score can be read.

Whoever shows, filters, sorts or exports single scores reads them by these functions; means, counts and intervals are
those of all scores. Nobody is excepted, so that nobody tunes a rubric by its score on the sealed labels. Scores that
were sent are not hidden: who sent them has them.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from django.db.models import Exists, OuterRef, Q, QuerySet
from numpy.typing import NDArray

from evaluations import kinds
from evaluations.datasets.live_positions import Positions
from evaluations.evaluators import formulas
from evaluations.models import EvaluatorVersion, Judging, Label, LabelItem, Opening, Run, Scoring, Verdict
from evaluations.scoring import column_cache
from evaluations.scoring.columns import Slots
from evaluations.values import Status

from . import facts, sealing

REASON = "The label of this answer is sealed: what the judge said is shown once the labels are open for its version."
Examples = frozenset[int]  # identities of examples
Sealed = dict[int, dict[int, set[int]]]  # run → label set → identities of examples


def hidden_examples(run: Run, version: EvaluatorVersion | None) -> Examples:
    """The examples about whose answers nobody may read what a judge said; without a version, a rubric that is tried."""
    sealed = _sealed([run.pk])[run.pk]
    opened: set[int] = set()
    if version is not None:
        opened = {*Opening.objects.filter(version=version).values_list("label_set", flat=True)}
    return frozenset().union(*(examples for pk, examples in sealed.items() if pk not in opened))


def hidden(scorings: Iterable[Scoring]) -> dict[int, list[int]]:
    """By scoring, the positions whose score is hidden, ascending; only for scorings that hide any."""
    judges = {scoring: read for scoring in scorings if (read := _judges(scoring.evaluator_version))}
    if not judges:
        return {}
    sealed = _sealed([scoring.run_id for scoring in judges])
    opened = _opened({version for read in judges.values() for version in read})
    runs = Run.objects.select_related("experiment__dataset").in_bulk(
        [pk for pk, of_run in sealed.items() if of_run]
    )
    found = {}
    for scoring, read in judges.items():
        closed = _closed(sealed[scoring.run_id], [opened[version] for version in read])
        if closed and (positions := facts.positions(runs[scoring.run_id], sorted(closed))):
            found[scoring.pk] = positions
    return found


def _closed(sealed: Mapping[int, set[int]], opened: Sequence[set[int]]) -> Examples:
    """The examples in label sets that are closed for one of these judges."""
    return frozenset().union(
        *(examples for pk, examples in sealed.items() if any(pk not in of_one for of_one in opened))
    )


def _judges(version: EvaluatorVersion) -> set[int]:
    """The versions of judges whose verdicts a score tells: itself, or those that a formula reads."""
    if version.kind in kinds.JUDGES:
        return {version.pk}
    if version.kind in formulas.DERIVED:
        return {read.pk for read in formulas.read_by(version).values() if read.kind in kinds.JUDGES}
    return set()


def _sealed(runs: Sequence[int]) -> Sealed:
    standing = Label.objects.filter(item=OuterRef("pk"), withdrawn_at=None)
    items = LabelItem.objects.filter(
        Exists(standing),
        Q(run__in=runs) | Q(other__in=runs),
        probability__isnull=False,
        task__is_blind=True,
        task__part_of=None,  # labels that are weighed measure no judge
        task__deleted_at=None,
        task__version__evaluator__deleted_at=None,
        task__version__evaluator__unsealing=None,
    )
    found: Sealed = defaultdict(lambda: defaultdict(set))
    names = ("run", "other", "task__version__evaluator", "run__experiment__dataset", "example")
    for run, other, label_set, dataset, example in items.values_list(*names).distinct():
        if sealing.part(label_set, dataset, example) == sealing.SEALED:
            for one in (run, other):
                found[one][label_set].add(example)
    return found


def _opened(versions: Iterable[int]) -> dict[int, set[int]]:
    """By version of a judge, the label sets whose sealed labels are open for it."""
    found: dict[int, set[int]] = defaultdict(set)
    for version, label_set in Opening.objects.filter(version__in=versions).values_list(
        "version", "label_set"
    ):
        found[version].add(label_set)
    return found


# ---- columns -------------------------------------------------------------------------------------------------


def load(scorings: Iterable[Scoring], positions: Positions) -> dict[int, Slots]:
    """Like `column_cache.load`, but hidden scores are `SEALED`, and have neither value nor verdict."""
    chosen = list(scorings)
    columns = column_cache.load(chosen, positions)
    for pk, of_scoring in hidden(chosen).items():
        columns[pk] = without(columns[pk], slots_of(of_scoring, positions))
    return columns


def slots_of(hidden_positions: Sequence[int], positions: Positions) -> NDArray[np.bool_]:
    return positions.mask(np.array(hidden_positions, np.int64))


def without(column: Slots, closed: NDArray[np.bool_]) -> Slots:
    """The column with these slots sealed, where they have any status."""
    closed = closed & column.is_known
    return Slots(
        np.where(closed, np.nan, column.values),
        np.where(closed, np.int8(-1), column.passed),
        np.where(closed, np.uint8(Status.SEALED), column.status),
    )


# ---- answers of judges -----------------------------------------------------------------------------------------


def readable(
    verdicts: QuerySet[Verdict], run: Run, versions: Iterable[EvaluatorVersion | None]
) -> QuerySet[Verdict]:
    """Without those on sealed labels; what a judge said to an attack is about no answer of the run."""
    for version in versions:
        if closed := hidden_examples(run, version):
            verdicts = verdicts.exclude(version=version, attack=0, example__one_of=sorted(closed))
    return verdicts


def readable_of(judging: Judging) -> QuerySet[Verdict]:
    return readable(judging.verdicts.all(), judging.run, [judging.version])
