"""A setting that is one of a few words, or any other text."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.datastructures import MultiValueDict
from django.utils.html import format_html
from django.utils.safestring import SafeString

OTHER = "other"


class ChoiceOrText(forms.Select):
    """A choice with a field for another text, which shows while `other` is chosen; `example` is one such text.

    The text has the name of the choice with `_other`. A form may also send it under the name itself.
    """

    def __init__(
        self, choices: Sequence[tuple[str, str]], other: str, *, spoken: str, example: str = ""
    ) -> None:
        super().__init__({"class": "select"}, [*choices, (OTHER, other)])
        self.words, self.spoken, self.example = [word for word, _ in choices], spoken, example

    def value_from_datadict(self, data: Mapping[str, Any], files: MultiValueDict[str, Any], name: str) -> Any:
        chosen = data.get(name)
        return data.get(f"{name}_other", "") if chosen == OTHER else chosen

    def render(
        self, name: str, value: Any, attrs: dict[str, Any] | None = None, renderer: Any = None
    ) -> SafeString:
        is_other = value not in (None, *self.words)
        select = super().render(name, OTHER if is_other else value, attrs, renderer)
        return format_html(
            '<span class="choice-or-text">{}<input class="input code" name="{}_other" value="{}" placeholder="{}" '
            'aria-label="{}" spellcheck="false" autocapitalize="none" autocomplete="off"></span>',
            select,
            name,
            value if is_other else "",
            self.example,
            self.spoken,
        )
