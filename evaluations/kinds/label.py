"""The kind `label`: the right one of a few labels."""

from typing import Annotated, Any

import numpy as np
from pydantic import Field, field_validator

from evaluations.kinds import explain
from evaluations.kinds.config import CaseSensitive, Config
from evaluations.kinds.kind import Family, Kind
from evaluations.kinds.pairs import Pairs
from evaluations.kinds.scores import Scores

MOST_LABELS = 100


class LabelConfig(Config):
    labels: Annotated[
        Annotated[list[Annotated[str, Field(min_length=1, max_length=200)]], Field(max_length=MOST_LABELS)]
        | None,
        Field(
            title="Labels",
            description="The allowed labels as a JSON list; an output outside them is wrong. Empty: those of the "
            "references.",
            examples=[["spam", "ham"]],
        ),
    ] = None
    case_sensitive: CaseSensitive = False

    @field_validator("labels")
    @classmethod
    def _are_different(cls, labels: list[str] | None) -> list[str] | None:
        if labels is not None and len({label.strip().lower() for label in labels}) < len(labels):
            raise ValueError("Labels must differ in more than case and blanks.")
        return labels

    @property
    def pass_mark(self) -> float:
        return 1.0

    def read(self, text: str) -> str:
        """The label that a text is."""
        stripped = text.strip()
        return stripped if self.case_sensitive else stripped.lower()


def score(config: LabelConfig, pairs: Pairs) -> Scores:
    """1.0 if both sides are the same label, else 0.0; an expected text outside the labels is an error."""
    allowed = None if config.labels is None else set(map(config.read, config.labels))
    values, errors = np.zeros(len(pairs)), {}
    for row, (actual, expected) in enumerate(zip(pairs.actual, pairs.expected, strict=True)):
        label = config.read(expected)
        if allowed is not None and label not in allowed:
            errors[row] = OUTSIDE
        else:
            values[row] = config.read(actual) == label
    return Scores.scored(values, values == 1.0, errors=errors)


OUTSIDE = "unknown_label: The expected text is none of the labels."


def detail(config: LabelConfig, actual: str, expected: str) -> dict[str, Any]:
    sides = [config.read(side) for side in (actual, expected)]
    blocks: dict[str, Any] = {"compared": explain.compared(*sides)}
    allowed = None if config.labels is None else set(map(config.read, config.labels))
    if allowed is not None and sides[1] not in allowed:
        return blocks | {"note": OUTSIDE}
    if allowed is not None and sides[0] not in allowed:
        return blocks | {"formula": "The actual text is none of the labels: 0.0"}
    equal = sides[0] == sides[1]
    return blocks | {"formula": f"{'The same label' if equal else 'Another label'}: {float(equal):.1f}"}


label = Kind(
    key="label",
    title="Label",
    family=Family.SAME_TEXT,
    summary="The right one of a few labels",
    description="Whether the output is the expected label, such as spam or ham. A run also has precision, recall "
    "and F1 "
    "of every label, their averages, and a table of which label was given for which.",
    source="scikit-learn: accuracy_score, precision_recall_fscore_support, confusion_matrix.",
    version=1,
    Config=LabelConfig,
    score=score,
    detail=detail,
    binary=True,
)
