"""The form of a webhook: address, events and secret."""

from django import forms

from evaluations.models import Webhook
from evaluations.models.fields import longest
from evaluations.webhooks import events, webhooks

from .form import Form

EVENT_WORDS = {
    events.RUN_COMPLETED: "A run is completed",
    events.LAUNCH_STOPPED: "A launch stopped before it finished",
    events.GATE_FAILED: "A run failed a gate",
    events.GATE_CHANGED: "A gate was changed",
    events.EVALUATOR_FAILING: "An evaluator fails on many examples of a run",
    events.LABEL_MOVED: "A label of a prompt was moved to another version",
    events.JUDGE_MODEL_CHANGED: "The answers of a judge name another model",
    events.JUDGE_DRIFTED: "A judge that is asked again agrees less with people",
}


class WebhookForm(Form):
    url = forms.CharField(
        label="URL",
        max_length=longest(Webhook, "url"),
        widget=forms.TextInput({"inputmode": "url", "spellcheck": "false", "placeholder": "https://…"}),
        help_text="The incoming webhook of a chat, or the address of your own program.",
    )
    events = forms.MultipleChoiceField(choices=list(EVENT_WORDS.items()), widget=forms.CheckboxSelectMultiple)
    secret = forms.CharField(
        required=False,
        min_length=webhooks.SHORTEST_SECRET,
        max_length=webhooks.LONGEST_SECRET,
        strip=False,
        widget=forms.PasswordInput({"autocomplete": "off"}),
        help_text="Evalsite signs each request with this secret. If empty, Evalsite creates one and shows it once.",
    )
