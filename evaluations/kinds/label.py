"""The kind `label`: the right one of a few labels."""

from collections.abc import Sequence
from operator import eq
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, field_validator, model_validator

from evaluations.kinds import explain, label_counts
from evaluations.kinds.config import CaseSensitive, Config
from evaluations.kinds.kind import Family, Kind
from evaluations.kinds.pairs import Pairs
from evaluations.kinds.scores import Scores
from evaluations.kinds.statistic import Counting
from evaluations.values import LONGEST_NAME

MOST_LABELS = 100


class LabelConfig(Config):
    labels: Annotated[
        Annotated[
            list[Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]], Field(max_length=MOST_LABELS)
        ]
        | None,
        Field(
            title="Labels",
            description="The allowed labels as a JSON list; an output outside them is wrong. Empty: those of the "
            "references.",
            examples=[["spam", "ham"]],
        ),
    ] = None
    case_sensitive: CaseSensitive = False
    headline: Annotated[
        Literal["mean", "macro_f1", "weighted_f1", "balanced_accuracy", "mcc", "kappa", "f1"],
        Field(
            title="Headline",
            description="The figure by which runs are compared: the mean, which is the accuracy, or a statistic of "
            "the whole run.",
        ),
    ] = "mean"
    headline_label: Annotated[
        Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)] | None,
        Field(title="Label of the headline", description="The label whose F1 counts, if the headline is f1."),
    ] = None

    @field_validator("labels")
    @classmethod
    def _are_different(cls, labels: list[str] | None) -> list[str] | None:
        if labels is not None and len({label.strip().lower() for label in labels}) < len(labels):
            raise ValueError("Labels must differ in more than case and blanks.")
        return labels

    @model_validator(mode="after")
    def _names_its_label(self) -> "LabelConfig":
        named, allowed = self.headline_label, self.labels
        if (self.headline == "f1") != (named is not None):
            raise ValueError("The headline f1, and only this, needs the label of the headline.")
        if named is not None and allowed is not None and self.read(named) not in map(self.read, allowed):
            raise ValueError("The label of the headline must be one of the labels.")
        return self

    @property
    def pass_mark(self) -> float:
        return 1.0

    @property
    def headline_statistic(self) -> str:
        return f"f1:{self.headline_label}" if self.headline == "f1" else self.headline

    def read(self, text: str) -> str:
        """The label that a text is."""
        stripped = text.strip()
        return stripped if self.case_sensitive else stripped.lower()


def score(config: LabelConfig, pairs: Pairs) -> Scores:
    """1.0 if both sides are the same label, else 0.0; an expected text outside the labels is an error."""
    allowed = None if config.labels is None else set(map(config.read, config.labels))
    answers, references = ([config.read(side) for side in sides] for sides in (pairs.actual, pairs.expected))
    values = np.array([*map(eq, answers, references)], np.float64)
    errors = {
        row: OUTSIDE
        for row, reference in enumerate(references)
        if allowed is not None and reference not in allowed
    }
    counts = label_counts.counts(references, answers)
    counts[list(errors)] = -1
    return Scores.scored(values, values == 1.0, errors=errors, counts=counts)


def counting(config: LabelConfig, labels: Sequence[str]) -> Counting:
    """The statistics over these labels and that of the headline, which may not occur."""
    known = {config.read(label): label for label in labels}
    if named := config.headline_label:
        known[config.read(named)] = named
    return label_counts.counting([*known.values()], known)


OUTSIDE = "unknown_label: The expected text is none of the labels."


def detail(config: LabelConfig, actual: str, expected: str) -> dict[str, Any]:
    sides = [config.read(side) for side in (actual, expected)]
    blocks: dict[str, Any] = {"compared": explain.compared(*sides)}
    allowed = None if config.labels is None else set(map(config.read, config.labels))
    if allowed is not None and sides[1] not in allowed:
        return blocks | {"note": OUTSIDE}
    if allowed is not None and sides[0] not in allowed:
        return blocks | {"formula": "The output is none of the labels: 0"}
    equal = sides[0] == sides[1]
    return blocks | {
        "formula": f"{'The same label' if equal else 'Not the label of the reference'}: {float(equal):g}"
    }


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
    counting=counting,
    reads_labels=True,
    silence=label_counts.SILENCE,
)
