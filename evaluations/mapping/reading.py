"""The reading of a side: its steps in order, applied to a column of values."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pydantic import TypeAdapter, ValidationError

from evaluations import validation
from evaluations.mapping.step import NotFound, Step
from evaluations.mapping.steps import AnyStep
from evaluations.values import JSON, Column, Status, canonical_json, text_or_json

MOST_STEPS = 8
STEP: TypeAdapter[Any] = TypeAdapter(AnyStep)


class ReadingError(ValueError):
    """An invalid step; `pointer` is the JSON pointer within the list of steps."""

    def __init__(self, message: str, pointer: str) -> None:
        super().__init__(message)
        self.pointer = pointer


@dataclass(frozen=True)
class Trace:
    """What one step made of a value: its name, and the text after it; None if it found nothing."""

    step: str
    text: str | None


@dataclass(frozen=True)
class Reading:
    """Compiled steps."""

    steps: tuple[Step, ...]

    @cached_property
    def key(self) -> str:
        """Equal for equal steps."""
        return canonical_json(self.as_json())

    def as_json(self) -> list[JSON]:
        """The steps as they are compiled from."""
        return [step.model_dump(mode="json", exclude_none=True) for step in self.steps]

    def column(self, column: Column, *, of_reference: bool) -> Column:
        """The column as read. A value without an answer becomes a problem: `NOT_FOUND` of an output, and of a reference
        `MISSING_EXPECTED`. Null stays null; of several references those without an answer are left out."""
        values: list[Any] = list(column.values)
        problems = dict(column.problems)
        lost = Status.MISSING_EXPECTED if of_reference else Status.NOT_FOUND
        for row, value in enumerate(values):
            if value is None or row in problems or (isinstance(value, str) and self._skips(value)):
                continue
            try:
                values[row] = self._several(value) if isinstance(value, tuple) else self.value(value)
            except NotFound as nothing:
                values[row], problems[row] = None, (lost, f"no_answer: {str(nothing).capitalize()}.")
        return Column(values, problems)

    def value(self, value: JSON) -> JSON:
        """A value after all steps; raises `NotFound`."""
        for step in self.steps:
            if not step.skips(value):
                value = step.read(value)
            if step.ends(value):
                break
        return value

    def trace(self, value: JSON) -> list[Trace]:
        """The value after each step, as text; the last one is None if the step found nothing."""
        traces: list[Trace] = []
        for step in self.steps:
            try:
                value = step.read(value)
            except NotFound:
                return [*traces, Trace(step.step, None)]
            traces.append(Trace(step.step, text_or_json(value)))
            if step.ends(value):
                break
        return traces

    def _skips(self, value: str) -> bool:
        return all(step.skips(value) for step in self.steps)

    def _several(self, values: Sequence[JSON]) -> tuple[JSON, ...]:
        read = []
        nothing = NotFound("no reference has an answer")
        for value in values:
            try:
                read.append(self.value(value))
            except NotFound as reason:
                nothing = reason
        if not read:
            raise nothing
        return tuple(read)


def compile_steps(steps: Any) -> Reading:
    """Compile a list of steps, such as `["reasoning", {"step": "after", "marker": "####"}]`; raises `ReadingError`."""
    if not isinstance(steps, list):
        raise ReadingError("read is a list of steps.", "")
    if len(steps) > MOST_STEPS:
        raise ReadingError(f"At most {MOST_STEPS} steps are allowed.", "")
    return Reading(tuple(_step(step, number) for number, step in enumerate(steps)))


def _step(step: Any, number: int) -> Step:
    settings = {"step": step} if isinstance(step, str) else step
    if not isinstance(settings, dict):
        raise ReadingError(f"A step is a name or an object with one; the steps are {NAMES}.", f"/{number}")
    try:
        compiled: Step = STEP.validate_python(settings)
    except ValidationError as error:
        problem = error.errors()[0]
        name = next(iter(problem["loc"][1:]), "")
        if problem["type"].startswith("union_tag"):
            raise ReadingError(
                f"{canonical_json(step)[:80]} is no step. The steps are {NAMES}.", f"/{number}"
            ) from error
        raise ReadingError(f"{name}: {validation.sentence(problem)}", f"/{number}/{name}") from error
    return compiled


NAMES = (
    "reasoning, abstention, refusal, json, record, path, code, items, calls, date, time, quantity, value, math,"
    " pattern, after, first_line, last_line, choice and normalize"
)
