"""What a form and a body of the API allow is the same."""

import pytest
from django.forms import CharField

from evaluations.api.serializers.connection import NewConnectionSerializer
from evaluations.api.serializers.dataset_version import VersionChangeSerializer
from evaluations.api.serializers.gate import NewGateSerializer
from evaluations.api.serializers.price import NewPriceSerializer
from evaluations.api.serializers.project import ProjectChangeSerializer
from evaluations.api.serializers.split import NewSplitSerializer
from evaluations.api.serializers.webhook import NewWebhookSerializer
from evaluations.web.forms.connection import ConnectionForm
from evaluations.web.forms.dataset import VersionForm
from evaluations.web.forms.gate import GateForm
from evaluations.web.forms.price import PriceForm
from evaluations.web.forms.project import ProjectForm, RulesForm
from evaluations.web.forms.split import SplitForm
from evaluations.web.forms.webhook import WebhookForm

PAIRS = (
    (ConnectionForm, NewConnectionSerializer),
    (GateForm, NewGateSerializer),
    (RulesForm, ProjectChangeSerializer),
    (PriceForm, NewPriceSerializer),
    (ProjectForm, ProjectChangeSerializer),
    (SplitForm, NewSplitSerializer),
    (VersionForm, VersionChangeSerializer),
    (WebhookForm, NewWebhookSerializer),
)


@pytest.mark.parametrize(("form", "body"), PAIRS, ids=lambda checked: checked.__name__)
def test_a_form_and_a_body_allow_the_same_lengths(form, body):
    fields = body().fields
    limits = {
        name: (field.max_length, fields[name].max_length)
        for name, field in form.base_fields.items()
        if isinstance(field, CharField) and name in fields and getattr(fields[name], "max_length", None)
    }

    assert limits
    assert {name: pair for name, pair in limits.items() if pair[0] != pair[1]} == {}
