"""The editor of a prompt: its messages, and the settings of a version."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django import forms
from django.http import QueryDict

from evaluations.errors import Invalid, Refusal
from evaluations.models import Connection, Project, PromptDraft
from evaluations.numerals import whole
from evaluations.prompts.content import Content
from evaluations.prompts.templates import Message
from evaluations.prompts.versions import FIELDS, is_plain, text_of
from evaluations.values import LONGEST_NAME, stored_json

from .form import Form
from .json_field import JSONField, parsed

# parameters with fields of their own, and the types that these fields write
PARAMETER_TYPES: dict[str, tuple[type, ...]] = {
    "temperature": (int, float),
    "max_completion_tokens": (int,),
    "seed": (int,),
}


@dataclass(frozen=True)
class Draft:
    """A message in the editor: role and text, or its whole JSON if it has more than these."""

    role: str
    text: str
    is_json: bool = False

    @classmethod
    def from_message(cls, message: Message) -> "Draft":
        return cls(message["role"], text_of(message), not is_plain(message))

    def message(self) -> Any:
        """The message to store; invalid JSON stays text, which validation will refuse."""
        if not self.is_json:
            return {"role": self.role, "content": self.text}
        return parsed(self.text)


def drafts(form_data: QueryDict) -> list[Draft]:
    """The messages of a form, in order; browsers send line ends as CR LF."""
    fields = (form_data.getlist(name) for name in ("role", "content", "as"))
    return [
        Draft(role, text.replace("\r\n", "\n"), kind == "json")
        for role, text, kind in zip(*fields, strict=False)
    ]


def sent(draft: PromptDraft) -> QueryDict:
    """The form of a stored draft, as it was sent."""
    form_data = QueryDict(mutable=True)
    for name, texts in draft.form.items():
        form_data.setlist(name, texts)
    return form_data


def moved(messages: Sequence[Draft], action: str) -> list[Draft]:
    """The messages after a button was pressed: `add`, or `up-1`, `down-1`, `remove-1` for the second one."""
    ordered = list(messages)
    if action == "add":
        follows = "assistant" if ordered and ordered[-1].role == "user" else "user"
        return [*ordered, Draft(follows, "")]
    verb, _, number = action.partition("-")
    index = whole(number)
    if index is None or index >= len(ordered):
        return ordered
    message = ordered.pop(index)
    if verb != "remove":
        ordered.insert(max(0, index - 1) if verb == "up" else index + 1, message)
    return ordered


class SettingsForm(Form):
    """The settings of a version that have fields of their own; `content` combines them with drafts of messages."""

    object_fields = ("connection",)

    connection = forms.TypedChoiceField(coerce=int, empty_value=None, required=False)
    model = forms.CharField(
        max_length=LONGEST_NAME,
        required=False,
        widget=forms.TextInput({"spellcheck": "false", "autocomplete": "off", "list": "models"}),
    )
    temperature = JSONField(int, float, widget=forms.TextInput({"inputmode": "decimal"}))
    max_completion_tokens = JSONField(
        int, label=FIELDS["max_completion_tokens"], widget=forms.TextInput({"inputmode": "numeric"})
    )
    seed = JSONField(int, widget=forms.TextInput({"inputmode": "numeric"}))

    def __init__(self, *args: Any, project: Project, base: Content | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.project, self.base = project, base
        self.connections = Connection.objects.live().filter(project=project)
        choices = [("", "the project's default"), *self.connections.values_list("pk", "name")]
        self.choice_field("connection").choices = choices
        self.message_errors: dict[int, list[str]] = {}

    def content(self, messages: Sequence[Draft]) -> Content:
        """The content of the form; raises `Invalid` for a message with invalid JSON."""
        values, base = self.cleaned_data, self.base or Content([])
        typed = {
            "messages": [_message(number, draft) for number, draft in enumerate(messages)],
            "model": values["model"],
            "parameters": self._parameters(self._further_parameters(base)),
            "connection": self.connections.filter(pk=values["connection"]).first(),
        }
        return Content(**base.parts() | typed)

    def _further_parameters(self, base: Content) -> dict[str, Any]:
        """The parameters without a field of their own."""
        return {name: value for name, value in base.parameters.items() if not _has_field(name, value)}

    def _parameters(self, further: dict[str, Any]) -> dict[str, Any]:
        """The parameters in the order of the base version, so that an unchanged form equals it."""
        typed = {name: self.cleaned_data[name] for name in PARAMETER_TYPES}
        parameters = {name: value for name, value in typed.items() if value is not None} | further
        before = self.base.parameters if self.base else {}
        return {
            name: parameters[name] for name in dict.fromkeys([*before, *parameters]) if name in parameters
        }

    def _refuse(self, refusal: Refusal) -> None:
        for pointer, sentences in refusal.fields.items():
            part, _, message = pointer.partition("/")
            if part == "messages" and (number := message.partition("/")[0]):
                self.message_errors.setdefault(int(number), []).extend(sentences)
        by_field = {pointer.partition("/")[0]: sentences for pointer, sentences in refusal.fields.items()}
        refusal.fields = {name: sentences for name, sentences in by_field.items() if name in self.fields}
        super()._refuse(refusal)


class PromptForm(SettingsForm):
    """All settings of a version, and its name."""

    name = forms.CharField(max_length=LONGEST_NAME, strip=False)
    schema = JSONField(
        dict,
        label="Answer schema",
        help_text="JSON Schema of the answer. Empty: the answer is a text.",
    )
    parameters = JSONField(
        dict,
        label="Other parameters",
        help_text='As the API spells them: {"top_p": 0.9}.',
    )
    tools = JSONField(
        list,
        help_text="A JSON list, as the API spells them.",
    )
    keep_reasoning = forms.BooleanField(
        label="Keep reasoning in the output",
        required=False,
        help_text="Otherwise a block such as <think>…</think> at the beginning of an answer is kept apart, "
        "and not scored.",
    )
    note = forms.CharField(max_length=LONGEST_NAME, required=False)

    @property
    def shows_more(self) -> bool:
        """Whether the folded settings contain a value or an error."""
        folded = [self[name] for name in ("schema", "tools", "parameters", "keep_reasoning")]
        return any(field.value() or field.errors for field in folded)

    def content(self, messages: Sequence[Draft]) -> Content:
        values = self.cleaned_data
        folded = {
            "schema": values["schema"],
            "tools": values["tools"] or [],
            "split_reasoning": not values["keep_reasoning"],
        }
        return replace(super().content(messages), **folded)

    def _further_parameters(self, base: Content) -> dict[str, Any]:
        return self.cleaned_data["parameters"] or {}


def _message(number: int, draft: Draft) -> Message:
    try:
        message: Message = draft.message()
        return message
    except forms.ValidationError as wrong:
        [sentence] = wrong.messages
        raise Invalid("invalid_json", sentence, fields={f"messages/{number}": [sentence]}) from wrong


def _has_field(name: str, value: Any) -> bool:
    return name in PARAMETER_TYPES and type(value) in PARAMETER_TYPES[name]


def initial(content: Content) -> dict[str, Any]:
    """The initial fields for a version."""
    typed = {name: value for name, value in content.parameters.items() if _has_field(name, value)}
    further_parameters = {name: value for name, value in content.parameters.items() if name not in typed}
    written = typed | {
        "parameters": further_parameters or None,
        "tools": content.tools or None,
        "schema": content.schema,
    }
    return {
        "model": content.model,
        "keep_reasoning": not content.split_reasoning,
        "connection": content.connection.pk if content.connection else None,
        **{name: stored_json(value) for name, value in written.items() if value is not None},
    }
