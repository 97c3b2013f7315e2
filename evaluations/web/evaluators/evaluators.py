"""Evaluators: the list, and the editor: choice of kind, settings, and tryout."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.contrib import messages
from django.db.models import Count, F, Max, Q
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.views.decorators.http import require_http_methods, require_safe

from evaluations import kinds, owned
from evaluations.comparisons.people import passports, standing
from evaluations.datasets import schema_of
from evaluations.evaluators import evaluators, formulas, versions
from evaluations.experiments import experiments
from evaluations.kinds import Kind
from evaluations.kinds.presets import PRESETS, Preset
from evaluations.models import Dataset, Evaluator, EvaluatorVersion, Project
from evaluations.proof.catalogue_page import NAMES_AT_A_GLANCE, at_a_glance
from evaluations.values import BETTER, Direction

from .. import named
from ..forms import steps
from ..forms.evaluator import EvaluatorForm
from ..page_tools import sorting, visible
from ..page_tools.calls import curl
from ..page_tools.frame import Context, frame, object_or_404, project_or_404
from ..page_tools.paging import number_of
from ..page_tools.request import HttpRequest
from . import judges, sent
from .saved import said
from .tryouts import ShownTryout, shown_tryout, tryout_query

LISTED = 50
COLUMNS = {
    "name": sorting.NAME,
    "runs": sorting.Column(F("run_count")),
    "changed": sorting.Column(Max("versions__created_at")),
}
OF_ROW = [
    ("length", "characters of the output"),
    ("latency_ms", "milliseconds that came with it"),
    ("tokens", "tokens that came with it"),
]


@dataclass(frozen=True)
class ListedEvaluator:
    """An evaluator with its newest version, the datasets of experiments that it decides, and what stands behind it."""

    evaluator: Evaluator
    version: EvaluatorVersion
    kind: Kind
    direction: Direction
    primary_of: list[str]
    standing: str
    needs_care: bool


@require_safe
def evaluator_list(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_or_404(request, slug)
    scored = Count("versions__scorings__run", Q(versions__scorings__run__deleted_at=None), distinct=True)
    evaluators_here = Evaluator.objects.live().filter(project=project).annotate(run_count=scored)
    listed = named.page_of(request, evaluators_here, COLUMNS, LISTED)
    context = {
        **frame(request, project, "evaluators"),
        **listed,
        "evaluators": _with_versions(listed["page"].rows),
        "api_call": curl(request, "/api/v1/evaluators/"),
    }
    return render(request, "evaluators/evaluator_list.html", context)


def _with_versions(evaluators: list[Evaluator]) -> list[ListedEvaluator]:
    versions = EvaluatorVersion.objects.filter(evaluator__in=evaluators).order_by("number")
    newest = {version.evaluator_id: version for version in versions}
    decided = defaultdict[int, list[str]](list)
    primaries = visible.experiments().filter(primary__in=evaluators).order_by("-pk")
    for evaluator, dataset in primaries.values_list("primary", "dataset__name"):
        if dataset not in decided[evaluator]:
            decided[evaluator].append(dataset)
    standings = standing.of(newest.values())
    return [
        _listed(newest[evaluator.pk], evaluator, decided[evaluator.pk], standings) for evaluator in evaluators
    ]


def _listed(
    version: EvaluatorVersion,
    evaluator: Evaluator,
    decided: list[str],
    standings: Mapping[int, standing.Standing],
) -> ListedEvaluator:
    kind = kinds.get(version.kind, version.kind_version)
    direction = kind.better(kind.parse(version.config))
    known = standings.get(version.pk)
    is_open = known == "not_held"
    said = passports.in_short(version) if is_open else standing.HELD.get(known, "")
    return ListedEvaluator(evaluator, version, kind, direction, decided, said, needs_care=is_open)


# ---- one evaluator -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Editor:
    """Edits an existing evaluator, or a new one of a kind, perhaps with the settings of a preset."""

    request: HttpRequest
    project: Project
    kind: Kind
    preset: Preset | None = None
    evaluator: Evaluator | None = None

    def form(self) -> EvaluatorForm:
        version = evaluators.newest(self.evaluator) if self.evaluator else None
        config = version.config if version else self.preset.config if self.preset else {}
        initial = {"name": self.evaluator.name if self.evaluator else self.suggested_name} | config
        initial |= self._derived_schema()
        form_data = self.request.POST if self.request.method == "POST" else None
        mapping = version.mapping if version else {}
        return EvaluatorForm(
            form_data, initial=initial, kind=self.kind, project=self.project, mapping=mapping
        )

    def _derived_schema(self) -> dict[str, Any]:
        """The schema of a new evaluator, if `?schema_of=` names a dataset whose references have one."""
        pk = number_of(self.request.GET, "schema_of") if self._asks_for_a_schema else None
        dataset = Dataset.objects.live().filter(project=self.project, pk=pk).first() if pk else None
        schema = schema_of.of_references(dataset) if dataset else None
        return {"schema": schema} if schema else {}

    @property
    def _asks_for_a_schema(self) -> bool:
        return self.evaluator is None and self.kind.key == "json_schema"

    def _with_json(self, tried: ShownTryout) -> Dataset | None:
        """The dataset whose references a schema can be made from: that of the trial, else the newest."""
        if not self._asks_for_a_schema:
            return None
        if tried.source and schema_of.has_json_references(tried.source.dataset):
            return tried.source.dataset
        return schema_of.newest_with_json(self.project)

    @property
    def suggested_name(self) -> str:
        return self.preset.title if self.preset else self.kind.title

    @property
    def direction(self) -> Direction:
        if self.evaluator is None:
            return self.kind.direction
        return self.kind.better(self.kind.parse(evaluators.newest(self.evaluator).config))

    def save(self, form: EvaluatorForm) -> Evaluator:
        """Create the evaluator, or a new version of it."""
        name, user = form.cleaned_data["name"], self.request.user
        if self.evaluator:
            newest_was = number_of(self.request.POST, "newest")
            return evaluators.change(
                self.evaluator,
                user,
                name=name,
                config=form.config(),
                mapping=form.mapping(),
                newest_was=newest_was,
            )
        return evaluators.create(self.project, user, name, self.kind.key, form.config(), form.mapping())

    def _newest_formula(self) -> int | None:
        """The version of a newer formula that this evaluator could use."""
        newest = kinds.get(self.kind.key).version
        return newest if self.evaluator and newest != self.kind.version else None

    def page(self, form: EvaluatorForm) -> Context:
        evaluator = self.evaluator
        tried = shown_tryout(self.request, self.project, form, evaluator)
        return {
            **frame(self.request, self.project, "evaluators"),
            "evaluator": evaluator,
            "kind": self.kind,
            "better": BETTER[self.direction],
            "at_a_glance": list(zip(NAMES_AT_A_GLANCE, at_a_glance(self.kind), strict=True)),
            "see_also": [kinds.get(key) for key in self.kind.advice.see],
            "families": kinds.by_family(),
            "presets": [preset for preset in PRESETS if preset.kind == self.kind.key],
            "preset": self.preset,
            "form": form,
            "warnings": evaluators.warnings(evaluators.newest(evaluator)) if evaluator else [],
            "newest_formula": self._newest_formula(),
            "history": versions.history(evaluator) if evaluator else [],
            "run_count": evaluators.run_count(evaluator) if evaluator else 0,
            "behind": experiments.behind(evaluator) if evaluator else [],  # that use an older version
            "next_version": evaluator.version + 1 if evaluator else 1,
            "tryout": tried,
            "with_json": self._with_json(tried),
            "names": self._names() if self.kind.is_derived else [],
            "api_call": curl(self.request, f"/api/v1/evaluators/{evaluator.pk}/") if evaluator else "",
        }

    def _names(self) -> list[tuple[str, str]]:
        """What a formula can read: evaluators by name, and what every output has."""
        readable = formulas.readable(self.project)
        own = formulas.read_by(evaluators.newest(self.evaluator)) if self.evaluator else {}
        named = {name: evaluator.name for name, evaluator in readable.items()}
        return [*(named | {name: version.evaluator.name for name, version in own.items()}).items(), *OF_ROW]


@require_http_methods(["GET", "HEAD", "POST"])
def evaluator_create(request: HttpRequest, slug: str) -> HttpResponse:
    """Create an evaluator; `?kind=` chooses the fields, `?preset=` fills them in."""
    project = project_or_404(request, slug, "write")
    preset = next((preset for preset in PRESETS if preset.key == request.GET.get("preset")), None)
    key = preset.kind if preset else request.GET.get("kind", "levenshtein_similarity")
    if key in kinds.JUDGES:
        return judges.edit(judges.Editor(request, project, kinds.JUDGES[key]))
    kind = kinds.CATALOGUE.get(key) or kinds.get("levenshtein_similarity")
    return edit(Editor(request, project, kind, preset))


@require_http_methods(["GET", "HEAD", "POST"])
def evaluator_detail(request: HttpRequest, pk: int) -> HttpResponse:
    posting = request.method == "POST"
    evaluator = object_or_404(request, Evaluator.objects.live(), pk, "write" if posting else "read")
    newest = evaluators.newest(evaluator)
    if newest.kind in kinds.RECORDED:
        return (
            named.rename(request, evaluator, "evaluators", partial(owned.rename, evaluator))
            if posting
            else sent.page(request, evaluator, newest)
        )
    if newest.kind in kinds.JUDGES:
        kind = kinds.get(newest.kind, newest.kind_version)
        return judges.edit(judges.Editor(request, evaluator.project, kind, evaluator))
    if request.POST.get("do") == "newest_formula":
        saved = evaluators.change(evaluator, request.user, kind_version=kinds.get(newest.kind).version)
        messages.success(request, f"{saved.name} saved as v{saved.version}, with the newest formula.")
        return redirect("evaluator-detail", evaluator.pk)
    kind = kinds.get(newest.kind, newest.kind_version)
    return edit(Editor(request, evaluator.project, kind, evaluator=evaluator))


def edit(editor: Editor) -> HttpResponse:
    """Save the form, or try it without saving; htmx requests only the result of the tryout."""
    request, form = editor.request, editor.form()
    if steps.BUTTON in request.POST:
        return _changed_steps(editor, form)
    trying = request.method != "POST" or request.POST.get("do") == "try"
    before = (editor.evaluator.name, editor.evaluator.version) if editor.evaluator else None
    if not trying and (saved := form.do(lambda: editor.save(form))):
        messages.success(request, said(saved, before))
        return redirect(f"{reverse('evaluator-detail', args=[saved.pk])}{tryout_query(request)}")
    if request.htmx and trying:
        tryout = shown_tryout(request, editor.project, form, editor.evaluator)
        evaluator = editor.evaluator
        context = {
            "tryout": tryout,
            "form": form,
            "kind": editor.kind,
            "is_part": True,
            "is_changed": form.has_changed(),
            "evaluator": evaluator,
            "next_version": evaluator.version + 1 if evaluator else 1,
        }
        return render(request, "evaluators/_tryout.html", context)
    status = 200 if trying else form.status
    return render(request, "evaluators/evaluator_form.html", editor.page(form), status=status)


def _changed_steps(editor: Editor, form: EvaluatorForm) -> HttpResponse:
    """The form with a step more, fewer or elsewhere; what is not typed yet is no error."""
    page = editor.page(form)
    form.errors.clear()
    return render(editor.request, "evaluators/evaluator_form.html", page)


# ---- deleting and restoring ----------------------------------------------------------------------------------


urlpatterns = [
    path("p/<slug:slug>/evaluators/", evaluator_list, name="evaluator-list"),
    path("p/<slug:slug>/evaluators/new/", evaluator_create, name="evaluator-create"),
    path("evaluators/<int:pk>/", evaluator_detail, name="evaluator-detail"),
    *named.deletion(Evaluator.objects.all(), evaluators.delete, "write"),
]
