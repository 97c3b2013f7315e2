"""The facts about a variant: common ones in fields of their own, others as JSON."""

from typing import Any

from django import forms

from evaluations.models import Project, Prompt, Run
from evaluations.values import JSON, LONGEST_NAME, stored_json

from .form import Form
from .json_field import JSONField
from .number import WholeField

TEXTS = ("model", "commit", "link", "notes")


class AboutForm(Form):
    """`about` are the filled fields."""

    guards = True

    object_fields = ("prompt",)

    prompt = forms.TypedChoiceField(coerce=int, empty_value=None, required=False)
    prompt_version = WholeField(label="Version", required=False, help_text="Empty: the newest.")
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
        project_prompts = Prompt.objects.live().filter(project=project).order_by("name")
        self.choice_field("prompt").choices = [("", "none"), *project_prompts.values_list("pk", "name")]

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
        if "prompt" not in facts:
            facts.pop("prompt_version", None)
        return facts | further_facts

    def _refuse(self, refusal: Any) -> None:
        named = {name.removeprefix("about/"): sentences for name, sentences in refusal.fields.items()}
        refusal.fields = {
            "prompt_version" if name == "version" else name: sentences for name, sentences in named.items()
        }
        super()._refuse(refusal)


def initial(run: Run) -> dict[str, Any]:
    """The initial fields from a run's facts; values that do not fit their field are added to the JSON."""
    about = dict(run.about)
    shown: dict[str, Any] = {name: about.pop(name) for name in TEXTS if isinstance(about.get(name), str)}
    if isinstance(about.get("parameters"), dict):
        shown["parameters"] = stored_json(about.pop("parameters"))
    if run.prompt_version is not None:
        shown |= {"prompt": run.prompt_version.prompt_id, "prompt_version": run.prompt_version.number}
        about = {name: value for name, value in about.items() if name not in ("prompt", "prompt_version")}
    return shown | ({"others": stored_json(about)} if about else {})
