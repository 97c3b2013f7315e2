"""The form of a webhook: address, events and secret."""

from django import forms

from evaluations.models import Webhook
from evaluations.models.fields import longest
from evaluations.webhooks import kinds, webhooks

from .form import Form


class WebhookForm(Form):
    url = forms.CharField(
        label="URL",
        max_length=longest(Webhook, "url"),
        widget=forms.TextInput({"inputmode": "url", "spellcheck": "false", "placeholder": "https://…"}),
        help_text="The incoming webhook of a chat, or the address of your own program.",
    )
    events = forms.MultipleChoiceField(
        choices=[(name, kind.meaning) for name, kind in kinds.EVENTS.items()],
        widget=forms.CheckboxSelectMultiple,
        initial=[name for name, kind in kinds.EVENTS.items() if kind.is_bad],
    )
    secret = forms.CharField(
        required=False,
        min_length=webhooks.SHORTEST_SECRET,
        max_length=webhooks.LONGEST_SECRET,
        strip=False,
        widget=forms.PasswordInput({"autocomplete": "off"}),
        help_text="Evalsite signs each request with this secret. If empty, Evalsite creates one and shows it once.",
    )
