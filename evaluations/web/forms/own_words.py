"""What a form says where a required field is empty: our words beside the field, in every browser."""

from typing import Any

from django import forms

WRITE, WRITE_NAME, NUMBER = "Fill this in.", "Write a name.", "Write a number."
CHOOSE, CHOOSE_SOME, TICK, FILE = (
    "Choose one.",
    "Choose at least one.",
    "Tick this to go on.",
    "Choose a file.",
)
DJANGOS = forms.Field.default_error_messages["required"]


class BoundField(forms.BoundField):
    """Says that it is required, without the browser's check: its bubble would come before our words."""

    def build_widget_attrs(self, attrs: dict[str, Any], widget: forms.Widget | None = None) -> dict[str, Any]:
        built: dict[str, Any] = super().build_widget_attrs(attrs, widget)
        if built.pop("required", False) and not self.use_fieldset:  # ARIA knows no required radio button
            built["aria-required"] = "true"
        return built


class OwnWords(forms.BaseForm):
    """Part of a form that says what to do where a required field is empty, unless the field says it itself."""

    bound_field_class = BoundField

    def full_clean(self) -> None:
        for name, field in self.fields.items():  # only now, because forms add fields when they are made
            if field.error_messages["required"] == DJANGOS:
                field.error_messages["required"] = _what_to_do(name, field)
        super().full_clean()


def _what_to_do(name: str, field: forms.Field) -> str:
    match field:
        case forms.MultipleChoiceField() | forms.ModelMultipleChoiceField():
            return CHOOSE_SOME
        case forms.ChoiceField() | forms.ModelChoiceField():
            return CHOOSE
        case forms.FileField():
            return FILE
        case forms.BooleanField():
            return TICK
        case forms.IntegerField():  # also those with decimals
            return NUMBER
    return WRITE_NAME if name in ("name", "username") else WRITE
