"""The last step of importing another tool's export: the name of the dataset."""

from typing import Any

from django import forms

from evaluations.models import Upload
from evaluations.values import LONGEST_NAME

from .confirm import free_name
from .form import Form


class ToolForm(Form):
    """The name of the dataset and of the experiment that another tool's export becomes."""

    name = forms.CharField(max_length=LONGEST_NAME)

    def __init__(self, *args: Any, upload: Upload, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"].initial = free_name(upload)
