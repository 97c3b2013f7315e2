"""A connection to an OpenAI-compatible server. A typed key is never shown again."""

from typing import Any

from django import forms
from django.utils.text import capfirst

from evaluations.evaluators.connections import Extras
from evaluations.models import Connection
from evaluations.models.fields import longest
from evaluations.values import LONGEST_NAME

from .form import Form
from .number import A_NUMBER

USUAL = ("name", "base_url", "api_key")
SELDOM = {  # the other fields, in the words of the fold that has them
    "api_version": "Azure",
    "headers": "headers",
    "query": "query",
    "price_per_million": "price of embeddings",
}


class PairsField(forms.Field):
    """Lines of names and values, as a dict; empty is None."""

    def __init__(self, separator: str, **options: Any) -> None:
        self.separator = separator
        super().__init__(required=False, widget=forms.Textarea({"rows": 3, "spellcheck": "false"}), **options)

    def to_python(self, value: Any) -> dict[str, str] | None:
        pairs: dict[str, str] = {}
        for line in str(value or "").splitlines():
            name, separator, text = (part.strip() for part in line.partition(self.separator))
            if line.strip() and not separator:
                raise forms.ValidationError(f"Each line must be a name, {self.separator} and a value.")
            if name in pairs:
                raise forms.ValidationError(f"{name} is given twice.")
            if name:
                pairs[name] = text
        return pairs or None


class ConnectionForm(Form):
    name = forms.CharField(max_length=LONGEST_NAME, help_text="For example “OpenAI” or “local Ollama”.")
    base_url = forms.CharField(
        label="Base URL",
        max_length=longest(Connection, "base_url"),
        widget=forms.TextInput({"inputmode": "url", "spellcheck": "false", "placeholder": "https://…/v1"}),
        help_text="Usually ends in /v1.",
    )
    api_key = forms.CharField(
        label="API key",
        required=False,
        widget=forms.PasswordInput({"autocomplete": "off"}),
        help_text="Stored encrypted, never shown again. Leave empty if the server needs none.",
    )
    price_per_million = forms.DecimalField(
        label="Price per million tokens of embeddings",
        required=False,
        min_value=0,
        max_digits=10,
        decimal_places=4,
        error_messages={"invalid": A_NUMBER},
        widget=forms.TextInput({"inputmode": "decimal"}),
        help_text="Used for the cost of a run. Prices of other models are on the page of the connection.",
    )
    api_version = forms.CharField(
        label="API version of Azure OpenAI",
        required=False,
        max_length=longest(Connection, "api_version"),
        help_text="For example 2024-10-21. The base URL is then https://RESOURCE.openai.azure.com, and models are "
        "the names of deployments. Leave empty for all other servers.",
    )
    headers = PairsField(
        ":",
        help_text="Added to each request, one a line, such as X-Team: search. Stored encrypted, never shown again.",
    )
    query = PairsField(
        "=", help_text="Added to the address of each request, one a line, such as tag=evaluation."
    )

    @property
    def rare(self) -> list[forms.BoundField]:
        """The fields that few connections need, of those that this one does not use."""
        return [field for field in self._seldom if field not in self.used]

    @property
    def rare_words(self) -> str:
        """What the fold of these fields has."""
        rare = {field.name for field in self.rare}
        return capfirst(", ".join(words for name, words in SELDOM.items() if name in rare))

    @property
    def used(self) -> list[forms.BoundField]:
        """The seldom needed fields that are filled or refused."""
        return [field for field in self._seldom if field.value() or field.errors]

    @property
    def _seldom(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name not in USUAL]

    def values(self) -> dict[str, Any]:
        """The arguments of `connections.create`."""
        values = dict(self.cleaned_data)
        query = values.pop("query") or {}
        return values | {"extras": Extras(values.pop("api_version"), values.pop("headers") or {}, query)}


class ChangeForm(ConnectionForm):
    """The form of an existing connection: an empty key keeps the old one, unless the URL changes."""

    guards = True

    def __init__(self, *args: Any, connection: Connection, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if connection.encrypted_key:
            self.fields[
                "api_key"
            ].help_text = "Leave empty to keep the stored key. With another URL, enter it again."
        self.fields["price_per_million"].help_text = "Used for the cost of a run."
        if connection.header_names:
            self.fields[
                "headers"
            ].help_text = "Leave empty to keep the stored headers. With another URL, enter them again."
        else:
            del self.fields["remove_headers"]

    remove_headers = forms.BooleanField(label="Remove the stored headers", required=False)

    def values(self) -> dict[str, Any]:
        """The arguments of `connections.change`."""
        values = dict(self.cleaned_data)
        headers = {} if values.pop("remove_headers", False) else values.pop("headers")
        values.pop("headers", None)
        extras = Extras(values.pop("api_version"), headers, values.pop("query") or {})
        return values | {"extras": extras, "api_key": values["api_key"] or None}


class TestForm(Form):
    """The model to test a connection with."""

    model = forms.CharField(
        required=False,
        max_length=LONGEST_NAME,
        widget=forms.TextInput({"list": "models", "spellcheck": "false"}),
        help_text="Leave empty to ask the first model that the server lists.",
    )
