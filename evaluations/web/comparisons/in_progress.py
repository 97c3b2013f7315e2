"""The work in progress on compared runs: how far each variant is, and what its answers say so far."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from evaluations.experiments import runs as runs_of_work
from evaluations.launches import following, going
from evaluations.launches.going import Going
from evaluations.launches.states import Progress, RunState
from evaluations.models import EvaluatorVersion, Run


@dataclass(frozen=True)
class Variant:
    """All runs in progress of one variant; `mean` is that of its `n` answers that the primary evaluator scored."""

    name: str
    runs: list[Run]
    progress: Progress
    mean: float | None = None
    n: int = 0

    @property
    def cancellable(self) -> Run | None:
        """Its run that is scored; a launch is cancelled as a whole, on its page."""
        scored = [run for run in self.runs if run.status in (Run.Status.QUEUED, Run.Status.RUNNING)]
        return scored[0] if len(scored) == 1 else None


@dataclass(frozen=True)
class InProgress:
    going: Going
    variants: list[Variant]
    primary: EvaluatorVersion | None

    @property
    def since(self) -> datetime:
        """When the newest of these runs began to wait."""
        runs = [run for variant in self.variants for run in variant.runs]
        return max(run.queued_at or run.created_at for run in runs)


def in_progress(runs: Sequence[Run]) -> InProgress | None:
    """The work on the experiment of the first run in progress; None without."""
    opened = [run for run in runs if run.status in Run.OPEN]
    by_experiment: dict[int, list[Run]] = {}
    for run in opened:
        by_experiment.setdefault(run.experiment_id, []).append(run)
    found = going.of_experiments(by_experiment)
    if not found:
        return None
    one = next(iter(found.values()))
    primary = following.primary_version(opened[0].experiment) if one.word == "answered" else None
    if one.word == "answered" and not one.waits:
        rates = [progress.rate or 0.0 for progress in runs_of_work.progress_of(opened).values()]
        one = replace(one, rate=sum(rates) or None)
    return InProgress(one, _variants(one, primary), primary)


def _variants(one: Going, primary: EvaluatorVersion | None) -> list[Variant]:
    by_name: dict[str, list[RunState]] = {}
    for state in one.run_states:
        by_name.setdefault(state.run.variant, []).append(state)
    scores = following.scores_of_many([state.run for state in one.run_states]) if primary else {}
    variants = []
    for name, of_one in by_name.items():
        parts = [scores[state.run.pk].scored for state in of_one if state.run.pk in scores]
        n = sum(map(len, parts))
        progress = Progress(
            sum(state.progress.done for state in of_one), sum(state.progress.total for state in of_one)
        )
        mean = float(sum(part.sum() for part in parts)) / n if n else None
        variants.append(Variant(name, [state.run for state in of_one], progress, mean, n))
    return variants
