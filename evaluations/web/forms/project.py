"""Forms of a project: its name, its members, invitations, and deleting it."""

from django import forms
from django.db import transaction

from evaluations.deployments import labels
from evaluations.models import Project, Role
from evaluations.models.fields import longest
from evaluations.prompts import ledger, money, prices
from evaluations.reports import sharing
from evaluations.values import LONGEST_NAME

from .form import Form
from .number import AmountField

ROLES = (
    "Annotators only label what they are asked, viewers view, editors change, administrators also manage members, keys "
    "and connections."
)


class ProjectForm(Form):
    guards = True
    name = forms.CharField(max_length=LONGEST_NAME)


class MoneyForm(Form):
    guards = True
    currency = forms.CharField(
        max_length=longest(Project, "currency"),
        help_text="The currency of prices, costs and limits, such as USD. Evalsite converts no amounts.",
    )
    monthly_limit = AmountField(
        required=False,
        help_text="Launches and trials stop before the cost of a month would exceed this limit. Empty: no limit.",
    )

    def save(self, project: Project) -> Project:
        limit = money.limit(self.cleaned_data["monthly_limit"], "monthly_limit")
        with transaction.atomic():
            prices.set_currency(project, self.cleaned_data["currency"])
            if limit != project.monthly_limit:
                ledger.limit_months(project, limit)
        return project


class ProtectedLabelsForm(Form):
    guards = True
    protected_labels = forms.CharField(
        max_length=2_000,
        required=False,
        widget=forms.TextInput({"autocapitalize": "none", "spellcheck": "false"}),
        help_text="Labels of prompts that only administrators move, such as production, separated by commas.",
    )

    def save(self, project: Project) -> Project:
        typed = self.cleaned_data["protected_labels"].split(",")
        labels.protect(project, [label.strip() for label in typed if label.strip()])
        return project


class RulesForm(MoneyForm, ProtectedLabelsForm):
    """What holds for all of a project, saved at once."""

    share_links = forms.BooleanField(
        required=False,
        label="Editors may make links that need no account",
        help_text="Without it the links that exist do not work either.",
    )
    field_order = ("currency", "monthly_limit", "protected_labels", "share_links")

    def save(self, project: Project) -> Project:
        with transaction.atomic():
            MoneyForm.save(self, project)
            ProtectedLabelsForm.save(self, project)
            sharing.allow(project, self.cleaned_data["share_links"])
        return project


class RoleForm(Form):
    guards = True
    role = forms.ChoiceField(choices=Role)


class InvitationForm(Form):
    """An invitation for anyone with the link, or for one e-mail address."""

    role = forms.ChoiceField(choices=Role, initial=Role.EDITOR, help_text=ROLES)
    email = forms.EmailField(
        label="E-mail address",
        required=False,
        help_text="If empty, the first person to open the link joins.",
    )


class DeleteForm(Form):
    typed = forms.CharField(
        label="Project name",
        max_length=LONGEST_NAME,
        strip=False,
        widget=forms.TextInput({"autocomplete": "off"}),
    )
