from typing import Any

from django import forms
from django.db.models import QuerySet

from evaluations.access import audit_log
from evaluations.models import AuditEntry

from .form import Form

DAY, CHOICE = {"type": "date", "class": "input"}, {"class": "select"}


class AuditForm(Form):
    """What to look for in the log: a person, an action, days in UTC, the last one included."""

    who = forms.ChoiceField(required=False, label="Person", widget=forms.Select(CHOICE))
    action = forms.ChoiceField(required=False, widget=forms.Select(CHOICE))
    since = forms.DateField(required=False, label="From", widget=forms.DateInput(DAY))
    until = forms.DateField(required=False, label="To", widget=forms.DateInput(DAY))

    def __init__(self, data: Any, entries: QuerySet[AuditEntry]) -> None:
        super().__init__(data)
        self.entries = entries
        for name, column in (("who", "actor_name"), ("action", "action")):
            values = entries.order_by(column).values_list(column, flat=True).distinct()
            self.fields[name].choices = [("", "any"), *((value, value) for value in values if value)]

    def found(self) -> QuerySet[AuditEntry]:
        """The entries asked for; what cannot be understood is not asked for."""
        self.full_clean()
        return audit_log.asked(self.entries, self.cleaned_data)
