"""The columns of a bench: variants of a prompt with messages, model and parameters of their own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile
from typing import Any

from django.http import QueryDict

from evaluations.linear import Pattern
from evaluations.models import Prompt
from evaluations.numerals import whole
from evaluations.playground.trials import MOST_VARIANTS, Variant
from evaluations.prompts import aligned, prompts
from evaluations.prompts.content import Content, check
from evaluations.short_texts import shortened

from .prompt import Draft, SettingsForm, drafts, initial

Fields = Mapping[str, Sequence[str]]  # the texts of a column by field, without its prefix
DRAFT = "draft"
MOST_WORDS, LONGEST_WORDS = 4, 28
VARIABLE = Pattern(r"\{\{[^{}]*\}\}")
PARAMETERS = {"temperature": "temperature", "max_completion_tokens": "at most", "seed": "seed"}
NAMES = (
    *("base", "connection", "model", "temperature", "max_completion_tokens", "seed"),
    *("role", "content", "as"),
)


@dataclass(frozen=True)
class Column:
    """A variant as typed, based on a version of the prompt; `number` counts from 0. It is read beside the `first`."""

    number: int
    prompt: Prompt
    fields: Fields
    first: "Column | None" = None

    @property
    def prefix(self) -> str:
        return f"c{self.number}"

    @cached_property
    def base(self) -> int:
        return whole(_first(self.fields, "base")) or self.prompt.version

    @cached_property
    def _base_content(self) -> Content:
        return Content.from_version(prompts.version_of(self.prompt, self.base))

    @cached_property
    def form(self) -> SettingsForm:
        data = {f"{self.prefix}-{name}": _first(self.fields, name) for name in NAMES}
        return SettingsForm(data, prefix=self.prefix, project=self.prompt.project, base=self._base_content)

    @cached_property
    def messages(self) -> list[Draft]:
        data = QueryDict(mutable=True)
        for name in ("role", "content", "as"):
            data.setlist(name, list(self.fields.get(name, [])))
        return drafts(data)

    @property
    def drafts(self) -> list[tuple[Draft, list[str], int | None]]:
        """The messages with their errors, and the place of the message of the first column that each belongs to."""
        errors = self.form.message_errors if self.content is None else {}
        told = [[(draft.role, draft.text) for draft in one.messages] for one in (self.first or self, self)]
        beside = {right: left for left, right in aligned.pairs(*told) if right is not None}
        return [(draft, errors.get(number, []), beside[number]) for number, draft in enumerate(self.messages)]

    @cached_property
    def content(self) -> Content | None:
        """What would be sent; None if something typed is invalid."""
        return self.form.do(lambda: check(self.form.content(self.messages)))

    @property
    def is_saved(self) -> bool:
        """Whether a launch can ask it: it is its version, perhaps with another model."""
        return bool(self.content) and self._with_model(self._base_content.model).is_same(self._base_content)

    def _with_model(self, model: str) -> Content:
        return Content(**self.content.parts() | {"model": model}) if self.content else self._base_content

    @property
    def variant(self) -> Variant | None:
        if self.content is None:
            return None
        if not self.is_saved:
            return Variant(self.content, None, DRAFT)
        other_model = "" if self.content.model == self._base_content.model else f", {self.content.model}"
        return Variant(self.content, self.base, f"v{self.base}{other_model}")


def _first(fields: Fields, name: str) -> str:
    return next(iter(fields.get(name, [])), "")


def fields_of(base: int, content: Content) -> Fields:
    """The fields of a column with this content."""
    shown = initial(content)
    texts = [Draft.from_message(message) for message in content.messages]
    return {
        **{name: [str(shown[name])] for name in NAMES if shown.get(name) not in (None, "")},
        "base": [str(base)],
        "role": [draft.role for draft in texts],
        "content": [draft.text for draft in texts],
        "as": ["json" if draft.is_json else "text" for draft in texts],
    }


def columns_in(form_data: QueryDict) -> list[Fields]:
    """The columns of a submitted or stored form, in order."""
    prefixes = form_data.getlist("column")[:MOST_VARIANTS]
    return [{name: form_data.getlist(f"{prefix}-{name}") for name in NAMES} for prefix in prefixes]


def moved(columns: Sequence[Fields], action: str) -> list[Fields]:
    """The columns after a button was pressed: `add`, or `copy-1`, `remove-1`, `model-1-NAME` for the second one."""
    verb, _, number = action.partition("-")
    ordered, index = list(columns), whole(number)
    if verb == "add" and ordered and len(ordered) < MOST_VARIANTS:
        return [*ordered, ordered[-1]]
    if verb == "model":
        place, _, model = number.partition("-")
        index = whole(place)
    if index is None or index >= len(ordered):
        return ordered
    if verb == "model":
        ordered[index] = {**ordered[index], "model": [model]}
    if verb == "copy" and len(ordered) < MOST_VARIANTS:
        ordered.insert(index, ordered[index])
    if verb == "remove" and len(ordered) > 1:
        del ordered[index]
    return ordered


def with_room(columns: Sequence[Column]) -> list[Column]:
    """The columns, without one where there is no room for another: the last saved version that is not the baseline."""
    if len(columns) < MOST_VARIANTS:
        return list(columns)
    left_out = next((column for column in reversed(columns[1:]) if column.is_saved), columns[-1])
    return [column for column in columns if column is not left_out]


def named(columns: Sequence[Column]) -> list[Variant | None]:
    """The variants of the columns; None for one that is invalid.

    Several drafts are called after what differs between them; names that are equal nevertheless are numbered.
    """
    found: list[Variant | None] = []
    seen: dict[str, int] = {}
    drafts = [column for column in columns if column.variant and not column.is_saved]
    told = dict(zip([column.number for column in drafts], _told_apart(drafts), strict=True))
    for column in columns:
        variant = column.variant
        if variant:
            name = told.get(column.number, variant.name)
            seen[name] = times = seen.get(name, 0) + 1
            numbered = name if times == 1 else f"{name} ({times})"
            variant = replace(variant, name=numbered)
        found.append(variant)
    return found


def _told_apart(drafts: Sequence[Column]) -> list[str]:
    """Names of drafts: by their models, the first words in which they differ, their parameters, or by all of these."""
    models = [_first(column.fields, "model") for column in drafts]
    parts = models, _first_words(drafts), _parameters(drafts)
    for words in (*parts, [", ".join(filter(None, every)) for every in zip(*parts, strict=True)]):
        if len(drafts) > 1 and len({*words}) == len(words):
            return [f"{DRAFT}, {said}" if said else DRAFT for said in words]
    return [DRAFT] * len(drafts)


def _first_words(drafts: Sequence[Column]) -> list[str]:
    """The words with which each begins to differ from the others; "" where it ends there."""
    said = (" ".join(message.text for message in column.messages) for column in drafts)
    texts = [VARIABLE.sub("…", text).split() for text in said]
    alike = sum(1 for _ in takewhile(lambda words: len({*words}) == 1, zip(*texts, strict=False)))
    return [shortened(" ".join(text[alike : alike + MOST_WORDS]), LONGEST_WORDS) for text in texts]


def _parameters(drafts: Sequence[Column]) -> list[str]:
    values = {name: [_first(column.fields, name) for column in drafts] for name in PARAMETERS}
    differing = [name for name, found in values.items() if len({*found}) > 1]
    return [
        ", ".join(f"{PARAMETERS[name]} {values[name][at]}" for name in differing if values[name][at])
        for at in range(len(drafts))
    ]


def stored(columns: Sequence[Fields]) -> dict[str, Any]:
    """The columns as fields of one form."""
    found = {f"c{n}-{name}": texts for n, column in enumerate(columns) for name, texts in column.items()}
    return {"column": [f"c{number}" for number in range(len(columns))]} | found
