"""Which examples runs were asked, while their experiment moves between versions of its dataset.

An example that the other version added, or gave other inputs, is a question that nobody has asked: it counts nowhere
until it is asked, and the run remembers the version whose examples it was asked in full (`Run.asked_version`).
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from django.db.models import Q
from numpy.typing import NDArray

from evaluations import bulk
from evaluations.datasets import bitmaps, identities, live_positions
from evaluations.models import Experiment, Launch, Output, Run
from evaluations.numerals import plural
from evaluations.scoring import coverage

BY_CHANCE = 0.001  # the chance of a pattern above which it may be one
Pairs = NDArray[np.int64]  # old and new positions of moved examples, one row each, old positions ascending


def follow(experiment: Experiment, source: int, pairs: Pairs) -> None:
    """Keep what runs and launches were asked, after their experiment moved from version `source`."""
    for run in experiment.runs.exclude(status=Run.Status.DRAFT, asked_rows=None):
        if run.is_sample:
            assert run.asked_rows is not None
            run.asked_rows = _after(run.asked_rows, pairs)
        else:
            _follow_whole(run, experiment, source)
        run.save(update_fields=["asked_rows", "asked_version"])
    for launch in experiment.launches.all():
        _keep_sample(launch, pairs)


def _follow_whole(run: Run, experiment: Experiment, source: int) -> None:
    """Count as asked what was asked before the move, and what has an output from an earlier stay in the version."""
    base, target = run.asked_version or source, experiment.dataset_version
    if base == target:
        run.asked_rows, run.asked_version = None, None
        return
    dataset = experiment.dataset
    before, after = (live_positions.of_version(dataset, number) for number in (source, target))
    moved = identities.in_version(dataset, source, target)
    is_asked = after.mask(moved[coverage.is_asked(run, before.every)])
    is_asked |= after.mask(_answered(run, after.every[~is_asked]))
    run.asked_rows, run.asked_version = _packed(after.every, is_asked), base


def by_design(experiment: Experiment) -> None:
    """Count as not asked what imported runs have no output for, if the file left it out by design.

    The sign is that every example has outputs of equally many variants, but not of all, as in battles of an arena, or
    where each rater or system got a sample. Answers that failed would not leave equally many behind.
    """
    runs, examples = [*experiment.runs.all()], coverage.positions_of(experiment)
    outputs = sum(run.output_count for run in runs)
    each = outputs // max(len(examples), 1)
    if len({run.variant for run in runs}) < len(runs) or not _is_design(len(examples), each, len(runs)):
        return
    if outputs % len(examples) or not all(run.output_count for run in runs):
        return
    found = {run.pk: examples.mask(_with_text(run)) for run in runs}
    if (np.sum([*found.values()], axis=0) != each).any():
        return
    for run in runs:
        run.asked_rows = _packed(examples.every, found[run.pk])
        run.save(update_fields=["asked_rows"])
        Output.objects.filter(
            run=run, text=None, error=None
        ).delete()  # what is preferred names no other variant


def _is_design(examples: int, each: int, variants: int) -> bool:
    """Whether as many examples would hardly all have `each` outputs by chance, if answers failed one by one."""
    if not 0 < each < variants:
        return False
    share = each / variants
    chance = math.comb(variants, each) * share**each * (1 - share) ** (variants - each)
    return chance**examples < BY_CHANCE


def _with_text(run: Run) -> NDArray[np.int64]:
    """The positions of a run's outputs that a file brought, perhaps as errors."""
    silent = Q(text=None, error=None)
    outputs = Output.objects.filter(run=run).exclude(silent).values_list("position")
    return np.array([position for (position,) in bulk.select(outputs)], np.int64)


def forget(run: Run, positions: Sequence[int]) -> None:
    """Count these examples as not asked, unless they have an output: an edit made new questions. Samples keep them."""
    if run.asked_version is None or not positions:
        return
    unanswered = np.setdiff1d(np.array(positions, np.int64), _answered(run, positions))
    after = coverage.positions(run)
    is_asked = coverage.is_asked(run, after.every) & ~after.mask(unanswered)
    run.asked_rows = _packed(after.every, is_asked)
    run.save(update_fields=["asked_rows"])


def add(run: Run, positions: Iterable[int]) -> None:
    """Count these examples as asked."""
    every = coverage.positions(run).every
    run.asked_rows = _packed(every, coverage.is_asked(run, every) | np.isin(every, list(positions)))
    if run.asked_rows is None:
        run.asked_version = None
    run.save(update_fields=["asked_rows", "asked_version"])


def _packed(every: NDArray[np.int64], is_asked: NDArray[np.bool_]) -> bytes | None:
    return None if is_asked.all() else bitmaps.packed(every[is_asked])


def _answered(run: Run, positions: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
    """Those of the positions that have an output."""
    if not len(positions):
        return np.empty(0, np.int64)
    outputs = Output.objects.filter(run=run, position__one_of=[int(position) for position in positions])
    return np.array([position for (position,) in bulk.select(outputs.values_list("position"))], np.int64)


def _after(bits: bytes, pairs: Pairs) -> bytes:
    """These positions after the edits."""
    moves, positions = dict(pairs.tolist()), bitmaps.positions(bits).tolist()
    return bitmaps.packed(np.array([moves.get(old, old) for old in positions], np.int64))


def _keep_sample(launch: Launch, pairs: Pairs) -> None:
    """Let a launch keep the examples its runs were asked.

    The random order of the newer version would draw others, for which a retry would pay.
    """
    runs = Run.objects.filter(generation__launch=launch, asked_rows__isnull=False)
    samples = [bitmaps.positions(bits or b"") for bits in runs.values_list("asked_rows", flat=True)]
    if samples:
        launch.rows = bitmaps.packed(np.unique(np.concatenate(samples)))
    elif launch.rows is not None:
        launch.rows = _after(launch.rows, pairs)
    launch.save(update_fields=["rows"])


# ---- what is left to ask -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Unasked:
    """Runs that were not asked the same number of `examples`, which their dataset got after version `since`."""

    runs: Sequence[Run]
    examples: int
    since: int

    def sentence(self, labels: Sequence[str], *, is_all: bool) -> str:
        """What is left out, for page, API and report; `is_all` if no compared run was asked them."""
        were = "was" if self.examples == 1 else "were"
        added = f"{plural(self.examples, 'example')} {were} added or rewritten after version {self.since}"
        if is_all:
            return f"{added}; no run has answered them, so they are left out until they are asked."
        verb = "has" if len(labels) == 1 else "have"
        return f"{added}; {', '.join(labels)} {verb} not answered them: there they are left out until they are asked."


def unasked(runs: Iterable[Run]) -> list[Unasked]:
    """Runs that were not asked all examples of the version that their experiment moved to."""
    groups: dict[tuple[int, int], list[Run]] = {}
    for run in runs:
        if run.asked_version is not None and run.asked_rows is not None:
            count = len(coverage.positions(run)) - (coverage.count(run) or 0)
            groups.setdefault((count, run.asked_version), []).append(run)
    return [Unasked(members, count, since) for (count, since), members in groups.items()]
