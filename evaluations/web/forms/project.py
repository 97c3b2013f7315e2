"""Forms of a project: its name, its members, invitations, and deleting it."""

from django import forms

from evaluations.models import Role

from .form import Form

ROLES = "Viewers view, editors change, administrators also manage members, keys and connections."


class ProjectForm(Form):
    name = forms.CharField(max_length=200)


class MoneyForm(Form):
    currency = forms.CharField(
        max_length=3, help_text="Of prices, costs and limits, such as USD. No amount is converted."
    )


class RoleForm(Form):
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
        max_length=200,
        strip=False,
        widget=forms.TextInput({"autocomplete": "off"}),
    )
