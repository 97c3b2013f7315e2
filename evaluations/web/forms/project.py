"""Forms of a project: its name, its members, invitations, and the end of it."""

from django import forms

from evaluations.models import Role

from .form import Form

ROLES = "Viewers look, editors work, administrators manage members, keys and connections too."


class ProjectForm(Form):
    name = forms.CharField(max_length=200)


class RoleForm(Form):
    role = forms.ChoiceField(choices=Role)


class InvitationForm(Form):
    """Whom to invite: anybody who gets the link, or only who has an e-mail address."""

    role = forms.ChoiceField(choices=Role, initial=Role.EDITOR, help_text=ROLES)
    email = forms.EmailField(
        label="Only for the e-mail address",
        required=False,
        help_text="Without one, whoever opens the link first.",
    )


class DeleteForm(Form):
    typed = forms.CharField(
        label="Name of the project",
        max_length=200,
        strip=False,
        widget=forms.TextInput({"autocomplete": "off"}),
    )
