"""What the newest launch of an experiment says of its failed runs, where it says it itself: counted when it is read."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluations.launches import states
from evaluations.launches.causes import counted, in_words, told
from evaluations.launches.states import LaunchState
from evaluations.models import Launch, Run


@dataclass(frozen=True)
class FailedLaunch:
    """Why it failed and what mends it, as sentences, and how many answers are asked when it continues."""

    launch: Launch
    said: str
    remedy: str
    to_ask: int


@dataclass(frozen=True)
class ListedRun:
    """A run in the table of variants: its state by its own answers, and `of` how many it was asked, if it failed."""

    run: Run
    state: str
    of: int | None = None


def failed_launch(runs: Sequence[Run]) -> FailedLaunch | None:
    """Of the newest of these runs; None unless its launch failed."""
    if not (failed := [run for run in runs if run.status == Run.Status.FAILED]):
        return None
    newest = max(failed, key=lambda run: run.pk)
    state = states.of_runs([newest]).get(newest.pk)
    if state is None or state.status != Launch.Status.FAILED:
        return None
    code, said = _why(newest, state)
    launch = Launch.objects.get(generations__run=newest)
    return FailedLaunch(launch, said, in_words(code)[1], state.progress.calls_left + state.failed)


def _why(run: Run, state: LaunchState) -> tuple[str, str]:
    code = (run.error or {}).get("code", states.TOO_MANY)
    if state.failed and code == states.TOO_MANY:
        return state.errors.most_common(1)[0][0], counted(state.errors, state.progress.total)
    return code, told(run.error)


def listed(runs: Sequence[Run]) -> list[ListedRun]:
    """Runs for the table of variants, in their order."""
    failed = [run for run in runs if run.status == Run.Status.FAILED]
    known = states.of_runs(failed) if failed else {}
    return [_listed(run, known.get(run.pk)) for run in runs]


def _listed(run: Run, launch_state: LaunchState | None) -> ListedRun:
    of = (
        next((one for one in launch_state.run_states if one.run.pk == run.pk), None) if launch_state else None
    )
    if launch_state is None or of is None:
        return ListedRun(run, run.status)
    return ListedRun(run, launch_state.word(of), of.progress.total)
