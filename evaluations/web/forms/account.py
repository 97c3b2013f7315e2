from datetime import timedelta
from typing import Any

from django import forms
from django.db.models import QuerySet

from evaluations.models import Project, Scope

from .form import Form

DAYS = {"": "never", "30": "in 30 days", "90": "in 90 days", "365": "in a year"}


class KeyForm(Form):
    """A new API key for one of the person's projects."""

    things = ("project",)

    name = forms.CharField(max_length=200, help_text="What uses it, such as “nightly evaluation”.")
    project = forms.ModelChoiceField(Project.objects.none(), empty_label=None)
    scope = forms.ChoiceField(
        choices=Scope,
        initial=Scope.WRITE,
        label="May",
        help_text="Read looks at everything, run starts and stops runs too, write does what an editor may, admin "
        "what an administrator may.",
    )
    expires = forms.ChoiceField(choices=DAYS.items(), required=False, label="Ends")

    def __init__(self, *args: Any, projects: QuerySet, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["project"].queryset = projects

    @property
    def lifetime(self) -> timedelta | None:
        days = self.cleaned_data["expires"]
        return timedelta(days=int(days)) if days else None
