"""The kinds `judge` and `pair_judge`: a model reads a rubric and an answer, and says a reason, then a verdict.

The rubric is part of the version, so an edited rubric is a new version. Verdicts are records: nobody can compute them
again. Which connection is asked stands beside the config, with the evaluator.
"""

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator, model_validator

from evaluations import linear
from evaluations.kinds.config import Config
from evaluations.kinds.kind import Bounds, Family, Kind
from evaluations.kinds.pairs import Pairs
from evaluations.kinds.scores import FAIL, NO_VERDICT, PASS, Scores
from evaluations.mapping import reading
from evaluations.values import JSON, LONGEST_NAME

LONGEST_RUBRIC = 40_000
MOST_MESSAGES, MOST_LABELS, MOST_STEPS, MOST_SAMPLES = 20, 9, 11, 9
READ: list[JSON] = ["reasoning", "json"]
PARAMETERS: dict[str, JSON] = {"temperature": 0, "max_completion_tokens": 800}
SET_HERE = ("model", "messages", "response_format", "n", "stream", "stream_options", "tools")
UNSURE = "unsure"
FIRST, SECOND, TIE = "first", "second", "tie"
ABOUT = "A model gave this verdict; nothing is computed here."
ALIASES = {"actual": "output", "reference": "expected", "inputs": "input"}  # of variables
VARIABLE = linear.Pattern(r"\{\{\s*(\w+)")  # where it begins


class Message(Config):
    role: Annotated[Literal["system", "developer", "user"], Field(title="Role")] = "user"
    content: Annotated[str, Field(min_length=1, max_length=LONGEST_RUBRIC, title="Content")]


class JudgingConfig(Config):
    """What both kinds of judges have: a rubric, a model, and how its answer is read.

    `judged` are the variables that are the answers to judge.
    """

    judged: ClassVar[tuple[str, ...]] = ("output",)

    messages: Annotated[
        list[Message],
        Field(
            min_length=1,
            max_length=MOST_MESSAGES,
            title="Rubric",
            description="What the judge is asked, with variables such as {{ input }}, {{ output }}, {{ expected }} and "
            "{{ metadata.context }}.",
        ),
    ]
    model: Annotated[str, Field(min_length=1, max_length=LONGEST_NAME, title="Model")]
    parameters: Annotated[
        dict[str, Any],
        Field(title="Parameters", description="Sent with every call, such as temperature."),
    ] = PARAMETERS
    read: Annotated[
        list[Any],
        Field(title="Reading", description="Reading steps for the judge's answer."),
    ] = READ
    samples: Annotated[
        int,
        Field(
            ge=1,
            le=MOST_SAMPLES,
            title="Samples",
            description="How often each answer is judged; the score is the mean of the samples.",
        ),
    ] = 1
    preset: Annotated[str | None, Field(max_length=60, title="Preset")] = None

    @property
    def hidden(self) -> list[str]:
        """The answers that no message of the rubric shows."""
        found = (match[1] for message in self.messages for match in VARIABLE.finditer(message.content))
        shown = {ALIASES.get(name, name) for name in found}
        return [name for name in self.judged if name not in shown]

    @field_validator("parameters")
    @classmethod
    def _are_free(cls, parameters: dict[str, Any]) -> dict[str, Any]:
        for name in SET_HERE:
            if name in parameters:
                raise ValueError(f"{name} is set by the judge itself.")
        return parameters

    @field_validator("read")
    @classmethod
    def _are_steps(cls, steps: list[Any]) -> list[Any]:
        try:
            return reading.compile_steps(steps).as_json()
        except reading.ReadingError as wrong:
            raise ValueError(str(wrong)) from wrong

    @property
    def numbers(self) -> dict[str, float]:
        """The number of each verdict that counts, the best first."""
        raise NotImplementedError

    @property
    def words(self) -> list[str]:
        """What the judge may say as its verdict."""
        raise NotImplementedError

    def verdicts(self, values: NDArray[np.float64]) -> NDArray[np.int8] | None:
        """Pass or fail for each value; None if there is no verdict."""
        raise NotImplementedError


class JudgeConfig(JudgingConfig):
    """A rubric with labels, the first of which passes, or with grades on a scale."""

    labels: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=60)]] | None,
        Field(
            min_length=2,
            max_length=MOST_LABELS,
            title="Labels",
            description="What the judge may say, the best first; the first passes. Empty for a scale.",
        ),
    ] = None
    label_numbers: Annotated[
        list[Annotated[float, Field(ge=-1e12, le=1e12)]] | None,
        Field(
            title="Their numbers",
            description="One for each label; empty for equal steps from 1 to 0.",
        ),
    ] = None
    scale: Annotated[
        list[int] | None,
        Field(min_length=2, max_length=2, title="Scale", description="Lowest and highest grade."),
    ] = None
    threshold: Annotated[
        float | None,
        Field(title="Pass threshold", description="The grade from which an answer passes."),
    ] = None
    unsure: Annotated[
        bool,
        Field(
            title="May be unsure",
            description="The judge may say that the rubric does not decide. This counts as no verdict.",
        ),
    ] = True

    @model_validator(mode="after")
    def _has_verdicts(self) -> "JudgeConfig":
        if self.scale is not None and self.labels is not None:
            raise ValueError("A judge has either labels or a scale.")
        if self.scale is not None and not 1 <= self.scale[1] - self.scale[0] < MOST_STEPS:
            raise ValueError(f"A scale has 2 to {MOST_STEPS} grades, the lowest first.")
        names = [label.strip().casefold() for label in self.labels or ()]
        if len(set(names)) < len(names) or not all(names) or UNSURE in names:
            raise ValueError(f"Every label needs a name of its own, other than “{UNSURE}”.")
        if self.label_numbers is not None and len(self.label_numbers) != len(self.labels or "12"):
            raise ValueError("Give one number for each label.")
        return self

    @property
    def is_pass_fail(self) -> bool:
        return self.scale is None and sorted(self.numbers.values()) == [0, 1]

    @property
    def numbers(self) -> dict[str, float]:
        if self.scale is not None:
            return {str(grade): float(grade) for grade in range(self.scale[1], self.scale[0] - 1, -1)}
        labels = self.labels or ["pass", "fail"]
        steps = self.label_numbers or [1 - n / (len(labels) - 1) for n in range(len(labels))]
        return dict(zip(labels, steps, strict=True))

    @property
    def words(self) -> list[str]:
        return [*self.numbers, *([UNSURE] if self.unsure else [])]

    @property
    def pass_mark(self) -> float | None:
        return self.threshold

    def verdicts(self, values: NDArray[np.float64]) -> NDArray[np.int8] | None:
        """Of pass and fail, what most samples said (a tie is neither); of other labels, whether it is the first."""
        if self.threshold is not None:
            return np.where(values >= self.threshold, PASS, FAIL).astype(np.int8)
        if self.scale is not None:
            return None
        numbers = list(self.numbers.values())
        if not self.is_pass_fail:
            return np.where(values == numbers[0], PASS, FAIL).astype(np.int8)
        passed = np.where((values > 0.5) == (numbers[0] == 1), PASS, FAIL).astype(np.int8)
        return np.where(values == 0.5, np.int8(NO_VERDICT), passed)

    def warnings(self) -> list[str]:
        if self.samples > 1 and self.parameters.get("temperature") == 0:
            return ["With temperature 0, several samples say nearly the same and cost as much as others."]
        return []


class PairJudgeConfig(JudgingConfig):
    """A rubric that compares two answers, {{ first }} and {{ second }}; each pair is judged in both orders."""

    judged: ClassVar[tuple[str, ...]] = ("first", "second")

    @property
    def numbers(self) -> dict[str, float]:
        return {FIRST: 1.0, TIE: 0.5, SECOND: 0.0}

    @property
    def words(self) -> list[str]:
        return [FIRST, SECOND, TIE]

    def verdicts(self, values: NDArray[np.float64]) -> NDArray[np.int8] | None:
        return None


def judge_bounds(config: JudgeConfig) -> Bounds:
    return min(config.numbers.values()), max(config.numbers.values())


def _pair_bounds(config: PairJudgeConfig) -> Bounds:
    return 0.0, 1.0


def _never(config: JudgingConfig, pairs: Pairs) -> Scores:
    raise TypeError("A judge's verdicts are read from their records, never computed.")


def _detail(config: JudgingConfig, actual: JSON, expected: JSON) -> dict[str, Any]:
    return {"note": ABOUT}


judge = Kind(
    key="judge",
    title="Judge",
    family=Family.OUTSIDE,
    summary="A model's verdict by your rubric, with its reason; each is paid",
    description="A model reads your rubric and the answer, and says a reason, then a verdict. Every call is paid, so "
    "nothing is asked before you name a budget. A judge is worth what it is worth against people: check it against "
    "labels before you believe it.",
    source="The verdict is used as the model gave it; nothing is computed.",
    version=1,
    Config=JudgeConfig,
    score=_never,
    detail=_detail,
    bounds=judge_bounds,
    reads_text=False,
    parameters=(),
    is_recorded=True,
)

pair_judge = Kind(
    key="pair_judge",
    title="Pair judge",
    family=Family.OUTSIDE,
    summary="A model's choice between two variants, asked in both orders; each is paid",
    description="A model reads your rubric and the answers of two variants, in both orders. The same choice twice is a "
    "win (1) or a loss (0); a tie, or a choice that depends on the order, is ½. The other variant has ½ on its own "
    "column, so the difference to it is the win rate less one half.",
    source="The verdict is used as the model gave it; nothing is computed.",
    version=1,
    Config=PairJudgeConfig,
    score=_never,
    detail=_detail,
    bounds=_pair_bounds,
    reads_text=False,
    parameters=(),
    is_recorded=True,
)


def mean_of(values: Sequence[float]) -> float:
    """The score of an answer: the mean of its samples."""
    return sum(values) / len(values)
