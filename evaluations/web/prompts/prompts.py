"""Prompts: the list, and the actions of the editor: save, keep drafts, try, duplicate, delete."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from evaluations.errors import Invalid, NotFound, Refusal
from evaluations.models import Dataset, Prompt, PromptVersion, Trial
from evaluations.playground import trials
from evaluations.prompts import drafts as drafts_of_prompts
from evaluations.prompts import prompts

from .. import named
from ..page_tools.calls import curl
from ..page_tools.frame import frame, object_or_404, project_or_404
from ..page_tools.paging import number
from ..page_tools.request import HttpRequest
from . import preview as prompt_preview
from .editor import Editor, editor_of

PROMPTS = 50


@require_safe
def prompt_list(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_or_404(request, slug)
    listed = named.page_of(request, Prompt.objects.live().filter(project=project), PROMPTS)
    page = listed["page"]
    newest = {
        (version.prompt_id, version.number): version
        for version in PromptVersion.objects.filter(prompt__in=page.rows).select_related("created_by")
    }
    context = {
        **frame(request, project, "prompts"),
        **listed,
        "rows": [(prompt, newest[prompt.pk, prompt.version]) for prompt in page.rows],
        "has_connection": project.default_connection_id is not None,
        "api_call": curl(request, "/api/v1/prompts/"),
    }
    return render(request, "prompts/prompt_list.html", context)


# ---- the editor --------------------------------------------------------------------------------------------


@require_http_methods(["GET", "HEAD", "POST"])
def prompt_create(request: HttpRequest, slug: str) -> HttpResponse:
    return edit(Editor(request, project_or_404(request, slug, "write")))


@require_http_methods(["GET", "HEAD", "POST"])
def prompt_detail(request: HttpRequest, pk: int) -> HttpResponse:
    """The editor of a prompt; `?version=` is the version to show and to base the next one on."""
    posting = request.method == "POST"
    prompt = object_or_404(request, Prompt.objects.live(), pk, "write" if posting else "read")
    return edit(editor_of(request, prompt))


def edit(editor: Editor) -> HttpResponse:
    """Save, or show the form again with its messages moved; htmx requests only the preview."""
    request, form = editor.request, editor.form
    if editor.action == "save" and (saved := form.do(editor.save)):
        messages.success(request, f"{saved.prompt.name} saved as v{saved.number}.")
        return redirect("prompt-detail", saved.prompt_id)
    if editor.action and editor.action != "save":
        editor.keep()
    if editor.action == "draft":
        return render(request, "prompts/_prompt_saved.html", editor.saved_context())
    context = editor.context()
    template = "_prompt_preview" if request.htmx and editor.action == "preview" else "prompt_form"
    status = form.status if editor.action == "save" else 200
    return render(request, f"prompts/{template}.html", context, status=status)


# ---- drafts and trials -------------------------------------------------------------------------------------


@require_POST
def prompt_discard(request: HttpRequest, pk: int) -> HttpResponse:
    prompt = object_or_404(request, Prompt.objects.live(), pk, "write")
    drafts_of_prompts.discard(prompt, request.user)
    return redirect("prompt-detail", pk)


@require_POST
def prompt_try(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask the chosen variants; the page shows their answers as they arrive."""
    prompt = object_or_404(request, Prompt.objects.live(), pk, "write")
    editor = editor_of(request, prompt)
    try:
        trial = _begin_trial(editor, prompt)
    except Refusal as refusal:
        editor.refusal = refusal
        page = render(request, "prompts/prompt_form.html", editor.context(), status=refusal.status)
        for name, value in refusal.headers.items():
            page[name] = value
        return page
    return redirect(f"{reverse('prompt-detail', args=[pk])}?trial={trial.pk}#try")


def _begin_trial(editor: Editor, prompt: Prompt) -> Trial:
    dataset = prompt_preview.chosen_dataset(prompt.project, editor.request.POST)
    _require_chosen(editor, dataset)
    editor.keep()
    if editor.typed is None:
        raise Invalid("invalid_prompt", "The draft cannot be sent. Correct the marked fields.")
    form = editor.trial_form(prompt, dataset)
    return trials.create(
        prompt, editor.request.user, form.variants(), form.chosen(), form.evaluators, cache=form.cache
    )


def _require_chosen(editor: Editor, dataset: Dataset | None) -> None:
    """Refuse a dataset or connection that the project does not have, before a draft stores it."""
    chosen = editor.request.POST.get("dataset")
    if chosen and (dataset is None or chosen != str(dataset.pk)):
        raise NotFound("not_found", "The project does not have this dataset.")
    if editor.form.status == 404:
        raise NotFound("unknown_connection", "The project does not have this connection.")


# ---- copying, deleting, restoring --------------------------------------------------------------------------


@require_POST
def prompt_duplicate(request: HttpRequest, pk: int) -> HttpResponse:
    prompt = object_or_404(request, Prompt.objects.live(), pk, "write")
    copy = prompts.duplicate(prompts.version_of(prompt, number(request, "version")), request.user)
    messages.success(request, f"{copy.name} created.")
    return redirect("prompt-detail", copy.pk)


urlpatterns = [
    path("p/<slug:slug>/prompts/", prompt_list, name="prompt-list"),
    path("p/<slug:slug>/prompts/new/", prompt_create, name="prompt-create"),
    path("prompts/<int:pk>/", prompt_detail, name="prompt-detail"),
    path("prompts/<int:pk>/discard/", prompt_discard, name="prompt-discard"),
    path("prompts/<int:pk>/try/", prompt_try, name="prompt-try"),
    path("prompts/<int:pk>/duplicate/", prompt_duplicate, name="prompt-duplicate"),
    *named.deletion(Prompt.objects.all(), prompts.delete),
]
