"""The editor of a judge: left what is written, right what it does on five rows; and the requests it was paid for."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.db.models import Exists, OuterRef
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.views.decorators.http import require_POST, require_safe

from evaluations.access import permissions
from evaluations.comparisons.people import passports
from evaluations.errors import Invalid
from evaluations.evaluators import embeddings, evaluators, versions
from evaluations.judges import checks, judgings, presets, progress
from evaluations.judges.judgings import Asked
from evaluations.judges.presets import Preset
from evaluations.judges.progress import Progress
from evaluations.kinds import Kind
from evaluations.kinds.judge import pair_judge
from evaluations.kinds.people import people
from evaluations.labelling import facts, seal
from evaluations.models import (
    Evaluator,
    EvaluatorVersion,
    Generation,
    Judging,
    Output,
    Project,
    Run,
    Scoring,
)
from evaluations.prompts import money
from evaluations.prompts.named import Money
from evaluations.results import rows
from evaluations.scoring import telling

from ..forms.judge import MOST_OFFERED, TRY_BUDGET, TRY_CALLS, Added, JudgeForm, added, initial_of
from ..page_tools import offered_models
from ..page_tools.calls import curl
from ..page_tools.frame import Context, frame, object_or_404, way_back
from ..page_tools.paging import number_of
from ..page_tools.request import HttpRequest
from . import judge_trials
from .saved import said

ROWS, WRONG_ROWS = 5, 2  # of a trial, and how many of them are wrong where some are
LOOKED_AT = 200  # answers among which wrong ones are looked for
LISTED = 10


@dataclass(frozen=True)
class Request:
    """A request to judge, with how far it is."""

    judging: Judging
    progress: Progress

    @property
    def is_recorded(self) -> bool:
        """Whether its verdicts came with the sample, so that nobody was asked and nothing was paid."""
        return self.judging.connection_id is None and self.progress.cost is None


@dataclass(frozen=True)
class Editor:
    """Edits a judge, or a new one of a kind."""

    request: HttpRequest
    project: Project
    kind: Kind
    evaluator: Evaluator | None = None

    @property
    def values(self) -> Any:
        return self.request.POST if self.request.method == "POST" else self.request.GET

    @property
    def preset(self) -> Preset:
        chosen = self.values.get("preset") or self._config.get("preset") or ""
        return presets.by_key(chosen, pairs=self.kind.key == pair_judge.key)

    @property
    def _config(self) -> dict[str, Any]:
        return evaluators.newest(self.evaluator).config if self.evaluator else {}

    @property
    def seed(self) -> int:
        seed = number_of(self.values, "seed") or 1
        return seed + 1 if self.values.get("do") == "others" else seed

    def form(self) -> JudgeForm:
        form_data = self.request.POST if self.request.method == "POST" else None
        runs = _runs(self.project, self.evaluator)
        initial = initial_of(self.evaluator, self._config, self.preset)
        if runs:
            told = telling.telling_first(runs, self.evaluator) if self.evaluator else []
            initial["on"] = str((told or telling.telling_first(runs) or runs)[0].pk)
        if self.evaluator is None:
            initial["model"] = offered_models.usual(self.project)
        return JudgeForm(
            form_data, project=self.project, kind=self.kind, runs=runs, config=self._config, initial=initial
        )

    # ---- what the buttons do ---------------------------------------------------------------------------------

    def save(self, form: JudgeForm) -> Evaluator:
        user, config = self.request.user, form.config(self.preset.key)
        name, connection = form.cleaned_data["name"], form.connection_id
        if self.evaluator is None:
            return evaluators.create(self.project, user, name, self.kind.key, config, {}, connection)
        newest_was = number_of(self.request.POST, "newest")
        return evaluators.change(
            self.evaluator, user, name=name, config=config, connection=connection, newest_was=newest_was
        )

    def attempt(self, form: JudgeForm) -> Judging:
        """Ask about five rows with the rubric as it is written now."""
        run = form.run
        if run is None:
            raise _wrong("on", "Choose a run whose answers are judged.")
        recipe = evaluators.check(self.project, self.kind.key, form.config(self.preset.key), {})
        draft = Evaluator(project=self.project, name="The judge")
        if form.connection_id is not None:
            draft.connection = embeddings.project_connection(self.project, form.connection_id, "connection")
        asked = Asked(self.kind.key, recipe.config, judgings.connection_of(draft))
        named = form.cleaned_data["budget"]
        limit = named or (TRY_BUDGET if judgings.has_price(asked) else None)
        spend = Money(money.cost(limit, "budget")) if limit else Money(max_calls=TRY_CALLS)
        return judgings.ask_some(
            run,
            asked,
            self.request.user,
            spend,
            "try",
            _drawn(run, self.seed),
            form.other if self.is_pair else None,
        )

    def adds(self, form: JudgeForm) -> Added:
        """What Evalsite says besides the rubric."""
        new = {"messages": [{"role": "user", "content": self.preset.rubric}], "model": "x"}
        return added(form, self._config or new)

    @property
    def is_pair(self) -> bool:
        return self.kind.key == pair_judge.key

    # ---- the page --------------------------------------------------------------------------------------------

    def page(self, form: JudgeForm, judging: Judging | None) -> Context:
        evaluator = self.evaluator
        requests = _requests(evaluator) if evaluator else []
        return {
            **frame(self.request, self.project, "evaluators"),
            "api_call": curl(self.request, f"/api/v1/evaluators/{self.evaluator.pk}/")
            if self.evaluator
            else "",
            "evaluator": evaluator,
            "kind": self.kind,
            "form": form,
            "presets": presets.offered(pairs=self.is_pair),
            "preset": self.preset,
            "adds": self.adds(form),
            "tried": judge_trials.tried_of(judging) if judging else None,
            "seed": self.seed,
            "wrote": _author(judging) if judging else "",  # if the judge's model also wrote the answers
            "history": versions.history(evaluator) if evaluator else [],
            "requests": requests,
            "purposes": {request.judging.purpose for request in requests},
            "known": checks.known(evaluators.newest(evaluator)) if evaluator else None,
            "next_version": evaluator.version + 1 if evaluator else 1,
            "models": offered_models.offered(self.project),
            "is_held": evaluator is not None and _is_held(evaluators.newest(evaluator)),
            "passport_says": passports.in_short(evaluators.newest(evaluator)) if evaluator else "",
        }


def edit(editor: Editor) -> HttpResponse:
    """Save the judge, or try it on five rows without saving."""
    request, form = editor.request, editor.form()
    do = request.POST.get("do", "")
    if do == "adds" and request.htmx:
        return render(request, "evaluators/_judge_adds.html", {"adds": editor.adds(form)})
    judging = None
    before = (editor.evaluator.name, editor.evaluator.version) if editor.evaluator else None
    if do in ("try", "others"):
        judging = form.do(lambda: editor.attempt(form))
    elif do == "stop":
        judging = judge_trials.stopped(request, editor.project)
    elif (
        request.method == "POST"
        and do not in ("show", "adds")
        and (saved := form.do(lambda: editor.save(form)))
    ):
        messages.success(request, said(saved, before))
        return redirect("evaluator-detail", saved.pk)
    if judging is None and (pk := number_of(editor.values, "judging")):
        judging = (
            judge_trials.judgings_shown()
            .visible_to(request.user)
            .filter(pk=pk, project=editor.project)
            .first()
        )
    return render(request, "evaluators/judge_form.html", editor.page(form, judging), status=form.status)


def _wrong(field: str, sentence: str) -> Invalid:
    return Invalid("invalid_judging", sentence, fields={field: [sentence]})


def _runs(project: Project, judge: Evaluator | None) -> list[Run]:
    """The newest runs whose answers can be judged, those that the judge has read first."""
    live = Run.objects.live().filter(project=project, experiment__deleted_at=None, output_count__gt=0)
    ready = live.exclude(status__in=judgings.UNJUDGED).select_related("experiment__dataset", "project")
    scored = Scoring.objects.filter(run=OuterRef("pk"), evaluator_version__evaluator=judge)
    read = ready.filter(Exists(scored)).order_by("-pk")[:MOST_OFFERED] if judge else []
    return list(dict.fromkeys([*read, *ready.order_by("-pk")[:MOST_OFFERED]]))[:MOST_OFFERED]


def _drawn(run: Run, seed: int) -> list[int]:
    """Five rows with an answer and without a sealed label, drawn with this seed.

    Two of them are wrong by an evaluator that scored the run, if there are any: of right answers alone nobody sees
    whether the judge notices a mistake.
    """
    stored = Output.objects.filter(run=run, text__isnull=False).values_list("position", flat=True)[:5_000]
    closed = {*facts.positions(run, sorted(seal.hidden_examples(run, None)))}
    answered = [position for position in stored if position not in closed]
    if not answered:
        raise _wrong("on", "This run has no answers without a sealed label.")
    looked_at = random.Random(seed).sample(answered, min(LOOKED_AT, len(answered)))
    wrong = _wrong_ones(run, looked_at)
    others = [position for position in looked_at if position not in wrong]
    return sorted([*wrong[:WRONG_ROWS], *others, *wrong[WRONG_ROWS:]][:ROWS])


def _wrong_ones(run: Run, positions: Sequence[int]) -> list[int]:
    """The positions at which an evaluator said that the answer fails."""
    return [
        row.position
        for row in rows.rows_at(run, positions)
        if any(score.passed is False for score in row.scores.values())
    ]


def _author(judging: Judging) -> str:
    """The judge's model, if it also wrote the answers."""
    wrote = Generation.objects.filter(run=judging.run_id, model=judging.config.get("model", ""))
    return wrote.values_list("model", flat=True).first() or ""


def _requests(evaluator: Evaluator) -> list[Request]:
    of_judge = judge_trials.judgings_shown().filter(version__evaluator=evaluator, run__deleted_at=None)
    listed = of_judge.exclude(purpose=Judging.Purpose.EARLY)[:LISTED]  # a launch asks early many times
    return [Request(judging, progress.of(judging)) for judging in listed]


def _is_held(version: EvaluatorVersion) -> bool:
    """Whether the judge was checked against any label set of its project."""
    of_project = Evaluator.objects.live().filter(project=version.evaluator.project_id)
    label_sets = of_project.filter(versions__kind=people.key).distinct()
    return any(passports.is_held(version, label_set) for label_set in label_sets)


# ---- requests --------------------------------------------------------------------------------------------------


@require_safe
def judging_tried(request: HttpRequest, pk: int) -> HttpResponse:
    """The rows of a rubric that is tried, as far as they are judged: what the editor asks for while it waits.

    Browsers are redirected to the judge, or to the editor of a new one.
    """
    judging = object_or_404(request, judge_trials.judgings_shown(), pk)
    if not request.htmx:
        return redirect(_page_of(request, judging))
    return render(
        request,
        "evaluators/_judge_tried.html",
        {"tried": judge_trials.tried_of(judging), "project": judging.project},
    )


def _page_of(request: HttpRequest, judging: Judging) -> str:
    """The judge; of a rubric that nobody saved the editor, for those who may write it, else the list."""
    if judging.version:
        return reverse("evaluator-detail", args=[judging.version.evaluator_id])
    if "write" not in permissions.allowed(request.user, judging.project):
        return reverse("evaluator-list", args=[judging.project.slug])
    editor = reverse("evaluator-create", args=[judging.project.slug])
    return f"{editor}?kind={judging.kind}&judging={judging.pk}"


@require_POST
def judging_cancel(request: HttpRequest, pk: int) -> HttpResponse:
    judging = object_or_404(request, judge_trials.judgings_shown(), pk, "run")
    judgings.cancel(judging)
    messages.success(request, "The judge was stopped; what it said so far counts.")
    by_default = (
        reverse("evaluator-detail", args=[judging.version.evaluator_id])
        if judging.version
        else reverse("evaluator-list", args=[judging.project.slug])
    )
    return redirect(way_back(request, by_default))


urlpatterns = [
    path("judgings/<int:pk>/tried/", judging_tried, name="judging-tried"),
    path("judgings/<int:pk>/cancel/", judging_cancel, name="judging-cancel"),
]
