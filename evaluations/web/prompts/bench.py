"""The bench of a prompt: its variants in columns, and below each what it answers to the same examples."""

import json
from dataclasses import replace
from functools import cached_property
from itertools import combinations
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.views.decorators.http import require_http_methods

from evaluations.access import audit
from evaluations.errors import Invalid, NotFound, Refusal
from evaluations.launches import detection
from evaluations.launches.detection import Detection
from evaluations.models import Connection, Dataset, Prompt, PromptDraft, Trial
from evaluations.playground import trials
from evaluations.playground.trials import MOST_VARIANTS, Variant
from evaluations.prompts import drafts as drafts_of_prompts
from evaluations.prompts import prompts
from evaluations.prompts.content import ROLES, Content

from ..forms import bench as columns_of
from ..forms.bench import Column, Fields
from ..forms.evaluators import recipe_of
from ..forms.prompt import sent
from ..forms.trial import TrialForm
from ..page_tools import offered_models
from ..page_tools.frame import Context, frame, object_or_404
from ..page_tools.request import HttpRequest
from . import preview as prompt_preview
from . import trial_page
from .bench_question import question
from .trial_cells import Row


class Bench:
    """The columns as typed, else as this person left them, else those of the trial in the address.

    `is_typed` is false for a request that sent another form.
    """

    def __init__(self, request: HttpRequest, prompt: Prompt, *, is_typed: bool = True):
        self.request, self.prompt, self.project = request, prompt, prompt.project
        self.is_typed = is_typed and request.method == "POST"
        self.action = request.POST.get("do", "")
        self.refusal: Refusal | None = None
        self.form_data = self._form_data()
        self.columns = self.columns_with(columns_of.moved(self._fields(), self.action))

    def columns_with(self, fields: list[Fields]) -> list[Column]:
        if not fields:
            return []
        first, *others = [Column(place, self.prompt, column) for place, column in enumerate(fields)]
        return [first, *(replace(other, first=first) for other in others)]

    @cached_property
    def trial(self) -> Trial | None:
        return trial_page.in_address(self.request, self.prompt)

    @cached_property
    def draft(self) -> PromptDraft | None:
        return drafts_of_prompts.of_user(self.prompt, self.request.user, is_bench=True)

    def _form_data(self) -> QueryDict | None:
        """What was typed; None where the columns are those of another person's trial."""
        if self.is_typed:
            return self.request.POST
        if self.draft is None or (self.trial and self.trial.created_by != self.request.user):
            return None
        return sent(self.draft)

    def _fields(self) -> list[Fields]:
        if self.form_data is not None and (typed := columns_of.columns_in(self.form_data)):
            return typed
        if self.trial and all("messages" in variant for variant in self.trial.variants):
            return [self._asked(variant) for variant in self.trial.variants]
        return self.versions(self.prompt.version)

    def versions(self, version: int, *, is_draft: bool = False) -> list[Fields]:
        """The columns of a bench without any: what a draft is based on, or a version beside the one before.

        The first version has the newest beside it.
        """
        beside = version if is_draft else version - 1 or self.prompt.version
        return [columns_of.fields_of(base, self._content(base)) for base in sorted({beside, version})]

    def _content(self, version: int) -> Content:
        return Content.from_version(prompts.version_of(self.prompt, version))

    def _asked(self, variant: dict[str, Any]) -> Fields:
        """The column of a variant of a trial; over the connection of its version if that is the one asked."""
        base = variant["version"] or self.prompt.version
        server = Connection.objects.filter(pk=variant["connection"]).first()
        own = self._content(base).connection
        content = Content(
            messages=variant["messages"],
            model=variant["model"],
            parameters=variant["parameters"],
            connection=own if server == (own or self.project.default_connection) else server,
        )
        return columns_of.fields_of(base, content)

    # ---- what is chosen --------------------------------------------------------------------------------------

    @cached_property
    def named(self) -> list[Variant | None]:
        return columns_of.named(self.columns)

    @property
    def variants(self) -> list[Variant]:
        return [variant for variant in self.named if variant]

    @cached_property
    def dataset(self) -> Dataset | None:
        contents = [variant.content for variant in self.variants]
        variables = list(dict.fromkeys(name for content in contents for name in content.variables))
        values = self.form_data or self.request.GET
        return prompt_preview.chosen_dataset(self.project, values, variables, self.prompt)

    @property
    def trial_form(self) -> TrialForm:
        return TrialForm(self.project, self.dataset, self.variants, self.form_data)

    # ---- what buttons do -------------------------------------------------------------------------------------

    def keep(self) -> bool:
        """Store the columns and the choices as this person's draft."""
        lists = self.request.POST.lists()
        typed = {name: texts for name, texts in lists if name == "dataset" or name.startswith("try_")}
        fields = columns_of.stored([column.fields for column in self.columns])
        base = self.columns[0].base if self.columns else self.prompt.version
        user = self.request.user
        return drafts_of_prompts.store(self.prompt, user, base, typed | fields, is_bench=True)

    def begin(self) -> Trial:
        """Ask every column about the chosen examples."""
        if len(self.variants) < len(self.columns):
            raise Invalid("invalid_prompt", "A column cannot be sent. Correct the marked fields.")
        form = self.trial_form
        user = self.request.user
        with transaction.atomic():  # a refused trial creates no evaluator
            chosen = form.chosen_evaluators(user)
            return trials.create(self.prompt, user, self.variants, form.chosen(), chosen, cache=form.cache)

    def require_chosen(self) -> None:
        """Refuse a dataset or connection that the project does not have, before anything of it is kept."""
        chosen = self.request.POST.get("dataset")
        if chosen and (self.dataset is None or chosen != str(self.dataset.pk)):
            raise NotFound("not_found", "The project does not have this dataset.")
        if any(column.form.has_error("connection", "invalid_choice") for column in self.columns):
            raise NotFound("unknown_connection", "The project does not have this connection.")

    def save(self, places: list[int]) -> list[int]:
        """Save these columns as next versions, as far as they are not yet; returns the numbers of new versions."""
        fields, numbers = [column.fields for column in self.columns], []
        for place in places:
            column = self.columns[place]
            if column.content is None:
                raise Invalid("invalid_prompt", "A column cannot be saved. Correct the marked fields.")
            if column.is_saved:
                continue
            user, content = self.request.user, column.content
            dataset = prompt_preview.to_keep(self.dataset, content)
            version, is_new = prompts.add_version(
                self.prompt, user, content.parts(), "from the bench", dataset
            )
            fields[place] = columns_of.fields_of(version.number, column.content)
            numbers += [version.number] if is_new else []
        self.columns = self.columns_with(fields)
        self.__dict__.pop("named", None)
        self.keep()
        return numbers

    def launch_address(self) -> str:
        """The form of a launch of all columns on the whole dataset, with the first column as baseline."""
        saved = {version.number: version.pk for version in self.prompt.versions.all()}
        pairs = [(saved[variant.version or 0], variant.content.model) for variant in self.variants]
        cells = [f"{pk}:{model}" for pk, model in pairs]
        query = {
            "dataset": self.dataset.pk if self.dataset else "",
            "row": dict.fromkeys(pk for pk, _ in pairs),
            "model": dict.fromkeys(model for _, model in pairs),
            "variants": dict.fromkeys(cells),
            "baseline": cells[0],
            "name": question(self.prompt, [(v.version or 0, v.content.model) for v in self.variants]),
            "evaluators": [evaluator.value for evaluator in self.trial_form.evaluators],
        }
        return f"{reverse('launch-create', args=[self.project.slug])}?{urlencode(query, doseq=True)}"

    # ---- the page --------------------------------------------------------------------------------------------

    @property
    def address(self) -> str:
        page = reverse("prompt-bench", args=[self.prompt.pk])
        return f"{page}?trial={self.trial.pk}" if self.trial else page

    def context(self) -> Context:
        form = self.trial_form
        return {
            **frame(self.request, self.project, "prompts", self.prompt),
            "prompt": self.prompt,
            "columns": list(zip(self.columns, self.named, strict=True)),
            "equal": self._equal() if self.trial else (),
            "most_columns": MOST_VARIANTS,
            "roles": ROLES,
            "models": offered_models.offered(self.project),
            "datasets": prompt_preview.datasets_of(
                self.project, self.prompt, str(self.dataset.pk) if self.dataset else ""
            ),
            "dataset": self.dataset,
            "known_columns": json.dumps(self.dataset.columns) if self.dataset else "null",
            "trial_form": form,
            "shown_trial": self._shown_trial(),
            "first_examples": [] if self.trial else self._first_examples(form),
            "trial_refusal": self.refusal,
            "detects": self._detects(form),
            "unsaved": sum(1 for column in self.columns if not column.is_saved),
            "address": self.address,
        }

    def _first_examples(self, form: TrialForm) -> list[Row]:
        """What would be asked, so that nobody begins blindly; nothing while it cannot be read."""
        try:
            chosen = form.chosen().rows
        except Refusal:
            return []
        return [trial_page.asked(example, number) for number, example in enumerate(chosen)]

    def _equal(self) -> list[int]:
        """The places of messages that all columns have alike; below them, the answers begin further up.

        A column that nothing tells from another one was just added, to be edited.
        """
        contents = [column.content for column in self.columns]
        if any(one and other and one.is_same(other) for one, other in combinations(contents, 2)):
            return []
        sent = [[(draft.role, draft.text) for draft in column.messages] for column in self.columns]
        return [
            place
            for place, alike in enumerate(zip(*sent, strict=False))
            if len(sent) > 1 and len({*alike}) == 1
        ]

    def _shown_trial(self) -> trial_page.TrialPage | None:
        if self.trial is None:
            return None
        places = trial_page.places(self.trial, self.named, self.project.default_connection)
        return trial_page.page(self.request, self.trial, places)

    def _detects(self, form: TrialForm) -> Detection | None:
        """What a launch of all examples would detect."""
        chosen = form.evaluators
        if self.dataset is None or len(self.columns) < 2 or not chosen:
            return None
        recipe = recipe_of(self.project, chosen[0].value)
        if recipe is None:
            return None
        size = self.dataset.example_count
        return detection.of_plan(recipe, size, len(self.columns), None, dataset=self.dataset)


@require_http_methods(["GET", "HEAD", "POST"])
def prompt_bench(request: HttpRequest, pk: int) -> HttpResponse:
    """The bench; its buttons add, copy and remove columns, keep a draft, save columns and lead to a launch."""
    posting = request.method == "POST"
    prompt = object_or_404(request, Prompt.objects.live(), pk, "write" if posting else "read")
    bench = Bench(request, prompt)
    if bench.action == "draft":  # what somebody types is kept in any case
        bench.keep()
        if not request.htmx:
            return redirect(bench.address)
        return render(request, "prompts/_bench_saved.html", bench.context())
    if posting:
        try:
            bench.require_chosen()
        except NotFound as refusal:
            return _refused(bench, refusal)
        bench.keep()
    if bench.action == "launch" or bench.action.startswith("save-"):
        return _save(bench)
    return render(request, "prompts/bench.html", bench.context())


def _save(bench: Bench) -> HttpResponse:
    chosen = [
        column.number for column in bench.columns if bench.action in ("launch", f"save-{column.number}")
    ]
    try:
        numbers = bench.save(chosen)
    except Refusal as refusal:
        return _refused(bench, refusal)
    for saved in numbers:
        messages.success(bench.request, f"{bench.prompt.name} saved as v{saved}.")
    response = redirect(bench.launch_address() if bench.action == "launch" else bench.address)
    return audit.unrecorded(response, not numbers)


def ask(bench: Bench) -> HttpResponse:
    """Ask the columns; the page shows their answers as they arrive."""
    try:
        bench.require_chosen()
        if bench.is_typed:
            bench.keep()
        trial = bench.begin()
    except Refusal as refusal:
        return _refused(bench, refusal)
    return redirect(trial_page.address(trial))


def _refused(bench: Bench, refusal: Refusal) -> HttpResponse:
    bench.refusal = refusal
    page = render(bench.request, "prompts/bench.html", bench.context(), status=refusal.status)
    for name, value in refusal.headers.items():
        page[name] = value
    return page


def add_column(request: HttpRequest, prompt: Prompt, base: int, typed: Content) -> None:
    """Give this person's bench what the editor shows, a version or a draft based on it, as a column."""
    bench = Bench(request, prompt)
    stored = bench.draft.form if bench.draft else {}
    version = Content.from_version(prompts.version_of(prompt, base))
    is_draft = not typed.is_same(version)
    left = columns_of.columns_in(sent(bench.draft)) if bench.draft else []
    columns = bench.columns_with(left or bench.versions(base, is_draft=is_draft))
    if not any(
        column.content and column.content.is_same(typed) and (is_draft or column.base == base)
        for column in columns
    ):
        shown = Column(len(columns), prompt, columns_of.fields_of(base, typed))
        columns = [*columns_of.with_room(columns), shown]
    fields = stored | columns_of.stored([column.fields for column in columns])
    if dataset := request.POST.get("dataset"):
        fields["dataset"] = [dataset]
    drafts_of_prompts.store(prompt, request.user, base, fields, is_bench=True)


urlpatterns = [
    path("prompts/<int:pk>/bench/", prompt_bench, name="prompt-bench"),
]
