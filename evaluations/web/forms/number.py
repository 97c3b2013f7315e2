"""A number in a form."""

from django import forms

A_NUMBER = "Enter a number with a point before its decimals, such as 0.85."


class NumberField(forms.FloatField):
    """A decimal comma is refused with what to write instead: “1,000” could mean a thousand or one."""

    default_error_messages = {"invalid": A_NUMBER}
