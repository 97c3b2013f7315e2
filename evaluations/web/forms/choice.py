"""The roles that a column of a file can have, and the choice of one."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluations.ingest.measures import (
    COST,
    KINDS,
    LATENCY_MS,
    LATENCY_S,
    TOKENS,
    TOKENS_IN,
    TOKENS_OUT,
)
from evaluations.models import Dataset
from evaluations.values import JSON

ROLES = {
    "input": "Input",
    "reference": "Reference",
    "metadata": "Metadata",
    "key": "Key",
    "output": "Output",
    "variant": "Variant name",
    "rater": "Rater",
    "label": "Rater's label",
    "score": "Score",
    "low score": "Score, lower is better",
    "preferred": "Preferred variant",
    LATENCY_MS: "Latency in ms",
    LATENCY_S: "Latency in s",
    TOKENS_IN: "Tokens of the prompt",
    TOKENS_OUT: "Tokens of the answer",
    TOKENS: "Tokens in all",
    COST: "Cost",
    "leave out": "Leave out",
}
NAMING_ROLES = ("variant", "rater", "label")  # of a file in which several rows are one example
PREFERRED = "preferred"
SCORE_ROLES = ("score", "low score")
OUTPUT_ROLES = ("output", *NAMING_ROLES, *SCORE_ROLES, PREFERRED, *KINDS)
PARTS = {"input": "inputs", "reference": "reference", "metadata": "metadata"}  # of a dataset, by role
ROLE_OF = {part: role for role, part in PARTS.items()}
LEFT_OUT = ("leave out", "", "")  # role, variant, name


@dataclass(frozen=True)
class Choice:
    """The role of a column, or of a path into a nested one, with its value. `number` names its fields in the form.

    `name` is its name in the dataset, "" for the one in the file. `reason` says why the role was guessed.
    """

    number: int
    source: str
    role: str
    variant: str = ""
    suggested: bool = False
    example: JSON = None
    name: str = ""
    reason: str = ""

    @property
    def is_score(self) -> bool:
        return self.role in SCORE_ROLES

    @property
    def is_beside_output(self) -> bool:
        """Whether it says something of an output: a score, or what the answer took."""
        return self.is_score or self.role in KINDS


def chosen(
    mapped: Sequence[str] | None, suggested: tuple[str, str, str], dataset: Dataset | None
) -> tuple[str, str, str]:
    """Role, variant and name, as chosen before, else as suggested. Files for an existing dataset have no outputs.

    Choices stored by older versions of Evalsite have no name, and "leave out" has no variant.
    """
    if not mapped:
        return suggested
    role, variant, *name = mapped
    return LEFT_OUT if dataset and role in OUTPUT_ROLES else (role, variant or suggested[1], "".join(name))
