"""The kind `numeric_match`: the number in the output (by default the last), exactly or within a tolerance.

Version 1 read runs of digits, commas and a point; version 2 reads numbers as `metrics/number_reader.py` does.
"""

from dataclasses import replace
from decimal import Decimal
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, field_validator

from evaluations.kinds import explain
from evaluations.kinds.config import Config
from evaluations.kinds.kind import Family, Kind
from evaluations.kinds.pairs import Pairs
from evaluations.kinds.scores import Scores
from evaluations.linear import Pattern, without_surrogates
from evaluations.metrics import number_reader, numbers, patterns, scales
from evaluations.values import JSON, text_of

NO_NUMBER = "no_number: There is no number in the expected value."


MOST_SHOWN = 60  # characters of a number in an explanation
BEFORE = 6  # characters before a number in which its currency stands
MONEY = Pattern(r"(?:\p{Sc}|\b\p{Lu}{3}) ?[-−]?[\d.,' \x{a0}]+$")


class ReadsNumber(Config):
    """Which number of a text counts."""

    extract: Annotated[
        str,
        Field(
            min_length=1,
            max_length=1_000,
            title="Which number",
            description="last_number: the last number in the text; whole: the text is the number; or a "
            "pattern (RE2) with one group around the number.",
            examples=["last_number", "whole", r"answer is (-?[\d,.]+)"],
        ),
    ] = "last_number"

    @field_validator("extract")
    @classmethod
    def _has_one_group(cls, extract: str) -> str:
        if extract not in ("last_number", "whole") and patterns.compile(extract).groups != 1:
            raise ValueError("The pattern must have exactly one group, around the number.")
        return extract


class NumericMatchConfig(ReadsNumber):
    tolerance: Annotated[
        float,
        Field(ge=0, title="Tolerance", description="The largest difference allowed; 0 for none."),
    ] = 0.0
    relative: Annotated[
        bool,
        Field(
            title="Tolerance is relative",
            description="The tolerance is a fraction of the expected number: 0.01 is one per cent.",
        ),
    ] = False

    @property
    def pass_mark(self) -> float:
        return 1.0

    def written(self, value: JSON) -> str | None:
        """The number as it is written in a value, or None."""
        if numbers.of_value(value) is not None:
            return repr(value)
        text = text_of(value) or ""
        if self.extract == "last_number":
            return numbers.last(text)
        if self.extract == "whole":
            return numbers.whole(text)
        match = patterns.compile(self.extract).search(without_surrogates(text))
        return match[1] if match else None

    def number(self, value: JSON) -> Decimal | None:
        """The exact number in a value: a JSON number itself, or the one found in a text."""
        number = numbers.of_value(value)
        if number is not None:
            return number
        written = self.written(value)
        return None if written is None else numbers.decimal(written)


class NumericMatchConfig2(NumericMatchConfig):
    decimal: Annotated[
        Literal["auto", "point", "comma"],
        Field(
            title="Decimal sign",
            description="auto: a point, or a comma that can mean nothing else (3,14); point; or comma, as in 1.234,5.",
        ),
    ] = "auto"
    percent: Annotated[
        Literal["number", "fraction"],
        Field(title="Percent", description="Whether 45 % is read as 45 (number) or as 0.45 (fraction)."),
    ] = "number"
    scale: Annotated[
        Literal["ignored", "read"],
        Field(
            title="Size in words",
            description="Whether “1.2 million”, “$1.2M” and “3 Mrd.” are read as 1.2, 1.2 and 3 (ignored) or with "
            "the size that is said (read).",
        ),
    ] = "ignored"

    def written(self, value: JSON) -> str | None:
        """The number as it is written in a value, or None."""
        if numbers.of_value(value) is not None:
            return repr(value)
        read = self._read(self._part(text_of(value) or ""))
        return read.written if read else None

    def number(self, value: JSON) -> Decimal | None:
        """The exact number in a value: a JSON number itself, or the one that was read in a text."""
        number = numbers.of_value(value)
        if number is not None:
            return number
        text = self._part(text_of(value) or "")
        read = self._read(text)
        if read is None:
            return None
        return read.value.scaleb(self._power(text, read))

    def _power(self, text: str, read: number_reader.Number) -> int:
        """The power of ten that is said behind a number."""
        if number_reader.is_percent(text, read):
            return -2 if self.percent == "fraction" else 0
        if self.scale == "ignored":
            return 0
        before = text[max(0, read.start - BEFORE) : read.end]
        return scales.power_of(text[read.end :], is_money=MONEY.search(before) is not None)

    def _part(self, text: str) -> str:
        """The text itself, or what the pattern's group matched."""
        if self.extract not in ("last_number", "whole"):
            match = patterns.compile(self.extract).search(without_surrogates(text))
            text = (match[1] or "") if match else ""
        return number_reader.from_latex(text)

    def _read(self, text: str) -> number_reader.Number | None:
        if self.extract == "last_number":
            return number_reader.last(text, self.decimal)
        return number_reader.whole(text, self.decimal)


def score(config: NumericMatchConfig, pairs: Pairs) -> Scores:
    """1.0 if the numbers are close. Without an actual number: 0.0; without an expected one: an error."""
    tolerance = Decimal(repr(config.tolerance))
    values, errors = np.zeros(len(pairs)), {}
    for row, sides in enumerate(zip(pairs.actual, pairs.expected, strict=True)):
        actual, expected = map(config.number, sides)
        if expected is None:
            errors[row] = NO_NUMBER
        elif actual is not None:
            values[row] = numbers.close(actual, expected, tolerance, relative=config.relative)
    return Scores.scored(values, values == 1.0, errors=errors)


def detail(config: NumericMatchConfig, actual: JSON, expected: JSON) -> dict[str, Any]:
    blocks: dict[str, Any] = {
        "compared": explain.compared(text_of(actual) or "", text_of(expected) or ""),
        "numbers": {"actual": config.written(actual), "expected": config.written(expected)},
    }
    actual_number, expected_number = config.number(actual), config.number(expected)
    if expected_number is None:
        return blocks | {"note": NO_NUMBER}
    if actual_number is None:
        return blocks | {"formula": "There is no number in the output: 0"}
    equal = numbers.close(
        actual_number, expected_number, Decimal(repr(config.tolerance)), relative=config.relative
    )
    return blocks | {"formula": _formula(config, blocks["numbers"], equal)}


def _formula(config: NumericMatchConfig, sides: dict[str, str], equal: bool) -> str:
    sign = "≠" if not equal else "≈" if config.tolerance else "="
    within = ""
    if config.tolerance:
        within = f" (tolerance {config.tolerance:g}{' of the expected number' if config.relative else ''})"
    actual, expected = (_as_read(config, sides[side]) for side in ("actual", "expected"))
    return f"{actual} {sign} {expected}{within}: {float(equal):g}"


def _as_read(config: NumericMatchConfig, written: str) -> str:
    """The number as it is written, and what it was read as if that differs: "−7 from “−$7”"."""
    if not isinstance(config, NumericMatchConfig2):
        return written
    number = config.number(written)
    if number is None or len(written) > MOST_SHOWN:
        return written
    read = f"{number:f}".replace("-", "−")
    return read if read == written else f"{read} (read from “{written}”)"


numeric_match_1 = Kind(
    key="numeric_match",
    title="Numeric match",
    family=Family.STRUCTURE,
    summary="The same number, within a tolerance",
    description="Whether the number in the output is the expected one: by default the last number of the "
    "text, as in step-by-step calculations. Values are compared, so 1,242 equals 1242.00; a tolerance can be "
    "allowed.",
    source="GSM8K-style benchmarks (Inspect, lm-evaluation-harness): the last number of the answer counts.",
    version=1,
    Config=NumericMatchConfig,
    score=score,
    detail=detail,
    reads_text=False,
    binary=True,
    takes=lambda config, actual: config.written(actual),
)

numeric_match = replace(numeric_match_1, version=2, Config=NumericMatchConfig2, earlier=numeric_match_1)
