"""The repetitions of a variant, beside those of the baseline: right in k attempts, noise, and flaky examples."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.utils.safestring import SafeString
from django.views.decorators.http import require_http_methods

from evaluations import charts
from evaluations.comparisons import repetitions
from evaluations.comparisons.repetitions import More, Repetitions
from evaluations.datasets.bitmaps import Mask
from evaluations.errors import Invalid, Refusal
from evaluations.experiments import about, experiments
from evaluations.judges import allowances
from evaluations.judges import estimates as judge_estimates
from evaluations.launches import estimates, repeating
from evaluations.launches.estimates import Estimate
from evaluations.launches.plans import MOST_RUNS
from evaluations.models import Budget, Evaluator, Output, Run
from evaluations.numerals import plural, whole
from evaluations.prompts.named import Money
from evaluations.results.filters import Filters
from evaluations.results.rows import rows_at
from evaluations.scoring import coverage
from evaluations.scoring.paid_scores import Estimate as PaidEstimate
from evaluations.statistics.intervals import Z
from evaluations.statistics.repetitions import Width, width

from ..forms.launch import ContinueForm
from ..page_tools import searches, url_values, visible
from ..page_tools.calls import curl
from ..page_tools.frame import Context, frame, object_or_404
from ..page_tools.paging import address, number
from ..page_tools.request import HttpRequest
from ..page_tools.texts import line
from ..page_tools.url_values import Segment
from .rows import brief

SIZE = 25
MOST_COLUMNS = 6  # values of k in the table
TIMES = {2: "twice", 3: "three times", 4: "four times", 5: "five times"}


@require_http_methods(["GET", "HEAD", "POST"])
def run_repetitions(request: HttpRequest, pk: int) -> HttpResponse:
    """The repetitions of the variant of a run; a POST adds some."""
    if request.method == "POST":
        return _add(request, pk)
    return _shown(request, pk)


def _add(request: HttpRequest, pk: int) -> HttpResponse:
    run = object_or_404(request, visible.runs(), pk, "run")
    count = whole(request.POST.get("add", "").strip())
    if count is None or not 1 <= count <= MOST_RUNS:
        messages.error(request, f"Add 1 to {MOST_RUNS} repetitions.")
        return redirect("run-repetitions", pk)
    added = _added(request, run, count)
    if "all_variants" in request.POST:
        messages.success(request, f"{plural(len(added), 'run')} of all variants will be answered.")
        return redirect("launch-detail", added[0].generation.launch_id)
    messages.success(request, f"{plural(len(added), 'repetition')} of {run.variant} will be answered.")
    return redirect("run-detail", added[0].pk)


def _added(request: HttpRequest, run: Run, count: int) -> list[Run]:
    """The new repetitions; judges read them within the limits of the launch, which the form can raise."""
    form = ContinueForm(request.POST)
    if not form.is_valid():
        raise Invalid("invalid_launch", "The limits of the launch must be numbers.")
    limits = form.limit(), form.cleaned_data["max_calls"]
    with transaction.atomic():
        added = repeating.add(run, request.user, count, *limits, every_variant="all_variants" in request.POST)
        allowances.allow_repeated(added, Money(*limits))
    return added


@dataclass(frozen=True)
class Offer:
    """What one more repetition would cost: of this variant, and of all `variants` of its launch, if there are more.

    `judges` would read the repetition of this variant, if they are paid by the launch (`reads`) or money is named.
    """

    one: Estimate
    every: Estimate | None
    variants: int
    judges: list[PaidEstimate]
    reads: bool
    budget: Budget


def _offer(run: Run) -> Offer | None:
    """None where no repetition can be added."""
    try:
        one = estimates.of_repetitions(run, 1)
        judges = judge_estimates.of_repetitions(run, 1, every_variant=False)
    except Refusal:
        return None
    launch = run.generation.launch
    paid = judges, allowances.reads(launch), launch.budget
    try:
        variants = len(repeating.chosen(run, every_variant=True))
        every = estimates.of_repetitions(run, 1, every_variant=True) if variants > 1 else None
    except Refusal:  # Another variant is not complete.
        return Offer(one, None, 1, *paid)
    return Offer(one, every, variants, *paid)


def _shown(request: HttpRequest, pk: int) -> HttpResponse:
    """Repetitions by `?evaluator=3`; `which=both` lists the examples that are sometimes right in both variants."""
    run = object_or_404(request, visible.runs(), pk)
    context: dict[str, Any] = {
        **frame(request, run.project, "experiments"),
        "run": run,
        "experiment": run.experiment,
        "offer": _offer(run),
    }
    try:
        repeated = repetitions.of_run(run, request.GET.get("evaluator", ""))
    except Refusal as refusal:
        return render(request, "runs/run_repetitions.html", context | {"missing": refusal.message})
    evaluator = repeated.scoring.evaluator_version.evaluator
    call = curl(request, f"/api/v1/runs/{pk}/repetitions/?evaluator={evaluator.pk}")
    context |= _page(request, run, repeated, evaluator) | {"api_call": call}
    return render(request, "runs/run_repetitions.html", context)


@dataclass(frozen=True)
class Side:
    """One variant: its name, its shares in per cent by k, and how often its examples are right."""

    name: str
    repeated: Repetitions
    bar: SafeString

    @property
    def first(self) -> float | None:
        """The share of attempts that pass."""
        return self.repeated.pass_at[0] if self.repeated.pass_at else None

    def shown(self, ks: Sequence[int]) -> tuple[list[float | None], list[float | None]]:
        at, every = ([line[k - 1] if k <= len(line) else None for k in ks] for line in self.lines)
        return at, every

    @property
    def lines(self) -> tuple[list[float | None], list[float | None]]:
        return self.repeated.pass_at, self.repeated.pass_all

    @property
    def sometimes(self) -> int:
        return int(self.repeated.is_flaky.sum())


@dataclass(frozen=True)
class FlakyRow:
    """An example that is sometimes right, with a drawing for each variant and the answers of the first."""

    name: str
    address: str
    input: str
    beads: list[SafeString]
    answers: str


@dataclass(frozen=True)
class ShownMore:
    """A way to narrow the interval, the half width that is left, and whether it gains most by call."""

    more: More
    half: float
    is_advised: bool


def _page(request: HttpRequest, run: Run, repeated: Repetitions, evaluator: Evaluator) -> Context:
    baseline = _baseline(run, evaluator)
    sides = [_side(one) for one in (baseline, repeated) if one is not None]
    spread = width(*(side.repeated.values for side in sides))
    ks = _ks(max(side.repeated.n for side in sides))
    plan = repetitions.plan(spread, len(sides)) if spread else []
    by_k = [(side.name, *side.shown(ks)) for side in sides]
    flaky = _Flaky(request, run, sides)
    groups = [
        ("pass@k: at least one of k attempts is right", [(name, at) for name, at, _ in by_k]),
        ("pass^k: all of k attempts are right", [(name, every) for name, _, every in by_k]),
    ]
    title = "pass@k rises and pass^k falls with k; the numbers are in the table"
    return {
        "evaluator": evaluator,
        "sides": sides,
        "main": sides[-1],
        "ks": ks,
        "groups": groups,
        "fan": charts.fan([(side.name, *side.lines) for side in sides], title) if len(ks) > 1 else None,
        "width": spread,
        "half": _half(spread),
        "bar": charts.shares(spread.share) if spread else None,
        "plan": _shown_plan(plan, _half(spread) or 0.0),
        "segments": flaky.segments,
        **flaky.page(),
    }


def _shown_plan(plan: Sequence[More], half: float) -> list[ShownMore]:
    best = max((more.narrower / max(more.calls, 1) for more in plan), default=0.0)
    return [
        ShownMore(more, half * (1 - more.narrower), more.narrower / max(more.calls, 1) == best)
        for more in plan
    ]


def _half(spread: Width | None) -> float | None:
    """The half width of the 95 % interval as if this were the only comparison."""
    return None if spread is None else Z * spread.standard_error


def _baseline(run: Run, evaluator: Evaluator) -> Repetitions | None:
    """The repetitions of the baseline variant, if it is another one and was repeated."""
    shown = experiments.shown_runs(run.experiment)
    other = next((one for one in shown if about.identity(one) != about.identity(run)), None)
    if other is None:
        return None
    try:
        repeated = repetitions.of_run(other, str(evaluator.pk))
    except Refusal:
        return None
    return repeated if repeated.n > 1 else None


def _side(repeated: Repetitions) -> Side:
    sometimes = int(repeated.is_flaky.sum())
    bar = charts.thirds(repeated.always, sometimes, repeated.never)
    return Side(repeated.scoring.run.variant, repeated, bar)


def _ks(most: int) -> list[int]:
    """The values of k in the table: all, or some among many, always 1 and the last."""
    if most <= MOST_COLUMNS:
        return list(range(1, most + 1))
    return sorted({round(1 + (most - 1) * step / (MOST_COLUMNS - 1)) for step in range(MOST_COLUMNS)})


# ---- examples that are sometimes right -----------------------------------------------------------------------


@dataclass(frozen=True)
class _Flaky:
    """The examples that are sometimes right, in one of the variants or in both."""

    request: HttpRequest
    run: Run
    sides: Sequence[Side]

    @property
    def _masks(self) -> dict[str, Mask]:
        every = [side.repeated.is_flaky for side in self.sides]
        if len(every) == 1:
            return {"either": every[0]}
        first, second = every
        return {"either": first | second, "baseline": first, "variant": second, "both": first & second}

    @property
    def _which(self) -> str:
        return url_values.choice(self.request, "which", self._masks, "either")

    @property
    def segments(self) -> list[Segment]:
        words = {"either": "either" if len(self.sides) > 1 else "all", "both": "both"}
        words |= {"baseline": self.sides[0].name, "variant": self.sides[-1].name}
        return [
            Segment(
                words[key],
                int(mask.sum()),
                address(self.request, which=key, after=None, before=None) + "#flaky",
                key == self._which,
                is_name=key in ("baseline", "variant"),
            )
            for key, mask in self._masks.items()
        ]

    def page(self) -> Context:
        positions, mask = coverage.positions(self.run), self._masks[self._which]
        search = searches.text(self.request)
        searched = searches.stretch(self.request, len(positions)) if search else None
        mask = mask & Filters(search=search, searched=searched).mask(self.run, positions)
        listed = positions.at(np.flatnonzero(mask))
        start = int(np.searchsorted(listed, number(self.request, "after") or 0, side="right"))
        if (before := number(self.request, "before")) is not None:
            start = max(int(np.searchsorted(listed, before)) - SIZE, 0)
        shown = listed[start : start + SIZE].tolist()
        is_last = start + SIZE >= len(listed)
        return {
            "rows": self._rows(shown),
            "total": len(listed),
            "previous": address(self.request, before=shown[0], after=None) if start and shown else None,
            "next": None if is_last else address(self.request, after=shown[-1], before=None),
            "search": search,
            "searched": searches.told(self.request, searched),
            "hidden": url_values.parameters(self.request, without={"q", "from", "after", "before"}),
        }

    def _rows(self, shown: list[int]) -> list[FlakyRow]:
        positions = coverage.positions(self.run)
        slots = dict(zip(shown, positions.slots(np.array(shown, np.int64)).tolist(), strict=True))
        answers = self._answers(shown)
        return [
            FlakyRow(
                row.name,
                f"{reverse('run-detail', args=[self.run.pk])}?row={row.position}",
                brief("inputs", row.inputs),
                [
                    charts.beads(int(side.repeated.passes[slot]), int(side.repeated.attempts[slot]))
                    for side in self.sides
                    for slot in [slots[row.position]]
                ],
                answers.get(row.position, ""),
            )
            for row in rows_at(self.run, shown, [])
        ]

    def _answers(self, shown: list[int]) -> dict[int, str]:
        """The answers of the main variant with their counts, the most frequent first."""
        runs = self.sides[-1].repeated.runs
        counts: dict[int, Counter[str]] = {position: Counter() for position in shown}
        outputs = Output.objects.filter(run__in=runs, position__in=shown, text__isnull=False)
        for position, text in outputs.values_list("position", "text"):
            counts[position][line(text)[:60] or "empty"] += 1
        return {position: _in_words(counter, len(runs)) for position, counter in counts.items()}


def _in_words(counter: Counter[str], runs: int) -> str:
    parts = [
        text if times == 1 else f"{text} {TIMES.get(times, f'{times} times')}"
        for text, times in counter.most_common()
    ]
    missing = runs - counter.total()
    return ", ".join([*parts, *(["none"] if missing else [])])


urlpatterns = [path("runs/<int:pk>/repetitions/", run_repetitions, name="run-repetitions")]
