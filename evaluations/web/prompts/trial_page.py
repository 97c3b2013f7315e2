"""A trial below the columns of the bench: answers side by side, and actions on them."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.views.decorators.http import require_POST, require_safe

from evaluations.errors import Conflict
from evaluations.models import Connection, Prompt, Trial, TrialAnswer
from evaluations.numerals import whole
from evaluations.playground import examples, trials
from evaluations.playground.trials import Variant
from evaluations.prompts import prices
from evaluations.reading.reading import View, compare, read
from evaluations.templatetags.money import cost_read
from evaluations.values import JSON

from ..page_tools.frame import frame, object_or_404
from ..page_tools.paging import number
from ..page_tools.request import HttpRequest
from .trial_cells import Cell, Place, Row
from .trial_sums import Sum, sum_of

ROOM = 2_000  # characters of an answer


@dataclass(frozen=True)
class TrialPage:
    trial: Trial
    state: trials.TrialState
    places: list[Place | None]
    sums: list[Sum | None]
    rows: list[Row]
    shows_changes: bool
    is_raw: bool

    @property
    def failed(self) -> int:
        return len(self._failures)

    @property
    def answered(self) -> int:
        return sum(answer.text is not None and not answer.error for answer in self.state.answers)

    @property
    def common_failure(self) -> JSON:
        """The error of all answers that failed, if several did, and all for the same reason: it is said once."""
        errors = [answer.error for answer in self._failures]
        said = {(error["code"], error["message"]) for error in errors if error}
        return errors[0] if len(errors) > 1 and len(said) == 1 else None

    @property
    def _failures(self) -> list[TrialAnswer]:
        return [answer for answer in self.state.answers if trials.status_of(answer) == "failed"]

    @property
    def graded(self) -> set[str]:
        """The evaluators that gave other scores than 0 and 1: theirs stand beside "pass" and "fail"."""
        return {
            score["name"]
            for answer in self.state.answers
            for score in answer.scores
            if score.get("value") not in (None, 0, 1)
        }

    @property
    def spent(self) -> str:
        """The cost so far in words. Answers of a model without a price have an unknown cost, which is not 0."""
        sums = [found for found in self.sums if found]
        if sums and all(found.is_free for found in sums):
            return "free: these answers were paid before"
        committed = self.trial.budget.committed
        amount = f"spent {cost_read(committed)} {self.trial.project.currency}"
        cells = [cell for row in self.rows for cell in row.cells if cell]
        if any(cell.answer.text is None and cell.can_stop for cell in cells):
            at_most = f"at most {cost_read(committed)} {self.trial.project.currency}"
            if self.has_unknown_price:
                return f"{at_most}, as far as prices are known" if committed else "cost unknown"
            return at_most if committed else "nothing spent yet"
        if any(cell.was_stopped_while_asked for cell in cells):
            known = sum(cell.answer.cost or 0 for cell in cells if not cell.answer.cached)
            paid = f"spent {cost_read(known)} {self.trial.project.currency}, " if known else ""
            unpriced = " and of models without a price" if self.has_unknown_price else ""
            return f"{paid}cost of stopped answers{unpriced} unknown"
        if not any(cell.has_unknown_cost for cell in cells):
            return amount
        return f"{amount}, as far as prices are known" if committed else "cost unknown"

    @property
    def has_unknown_price(self) -> bool:
        """Whether a model that is asked has no price, so that what its calls cost is in no sum."""
        servers = Connection.objects.in_bulk({variant["connection"] for variant in self.trial.variants})
        return any(
            prices.rates(servers[variant["connection"]], variant["model"], prices.today()) is None
            for variant in self.trial.variants
            if variant["connection"] in servers
        )

    @property
    def cost_of_all(self) -> int | None:
        """What all columns would cost on all examples; None if one of them is not known."""
        costs = [found.cost_of_all if found and not found.is_stale else None for found in self.sums]
        known = [amount for amount in costs if amount is not None]
        return sum(known) if known and len(known) == len(costs) else None

    @property
    def cost_of_these(self) -> int | None:
        """What asking the same again would cost, if the cost of all examples is known."""
        return sum(found.cost or 0 for found in self.sums if found) if self.cost_of_all is not None else None

    @property
    def query(self) -> str:
        """What an address of these answers says: their places as `at=0.1s.-`, and how they are read."""
        places = ".".join(
            f"{place.variant}{'s' if place.is_stale else ''}" if place else "-" for place in self.places
        )
        return f"at={places}{'&changes=1' if self.shows_changes else ''}{'&raw=1' if self.is_raw else ''}"

    @property
    def views(self) -> list[tuple[str, str, bool]]:
        """The ways to read the answers, each with its query; changes need a second column."""
        offered = [("Answers", {}), ("Raw", {"raw": "1"}), ("Changes from the first", {"changes": "1"})]
        shown = 2 if self.shows_changes else int(self.is_raw)
        return [
            (words, urlencode({"trial": self.trial.pk} | query), index == shown)
            for index, (words, query) in enumerate(offered[: 2 if len(self.places) < 2 else 3])
        ]


def in_address(request: HttpRequest, prompt: Prompt) -> Trial | None:
    """The trial in `?trial=`; None if it does not exist any more."""
    pk = number(request, "trial")
    return prompt.trials.select_related("budget", "dataset", "project").filter(pk=pk).first() if pk else None


def address(trial: Trial) -> str:
    return f"{reverse('prompt-bench', args=[trial.prompt_id])}?trial={trial.pk}"


def places(trial: Trial, variants: Sequence[Variant | None], usual: Connection | None) -> list[Place | None]:
    """Below every column the variant that is asked the same; else the one at its place, which is stale."""
    wanted = [_request_of(variant, usual) for variant in variants]
    asked = [_without_name(variant) for variant in trial.variants]
    found: list[Place | None] = [None] * len(variants)
    free = set(range(len(asked)))
    for place, request in enumerate(wanted):
        same = next((index for index in sorted(free) if asked[index] == request), None)
        if same is not None:
            found[place] = Place(same)
            free.discard(same)
    for place in range(len(variants)):
        if found[place] is None and place in free:
            found[place] = Place(place, is_stale=True)
    return found


def _request_of(variant: Variant | None, usual: Connection | None) -> dict[str, Any] | None:
    server = variant.content.connection or usual if variant else None
    return _without_name(variant.stored(server)) if variant and server else None


def _without_name(variant: dict[str, Any]) -> dict[str, Any]:
    """What a variant is asked, whether or not it is saved as a version since."""
    return {name: value for name, value in variant.items() if name not in ("name", "version")}


def page(request: HttpRequest, trial: Trial, shown: Sequence[Place | None]) -> TrialPage:
    state = trials.state_of(trial)
    shows_changes, is_raw = (request.GET.get(name) == "1" for name in ("changes", "raw"))
    return TrialPage(
        trial,
        state,
        list(shown),
        [place and sum_of(state, place.variant, is_stale=place.is_stale) for place in shown],
        [
            _row(trial, number, answers, shown, shows_changes, is_raw)
            for number, answers in enumerate(state.rows)
        ],
        shows_changes,
        is_raw,
    )


# ---- rows --------------------------------------------------------------------------------------------------


def _row(
    trial: Trial,
    number: int,
    answers: Sequence[TrialAnswer],
    shown: Sequence[Place | None],
    shows_changes: bool,
    is_raw: bool,
) -> Row:
    example = trial.examples[number]
    bare = asked(example, number)
    leading = shown[0] if shown else None
    first = answers[leading.variant].text if shows_changes and leading else None
    # Of two, the first is folded at the same passages as the other one.
    second = answers[shown[1].variant].text if first and len(shown) == 2 and shown[1] else None
    return replace(
        bare,
        cells=[
            _cell(trial, place, answers[place.variant], second if column == 0 else first, column, is_raw)
            if place
            else None
            for column, place in enumerate(shown)
        ],
    )


def asked(example: examples.Row, number: int) -> Row:
    """An example alone, as before it is asked."""
    name = example["key"] or (f"{example['position']}" if example["position"] else f"Input {number + 1}")
    return Row(name, _values(example, "inputs"), _values(example, "reference"), [])


def _values(example: examples.Row, part: str) -> list[tuple[str, JSON]]:
    return [*examples.part(example, part).items()]


def _cell(
    trial: Trial, place: Place, answer: TrialAnswer, beside: str | None, column: int, is_raw: bool
) -> Cell:
    """An answer, read beside the one that it is compared with, which is the older one but for the first column."""
    status, name = trials.status_of(answer), trial.variants[place.variant]["name"]
    beginning, unlimited = View(raw=is_raw, room=ROOM, keeps=True), View(raw=is_raw)
    if answer.text is None:
        return Cell(name, answer, status, read(answer.partial, beginning), is_stale=place.is_stale)
    views = (beginning, unlimited)
    if beside is None:
        text, all_of_it = (read(answer.text, view) for view in views)
    elif column == 0:
        text, all_of_it = (compare(answer.text, beside, view)[0] for view in views)
    else:
        text, all_of_it = (compare(beside, answer.text, view)[1] for view in views)
    return Cell(name, answer, status, text, all_of_it if text.characters_left else None, place.is_stale)


# ---- addresses ---------------------------------------------------------------------------------------------


def _visible() -> Any:
    return Trial.objects.live().filter(prompt__deleted_at=None).select_related("budget", "dataset", "prompt")


@require_safe
def trial_detail(request: HttpRequest, pk: int) -> HttpResponse:
    """Only the answers, for htmx, below the columns that `?at=` names; browsers are redirected to the bench."""
    return _answers(request, object_or_404(request, _visible(), pk))


def _answers(request: HttpRequest, trial: Trial) -> HttpResponse:
    if not request.htmx:
        return redirect(address(trial))
    shown = _places_in(request.GET.get("at", ""), len(trial.variants))
    context = frame(request, trial.project, "prompts") | {
        "shown_trial": page(request, trial, shown),
        "is_part": True,
    }
    return render(request, "prompts/_trial_answers.html", context)


def _places_in(text: str, variants: int) -> list[Place | None]:
    """The places in an address; all variants in their order where it names none."""
    names = text.split(".")[: trials.MOST_VARIANTS] if text else [str(index) for index in range(variants)]
    found = [(whole(name.removesuffix("s")), name.endswith("s")) for name in names]
    return [
        Place(index, is_stale) if index is not None and index < variants else None
        for index, is_stale in found
    ]


@require_POST
def trial_stop(request: HttpRequest, pk: int) -> HttpResponse:
    """Stop all calls, or that of `cell`, "variant.example"."""
    return _do(request, pk, trials.stop)


@require_POST
def trial_again(request: HttpRequest, pk: int) -> HttpResponse:
    """Repeat all failed calls, or that of `cell`."""
    return _do(request, pk, trials.ask_again)


def _do(request: HttpRequest, pk: int, do: Callable[[Trial, trials.Cell | None], Trial]) -> HttpResponse:
    trial = object_or_404(request, _visible(), pk, "write")
    with suppress(Conflict):  # it may have ended, or been asked, meanwhile
        do(trial, _cell_in(request.POST.get("cell", "")))
    return _answers(request, trial)


def _cell_in(text: str) -> trials.Cell | None:
    """The place of an answer; none is there for what is no place."""
    variant, _, example = text.partition(".")
    return trials.Cell(whole(variant) or 0, whole(example) or 0) if text else None


urlpatterns = [
    path("trials/<int:pk>/", trial_detail, name="trial-detail"),
    path("trials/<int:pk>/stop/", trial_stop, name="trial-stop"),
    path("trials/<int:pk>/again/", trial_again, name="trial-again"),
]
