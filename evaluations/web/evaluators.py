"""The editor of evaluators: kinds to choose from, the fields of one, and a place to try it."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.views.decorators.http import require_http_methods, require_POST

from evaluations import charts, kinds, owned
from evaluations.errors import Refusal
from evaluations.evaluators import evaluators, versions
from evaluations.evaluators.recipe import Recipe
from evaluations.experiments import experiments
from evaluations.kinds import Kind
from evaluations.kinds.presets import PRESETS, Preset
from evaluations.models import Evaluator, Project
from evaluations.scoring import trials

from .forms.evaluator import EvaluatorForm
from .frame import frame, object_or_404, project_or_404

TRIED = ("on", "row", "try_actual", "try_expected")
LONGEST_QUERY = 2_000


@dataclass(frozen=True)
class Editor:
    """What is edited: a new evaluator of a kind, perhaps from a preset, or an existing evaluator."""

    request: HttpRequest
    project: Project
    kind: Kind
    preset: Preset | None = None
    evaluator: Evaluator | None = None

    def form(self) -> EvaluatorForm:
        version = evaluators.newest(self.evaluator) if self.evaluator else None
        config = version.config if version else self.preset.config if self.preset else {}
        initial = {"name": self.evaluator.name if self.evaluator else self.suggested_name} | config
        data = self.request.POST if self.request.method == "POST" else None
        mapping = version.mapping if version else {}
        return EvaluatorForm(data, initial=initial, kind=self.kind, project=self.project, mapping=mapping)

    @property
    def suggested_name(self) -> str:
        return self.preset.title if self.preset else self.kind.title

    def save(self, form: EvaluatorForm) -> Evaluator:
        """A new evaluator, or a new version of the one that is edited."""
        name, user = form.cleaned_data["name"], self.request.user
        if self.evaluator:
            return evaluators.change(
                self.evaluator, user, name=name, config=form.config(), mapping=form.mapping()
            )
        return evaluators.create(self.project, user, name, self.kind.key, form.config(), form.mapping())

    def context(self, form: EvaluatorForm) -> dict[str, Any]:
        own = [preset for preset in PRESETS if preset.kind == self.kind.key]
        return frame(self.request, self.project, "evaluators") | {
            "evaluator": self.evaluator,
            "kind": self.kind,
            "families": kinds.by_family().items(),
            "presets": own,
            "preset": self.preset,
            "form": form,
            "warnings": evaluators.warnings(evaluators.newest(self.evaluator)) if self.evaluator else [],
            "history": versions.history(self.evaluator) if self.evaluator else [],
            "run_count": evaluators.run_count(self.evaluator) if self.evaluator else 0,
            "behind": experiments.behind(self.evaluator) if self.evaluator else [],
            "next_version": self.evaluator.version + 1 if self.evaluator else 1,
            "trial": attempt(self.request, self.project, form),
        }


@require_http_methods(["GET", "HEAD", "POST"])
def evaluator_create(request: HttpRequest, slug: str) -> HttpResponse:
    """`?kind=` chooses the fields, `?preset=` fills them in."""
    project = project_or_404(request, slug, "write")
    preset = next((one for one in PRESETS if one.key == request.GET.get("preset")), None)
    key = preset.kind if preset else request.GET.get("kind", "levenshtein_similarity")
    kind = kinds.CATALOGUE.get(key) or kinds.get("levenshtein_similarity")
    return edit(Editor(request, project, kind, preset))


@require_http_methods(["GET", "HEAD", "POST"])
def evaluator_detail(request: HttpRequest, pk: int) -> HttpResponse:
    posting = request.method == "POST"
    evaluator = object_or_404(request, Evaluator.objects.live(), pk, "write" if posting else "read")
    kind = kinds.get(evaluators.newest(evaluator).kind)
    return edit(Editor(request, evaluator.project, kind, evaluator=evaluator))


def edit(editor: Editor) -> HttpResponse:
    """Save, or try without saving; htmx asks for the part that shows what came out."""
    request, form = editor.request, editor.form()
    trying = request.method != "POST" or request.POST.get("do") == "try"
    if not trying and (saved := form.do(lambda: editor.save(form))):
        messages.success(request, f"{saved.name} saved as v{saved.version}.")
        return redirect(f"{reverse('evaluator-detail', args=[saved.pk])}{_tried(request)}")
    template = "evaluations/evaluator_form.html"
    if request.htmx and trying:
        return render(
            request,
            "evaluations/_trial.html",
            {"trial": attempt(request, editor.project, form), "form": form},
        )
    status = 200 if trying else form.status
    return render(request, template, editor.context(form), status=status)


def _tried(request: HttpRequest) -> str:
    """The texts of the trial as a query string, so that they are still there after saving."""
    tried = {name: request.POST[name] for name in TRIED if request.POST.get(name)}
    query = f"?{urlencode(tried)}" if tried else ""
    return query if len(query) < LONGEST_QUERY else ""


# ---- trying ------------------------------------------------------------------------------------------------


def attempt(request: HttpRequest, project: Project, form: EvaluatorForm) -> dict[str, Any]:
    """The content of the third pane: the texts, their score with its explanation, or the errors of the form."""
    values = request.POST if form.is_bound else request.GET
    sources = trials.sources(project)
    source = next((one for one in sources if one.key == values.get("on")), None)
    shown = {
        "sources": sources,
        "source": source,
        "position": _position(values),
        "actual": values.get("try_actual", ""),
        "expected": values.get("try_expected", ""),
        "paths": source.paths() if source else [],
        "decimals": 0 if form.kind.unit else 2,
    }
    costs = form.kind.needs_connection
    if costs and values.get("do") != "try":
        return shown | {"waits": True}
    try:
        recipe = _recipe(project, form)
        return shown | _scored(project, recipe, shown) if recipe else shown
    except Refusal as refusal:
        return shown | {"refusal": refusal}


def _recipe(project: Project, form: EvaluatorForm) -> Recipe | None:
    """The evaluator described by the form, with its initial values if it was not sent; None if it is invalid."""
    if not form.is_bound:
        unsent = {name: form[name].initial for name in form.fields}
        form = EvaluatorForm(
            {name: value for name, value in unsent.items() if value is not None and value is not False},
            kind=form.kind,
            project=project,
            mapping=form.kept,
        )
    if not form.is_valid():
        return None
    return evaluators.check(project, form.kind.key, form.config(), form.mapping())


def _scored(project: Project, recipe: Recipe, shown: dict[str, Any]) -> dict[str, Any]:
    source = shown["source"]
    if source is None:
        if not shown["actual"] and not shown["expected"]:
            return {}
        return {"outcome": trials.on_texts(project, recipe, shown["actual"], shown["expected"])}
    summary = trials.on_sample(project, recipe, source, seed=shown["position"])
    return {
        "outcome": trials.on_row(project, recipe, source, shown["position"]),
        "sample": summary,
        "histogram": charts.histogram(summary, recipe.threshold, recipe.kind.direction),
    }


def _position(values: Any) -> int:
    text = values.get("row", "")
    return int(text) if text.isascii() and text.isdigit() and 0 < len(text) < 9 else 1


# ---- deleting and restoring ----------------------------------------------------------------------------------


@require_POST
def evaluator_delete(request: HttpRequest, pk: int) -> HttpResponse:
    evaluator = object_or_404(request, Evaluator.objects.live(), pk, "write")
    evaluators.delete(evaluator)
    undo = reverse("evaluator-restore", args=[pk])
    messages.success(request, f"{evaluator.name} deleted; its scores stay.", extra_tags=undo)
    return redirect("evaluator-list", evaluator.project.slug)


@require_POST
def evaluator_restore(request: HttpRequest, pk: int) -> HttpResponse:
    evaluator = object_or_404(request, Evaluator.objects.all(), pk, "write")
    owned.restore(evaluator)
    return redirect("evaluator-detail", pk)


urlpatterns = [
    path("p/<slug:slug>/evaluators/new/", evaluator_create, name="evaluator-create"),
    path("evaluators/<int:pk>/", evaluator_detail, name="evaluator-detail"),
    path("evaluators/<int:pk>/delete/", evaluator_delete, name="evaluator-delete"),
    path("evaluators/<int:pk>/restore/", evaluator_restore, name="evaluator-restore"),
]
