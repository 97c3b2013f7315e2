"""The state of a launch in words, with the way to continue it."""

from dataclasses import dataclass

from evaluations.launches import mending
from evaluations.launches.causes import ask_these, counted, in_words, told, what_lacks
from evaluations.launches.ending import FEWEST_FAILURES, is_too_many
from evaluations.launches.estimates import Estimate
from evaluations.launches.mending import NOTHING, Mending
from evaluations.launches.plans import PILOT
from evaluations.launches.reached import how_to_go_on, reached
from evaluations.launches.states import LaunchState
from evaluations.models import Launch
from evaluations.numerals import grouped, percent, plural
from evaluations.templatetags.launches import about_costs, between, between_costs, between_minutes


@dataclass(frozen=True)
class LaunchNotice:
    """A line of text; with a `role`, a notice with a title whose button is called `action`."""

    text: str
    title: str = ""
    role: str = ""
    level: str = ""
    action: str = ""
    mending: Mending = NOTHING

    @property
    def icon(self) -> str:
        return "info" if self.level == "info" else "care"


def of_launch(
    launch: Launch, state: LaunchState, estimate: Estimate | None, *, is_waiting: bool
) -> LaunchNotice:
    """`is_waiting` after a pilot, until a person decides."""
    if is_waiting:
        text = _pilot_text(launch, estimate) if estimate else ""
        return LaunchNotice(text, "The pilot is done.", "status", "info", "Run on all")
    if state.status == Launch.Status.LIMIT:
        return _at_limit(launch, estimate)
    if state.status == Launch.Status.FAILED:
        return _failed(launch, state)
    if state.status == Launch.Status.CANCELLED:
        text = "Answers so far are kept; nothing is paid twice when you continue."
        return LaunchNotice(text, "Cancelled.", "note", action="Continue")
    return LaunchNotice(_line(launch, state))


def _pilot_text(launch: Launch, estimate: Estimate) -> str:
    cost = f", {between_costs(estimate.cost)} {_currency(launch)}" if estimate.cost else ""
    time = f" and {between_minutes(estimate.minutes)}" if estimate.minutes else ""
    return (
        f"The other examples take {between(estimate.calls)} calls{cost}{time}, estimated from "
        f"{plural(estimate.answers, 'answer')} of each variant. "
        "Those answers are kept; you do not pay for them again."
    )


def _at_limit(launch: Launch, estimate: Estimate | None) -> LaunchNotice:
    text = f"Answers so far are kept. {how_to_go_on(launch)}"
    if estimate and estimate.cost:
        text += f" The rest takes {about_costs(estimate.cost)} {_currency(launch)} more."
    title, reason = reached(launch)
    return LaunchNotice(f"{reason} {text}".strip(), title, "alert", action="Continue")


def _failed(launch: Launch, state: LaunchState) -> LaunchNotice:
    error = next((run_state.run.error for run_state in state.run_states if run_state.run.error), None)
    title = told(error) if error else "Too many answers failed."
    code, reason = error["code"] if error else "", ""
    if state.failed and code in ("", "too_many_failures"):
        [(code, _)] = state.errors.most_common(1)
        title = counted(state.errors, *state.progress.asked)
        reason = _why_stopped(launch, state)
    else:
        title = f"{title} {what_lacks(state.failed, state.progress.calls_left)}".strip()
    remedy = in_words(code)[1] or "Remove the cause, then continue."
    text = f"{reason}{remedy} Only failed and missing answers are requested again."
    action = ask_these(state.to_ask) if state.to_ask else "Continue"
    return LaunchNotice(text, title, "alert", "error", action, mending.of_launch(launch, code))


def _why_stopped(launch: Launch, state: LaunchState) -> str:
    """By which rule a launch stopped, if too many answers of a variant failed."""
    if not any(is_too_many(run_state.failed.total(), launch) for run_state in state.run_states):
        return ""
    share = percent(launch.tolerated, 0)
    return f"A launch stops when more than {share} of the answers of a variant failed, and at least {FEWEST_FAILURES}. "


def _line(launch: Launch, state: LaunchState) -> str:
    """The state of a launch that runs or has done its work."""
    if state.status == Launch.Status.COMPLETED:
        if state.failed:
            verb = "counts" if state.failed == 1 else "count"
            done = state.progress.done
            there = f"{grouped(done - state.failed)} of {plural(done, 'answer')} are scored"
            return f"{there}; {grouped(state.failed)} failed and {verb} as worst."
        return (
            "All answers that were needed have arrived and are scored."
            if launch.stop
            else "All examples are answered and scored."
        )
    if state.status == Launch.Status.DECIDED:
        return (
            "All variants are decided, so the remaining examples were not run. "
            "Secondary evaluators are preliminary."
        )
    if state.status == Launch.Status.ESTIMATING:
        first = min(PILOT, launch.size)
        return (
            f"A pilot of the first {first} examples. "
            "Then this page estimates the whole launch and waits for you."
        )
    if state.is_generating:
        return "You can leave this page. The work continues, and each run is scored when its answers have arrived."
    return "All answers have arrived and are being scored."


def _currency(launch: Launch) -> str:
    return launch.experiment.project.currency
