"""A trial on the page of its prompt: answers side by side, and actions on them."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from statistics import fmean
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.views.decorators.http import require_POST, require_safe

from evaluations.errors import Conflict
from evaluations.models import EvaluatorVersion, Prompt, Trial, TrialAnswer
from evaluations.playground import examples, trials
from evaluations.reading.reading import Reading, View, compare, read
from evaluations.templatetags.evalsite import cost

from ..page_tools.frame import frame, object_or_404
from ..page_tools.paging import number
from ..page_tools.request import HttpRequest

ANSWER = View(room=2_000)
VALUE = View(room=600)


class CellState(NamedTuple):
    """The state of an answer that has not arrived, as shown: its colour (as `data-state`), icon and word."""

    colour: str
    icon: str
    word: str


STATES = {
    "queued": CellState("queued", "waiting", "Queued"),
    "asking": CellState("running", "running", "Generating"),
    "scoring": CellState("running", "running", "Scoring"),
    "failed": CellState("failed", "care", "Failed"),
    "stopped": CellState("stopped", "stopped", "Stopped"),
}


@dataclass(frozen=True)
class Cell:
    """An answer; with its changes from the first variant's answer if they are requested."""

    variant: str
    answer: TrialAnswer
    status: str
    text: Reading

    @property
    def state(self) -> CellState | None:
        return STATES.get(self.status)

    @property
    def has_unknown_cost(self) -> bool:
        return self.answer.text is not None and self.answer.cost is None and not self.answer.cached

    @property
    def tokens(self) -> int | None:
        """Tokens in and out together."""
        counts = (self.answer.tokens_in, self.answer.tokens_out)
        return sum(count or 0 for count in counts) if any(counts) else None


@dataclass(frozen=True)
class Row:
    name: str
    inputs: list[tuple[str, Reading]]
    reference: list[tuple[str, Reading]]
    cells: list[Cell]


@dataclass(frozen=True)
class Head:
    """A variant above its answers: scores by evaluator in words, and the cost of all examples."""

    name: str
    model: str
    figures: list[str]
    cost: int | None
    cost_of_all: int | None


@dataclass(frozen=True)
class TrialPage:
    trial: Trial
    state: trials.TrialState
    heads: list[Head]
    rows: list[Row]
    shows_changes: bool
    launch_address: str

    @property
    def has_draft(self) -> bool:
        return any(variant["version"] is None for variant in self.trial.variants)

    @property
    def spent(self) -> str:
        """The cost so far in words. Answers of a model without a price have an unknown cost, which is not 0."""
        committed = self.trial.budget.committed
        amount = f"spent {cost(committed)} {self.trial.project.currency}"
        if not any(cell.has_unknown_cost for row in self.rows for cell in row.cells):
            return amount
        return f"{amount}, as far as prices are known" if committed else "cost unknown"

    @property
    def costs(self) -> list[Head]:
        """The variants with a known cost for all examples."""
        return [head for head in self.heads if head.cost_of_all is not None]


def of_address(request: HttpRequest, prompt: Prompt) -> TrialPage | None:
    """The trial in `?trial=`; None if it does not exist any more."""
    pk = number(request, "trial")
    trial = prompt.trials.select_related("budget", "dataset", "project").filter(pk=pk).first() if pk else None
    return page(request, trial) if trial else None


def page(request: HttpRequest, trial: Trial) -> TrialPage:
    state, shows_changes = trials.state_of(trial), request.GET.get("changes") == "1"
    return TrialPage(
        trial,
        state,
        [_head(state, index) for index in range(len(trial.variants))],
        [_row(trial, number, answers, shows_changes) for number, answers in enumerate(state.rows)],
        shows_changes,
        _launch_address(trial),
    )


def _launch_address(trial: Trial) -> str:
    """The address of a launch form with the saved versions, models and evaluators of a trial.

    "" without a dataset, or if no version is saved with these parameters.
    """
    saved = {version.number: version for version in trial.prompt.versions.all()}
    variants = [
        (saved[variant["version"]].pk, variant["model"])
        for variant in trial.variants
        if variant["version"] and variant["parameters"] == saved[variant["version"]].parameters
    ]
    if trial.dataset_id is None or not variants:
        return ""
    scored_by = EvaluatorVersion.objects.in_bulk(trial.evaluators)
    query = {
        "dataset": trial.dataset_id,
        "row": dict.fromkeys(pk for pk, _ in variants),
        "model": dict.fromkeys(model for _, model in variants),
        "variants": [f"{pk}:{model}" for pk, model in variants],
        "evaluators": [
            f"evaluator:{scored_by[pk].evaluator_id}" for pk in trial.evaluators if pk in scored_by
        ],
    }
    return f"{reverse('launch-create', args=[trial.project.slug])}?{urlencode(query, doseq=True)}"


# ---- heads -------------------------------------------------------------------------------------------------


def _head(state: trials.TrialState, index: int) -> Head:
    variant, answers = state.trial.variants[index], [row[index] for row in state.rows]
    costs = [answer.cost for answer in answers if answer.text is not None]
    known_costs = [cost for cost in costs if cost is not None]
    dataset, is_known = state.trial.dataset, bool(known_costs) and len(known_costs) == len(costs)
    return Head(
        variant["name"],
        variant["model"],
        _figures(answers),
        sum(known_costs) if is_known else None,
        round(fmean(known_costs) * dataset.example_count) if is_known and dataset else None,
    )


def _figures(answers: Sequence[TrialAnswer]) -> list[str]:
    """By evaluator, “3 of 5 pass” or the mean."""
    scores: dict[str, list[dict[str, Any]]] = {}
    for answer in answers:
        for score in answer.scores:
            scores.setdefault(score["name"], []).append(score)
    return [f"{name} {_figure(score)}" for name, score in scores.items()]


def _figure(scores: Sequence[dict[str, Any]]) -> str:
    judged = [score["passed"] for score in scores if score["passed"] is not None]
    if judged:
        return f"{sum(judged)} of {len(judged)} pass"
    values = [score["value"] for score in scores if score["value"] is not None]
    return f"{fmean(values):.2f}" if values else "–"


# ---- rows --------------------------------------------------------------------------------------------------


def _row(trial: Trial, number: int, answers: Sequence[TrialAnswer], shows_changes: bool) -> Row:
    example = trial.examples[number]
    first = answers[0].text if shows_changes else None
    names = [variant["name"] for variant in trial.variants]
    return Row(
        example["key"] or (f"{example['position']}" if example["position"] else f"Input {number + 1}"),
        _values(example, "inputs"),
        _values(example, "reference"),
        [
            _cell(name, answer, None if index == 0 else first)
            for index, (name, answer) in enumerate(zip(names, answers, strict=True))
        ],
    )


def _values(example: examples.Row, part: str) -> list[tuple[str, Reading]]:
    return [(name, read(value, VALUE)) for name, value in examples.part(example, part).items()]


def _cell(name: str, answer: TrialAnswer, first: str | None) -> Cell:
    status = trials.status_of(answer)
    if first is None or answer.text is None:
        return Cell(
            name, answer, status, read(answer.partial if answer.text is None else answer.text, ANSWER)
        )
    return Cell(name, answer, status, compare(first, answer.text, ANSWER)[1])


# ---- addresses ---------------------------------------------------------------------------------------------


def _visible() -> Any:
    return Trial.objects.live().filter(prompt__deleted_at=None).select_related("budget", "dataset", "prompt")


@require_safe
def trial_detail(request: HttpRequest, pk: int) -> HttpResponse:
    """Only the answers, for htmx; browsers are redirected to the page of the prompt."""
    trial = object_or_404(request, _visible(), pk)
    if not request.htmx:
        return _back(trial)
    context = frame(request, trial.project, "prompts") | {"shown_trial": page(request, trial)}
    return render(request, "prompts/_trial_answers.html", context)


@require_POST
def trial_stop(request: HttpRequest, pk: int) -> HttpResponse:
    trial = object_or_404(request, _visible(), pk, "write")
    with suppress(Conflict):  # it may have ended meanwhile
        trials.stop(trial)
    return _back(trial)


@require_POST
def trial_again(request: HttpRequest, pk: int) -> HttpResponse:
    return _back(trials.ask_again(object_or_404(request, _visible(), pk, "write")))


def _back(trial: Trial) -> HttpResponse:
    return redirect(f"{reverse('prompt-detail', args=[trial.prompt_id])}?trial={trial.pk}#try")


urlpatterns = [
    path("trials/<int:pk>/", trial_detail, name="trial-detail"),
    path("trials/<int:pk>/stop/", trial_stop, name="trial-stop"),
    path("trials/<int:pk>/again/", trial_again, name="trial-again"),
]
