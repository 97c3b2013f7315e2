"""What evaluators that call a server may spend on each later run of an experiment."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods

from evaluations.judges import allowances, estimates, paid, spent
from evaluations.prompts.money import cost_text
from evaluations.prompts.named import Money

from ..forms.spending import SpendingForm
from ..page_tools import notices, visible
from ..page_tools.frame import frame, object_or_404
from ..page_tools.request import HttpRequest


class EachRunForm(SpendingForm):
    """With both fields empty, later runs wait until somebody names money."""

    guards = True

    def __init__(self, data: Any, named: Money) -> None:
        super().__init__(data, initial=written(named))


def written(named: Money) -> dict[str, Any]:
    """Money as the fields of its form."""
    budget = "" if named.budget is None else cost_text(named.budget)
    return {"budget": budget, "max_calls": named.max_calls or ""}


@require_http_methods(["GET", "HEAD", "POST"])
def experiment_money(request: HttpRequest, pk: int) -> HttpResponse:
    """Name what they may spend on each run; `?budget=` and `?max_calls=` of a post take a change back."""
    experiment = object_or_404(request, visible.experiments(), pk, "run")
    before = allowances.of_each_run(experiment)
    sent = request.POST if EachRunForm.base_fields.keys() & request.POST.keys() else request.GET
    form = EachRunForm(sent if request.method == "POST" else None, before)

    def save() -> bool:
        allowances.set_for_each_run(experiment, form.money)
        return True

    if form.do(save):
        undo = f"{reverse('experiment-money', args=[pk])}?{urlencode(written(before))}"
        notices.done(request, _said(form.money, experiment.project.currency), undo)
        return redirect("experiment-detail", pk)
    called, size = paid.of(experiment), experiment.examples.count()
    cost = spent.of_experiment(experiment)
    shown = {
        "experiment": experiment,
        "form": form,
        "called": called,
        "size": size,
        # money that was named once can be taken back here
        "nothing_costs": not called and before == Money() and not form.is_bound,
        "answers": cost.paid - cost.judges,
        "launch": experiment.launches.first(),
        "each": estimates.of_plan(experiment.dataset, experiment, called, 1, size),
    }
    form.fields["budget"].label = f"Budget for each run, {experiment.project.currency}"
    context = frame(request, experiment.project, "experiments") | shown
    return render(request, "experiments/experiment_money.html", context, status=form.status)


def _said(named: Money, currency: str) -> str:
    if named == Money():
        return "Evaluators that call a server wait for money again, in each later run."
    calls = "" if named.max_calls is None else f"{named.max_calls} calls"
    cost = "" if named.budget is None else f"{cost_text(named.budget)} {currency}"
    return f"Evaluators that call a server may spend {' and '.join(filter(None, (cost, calls)))} on each later run."


urlpatterns = [path("experiments/<int:pk>/money/", experiment_money, name="experiment-money")]
