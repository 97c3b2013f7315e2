"""The page of a prompt's labels: which version programs get, its history, and the code that gets it."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from evaluations.deployments import code, files, labels
from evaluations.models import Prompt, PromptLabel
from evaluations.prompts import prompts

from ..forms.choice_or_text import ChoiceOrText
from ..forms.file import FileForm
from ..forms.form import Form
from ..page_tools.calls import curl
from ..page_tools.frame import frame, object_or_404, project_or_404
from ..page_tools.paging import number
from ..page_tools.request import HttpRequest

SHOWN = 100  # moves in the history
USUAL = (labels.PRODUCTION, "staging")
EXAMPLE = """\
name: solve
messages:
- role: system
  content: |-
    You solve school maths.
    End with "A: " and the number.
- role: user
  content: '{{ question }}'
model: gpt-4.1-mini
parameters:
  temperature: 0
note: first try
"""


class LabelForm(Form):
    """The label to move, and the version that gets it."""

    label = forms.CharField(max_length=40)
    version = forms.TypedChoiceField(coerce=int)

    def __init__(self, prompt: Prompt, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        set_before = prompt.labels.order_by("name").values_list("name", flat=True).distinct()
        names = dict.fromkeys([*USUAL, *set_before[:SHOWN]])
        self.fields["label"].widget = ChoiceOrText(
            [(name, name) for name in names], "another one", spoken="Name of another label", example="canary"
        )
        self.choice_field("version").choices = [
            (version.number, f"v{version.number}{f' · {version.note}' if version.note else ''}")
            for version in prompt.versions.all()
        ]


class PromptFileForm(FileForm):
    def __init__(self, *data: Any) -> None:
        super().__init__(*data)
        self.fields["text"].label = "Or paste YAML or JSON"

    def content(self) -> bytes:
        read: bytes = self.chosen_file.read(files.LARGEST + 1)
        return read


@require_safe
def prompt_labels(request: HttpRequest, pk: int) -> HttpResponse:
    """The labels of a prompt; `?version=` is the version whose code is shown."""
    prompt = object_or_404(request, Prompt.objects.live(), pk)
    return _shown(request, prompt, LabelForm(prompt, initial={"version": number(request, "version")}))


def _shown(request: HttpRequest, prompt: Prompt, form: LabelForm) -> HttpResponse:
    version = prompts.version_of(prompt, number(request, "version"))
    history = list(labels.history(prompt)[:SHOWN])
    in_force = sorted((label for label in history if label.ended_at is None), key=lambda label: label.name)
    label = next((label.name for label in in_force), labels.PRODUCTION)
    page = {
        **frame(request, prompt.project, "prompts", prompt),
        "prompt": prompt,
        "in_force": in_force,
        "history": history,
        "form": form,
        "protected": prompt.project.protected_labels,
        "version": version,
        "python": code.python(version),
        "by_label": code.by_label(version, label),
        "api_call": curl(request, f"/api/v1/prompts/{prompt.pk}/labels/"),
    }
    return render(request, "prompts/prompt_labels.html", page, status=form.status)


@require_POST
def prompt_label(request: HttpRequest, pk: int) -> HttpResponse:
    """Put a label on a version."""
    prompt = object_or_404(request, Prompt.objects.live(), pk, "write")
    form = LabelForm(prompt, request.POST)
    moved = form.do(lambda: _moved(request, prompt, form))
    if moved is None:
        return _shown(request, prompt, form)
    messages.success(request, f"{moved.name} is v{moved.version.number}.")
    return redirect("prompt-labels", pk)


def _moved(request: HttpRequest, prompt: Prompt, form: LabelForm) -> PromptLabel:
    typed = form.cleaned_data
    return labels.move(prompt, request.user, typed["label"].strip(), typed["version"])[0]


@require_POST
def prompt_label_remove(request: HttpRequest, pk: int, label: str) -> HttpResponse:
    """Take a label away; the history keeps it, with the version to put it back on."""
    prompt = object_or_404(request, Prompt.objects.live(), pk, "write")
    labels.take_away(prompt, request.user, label)
    messages.success(request, f"No version has the label {label} now.")
    return redirect("prompt-labels", pk)


@require_safe
def prompt_export(request: HttpRequest, pk: int) -> HttpResponse:
    """The version `?version=` as a file in YAML."""
    prompt = object_or_404(request, Prompt.objects.live(), pk)
    version = prompts.version_of(prompt, number(request, "version"))
    answer = HttpResponse(files.written(version), content_type=files.KIND)
    answer["Content-Disposition"] = "attachment; filename=prompt.yaml"
    return answer


@require_http_methods(["GET", "HEAD", "POST"])
def prompt_import(request: HttpRequest, slug: str) -> HttpResponse:
    """Create a prompt from a file, or add a version to the prompt of its name."""
    project = project_or_404(request, slug, "write")
    form = PromptFileForm(request.POST, request.FILES) if request.method == "POST" else PromptFileForm()
    if stored := form.do(lambda: files.store(project, request.user, form.content())):
        version, is_new = stored
        said = "imported as" if is_new else "has not changed since"
        messages.success(request, f"{version.prompt.name} {said} v{version.number}.")
        return redirect("prompt-detail", version.prompt_id)
    context = {**frame(request, project, "prompts"), "form": form, "example": EXAMPLE}
    return render(request, "prompts/prompt_import.html", context, status=form.status)


urlpatterns = [
    path("p/<slug:slug>/prompts/import/", prompt_import, name="prompt-import"),
    path("prompts/<int:pk>/labels/", prompt_labels, name="prompt-labels"),
    path("prompts/<int:pk>/label/", prompt_label, name="prompt-label"),
    path("prompts/<int:pk>/labels/<str:label>/remove/", prompt_label_remove, name="prompt-label-remove"),
    path("prompts/<int:pk>/export/", prompt_export, name="prompt-export"),
]
