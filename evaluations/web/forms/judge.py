"""The editor of a judge: its rubric, what it may say, the model, and the run on which it is tried."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django import forms

from evaluations.errors import Invalid, Refusal
from evaluations.judges import rubrics
from evaluations.judges.presets import Preset
from evaluations.kinds import Kind
from evaluations.kinds.config import ConfigError
from evaluations.kinds.judge import LONGEST_RUBRIC, MOST_SAMPLES, PARAMETERS, JudgingConfig, pair_judge
from evaluations.linear import Pattern
from evaluations.models import Connection, Evaluator, Project, Run
from evaluations.values import LONGEST_NAME

from .form import Form
from .number import AmountField, NumberField

ANSWERS = [("pass_fail", "Pass or fail"), ("labels", "Other labels"), ("scale", "A scale")]
MOST_OFFERED = 50  # runs
TRY_BUDGET = "0.05"
TRY_CALLS = 50
VERDICTS = Pattern(r"(?i)(?:^|\n)\s*(?:pass|fail)\s*:")  # as the presets begin their lines


class JudgeForm(Form):
    """Fields of a judge. A rubric of several messages keeps all but the last one, which is edited here."""

    object_fields = ("connection", "on")
    guards = True
    seen = ""  # the page names the version instead

    name = forms.CharField(max_length=LONGEST_NAME, label="Name")
    rubric = forms.CharField(
        max_length=LONGEST_RUBRIC,
        widget=forms.Textarea(attrs={"rows": 11, "spellcheck": "true", "class": "input rubric"}),
        help_text="Every text is fenced as data; what an answer says to the judge is not an order.",
    )
    answers = forms.ChoiceField(choices=ANSWERS, initial="pass_fail", required=False, label="It may say")
    labels = forms.CharField(
        max_length=600,
        required=False,
        label="Labels",
        help_text="As in good = 1, fair = 0.5, bad = 0; the first one passes.",
    )
    minimum = forms.IntegerField(required=False, label="Scale from", initial=1)
    maximum = forms.IntegerField(required=False, label="to", initial=5)
    connection = forms.ChoiceField(required=False, label="Connection")
    model = forms.CharField(
        max_length=LONGEST_NAME,
        label="Model",
        widget=forms.TextInput({"list": "models", "spellcheck": "false", "autocomplete": "off"}),
    )
    temperature = NumberField(required=False, min_value=0, max_value=2, initial=0, label="Temperature")
    longest = forms.IntegerField(
        min_value=1, max_value=100_000, initial=PARAMETERS["max_completion_tokens"], label="Max tokens"
    )
    samples = forms.IntegerField(
        min_value=1, max_value=MOST_SAMPLES, initial=1, label="Samples", help_text="The score is their mean."
    )
    on = forms.ChoiceField(required=False, label="Answers of")
    against = forms.ChoiceField(required=False, label="Against")
    budget = AmountField(
        required=False,
        label="Spend at most",
        help_text=f"Empty: {TRY_BUDGET}, or {TRY_CALLS} calls of a model without a price.",
    )

    def __init__(
        self,
        form_data: Any,
        *,
        project: Project,
        kind: Kind,
        runs: Sequence[Run],
        config: dict[str, Any],
        **more: Any,
    ) -> None:
        super().__init__(form_data, **more)
        self.kind, self.config_before = kind, config
        servers = Connection.objects.live().filter(project=project).order_by("name")
        named = [(str(server.pk), server.name) for server in servers]
        self.choice_field("connection").choices = [("", "the project’s default"), *named]
        self.fields["budget"].label = f"Spend at most, {project.currency}"
        self.runs = {str(run.pk): run for run in runs}
        listed = [(pk, f"{run.experiment.name}: {run.variant}") for pk, run in self.runs.items()]
        self.choice_field("on").choices = [("", "choose a run"), *listed]
        self.choice_field("against").choices = [("", "choose a run"), *listed]
        if kind.key == pair_judge.key:
            for name in ("answers", "labels", "minimum", "maximum"):
                del self.fields[name]
        else:
            del self.fields["against"]

    @property
    def run(self) -> Run | None:
        return self.runs.get(self.cleaned_data.get("on", ""))

    @property
    def other(self) -> Run | None:
        return self.runs.get(self.cleaned_data.get("against", ""))

    @property
    def connection_id(self) -> int | None:
        chosen = self.cleaned_data["connection"]
        return int(chosen) if chosen else None

    def config(self, preset: str | None) -> dict[str, Any]:
        """The settings of the judge; what has no field keeps its value."""
        filled = self.cleaned_data
        parameters = dict(self.config_before.get("parameters", {}))
        parameters = {name: value for name, value in parameters.items() if name != "temperature"}
        length = "max_tokens" if "max_tokens" in parameters else "max_completion_tokens"
        parameters[length] = filled["longest"]
        if filled["temperature"] is not None:
            parameters["temperature"] = filled["temperature"]
        messages = list(self.config_before.get("messages", []))[:-1]
        config = {name: value for name, value in self.config_before.items() if name not in CHOSEN}
        config |= {
            "messages": [*messages, {"role": "user", "content": filled["rubric"].replace("\r\n", "\n")}],
            "model": filled["model"],
            "parameters": parameters,
            "samples": filled["samples"],
            "preset": preset or self.config_before.get("preset"),
        }
        return config | ({} if self.kind.key == pair_judge.key else self._answers())

    def typed_answers(self) -> dict[str, Any]:
        """What the judge may say, as it is typed; nothing of a form that was not sent. Raises `Invalid`."""
        lacks = (
            not self.is_bound or not {"answers", "labels", "minimum", "maximum"} <= self.cleaned_data.keys()
        )
        return {} if lacks else self._answers()

    def _answers(self) -> dict[str, Any]:
        filled = self.cleaned_data
        if filled["answers"] == "scale":
            return {
                "scale": [filled["minimum"] or 0, filled["maximum"] or 0],
                "labels": None,
                "label_numbers": None,
            }
        if filled["answers"] == "labels":
            return {"scale": None} | _labels(filled["labels"])
        return {"scale": None, "labels": ["pass", "fail"], "label_numbers": None}


@dataclass(frozen=True)
class Added:
    """What Evalsite says to a judge besides its rubric; and how the rubric contradicts it, "" if it does not."""

    instruction: str
    contradiction: str = ""


def added(form: JudgeForm, config: dict[str, Any]) -> Added:
    """Of the judge as it is typed; of its stored `config` as long as what is typed cannot be."""
    typed, rubric = dict(config), config["messages"][-1]["content"]
    if form.is_bound:
        form.is_valid()
        rubric = form.cleaned_data.get("rubric", "")
    try:
        parsed = form.kind.parse(typed | form.typed_answers())
    except (Refusal, ConfigError):  # half typed
        parsed = form.kind.parse(typed)
    assert isinstance(parsed, JudgingConfig)
    return Added(rubrics.instruction(parsed), _contradiction(rubric, parsed.words))


def _contradiction(rubric: str, words: Sequence[str]) -> str:
    """A rubric that says what passes and fails, for a judge that may say neither."""
    if not VERDICTS.search(rubric) or {"pass", "fail"} & {word.casefold() for word in words}:
        return ""
    listed = ", ".join(words)
    return (
        f"The rubric says what passes and what fails; the judge may say only {listed}. Say what each means."
    )


CHOSEN = ("messages", "model", "parameters", "samples", "preset", "labels", "label_numbers", "scale")


def _labels(text: str) -> dict[str, Any]:
    """Labels with their numbers, or without any."""
    parts = [part.partition("=") for part in text.split(",") if part.strip()]
    names = [name.strip() for name, _, _ in parts]
    numbers = [number.strip() for _, _, number in parts]
    if not any(numbers):
        return {"labels": names, "label_numbers": None}
    try:
        return {"labels": names, "label_numbers": [float(number) for number in numbers]}
    except ValueError as wrong:
        message = "Write each label with its number, as in good = 1, fair = 0.5, bad = 0, or all without."
        raise Invalid("invalid_config", message, fields={"labels": [message]}) from wrong


def initial_of(evaluator: Evaluator | None, config: dict[str, Any], preset: Preset) -> dict[str, Any]:
    """What the fields begin with: those of a judge, or a preset."""
    if evaluator is None:
        return {"name": preset.title, "rubric": preset.rubric}
    labels, numbers, scale = config.get("labels"), config.get("label_numbers"), config.get("scale")
    parameters = config.get("parameters", {})
    is_usual = (labels or ["pass", "fail"]) == ["pass", "fail"] and not numbers
    low, high = scale or (1, 5)
    return {
        "name": evaluator.name,
        "rubric": config["messages"][-1]["content"],
        "answers": "scale" if scale else "pass_fail" if is_usual else "labels",
        "labels": ", ".join(
            f"{name} = {number:g}" for name, number in zip(labels or (), numbers or (), strict=False)
        )
        or ", ".join(labels or ()),
        "minimum": low,
        "maximum": high,
        "connection": evaluator.connection_id or "",
        "model": config["model"],
        "temperature": parameters.get("temperature"),
        "longest": parameters.get("max_completion_tokens") or parameters.get("max_tokens"),
        "samples": config.get("samples", 1),
    }
