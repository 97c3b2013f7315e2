"""The reading steps: each takes a value and gives the part of it that is the answer, or raises `NotFound`.

Every step takes time in proportion to the text. Their settings are checked by pydantic when an evaluator is saved.
"""

import unicodedata
from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, field_validator

from evaluations import fences, jsonpath, linear, strict_json
from evaluations.mapping import (
    abstentions,
    calls,
    dates,
    listings,
    mathematics,
    quantities,
    reasoning,
    refusals,
    times,
    written_values,
)
from evaluations.mapping.choice import Choice
from evaluations.mapping.step import NotFound, Step
from evaluations.metrics import patterns
from evaluations.values import JSON, opened_json, text_of

LONGEST_SETTING = 1_000


class Reasoning(Step):
    """Drops blocks of reasoning at the beginning; an unclosed one leaves nothing."""

    step: Literal["reasoning"]

    def skips(self, value: JSON) -> bool:
        return (
            isinstance(value, str) and "</think>" not in value and value.lstrip()[:1] not in ("<", "[", "◁")
        )

    def read(self, value: JSON) -> JSON:
        if isinstance(value, str) and (answer := reasoning.after_one_block(value)):
            return answer
        _, answer = reasoning.split_reasoning(text_of(value) or "")
        if not answer:
            raise NotFound("there is nothing after the reasoning")
        return answer


class Json(Step):
    """The whole text as JSON, else the first fenced block that is JSON, else the first object or list in the text.

    With `take` "list", an object with one field, a list, is that list: {"entities": [1, 2]} is [1, 2].
    """

    step: Literal["json"]
    take: Literal["list"] | None = None

    def read(self, value: JSON) -> JSON:
        found = self._found(value) if isinstance(value, str) else value
        if self.take == "list" and isinstance(found, dict) and len(found) == 1:
            [inner] = found.values()
            return inner if isinstance(inner, list) else found
        return found

    def _found(self, text: str) -> JSON:
        for candidate in _json_candidates(text):
            try:
                found: JSON = strict_json.parse(candidate.encode())
            except (strict_json.JSONError, UnicodeEncodeError):
                continue
            return found
        raise NotFound("there is no JSON")


def _json_candidates(text: str) -> Iterator[str]:
    yield text
    yield from (content for _, content in fences.fenced_blocks(text))
    yield from fences.balanced(text)


class Record(Step):
    """An object of fields of another one, under other names; texts that are JSON objects or lists are opened."""

    step: Literal["record"]
    fields: Annotated[
        dict[
            Annotated[str, Field(min_length=1, max_length=200)],
            Annotated[str, Field(min_length=1, max_length=200)],
        ],
        Field(min_length=1, max_length=100),
    ]

    def read(self, value: JSON) -> JSON:
        given = opened_json(value)
        if not isinstance(given, dict) or not any(
            given.get(name) is not None for name in self.fields.values()
        ):
            raise NotFound("there is none of the fields")
        return {field: opened_json(given[name]) for field, name in self.fields.items() if name in given}


class Path(Step):
    """A path into the JSON that an earlier step found."""

    step: Literal["path"]
    path: Annotated[str, Field(min_length=1, max_length=LONGEST_SETTING)]

    @field_validator("path")
    @classmethod
    def _compiles(cls, path: str) -> str:
        try:
            jsonpath.compile(path)
        except jsonpath.PathError as error:
            raise ValueError(str(error)) from error
        return path

    @cached_property
    def _compiled(self) -> jsonpath.Path:
        return jsonpath.compile(self.path)

    def read(self, value: JSON) -> JSON:
        try:
            matches = self._compiled.find(value) if isinstance(value, dict | list) else []
        except jsonpath.PathLimitError as error:
            raise NotFound(f"{self.path} was stopped: {error}") from error
        if not matches:
            raise NotFound(f"{self.path} matches nothing")
        match: JSON = matches[0]
        return match


class Code(Step):
    """The content of the first fenced block."""

    step: Literal["code"]

    def read(self, value: JSON) -> JSON:
        for _, content in fences.fenced_blocks(text_of(value) or ""):
            return content
        raise NotFound("there is no fenced block")


class Pattern(Step):
    """What a pattern (RE2) matches: a group, of the first or the last match; of all matches, a list, each text once."""

    step: Literal["pattern"]
    pattern: Annotated[str, Field(min_length=1, max_length=LONGEST_SETTING)]
    group: Annotated[int, Field(ge=0, le=50)] | None = None
    match: Literal["first", "last", "all"] = "first"

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, pattern: str) -> str:
        patterns.compile(pattern)
        return pattern

    @cached_property
    def _compiled(self) -> Any:
        return patterns.compile(self.pattern)

    @property
    def _group(self) -> int:
        """The group that is read: by default the first, or the whole match of a pattern without groups."""
        groups: int = self._compiled.groups
        return min(1 if self.group is None else self.group, groups)

    def read(self, value: JSON) -> JSON:
        text = linear.without_surrogates(text_of(value) or "")
        matches = [*islice(self._compiled.finditer(text), 1 if self.match == "first" else None)]
        chosen = matches[-1:] if self.match == "last" else matches
        found = [str(match[self._group]) for match in chosen if match[self._group] is not None]
        if not found:
            raise NotFound("the pattern matches nothing")
        return [*dict.fromkeys(found)] if self.match == "all" else found[0]


class After(Step):
    """What stands after the last occurrence of a marker."""

    step: Literal["after"]
    marker: Annotated[str, Field(min_length=1, max_length=LONGEST_SETTING)]

    def read(self, value: JSON) -> JSON:
        _, marker, rest = (text_of(value) or "").rpartition(self.marker)
        if not marker:
            raise NotFound(f"“{self.marker}” does not occur")
        return rest.strip()


class Items(Step):
    """The members of a list: of JSON, also in a fence; else of lines with bullets or numbers, else between commas."""

    step: Literal["items"]

    def read(self, value: JSON) -> JSON:
        found: list[JSON] = [*listings.members(value)]
        if not found and listings.listed_json(value) is None:
            raise NotFound("there is no list")
        return found


class Date(Step):
    """The last or the first date, as YYYY-MM-DD; in 3/5/2021 the day or the month comes first."""

    step: Literal["date"]
    match: Literal["last", "first"] | None = None
    order: Literal["day", "month"] | None = None

    def read(self, value: JSON) -> JSON:
        text = linear.without_surrogates(text_of(value) or "")
        days = [str(day) for *_, day in dates.found(text, month_first=self.order == "month")]
        if not days:
            raise NotFound("there is no date")
        return days[0 if self.match == "first" else -1]


class Time(Step):
    """The last or the first time of the day, as HH:MM."""

    step: Literal["time"]
    match: Literal["last", "first"] | None = None

    def read(self, value: JSON) -> JSON:
        written = [time for *_, time in times.found(linear.without_surrogates(text_of(value) or ""))]
        if not written:
            raise NotFound("there is no time")
        return written[0 if self.match == "first" else -1]


class Quantity(Step):
    """The last or the first number with a unit, in the base unit of its kind: 4 kg and 4,000 g are "4000 g"."""

    step: Literal["quantity"]
    match: Literal["last", "first"] | None = None

    def read(self, value: JSON) -> JSON:
        written = quantities.found(linear.without_surrogates(text_of(value) or ""))
        if not written:
            raise NotFound("there is no number with a unit")
        return written[0 if self.match == "first" else -1]


class Abstention(Step):
    """“unanswerable” for an answer that says that there is none, in whatever words; any other value as it is."""

    step: Literal["abstention"]

    def read(self, value: JSON) -> JSON:
        return abstentions.UNANSWERABLE if abstentions.says_nothing(text_of(value) or "") else value

    def ends(self, value: JSON) -> bool:
        return value == abstentions.UNANSWERABLE


class Refusal(Step):
    """“refuse” for an answer that declines what was asked, “answer” for any other."""

    step: Literal["refusal"]

    def read(self, value: JSON) -> JSON:
        return refusals.REFUSE if refusals.declines(text_of(value) or "") else refusals.ANSWER


class Value(Step):
    """A short text as a whole in one way of writing: a date, a time, a quantity, an amount of money, else its words."""

    step: Literal["value"]

    def read(self, value: JSON) -> JSON:
        return written_values.written(linear.without_surrogates(text_of(value) or ""))


class Calls(Step):
    """The calls of functions that an answer writes as Python or as JSON does, as objects; any other value as it is."""

    step: Literal["calls"]

    def read(self, value: JSON) -> JSON:
        listed: list[JSON] = [*calls.found(text_of(value) or "")]
        return listed or value


class Line(Step):
    """The first or the last line that is not blank."""

    step: Literal["first_line", "last_line"]

    def read(self, value: JSON) -> JSON:
        lines = (text_of(value) or "").splitlines()
        line = next(
            (line for line in (lines if self.step == "first_line" else reversed(lines)) if line.strip()), None
        )
        if line is None:
            raise NotFound("there is no line")
        return line.strip()


class Math(Step):
    """The answer of a solution in mathematics, in one way of writing."""

    step: Literal["math"]

    def read(self, value: JSON) -> JSON:
        found = mathematics.answer(linear.without_surrogates(text_of(value) or ""))
        if not found:
            raise NotFound("there is no answer")
        return found


class Normalize(Step):
    """The text in a form in which differences of writing do not count."""

    step: Literal["normalize"]
    unicode: Literal["NFC", "NFD", "NFKC", "NFKD"] | None = None
    case: Literal["fold", "lower"] | None = None
    whitespace: Literal["collapse", "remove"] | None = None
    punctuation: Literal["remove"] | None = None
    articles: Literal["en"] | None = None

    def read(self, value: JSON) -> JSON:
        text = text_of(value) or ""
        if self.unicode:
            text = unicodedata.normalize(self.unicode, text)
        if self.case:
            text = text.casefold() if self.case == "fold" else text.lower()
        if self.punctuation:
            text = "".join(sign for sign in text if not unicodedata.category(sign).startswith("P"))
        if self.articles:
            text = " ".join(word for word in text.split(" ") if word.lower() not in ("a", "an", "the"))
        if self.whitespace:
            text = ("" if self.whitespace == "remove" else " ").join(text.split())
        return text


SimpleStep: TypeAlias = Reasoning | Abstention | Refusal | Json | Code | Items | Value | Calls | Line | Math
AnyStep: TypeAlias = Annotated[
    SimpleStep | Record | Path | Date | Time | Quantity | Pattern | After | Choice | Normalize,
    Field(discriminator="step"),
]
