"""Prompts: the list, and the editor with versions, differences and a preview of what is sent."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NotRequired, TypedDict

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from evaluations import owned
from evaluations.models import Project, Prompt, PromptVersion
from evaluations.prompts import prompts, versions
from evaluations.prompts.content import ROLES, Content, check

from . import prompt_preview
from .calls import curl
from .forms.prompt import Draft, PromptForm, drafts, initial, moved
from .frame import Frame, frame, object_or_404, project_or_404
from .paging import number, paged

PROMPTS = 50


@require_safe
def prompt_list(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_or_404(request, slug)
    search = request.GET.get("q", "").strip()
    things = Prompt.objects.live().filter(project=project)
    if search:
        things = things.filter(name__icontains=search)
    page = paged(request, things, "pk", PROMPTS, newest_first=True)
    newest = {
        (version.prompt_id, version.number): version
        for version in PromptVersion.objects.filter(prompt__in=page.rows).select_related("created_by")
    }
    context = frame(request, project, "prompts") | {
        "page": page,
        "search": search,
        "rows": [(prompt, newest[prompt.pk, prompt.version]) for prompt in page.rows],
        "api_call": curl(request, "/api/v1/prompts/"),
    }
    return render(request, "evaluations/prompt_list.html", context)


# ---- the editor --------------------------------------------------------------------------------------------


class PromptHistory(TypedDict):
    """The versions of a prompt that exists, and what differs between two of them."""

    history: NotRequired[list[versions.Entry]]
    experiment_count: NotRequired[int]
    older: NotRequired[PromptVersion | None]
    changes: NotRequired[versions.Differences | None]
    is_draft: NotRequired[bool]


class PromptPage(Frame, PromptHistory):
    """The context of the editor; `drafts` are messages with their errors."""

    prompt: Prompt | None
    base: PromptVersion | None
    form: PromptForm
    drafts: list[tuple[Draft, list[str]]]
    roles: Sequence[str]
    preview: prompt_preview.Preview
    next_version: int


@dataclass
class Editor:
    """What is edited: a new prompt, or the next version of one, based on a version."""

    request: HttpRequest
    project: Project
    prompt: Prompt | None = None
    base: PromptVersion | None = None

    def __post_init__(self) -> None:
        self.action = self.request.POST.get("do", "save") if self.request.method == "POST" else ""
        self.content = Content.from_version(self.base) if self.base else None
        self.form = self._form()
        self.messages = self._messages()

    def _form(self) -> PromptForm:
        options: dict[str, Any] = {"project": self.project, "base": self.content}
        if self.action == "save":
            return PromptForm(self.request.POST, **options)
        if self.action:
            return PromptForm(initial=self.request.POST.dict(), **options)
        stored = initial(self.content) if self.content else {}
        return PromptForm(initial=stored | {"name": self.prompt.name if self.prompt else ""}, **options)

    def _messages(self) -> list[Draft]:
        if self.action:
            return moved(drafts(self.request.POST), self.action)
        if self.content:
            return [Draft.from_message(message) for message in self.content.messages]
        return [Draft("user", prompt_preview.first_variable(self.project))]

    def save(self) -> PromptVersion:
        """The new prompt's first version, or the next one, under the name that was typed."""
        values, user = self.form.cleaned_data, self.request.user
        content = self.form.content(self.messages)
        if self.prompt is None:
            created = prompts.create(self.project, user, values["name"], content, values["note"])
            return prompts.version_of(created)
        return prompts.change(self.prompt, user, values["name"], content, values["note"])

    def typed(self) -> Content | None:
        """The content as it stands in the form; None where it cannot be read or sent."""
        if not self.action:
            return self.content
        form = PromptForm(self.request.POST, project=self.project, base=self.content)
        return form.do(lambda: check(form.content(self.messages)))

    def context(self) -> PromptPage:
        typed = self.typed()
        return {
            **frame(self.request, self.project, "prompts", self.prompt),
            "prompt": self.prompt,
            "base": self.base,
            "form": self.form,
            "drafts": [
                (draft, self.form.message_errors.get(number, []))
                for number, draft in enumerate(self.messages)
            ],
            "roles": ROLES,
            "preview": prompt_preview.preview(self.request, self.project, self.messages, typed),
            "next_version": self.prompt.version + 1 if self.prompt else 1,
            **self._versions(typed),
        }

    def _versions(self, typed: Content | None) -> PromptHistory:
        """The versions, and what differs: from the base while a draft is edited, else from an older version."""
        if self.prompt is None or self.base is None:
            return {}
        history = versions.history(self.prompt)
        against = number(self.request, "against") or self.base.number - 1
        older = (
            self.base
            if self.action
            else next((entry.version for entry in history if entry.version.number == against), None)
        )
        changes = versions.differences(Content.from_version(older), typed) if older and typed else None
        experiments = {run.experiment_id for entry in history for run in entry.runs}
        return {
            "history": history,
            "experiment_count": len(experiments),
            "older": older,
            "changes": changes,
            "is_draft": bool(self.action),
        }


@require_http_methods(["GET", "HEAD", "POST"])
def prompt_create(request: HttpRequest, slug: str) -> HttpResponse:
    return edit(Editor(request, project_or_404(request, slug, "write")))


@require_http_methods(["GET", "HEAD", "POST"])
def prompt_detail(request: HttpRequest, pk: int) -> HttpResponse:
    """`?version=` chooses the version that is shown and on which the next one is based."""
    posting = request.method == "POST"
    prompt = object_or_404(request, Prompt.objects.live(), pk, "write" if posting else "read")
    base = prompts.version_of(prompt, number(request, "version"))
    return edit(Editor(request, prompt.project, prompt, base))


def edit(editor: Editor) -> HttpResponse:
    """Save, or show the form again with its messages moved; htmx asks for the preview alone."""
    request, form = editor.request, editor.form
    if editor.action == "save" and (saved := form.do(editor.save)):
        messages.success(request, f"{saved.prompt.name} saved as v{saved.number}.")
        return redirect("prompt-detail", saved.prompt_id)
    context = editor.context()
    template = "_prompt_preview" if request.htmx and editor.action == "preview" else "prompt_form"
    status = form.status if editor.action == "save" else 200
    return render(request, f"evaluations/{template}.html", context, status=status)


# ---- copying, deleting, restoring --------------------------------------------------------------------------


@require_POST
def prompt_duplicate(request: HttpRequest, pk: int) -> HttpResponse:
    prompt = object_or_404(request, Prompt.objects.live(), pk, "write")
    copy = prompts.duplicate(prompts.version_of(prompt, number(request, "version")), request.user)
    messages.success(request, f"{copy.name} created.")
    return redirect("prompt-detail", copy.pk)


@require_POST
def prompt_delete(request: HttpRequest, pk: int) -> HttpResponse:
    prompt = object_or_404(request, Prompt.objects.live(), pk, "remove")
    prompts.delete(prompt)
    undo = reverse("prompt-restore", args=[pk])
    messages.success(request, f"{prompt.name} deleted; can be restored for 7 days.", extra_tags=undo)
    return redirect("prompt-list", prompt.project.slug)


@require_POST
def prompt_restore(request: HttpRequest, pk: int) -> HttpResponse:
    owned.restore(object_or_404(request, Prompt.objects.all(), pk, "remove"))
    return redirect("prompt-detail", pk)


urlpatterns = [
    path("p/<slug:slug>/prompts/", prompt_list, name="prompt-list"),
    path("p/<slug:slug>/prompts/new/", prompt_create, name="prompt-create"),
    path("prompts/<int:pk>/", prompt_detail, name="prompt-detail"),
    path("prompts/<int:pk>/duplicate/", prompt_duplicate, name="prompt-duplicate"),
    path("prompts/<int:pk>/delete/", prompt_delete, name="prompt-delete"),
    path("prompts/<int:pk>/restore/", prompt_restore, name="prompt-restore"),
]
