"""What the newest launch of an experiment says of its failed runs, where it says it itself: counted when it is read."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluations.launches import states
from evaluations.launches.causes import ask_these, counted, in_words, told, what_lacks
from evaluations.launches.following import Ranked
from evaluations.launches.states import LaunchState
from evaluations.models import Launch, Run

from .so_far import SoFar


@dataclass(frozen=True)
class FailedLaunch:
    """Why it failed and what mends it, as sentences, and the button that asks for what lacks."""

    launch: Launch
    said: str
    remedy: str
    action: str


@dataclass(frozen=True)
class ListedRun:
    """A run in the table of variants: its state by its own answers, and `of` how many it was asked, if it failed.

    `early` are scores of its answers, if it stopped before it was scored.
    """

    run: Run
    state: str
    of: int | None = None
    early: Ranked | None = None


def told_now(runs: Sequence[Run], so_far: SoFar | None = None) -> tuple[list[ListedRun], FailedLaunch | None]:
    """These runs in their order, and the launch of the newest failed one; None unless that launch failed."""
    failed = [run for run in runs if run.status == Run.Status.FAILED]
    known = states.of_runs(failed) if failed else {}
    newest = max(failed, key=lambda run: run.pk, default=None)
    launch_failed = _failed(newest, known[newest.pk]) if newest and newest.pk in known else None
    early = so_far.scores if so_far else {}
    return [_listed(run, known.get(run.pk), early.get(run.pk)) for run in runs], launch_failed


def _failed(newest: Run, state: LaunchState) -> FailedLaunch | None:
    if state.status != Launch.Status.FAILED:
        return None
    code, said = _why(newest, state)
    launch = Launch.objects.get(generations__run=newest)
    return FailedLaunch(
        launch, said, in_words(code)[1], ask_these(state.to_ask) if state.to_ask else "Continue"
    )


def _why(run: Run, state: LaunchState) -> tuple[str, str]:
    code = (run.error or {}).get("code", states.TOO_MANY)
    if state.failed and code == states.TOO_MANY:
        return state.errors.most_common(1)[0][0], counted(state.errors, *state.progress.asked)
    return code, f"{told(run.error)} {what_lacks(state.failed, state.progress.calls_left)}".strip()


def _listed(run: Run, state: LaunchState | None, early: Ranked | None) -> ListedRun:
    of = next((one for one in state.run_states if one.run.pk == run.pk), None) if state else None
    if state is None or of is None:
        return ListedRun(run, run.status, early=early)
    return ListedRun(run, state.word(of), of.progress.total, early)
