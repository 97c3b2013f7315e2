"""The facts about a variant: common ones in fields of their own, others as JSON."""

from itertools import groupby
from typing import Any

from django import forms

from evaluations.models import Project, PromptVersion, Run
from evaluations.values import JSON, LONGEST_NAME, stored_json

from .form import Form
from .json_field import JSONField

TEXTS = ("model", "commit", "link", "notes")


class AboutForm(Form):
    """`about` are the filled fields."""

    guards = True

    object_fields = ("prompt",)

    prompt = forms.ChoiceField(required=False, help_text="The version that was asked.")
    model = forms.CharField(
        max_length=LONGEST_NAME,
        required=False,
        help_text="The model that answered.",
        widget=forms.TextInput({"spellcheck": "false"}),
    )
    parameters = JSONField(
        dict,
        help_text='A JSON object: {"temperature": 0}.',
        rows=2,
    )
    commit = forms.CharField(
        max_length=200,
        required=False,
        help_text="Of the code that made the outputs.",
        widget=forms.TextInput({"spellcheck": "false"}),
    )
    link = forms.CharField(
        max_length=2_000,
        required=False,
        help_text="To the pull request, the ticket or the job.",
        widget=forms.TextInput({"inputmode": "url", "spellcheck": "false"}),
    )
    notes = forms.CharField(
        max_length=10_000,
        required=False,
        help_text="What you changed, and what you expect of it.",
        widget=forms.Textarea({"rows": 3}),
    )
    others = JSONField(
        dict,
        label="Anything else",
        help_text='A JSON object: {"temperature schedule": "cosine"}.',
        rows=2,
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.choice_field("prompt").choices = [("", "none"), *_versions(project)]

    @property
    def is_filled(self) -> bool:
        """Whether a field is filled, so that the page must not fold the form."""
        return any(self[name].value() for name in AboutForm.base_fields)

    def about(self) -> dict[str, JSON]:
        values = dict(self.cleaned_data)
        further_facts = values.pop("others") or {}
        facts = {
            name: value.replace("\r\n", "\n") if isinstance(value, str) else value
            for name, value in values.items()
            if name in AboutForm.base_fields and value not in (None, "")
        }
        if chosen := values["prompt"]:
            facts["prompt"], facts["prompt_version"] = map(int, chosen.split(":"))
        return facts | further_facts

    def _refuse(self, refusal: Any) -> None:
        named = {name.removeprefix("about/"): sentences for name, sentences in refusal.fields.items()}
        refusal.fields = {
            "prompt" if name in ("version", "prompt_version") else name: sentences
            for name, sentences in named.items()
        }
        super()._refuse(refusal)


def _versions(project: Project) -> list[tuple[str, list[tuple[str, str]]]]:
    """The versions of each prompt by its name, newest first, as values with their names."""
    stored = PromptVersion.objects.filter(prompt__project=project, prompt__deleted_at=None)
    listed = stored.order_by("prompt__name", "-number").values_list("prompt", "prompt__name", "number")
    return [
        (name, [(_value(pk, number), f"{name} v{number}") for *_, number in of_prompt])
        for (pk, name), of_prompt in groupby(listed, key=lambda row: row[:2])
    ]


def _value(prompt: int, number: int) -> str:
    return f"{prompt}:{number}"


def initial(run: Run) -> dict[str, Any]:
    """The initial fields from a run's facts; values that do not fit their field are added to the JSON."""
    about = dict(run.about)
    shown: dict[str, Any] = {name: about.pop(name) for name in TEXTS if isinstance(about.get(name), str)}
    if isinstance(about.get("parameters"), dict):
        shown["parameters"] = stored_json(about.pop("parameters"))
    if run.prompt_version is not None:
        shown["prompt"] = _value(run.prompt_version.prompt_id, run.prompt_version.number)
        about = {name: value for name, value in about.items() if name not in ("prompt", "prompt_version")}
    return shown | ({"others": stored_json(about)} if about else {})
