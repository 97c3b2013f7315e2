"""The events that a webhook can be sent: their names and their words, for chats and for the form."""

from typing import NamedTuple

RUN_COMPLETED = "run.completed"
LAUNCH_COMPLETED, LAUNCH_STOPPED = "launch.completed", "launch.stopped"
GATE_FAILED, GATE_CHANGED = "gate.failed", "gate.changed"
EVALUATOR_FAILING, LABEL_MOVED = "evaluator.failing", "prompt.label_moved"
JUDGE_MODEL_CHANGED, JUDGE_DRIFTED = "judge.model_changed", "judge.drifted"
TEST = "test"


class Kind(NamedTuple):
    title: str  # in a chat
    meaning: str  # beside its check box
    is_bad: bool = False


EVENTS = {
    RUN_COMPLETED: Kind("Run completed", "A run is completed"),
    LAUNCH_COMPLETED: Kind("Launch completed", "All runs of a launch are completed"),
    LAUNCH_STOPPED: Kind("Launch stopped", "A launch stopped before it finished", is_bad=True),
    GATE_FAILED: Kind("Gate failed", "A run failed a gate", is_bad=True),
    GATE_CHANGED: Kind("Gate changed", "A gate was changed"),
    EVALUATOR_FAILING: Kind("Evaluator failing", "An evaluator fails on many examples of a run", is_bad=True),
    LABEL_MOVED: Kind("Prompt label moved", "A label of a prompt was moved to another version"),
    JUDGE_MODEL_CHANGED: Kind("Judge answered by another model", "The answers of a judge name another model"),
    JUDGE_DRIFTED: Kind(
        "Judge agrees less with people",
        "A judge that is asked again agrees less with people",
        is_bad=True,
    ),
}
SENT = EVENTS | {TEST: Kind("Test of a webhook", "A test")}
