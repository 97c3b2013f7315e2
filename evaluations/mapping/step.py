"""What all reading steps have in common: settings, and a value that each reads or finds nothing in."""

from pydantic import BaseModel, ConfigDict

from evaluations.values import JSON


class NotFound(Exception):
    """The step finds nothing; the message says what it looked for."""


class Step(BaseModel):
    """Base of the settings of a step."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    step: str

    def read(self, value: JSON) -> JSON:
        """The part of a value that is the answer; raises `NotFound`."""
        raise NotImplementedError

    def skips(self, value: JSON) -> bool:
        """Whether the step plainly changes nothing, which is quicker to know than to do."""
        return False

    def ends(self, value: JSON) -> bool:
        """Whether what the step gave is the answer, so that no later step reads it."""
        return False
