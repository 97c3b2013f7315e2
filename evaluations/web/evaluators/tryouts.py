"""The tryout of an evaluator: its score of two texts or of one row, without saving anything."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import urlencode

from evaluations import charts
from evaluations.errors import Refusal
from evaluations.evaluators import evaluators, formulas
from evaluations.evaluators.recipe import Recipe
from evaluations.kinds.check import CheckConfig
from evaluations.mapping import KnownPath
from evaluations.models import Budget, Evaluator, Project
from evaluations.numerals import whole
from evaluations.prompts.named import Money, budget_if_named
from evaluations.scoring import telling, tryouts
from evaluations.scoring.summaries import Figures
from evaluations.scoring.tryouts import Source, Tryout
from evaluations.values import text_or_json

from ..forms.evaluator import EvaluatorForm
from ..page_tools.request import HttpRequest
from . import typed_scores
from .typed_scores import TypedScore

FIELDS = ("on", "row", "try_actual", "try_expected", "try_calls")
READ_JSON = ("json_schema", "json_match", "json_distance", "json_fields")
USUAL_CALLS = "4"  # of a server, for a row and a sample
LONGEST_QUERY = 2_000


@dataclass(frozen=True)
class ShownTryout:
    """The inputs of a tryout and its result; `waits` if it would cost a call that nobody has requested yet.

    `calls` is how many calls of a server it may make.
    """

    sources: list[Source]
    source: Source | None
    position: int
    actual: str
    expected: str
    decimals: int
    calls: str = USUAL_CALLS
    scores: Sequence[TypedScore] = ()  # of a formula's names
    has_other_names: bool = False  # than the page
    paths: list[KnownPath] = field(default_factory=list)
    waits: bool = False
    wanted: str = ""  # what to do before there is a score, if settings are missing
    output: str = ""  # of the row, until there is a score
    outcome: Tryout | None = None
    sample: Figures | None = None
    histogram: str = ""
    refusal: Refusal | None = None

    @property
    def names(self) -> str:
        return " ".join(score.name for score in self.scores)


def shown_tryout(
    request: HttpRequest, project: Project, form: EvaluatorForm, evaluator: Evaluator | None = None
) -> ShownTryout:
    """The tryout as it was asked for; a page that opens shows a row of a run that used the evaluator lately."""
    values = request.POST if form.is_bound else request.GET
    tryout = _inputs(project, form, values, evaluator)
    if not form.kind.is_derived and not form.is_bound and not any(name in values for name in FIELDS):
        tryout = _of_last_run(evaluator, tryout)
    if form.kind.needs_connection and values.get("do") != "try":
        return replace(tryout, waits=True)
    try:
        recipe = _recipe(project, form)
        if wanted := _wanted(form, recipe):
            return replace(tryout, wanted=wanted, output=_output(tryout))
        return _scored(project, recipe, tryout) if recipe else tryout
    except Refusal as refusal:
        return replace(tryout, refusal=refusal)


def _of_last_run(evaluator: Evaluator | None, tryout: ShownTryout) -> ShownTryout:
    """With the first row of the newest run whose scores by this evaluator differ; else of its newest run.

    A new evaluator is tried on the first source: the newest run, for one that reads JSON the newest that says JSON.
    """
    by_run = {source.run: source for source in tryout.sources if source.run}
    runs = telling.telling_first(by_run, evaluator) if evaluator else [*by_run]
    source = next((by_run[run] for run in runs), None)
    if source is None or not len(source.positions):
        return tryout
    position = int(source.positions.every[0])
    return replace(tryout, source=source, position=position, paths=source.paths())


def tryout_query(request: HttpRequest) -> str:
    """The inputs of the tryout as a query string, so that they survive saving."""
    inputs = {name: request.POST[name] for name in FIELDS if request.POST.get(name)}
    query = f"?{urlencode(inputs)}" if inputs else ""
    return query if len(query) < LONGEST_QUERY else ""


def _inputs(
    project: Project, form: EvaluatorForm, values: Mapping[str, str], evaluator: Evaluator | None
) -> ShownTryout:
    sources = tryouts.sources(project, evaluator, says_json=form.kind.key in READ_JSON)
    source = next((source for source in sources if source.key == values.get("on")), None)
    scores = typed_scores.of_form(project, form, values) if form.kind.is_derived else []
    tryout = ShownTryout(
        sources=sources,
        source=source,
        position=whole(values.get("row", ""), 9) or 1,
        actual=typed_scores.as_json(scores) if form.kind.is_derived else values.get("try_actual", ""),
        expected=values.get("try_expected", ""),
        decimals=0 if form.kind.unit else 2,
        calls=values.get("try_calls", USUAL_CALLS),
        paths=source.paths() if source else [],
        scores=scores,
    )
    return replace(tryout, has_other_names=tryout.names != values.get(typed_scores.READ, ""))


def _recipe(project: Project, form: EvaluatorForm) -> Recipe | None:
    """The evaluator described by the form, unsubmitted with initial values; None if it is invalid."""
    filled = form if form.is_bound else form.filled()
    if not filled.is_valid():
        return None
    known = form.initial.get("evaluators")
    config = formulas.pinned(project, filled.kind.key, filled.config(), known)
    return evaluators.check(project, filled.kind.key, config, filled.mapping())


def _wanted(form: EvaluatorForm, recipe: Recipe | None) -> str:
    if recipe is None:
        return "Write a formula" if form.kind.is_derived else "Complete the settings"
    config, own = recipe.parsed, recipe.mapping.sources
    is_empty = isinstance(config, CheckConfig) and config.lacks_phrases and "phrases" not in own
    return "Write a phrase" if is_empty else ""


def _output(tryout: ShownTryout) -> str:
    if not tryout.source or tryout.source.positions.slot(tryout.position) is None:
        return ""
    return text_or_json(tryout.source.contexts([tryout.position])[0].get("output")) or ""


def _scored(project: Project, recipe: Recipe, tryout: ShownTryout) -> ShownTryout:
    if not tryout.source and not tryout.actual and not tryout.expected:
        return tryout
    spend = Money(max_calls=whole(tryout.calls) or None)
    budget = budget_if_named(project, spend) if recipe.needs_server else None
    if tryout.source:
        return _scored_row(project, recipe, tryout, tryout.source, budget)
    return replace(tryout, outcome=tryouts.on_texts(project, recipe, tryout.actual, tryout.expected, budget))


def _scored_row(
    project: Project, recipe: Recipe, tryout: ShownTryout, source: Source, budget: Budget | None
) -> ShownTryout:
    sample = tryouts.on_sample(project, recipe, source, tryout.position, budget)
    return replace(
        tryout,
        outcome=tryouts.on_row(project, recipe, source, tryout.position, budget),
        sample=sample,
        histogram=charts.histogram(sample, recipe.threshold, recipe.direction),
    )
