"""Differences between two versions of a prompt: message by message, then in their settings."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from typing import Any, NamedTuple

from django.db.models import QuerySet

from evaluations.metrics import diff
from evaluations.models import Project, Prompt, PromptVersion, Run, Trial
from evaluations.values import canonical_json, stored_json

from . import aligned
from .content import Content
from .templates import Message

Used = tuple[datetime, int]  # when a dataset was used, and its id

# parameters that have a field of their own, by its label
MOST_NAMED = 3  # things that differ, in a line
FIELDS = {"temperature": "Temperature", "max_completion_tokens": "Max tokens", "seed": "Seed"}


class Setting(NamedTuple):
    """A setting as text in both versions; "" in a version that lacks it."""

    name: str
    old: str
    new: str

    @property
    def label(self) -> str:
        """The name for people: that of its field, if it has one."""
        return FIELDS.get(self.name, self.name)


@dataclass(frozen=True)
class MessageChange:
    """A message that differs; in a version without it, the role is None and the text "".

    `number` is its place in the newer version; of a removed one, that in the older.
    """

    number: int
    old_role: str | None
    new_role: str | None
    old_text: str
    new_text: str

    @property
    def diff(self) -> list[diff.Change]:
        return diff.diff(self.old_text, self.new_text)


@dataclass(frozen=True)
class Differences:
    messages: list[MessageChange] = field(default_factory=list)
    settings: list[Setting] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.messages or self.settings)

    @property
    def in_words(self) -> str:
        """What differs, for a version without a note: "user message, Temperature"; "" if nothing does."""
        roles = [f"{one.new_role or one.old_role} message" for one in self.messages]
        named = [*dict.fromkeys(roles), *(setting.label for setting in self.settings)]
        return ", ".join(named[:MOST_NAMED]) + (
            f" and {more} more" if (more := len(named) - MOST_NAMED) > 0 else ""
        )


def differences(old: Content, new: Content) -> Differences:
    """The messages and settings that differ."""
    return Differences(_messages(old.messages, new.messages), _settings(old, new))


def _messages(old: Sequence[Message], new: Sequence[Message]) -> list[MessageChange]:
    found = []
    for left, right in aligned.pairs(*([(m["role"], text_of(m)) for m in part] for part in (old, new))):
        a, b = None if left is None else old[left], None if right is None else new[right]
        if canonical_json(a) != canonical_json(b):
            number = (left or 0) if right is None else right
            found.append(MessageChange(number + 1, _role(a), _role(b), text_of(a), text_of(b)))
    return found


def _role(message: Message | None) -> str | None:
    return message["role"] if message else None


def text_of(message: Message | None) -> str:
    """The text of a message; JSON if the message has more than role and text."""
    if message is None:
        return ""
    return message["content"] if is_plain(message) else stored_json(message)


def is_plain(message: Message) -> bool:
    """Whether a message has only role and text."""
    return message.keys() == {"role", "content"} and isinstance(message["content"], str)


def _settings(old: Content, new: Content) -> list[Setting]:
    before, after = _flat(old), _flat(new)
    changed = [name for name in before | after if _exact(before, name) != _exact(after, name)]
    return [Setting(name, _written(before, name), _written(after, name)) for name in changed]


def _flat(content: Content) -> dict[str, Any]:
    """The settings by name: those of the version, then the parameters by their API names."""
    settings = {
        "Connection": content.connection.name if content.connection else None,
        "Model": content.model or None,
        "Answer schema": content.schema,
        "Tools": content.tools or None,
        "Reasoning": None if content.split_reasoning else "kept in the output",
    }
    return {name: value for name, value in settings.items() if value is not None} | content.parameters


def _exact(settings: dict[str, Any], name: str) -> str | None:
    """A value as JSON, which distinguishes 1, 1.0 and true, and null from a missing setting."""
    return canonical_json(settings[name]) if name in settings else None


def _written(settings: dict[str, Any], name: str) -> str:
    value = settings.get(name, "")
    return value if isinstance(value, str) else stored_json(value)


@dataclass(frozen=True)
class Entry:
    """A version with its runs, newest first."""

    version: PromptVersion
    runs: list[Run]


def history(prompt: Prompt) -> list[Entry]:
    """Every version of a prompt, newest first."""
    by_version: dict[int | None, list[Run]] = defaultdict(list)
    for run in runs_of(prompt).select_related("experiment").order_by("-pk"):
        by_version[run.prompt_version_id].append(run)
    versions = prompt.versions.select_related("created_by").order_by("-number")
    return [Entry(version, by_version[version.pk]) for version in versions]


def runs_of(prompt: Prompt) -> QuerySet[Run]:
    """The runs that use a version of this prompt."""
    live = Run.objects.live().filter(experiment__deleted_at=None)
    return live.filter(prompt_version__prompt=prompt)


def last_dataset(prompt: Prompt) -> int | None:
    """The id of the dataset in the newest run of the prompt, else in its newest trial, else of its last preview."""
    tried, answered, saved = _newest_datasets(prompt.trials.all(), runs_of(prompt), prompt.versions.all())
    found = next(iter([*answered, *tried, *saved]), None)
    return found[1] if found else None


def has_run(prompt: Prompt) -> bool:
    """Whether a model was asked with this prompt, in a trial or a run."""
    return prompt.trials.exists() or runs_of(prompt).exists()


def last_dataset_in(project: Project) -> int | None:
    """The id of the dataset last used with any prompt of a project, for a new one."""
    shown = Prompt.objects.live().filter(project=project)
    runs = Run.objects.live().filter(experiment__deleted_at=None, prompt_version__prompt__in=shown)
    versions = PromptVersion.objects.filter(prompt__in=shown).order_by("-pk")
    newest = [*chain(*_newest_datasets(Trial.objects.filter(prompt__in=shown), runs, versions))]
    return max(newest)[1] if newest else None


def _newest_datasets(
    trials: QuerySet[Trial], runs: QuerySet[Run], versions: QuerySet[PromptVersion]
) -> tuple[list[Used], list[Used], list[Used]]:
    """The newest dataset of each, if any, with its moment."""
    tried = trials.exclude(dataset=None).order_by("-pk").values_list("created_at", "dataset")
    answered = runs.order_by("-pk").values_list("created_at", "experiment__dataset")
    saved = versions.exclude(dataset=None).values_list("created_at", "dataset")
    return list(tried[:1]), list(answered[:1]), list(saved[:1])
