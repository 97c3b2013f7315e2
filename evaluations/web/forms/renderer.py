"""How Django draws our forms: `{{ form }}` with its refusal, and `{{ form.name.as_field_group }}`."""

from django.forms.renderers import TemplatesSetting


class Renderer(TemplatesSetting):
    form_template_name = "kit/form.html"
    field_template_name = "kit/field.html"
