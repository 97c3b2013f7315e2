"""What the newest launch of an experiment that stopped says of its runs: counted when it is read."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluations.launches import following, mending, states
from evaluations.launches.causes import ask_these, counted, in_words, told, what_lacks
from evaluations.launches.following import Ranked
from evaluations.launches.mending import NOTHING, Mending
from evaluations.launches.reached import how_to_go_on, reached
from evaluations.launches.states import LaunchState
from evaluations.models import Launch, Run
from evaluations.numerals import grouped, plural

from .so_far import SoFar


@dataclass(frozen=True)
class StoppedLaunch:
    """Why it stopped and how it goes on, as sentences, and the button that asks for what lacks.

    Without a button (`action`) its own page is where a limit is raised.
    """

    launch: Launch
    said: str
    remedy: str
    action: str = ""
    is_failed: bool = False
    mending: Mending = NOTHING


@dataclass(frozen=True)
class ListedRun:
    """A run in the table of variants: its state by its own answers, and `of` how many it was asked, if it stopped.

    `early` are scores of its answers, if it stopped before it was scored.
    """

    run: Run
    state: str
    of: int | None = None
    early: Ranked | None = None


def told_now(
    runs: Sequence[Run], so_far: SoFar | None = None
) -> tuple[list[ListedRun], StoppedLaunch | None]:
    """These runs in their order, and the launch of the newest one that stopped; None unless that launch did.

    One that somebody cancelled says so only where no run has come further.
    """
    stopped = [run for run in runs if run.status in following.STOPPED]
    known = states.of_runs(stopped) if stopped else {}
    told = [run for run in stopped if run.status == Run.Status.FAILED or run.pk in known]
    newest = max(told, key=lambda run: run.pk, default=None)
    found = _stopped(newest, known[newest.pk]) if newest and newest.pk in known else None
    early = so_far.scores if so_far else {}
    if found and found.launch.status == Launch.Status.CANCELLED and len(stopped) < len(runs):
        found = None
    return [_listed(run, known.get(run.pk), early.get(run.pk)) for run in runs], found


def _stopped(newest: Run, state: LaunchState) -> StoppedLaunch | None:
    launch = Launch.objects.select_related("budget", "experiment__project").get(generations__run=newest)
    done = f"with {grouped(state.answered)} of {plural(state.progress.total, 'answer')}."
    match state.status:
        case Launch.Status.FAILED:
            code, said = _why(newest, state)
            action = ask_these(state.to_ask) if state.to_ask else "Continue"
            mends = mending.of_launch(launch, code)
            return StoppedLaunch(launch, said, in_words(code)[1], action, is_failed=True, mending=mends)
        case Launch.Status.LIMIT:
            limit, _ = reached(launch)
            return StoppedLaunch(launch, f"{limit.removesuffix('.')}, {done}", how_to_go_on(launch))
        case Launch.Status.CANCELLED:
            return StoppedLaunch(launch, f"Cancelled, {done}", "Nothing is paid twice.", "Continue")
    return None


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
