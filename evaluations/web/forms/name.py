"""The name of an object, to rename it."""

from django import forms

from evaluations.values import LONGEST_NAME

from .form import Form


class NameForm(Form):
    guards = True
    name = forms.CharField(max_length=LONGEST_NAME)
