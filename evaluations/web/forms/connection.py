"""A connection to an OpenAI-compatible server. A typed key is never shown again."""

from typing import Any

from django import forms

from .form import Form


class ConnectionForm(Form):
    name = forms.CharField(max_length=200, help_text="For example “OpenAI” or “local Ollama”.")
    base_url = forms.CharField(
        label="Base URL",
        max_length=500,
        widget=forms.TextInput({"inputmode": "url", "spellcheck": "false", "placeholder": "https://…/v1"}),
        help_text="Usually ends in /v1. Local servers (Ollama, vLLM) must be listed in "
        "EVALSITE_PROVIDER_ALLOWED_HOSTS, a setting of this server.",
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
        widget=forms.TextInput({"inputmode": "decimal"}),
        help_text="Used for the cost of a run. Prices of other models are on the page of the connection.",
    )


class ChangeForm(ConnectionForm):
    """The form of an existing connection: an empty key keeps the old one, unless the URL changes."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields[
            "api_key"
        ].help_text = "Leave empty to keep the stored key. If you change the URL, enter the key again."


class TestForm(Form):
    """The model to test a connection with."""

    model = forms.CharField(
        required=False, max_length=200, help_text="Leave empty to see which models the server lists."
    )
