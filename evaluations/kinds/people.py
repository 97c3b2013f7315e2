"""The kind `people`: what people answer to one question about an output; their labels are records."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator, model_validator

from evaluations.kinds.kind import Family, Kind
from evaluations.kinds.pairs import Pairs
from evaluations.kinds.recorded import RecordedConfig
from evaluations.kinds.scores import FAIL, NO_VERDICT, PASS, Scores
from evaluations.kinds.value import bounds, numbered
from evaluations.values import JSON

Answers = Literal["pass_fail", "labels", "scale", "pair"]
Purpose = Literal["estimate", "weighted", "reading"]
NOBODY = "Nobody has labelled this answer."
PAIR = {"left": 1.0, "both": 0.5, "neither": 0.5, "right": 0.0}  # for the answer on the left
MOST_LABELS, MOST_STEPS = 9, 9  # one key each
LONGEST_QUESTION, LONGEST_GUIDELINE = 300, 20_000


class PeopleConfig(RecordedConfig):
    """A question with its guideline; another guideline is another version, under which labels stand apart.

    Labels for reading are those of chosen answers, or of people who saw scores: they are never estimates. Weighted ones
    are of samples of which some parts are drawn more than others: estimates weigh the parts. A pair asks
    which of two answers to one example is better; the score of each is 1, ½ or 0.
    """

    answers: Annotated[Answers, Field(title="Answers")] = "pass_fail"
    question: Annotated[str, Field(max_length=LONGEST_QUESTION, title="Question")] = "Is the answer right?"
    guideline: Annotated[str, Field(max_length=LONGEST_GUIDELINE, title="Guideline")] = ""
    purpose: Annotated[Purpose, Field(title="For")] = "estimate"

    @field_validator("labels")
    @classmethod
    def _are_numbered(cls, labels: str | None) -> str | None:
        """All words have numbers, or none has."""
        if labels and "=" in labels:
            numbered(labels)
        return labels

    @model_validator(mode="after")
    def _has_choices(self) -> "PeopleConfig":
        if not 2 <= len(self.choices) <= MOST_LABELS:
            raise ValueError(f"There must be 2 to {MOST_LABELS} answers, so that each has a key.")
        return self

    @property
    def choices(self) -> Mapping[str, float]:
        """The number of each answer that a person can give, in the order of their keys."""
        if self.answers == "pass_fail":
            return {"pass": 1.0, "fail": 0.0}
        if self.answers == "pair":
            return PAIR
        if self.answers == "labels":
            return numbered(self.labels) if self.has_means else _placed(self.labels or "")
        low, high = int(self.minimum or 0), int(self.maximum or 0)
        return {str(step): float(step) for step in range(low, min(high, low + MOST_STEPS + 1) + 1)}

    @property
    def is_pass_fail(self) -> bool:
        return self.answers == "pass_fail"

    @property
    def has_means(self) -> bool:
        return self.answers != "labels" or "=" in (self.labels or "")

    def word(self, value: float) -> str | None:
        """The word at a place of a list without numbers; None of numbers."""
        if self.has_means:
            return None
        return next((word for word, place in self.choices.items() if place == value), None)

    def verdicts(self, values: NDArray[np.float64]) -> NDArray[np.int8] | None:
        """Of a set of pass and fail, what most raters said; a tie neither passes nor fails."""
        if self.answers != "pass_fail":
            return None
        judged = np.where(values > 0.5, PASS, FAIL).astype(np.int8)
        return np.where(values == 0.5, np.int8(NO_VERDICT), judged)


def _placed(words: str) -> dict[str, float]:
    stripped = dict.fromkeys(word.strip().lower() for word in words.split(",") if word.strip())
    return {word: float(place) for place, word in enumerate(stripped)}


def _never(config: PeopleConfig, pairs: Pairs) -> Scores:
    raise TypeError("People's labels are read from their records, never computed.")


def _detail(config: PeopleConfig, actual: JSON, expected: JSON) -> dict[str, Any]:
    return {"note": "People gave these labels; nothing is computed here."}


people = Kind(
    key="people",
    title="People's labels",
    family=Family.OUTSIDE,
    summary="What people answer to one question about each output",
    description="People see an output, the question and its guideline, and press one key. Several people's labels of "
    "one output count by their mean, or by their majority where labels have no order.",
    source="The label is used as it was given; nothing is computed.",
    version=1,
    Config=PeopleConfig,
    score=_never,
    detail=_detail,
    bounds=bounds,
    reads_text=False,
    parameters=(),
    is_recorded=True,
)
