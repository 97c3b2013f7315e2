"""The preview of an edited prompt on one example: variables, and the request to be sent."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from django.http import QueryDict

from evaluations.datasets import datasets, identities
from evaluations.errors import NotFound, Refusal
from evaluations.models import Dataset, Project, Prompt
from evaluations.numerals import whole
from evaluations.prompts import rendering, templates, versions
from evaluations.prompts.content import Content
from evaluations.prompts.versions import text_of

from ..forms.prompt import Draft
from ..page_tools.offered_datasets import last_of, own_first
from ..page_tools.request import HttpRequest

OFFERED, LONGEST_ID = 200, 9
PARTS = {"inputs": "column", "metadata": "metadata", "reference": "reference, never sent", "": "not a column"}


@dataclass(frozen=True)
class Variable:
    """A variable of the draft, and the part of the dataset that fills it; "" for none, None without a dataset."""

    name: str
    part: str | None

    @property
    def is_unknown(self) -> bool:
        return self.part in ("", "reference")

    @property
    def words(self) -> str:
        return "" if self.part is None else PARTS[self.part]


@dataclass(frozen=True)
class Preview:
    """The preview part of the editor."""

    messages: list[templates.Message]
    settings: Content | None
    datasets: list[Dataset]
    dataset: Dataset | None
    row: str  # the position or key of its example, as typed
    filled: list[templates.Message] | None = None
    refusal: Refusal | None = None

    @property
    def variables(self) -> list[Variable]:
        return [Variable(name, _part(name, self.dataset)) for name in templates.variables(self.messages)]

    @property
    def row_was(self) -> str:
        """What a page fills in, if nobody typed another row."""
        return first_row(self.dataset)

    @property
    def columns(self) -> str:
        """The columns of the dataset, for the script that highlights variables during typing."""
        return json.dumps(self.dataset.columns) if self.dataset else "null"

    @property
    def shown(self) -> list[tuple[str, str]]:
        """The role of each filled message with its text, or JSON if it is more than a text."""
        return [(message["role"], text_of(message)) for message in self.filled or []]

    @property
    def request(self) -> str:
        """The body of the call for this example."""
        if self.filled is None or self.settings is None:
            return ""
        return json.dumps(self.settings.body(self.filled), indent=2, ensure_ascii=False)


def _part(name: str, dataset: Dataset | None) -> str | None:
    if dataset is None:
        return None
    if path := templates.path_of(name, dataset.columns):
        return path.part
    return "reference" if templates.path_of(name, {"inputs": dataset.columns.get("reference", ())}) else ""


def preview(
    request: HttpRequest,
    project: Project,
    drafts: list[Draft],
    settings: Content | None,
    form_data: QueryDict | None = None,
    prompt: Prompt | None = None,
) -> Preview:
    """The preview of the example `row` of the dataset `dataset`; by default the first of a dataset that fits.

    `form_data` is the form as typed now, or as stored in a draft.
    """
    values = request.GET if form_data is None else form_data
    offered = datasets_of(project, prompt, values.get("dataset", ""))
    messages = (
        settings.messages if settings else [{"role": draft.role, "content": draft.text} for draft in drafts]
    )
    dataset = chosen_dataset(project, values, templates.variables(messages), prompt)
    shown = Preview(messages, settings, offered, dataset, _row(values, dataset))
    return shown if dataset is None else replace(shown, **_filled(messages, dataset, shown.row))


def chosen_dataset(
    project: Project, values: QueryDict, variables: Sequence[str] = (), prompt: Prompt | None = None
) -> Dataset | None:
    """The dataset named by `dataset`, else the one last used with the prompt, else one whose columns fill all
    variables: the one last used with any prompt, or the newest; else the newest. The sample's comes after one's own.
    """
    offered = own_first(datasets_of(project, prompt, values.get("dataset", "")))
    named = next((dataset for dataset in offered if str(dataset.pk) == values.get("dataset")), None)
    if named := named or (last_of(prompt, offered) if prompt else None):
        return named
    fitting = (dataset for dataset in _last_first(project, offered) if fills(dataset, variables))
    return next(chain(fitting, offered), None)


def _last_first(project: Project, offered: list[Dataset]) -> list[Dataset]:
    last = versions.last_dataset_in(project)
    return own_first(sorted(offered, key=lambda dataset: dataset.pk != last))


def fills(dataset: Dataset, variables: Sequence[str]) -> bool:
    return templates.are_columns(variables, dataset.columns)


def to_keep(dataset: Dataset | None, content: Content) -> Dataset | None:
    """The dataset to store with a version; none where it lacks a variable, so that a later one can be chosen."""
    return dataset if dataset and fills(dataset, content.variables) else None


def datasets_of(project: Project, prompt: Prompt | None = None, chosen: str = "") -> list[Dataset]:
    """The newest datasets that have examples; also the chosen one and the one last used with a prompt, however old."""
    ready = Dataset.objects.live().filter(project=project, status=Dataset.Status.READY, example_count__gt=0)
    older = [whole(chosen, LONGEST_ID), versions.last_dataset(prompt) if prompt else None]
    named = ready.filter(pk__in=[pk for pk in older if pk])
    return list(dict.fromkeys([*ready.order_by("-pk")[:OFFERED], *named]))


def first_variable(dataset: Dataset | None) -> str:
    """A variable for a new prompt: the first input of the dataset."""
    inputs = dataset.columns.get("inputs", ()) if dataset else ()
    return f"{{{{ {inputs[0]} }}}}" if inputs else ""


def is_beginning_elsewhere(text: str, project: Project, chosen: Dataset | None) -> bool:
    """Whether this is still what a new prompt begins with on another dataset, and the chosen one cannot fill it."""
    names = templates.variables([{"role": "user", "content": text}])
    if chosen is None or fills(chosen, names):
        return False
    return any(text == first_variable(dataset) for dataset in datasets_of(project))


def _row(values: QueryDict, dataset: Dataset | None) -> str:
    """The position or key in the form; the first example if it is as filled in, maybe for another dataset (`row_was`).

    1 stands for the first example, which a later version of a dataset may have removed.
    """
    typed = values.get("row", "").strip()
    if typed not in ("", "0", "1", values.get("row_was")):
        return typed
    return first_row(dataset)


def first_row(dataset: Dataset | None) -> str:
    first = datasets.first(dataset, 1) if dataset else ()
    return str(first[0].identity if first else 1)


def _filled(messages: list[templates.Message], dataset: Dataset, row: str) -> dict[str, Any]:
    try:
        [result] = rendering.render(messages, dataset, [_position(row, dataset)])
    except Refusal as refusal:
        return {"refusal": refusal}
    return {"filled": result["messages"]}


def _position(row: str, dataset: Dataset) -> int:
    """The position that a position or key names; raises `NotFound` if it names none."""
    number, chosen = whole(row, 9), datasets.examples(dataset)
    if number is not None:
        number = identities.position_in(dataset, dataset.version, number)
        if chosen.filter(position=number).exists():
            return number
    position = chosen.filter(key=row).values_list("position", flat=True).first()
    if position is None:
        message = f"{dataset.name} has no example {row[:200]}."
        raise NotFound("not_found", message, hint="Enter its position or its key.")
    return position
