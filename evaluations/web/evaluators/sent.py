"""The page of an evaluator whose scores are sent: what is known of it, its versions, and how to send more."""

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import render

from evaluations.evaluators import evaluators, versions
from evaluations.evaluators.recipe import Recipe
from evaluations.kinds.people import people
from evaluations.kinds.recorded import RecordedConfig
from evaluations.models import Evaluator, EvaluatorVersion
from evaluations.values import BETTER

from ..page_tools.frame import frame
from ..page_tools.request import HttpRequest
from . import label_sets


def page(request: HttpRequest, evaluator: Evaluator, newest: EvaluatorVersion) -> HttpResponse:
    """Show the newest version and the history; nothing here can be tried."""
    if newest.kind == people.key:
        return label_sets.page(request, evaluator, newest)
    recipe = Recipe.from_version(newest)
    assert isinstance(recipe.parsed, RecordedConfig)
    history = versions.history(evaluator)
    run = next((run for entry in history for run in entry.runs), None)
    context = {
        **frame(request, evaluator.project, "evaluators"),
        "evaluator": evaluator,
        "version": newest,
        "config": recipe.parsed,
        "better": BETTER[recipe.direction],
        "history": history,
        "run_count": evaluators.run_count(evaluator),
        "call": _call(request, evaluator, run.pk if run else 1),
    }
    return render(request, "evaluators/sent_evaluator.html", context)


def _call(request: HttpRequest, evaluator: Evaluator, run: int) -> str:
    address = request.build_absolute_uri(f"{settings.PATH}/api/v1/runs/{run}/scores/")
    return (
        f'curl -H "Authorization: Bearer $EVALSITE_KEY" -F file=@scores.csv \\\n'
        f'  -F \'evaluator={{"name": "{evaluator.name}"}}\' \\\n'
        f"  {address}"
    )
