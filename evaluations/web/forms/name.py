"""The name of an object, to rename it."""

from django import forms

from .form import Form


class NameForm(Form):
    name = forms.CharField(max_length=200)
