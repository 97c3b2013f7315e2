"""The filters of the audit log."""

from datetime import date
from operator import itemgetter
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils.formats import date_format

from evaluations.access import audit_log
from evaluations.access.audit_words import WORDS
from evaluations.models import AuditEntry

from .day import DayField
from .form import Form

CHOICE = {"class": "select"}


class AuditForm(Form):
    """Filters: a person, an action, a range of days in UTC that includes the last one."""

    who = forms.ChoiceField(required=False, label="Person", widget=forms.Select(CHOICE))
    action = forms.ChoiceField(required=False, widget=forms.Select(CHOICE))
    since = DayField(required=False, label="From")
    until = DayField(required=False, label="To")

    def __init__(self, form_data: Any, entries: QuerySet[AuditEntry]) -> None:
        super().__init__(form_data)
        self.entries = entries
        self.choice_field("who").choices = [
            ("", "any"),
            *((name, name) for name in self._values("actor_name")),
        ]
        actions = (
            (action, WORDS.get(action, action).partition(" {")[0]) for action in self._values("action")
        )
        self.actions = dict(sorted(actions, key=itemgetter(1)))
        self.choice_field("action").choices = [("", "any"), *self.actions.items()]

    def _values(self, column: str) -> list[str]:
        values = self.entries.order_by(column).values_list(column, flat=True).distinct()
        return [value for value in values if value]

    @property
    def words(self) -> list[str]:
        """What is chosen, for the title of the page."""
        self.full_clean()
        chosen = {name: value for name, value in self.cleaned_data.items() if value}
        written = {
            name: date_format(value, "j M Y") for name, value in chosen.items() if isinstance(value, date)
        }
        if "action" in chosen:
            written["action"] = self.actions[chosen["action"]]
        return [
            {"since": "from {}", "until": "to {}"}.get(name, "{}").format(written.get(name, value))
            for name, value in chosen.items()
        ]

    def matching(self) -> QuerySet[AuditEntry]:
        """The matching entries; invalid values do not filter."""
        self.full_clean()
        return audit_log.matching(self.entries, self.cleaned_data)
