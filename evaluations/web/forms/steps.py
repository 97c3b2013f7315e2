"""Reading steps as fields: a list of steps that can be added, removed and moved, each with settings of its own.

A form posts `<name>_step` once for each step, and its settings as `<name>_<number>_<setting>`. A button `steps` with
the value "<name> add", "<name> remove 2", "<name> up 2" or "<name> down 2" changes the list and saves nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from django import forms

from evaluations.mapping.reading import MOST_STEPS, ReadingError, compile_steps

BUTTON = "steps"
Step = str | dict[str, Any]  # a step without settings is its name


@dataclass(frozen=True)
class Setting:
    """A setting of a step; with `choices` the first one, which has no value, leaves it out."""

    name: str
    label: str
    shape: Literal["text", "lines", "pairs", "number", "choice"] = "text"
    choices: tuple[tuple[str, str], ...] = ()
    hint: str = ""


@dataclass(frozen=True)
class StepType:
    """A step that can be added."""

    key: str
    title: str
    hint: str
    settings: tuple[Setting, ...] = ()


FORMS = (
    ("", "as it is"),
    ("NFC", "NFC: é is one sign"),
    ("NFKC", "NFKC: ² is 2, too"),
    ("NFD", "NFD"),
    ("NFKD", "NFKD"),
)
TYPES = (
    StepType(
        "reasoning",
        "Drop the reasoning",
        "<think>…</think> and the like at the beginning; what is left is read.",
    ),
    StepType(
        "json",
        "Find the JSON",
        "The whole text, else the first fenced block or value that is JSON.",
        (
            Setting(
                "take", "An object around a list", "choice", (("", "stays"), ("list", "is read as its list"))
            ),
        ),
    ),
    StepType(
        "path",
        "Follow a path",
        "Into the JSON that an earlier step found.",
        (Setting("path", "Path", hint="$.answer.city"),),
    ),
    StepType("code", "Take the fenced block", "What stands in the first fence."),
    StepType(
        "record",
        "Take fields under other names",
        "Of an object such as all reference columns; texts that are JSON are opened.",
        (Setting("fields", "Fields", "pairs", hint="name = expected_tool"),),
    ),
    StepType("items", "List the members", "Of JSON, of lines with bullets or numbers, or between commas."),
    StepType("calls", "Read calls of functions", "As Python writes them: find(city='Oslo', days=3)."),
    StepType(
        "date",
        "Find the date",
        "However it is written, as YYYY-MM-DD: 3 May 2021, May 3, 2021, 3/5/2021.",
        (
            Setting("match", "Of several dates", "choice", (("", "the last"), ("first", "the first"))),
            Setting("order", "3/5/2021 is", "choice", (("", "3 May"), ("month", "March 5"))),
        ),
    ),
    StepType(
        "time",
        "Find the time",
        "However it is written, as HH:MM: 3:45 PM, 15h45, noon.",
        (Setting("match", "Of several times", "choice", (("", "the last"), ("first", "the first"))),),
    ),
    StepType(
        "quantity",
        "Find the number with a unit",
        "In one unit of its kind, so that 4 kg, 4,000 g and 4 kilograms are the same.",
        (Setting("match", "Of several", "choice", (("", "the last"), ("first", "the first"))),),
    ),
    StepType(
        "abstention",
        "Read that there is no answer",
        "“The text does not say.”, “N/A” and the like as “unanswerable”; other answers stay.",
    ),
    StepType(
        "refusal",
        "Read whether the answer refuses",
        "“I'm sorry, but I can't help with that.” as “refuse”, any other answer as “answer”.",
    ),
    StepType(
        "value",
        "Write a short text in one way",
        "Whatever it is: 3 May 2021, 1.234,50 € and 4 kg as 2021-05-03, 1234.5 and 4000 g; words in lower case.",
    ),
    StepType(
        "math",
        "Find the answer of a solution",
        r"What is boxed, else the last formula; \frac12, \dfrac{1}{2}, 1/2 and 0.5 are the same.",
    ),
    StepType(
        "pattern",
        "Match a pattern",
        "What a regular expression (RE2) matches: its first group, or the whole match.",
        (
            Setting("pattern", "Pattern", hint=r"total: (\d+)"),
            Setting("group", "Group", "number", hint="Empty: the first group."),
            Setting(
                "match",
                "Of several matches",
                "choice",
                (("first", "the first"), ("last", "the last"), ("all", "all, as a list")),
            ),
        ),
    ),
    StepType(
        "after",
        "Take what follows a marker",
        "The text after the last place where the marker stands.",
        (Setting("marker", "Marker", hint="####"),),
    ),
    StepType("first_line", "Take the first line", "The first one that is not blank."),
    StepType("last_line", "Take the last line", "The last one that is not blank."),
    StepType(
        "choice",
        "Find one of the labels",
        "Alone, after “answer”, in brackets or bold, or as the only one in the text.",
        (
            Setting("labels", "Labels", "lines", hint="One per line."),
            Setting("also", "Other words for labels", "pairs", hint="One per line, such as yes = true."),
            Setting("take", "Of several", "choice", (("", "the answer"), ("all", "all, as a list"))),
        ),
    ),
    StepType(
        "normalize",
        "Even out the writing",
        "Differences that should not count.",
        (
            Setting("unicode", "Unicode form", "choice", FORMS),
            Setting(
                "case",
                "Case",
                "choice",
                (("", "as it is"), ("lower", "lower case"), ("fold", "folded: ß is ss")),
            ),
            Setting(
                "whitespace",
                "Blanks",
                "choice",
                (("", "as they are"), ("collapse", "any number is one"), ("remove", "none counts")),
            ),
            Setting("punctuation", "Punctuation", "choice", (("", "as it is"), ("remove", "removed"))),
            Setting("articles", "Articles", "choice", (("", "as they are"), ("en", "a, an, the removed"))),
        ),
    ),
)
BY_KEY = {kind.key: kind for kind in TYPES}


@dataclass(frozen=True)
class Filled:
    """A setting with the name of its field and its value as text."""

    setting: Setting
    html_name: str
    value: str


@dataclass(frozen=True)
class Row:
    """A step of the list, as the page shows it."""

    number: int
    kind: StepType
    settings: list[Filled]
    is_first: bool
    is_last: bool


class StepsWidget(forms.Widget):
    """Reads the list of steps from the fields of a form, with the change that a button asks for."""

    def value_from_datadict(self, data: Mapping[str, Any], files: Any, name: str) -> list[Step]:
        if isinstance(data.get(name), list):
            return list(data[name])
        keys = data.getlist(f"{name}_step") if hasattr(data, "getlist") else []
        steps = [_read(data, f"{name}_{number}", key) for number, key in enumerate(keys) if key in BY_KEY]
        return _changed(steps, name, data)

    def value_omitted_from_data(self, data: Mapping[str, Any], files: Any, name: str) -> bool:
        return False


def _read(data: Mapping[str, Any], prefix: str, key: str) -> Step:
    step: dict[str, Any] = {"step": key}
    for setting in BY_KEY[key].settings:
        text = data.get(f"{prefix}_{setting.name}", "")
        if setting.shape == "lines":
            step[setting.name] = [line.strip() for line in text.splitlines() if line.strip()]
        elif setting.shape == "pairs":
            lines = [line.partition("=") for line in text.splitlines() if line.strip()]
            step |= {setting.name: {word.strip(): other.strip() for word, _, other in lines}} if lines else {}
        elif setting.shape == "number":
            number = text.strip()
            step |= (
                {setting.name: int(number) if number.isdecimal() and len(number) < 9 else number}
                if number
                else {}
            )
        elif text:
            step[setting.name] = text
    return step if BY_KEY[key].settings else key


def _changed(steps: list[Step], name: str, data: Mapping[str, Any]) -> list[Step]:
    """The steps after the button that was pressed; a number that does not exist changes nothing."""
    side, _, change = data.get(BUTTON, "").partition(" ")
    if side != name:
        return steps
    verb, _, number = change.partition(" ")
    if verb == "add" and data.get(f"{name}_add") in BY_KEY:
        key = data[f"{name}_add"]
        return [*steps, {"step": key} if BY_KEY[key].settings else key]
    at = int(number) if number.isdecimal() and len(number) < 4 else len(steps)
    if at >= len(steps):
        return steps
    moved = steps.pop(at)
    if verb != "remove":
        steps.insert(max(0, at - 1) if verb == "up" else at + 1, moved)
    return steps


class StepsField(forms.Field):
    """The reading steps of a side, as the mapping has them."""

    widget = StepsWidget

    def clean(self, value: Any) -> list[Step]:
        try:
            compile_steps(value)
        except ReadingError as error:
            number = error.pointer.lstrip("/").partition("/")[0]
            where = f"Step {int(number) + 1}, " if number.isdecimal() else ""
            raise forms.ValidationError(f"{where}{error}") from error
        return list(value)


@dataclass(frozen=True)
class ShownSteps:
    """The steps of a side with what the page needs around them."""

    name: str
    label: str
    rows: list[Row]
    errors: Any
    types: tuple[StepType, ...] = TYPES

    @property
    def is_full(self) -> bool:
        return len(self.rows) >= MOST_STEPS


def shown(field: forms.BoundField) -> ShownSteps:
    """The list of a bound field; a stored step may be only a name."""
    steps = [step if isinstance(step, dict) else {"step": step} for step in field.value() or []]
    rows = [
        Row(
            number,
            BY_KEY[step["step"]],
            [
                Filled(setting, f"{field.html_name}_{number}_{setting.name}", _text(step.get(setting.name)))
                for setting in BY_KEY[step["step"]].settings
            ],
            is_first=number == 0,
            is_last=number == len(steps) - 1,
        )
        for number, step in enumerate(steps)
    ]
    errors = list(field.errors)
    if field.form.is_bound and _adds_nothing(field.form.data, field.html_name):
        errors.append("Choose the step to add.")
    return ShownSteps(field.html_name, str(field.label), rows, errors)


def _adds_nothing(data: Mapping[str, Any], name: str) -> bool:
    return data.get(BUTTON) == f"{name} add" and data.get(f"{name}_add") not in BY_KEY


def _text(value: Any) -> str:
    if isinstance(value, dict):
        value = [f"{word} = {other}" for word, other in value.items()]
    if isinstance(value, list):
        return "\n".join(map(str, value))
    return "" if value is None else str(value)
