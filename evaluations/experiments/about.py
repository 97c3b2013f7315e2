"""Facts about a variant, sent by its author: prompt version, model, parameters, commit, link and notes.

`about` is a JSON object of any shape. Where `prompt` is the id of a prompt of the project, with a `prompt_version`, the
run is linked to that version.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from django.db.models import prefetch_related_objects

from evaluations.errors import Invalid, NotFound, TooLarge
from evaluations.models import Project, Prompt, PromptVersion, Run
from evaluations.numerals import grouped
from evaluations.prompts import prompts
from evaluations.values import JSON, LARGEST_ID, canonical_json, stored_json

MOST_BYTES = 64_000
LONGEST_LINE = 300
LONGEST_STATEMENT = 2_000
WITHOUT_NAME = ("prompt", "model")  # fields whose values are clear without their name
# the same limit under the names of several servers
LENGTH_LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens")
WHICH_REPETITION = ("repetition", "order")  # facts of a run, not of its variant
TOO_LONG = ("link", "notes")  # fields that are too long for one line


@dataclass(frozen=True)
class Fact:
    """One fact about a variant; `version` or `link` is what it links to, if anything."""

    name: str
    text: str
    version: PromptVersion | None = None
    link: str = ""


def check(project: Project, about: dict[str, Any]) -> PromptVersion | None:
    """The prompt version that `about` refers to, if any; raises `TooLarge`, `Invalid` or `NotFound`."""
    size = len(stored_json(about).encode())
    if size > MOST_BYTES:
        message = (
            f"The description of a variant can have at most {grouped(MOST_BYTES)} bytes; this one has "
            f"{grouped(size)}."
        )
        raise TooLarge("about_too_large", message, fields={"about": [message]})
    number = about.get("prompt_version")
    if not _is_id(about.get("prompt")):
        return None
    if number is not None and not _is_id(number):
        message = "The number of a prompt's version must be a whole number from 1."
        raise Invalid("invalid", message, fields={"about/prompt_version": [message]})
    prompt = Prompt.objects.live().filter(project=project, pk=about["prompt"]).first()
    if prompt is None:
        message = f"This project has no prompt {about['prompt']}."
        raise NotFound("not_found", message, fields={"about/prompt": [message]})
    return prompts.version_of(prompt, number)


def _is_id(value: JSON) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value <= LARGEST_ID


def describe(run: Run, about: dict[str, Any]) -> Run:
    """Replace the `about` of a run; its outputs and scores stay."""
    run.prompt_version = check(run.project, about)
    run.about = about
    run.save(update_fields=["about", "prompt_version"])
    return run


def with_prompts(runs: Sequence[Run]) -> Sequence[Run]:
    """Load the prompt versions of all these runs with one query."""
    prefetch_related_objects(runs, "prompt_version__prompt")
    return runs


def identity(run: Run) -> tuple[str, str]:
    """A key that is equal for runs of the same variant: its name, and the digest of its `about`."""
    return run.variant, digest(run.about)


def label(run: Run, shown_runs: Iterable[Run]) -> str:
    """The name of a run beside others: its variant, and the run's number if another run has the same."""
    same = [other for other in shown_runs if other.variant == run.variant]
    return run.variant if len(same) <= 1 else f"{run.variant}, run {run.pk}"


def digest(about: dict[str, Any]) -> str:
    """A digest of `about` that ignores the order of its names, and which repetition it is; "" if nothing is left."""
    facts = {name: value for name, value in about.items() if name not in WHICH_REPETITION}
    return blake2b(canonical_json(facts).encode(), digest_size=8).hexdigest() if facts else ""


def facts(run: Run) -> list[Fact]:
    """The non-empty facts about a run; each parameter is a fact of its own."""
    about = dict(run.about)
    listed = []
    if run.prompt_version is not None:
        live = run.prompt_version if run.prompt_version.prompt.deleted_at is None else None
        listed.append(Fact("prompt", str(run.prompt_version), live))
        about = {name: value for name, value in about.items() if name not in ("prompt", "prompt_version")}
    parameters = about.pop("parameters", None)
    if isinstance(parameters, dict):
        about |= {name: value for name, value in parameters.items() if name not in about}
    elif parameters is not None:
        about["parameters"] = parameters
    return listed + [_fact(name, value) for name, value in about.items() if value not in (None, "", [], {})]


def _fact(name: str, value: JSON) -> Fact:
    text = value if isinstance(value, str) else stored_json(value)
    return Fact(name, text, link=text if text.startswith(("https://", "http://")) else "")


def line(listed: Iterable[Fact]) -> str:
    """The facts in one line, such as “solve v3, gpt-4.1-nano, temperature 0”; link and notes are left out."""
    return _joined((fact for fact in listed if fact.name not in TOO_LONG), LONGEST_LINE)


def statement(listed: Iterable[Fact]) -> str:
    """All facts in one line, for exports."""
    return _joined(listed, LONGEST_STATEMENT)


def _joined(listed: Iterable[Fact], longest: int) -> str:
    text = " ".join(", ".join(map(_named, listed)).split())
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _named(fact: Fact) -> str:
    if fact.name in LENGTH_LIMITS:
        return f"max {fact.text} tokens"
    return fact.text if fact.name in WITHOUT_NAME else f"{fact.name} {fact.text}"


@dataclass(frozen=True)
class Difference:
    """A fact that differs between runs: its value in each run, "" if a run lacks it."""

    name: str
    texts: list[str]


def differences(runs: Sequence[Run], *, with_equal: bool = False) -> list[Difference]:
    """The facts that differ between the runs, in stored order; `with_equal` all facts."""
    facts_by_run = [{fact.name: fact.text for fact in facts(run)} for run in with_prompts(runs)]
    names = dict.fromkeys(name for texts in facts_by_run for name in texts)
    rows = [Difference(name, [texts.get(name, "") for texts in facts_by_run]) for name in names]
    return [row for row in rows if with_equal or len(set(row.texts)) > 1]


def lines_of_differences(runs: Sequence[Run]) -> dict[int, str]:
    """For each run, by id, one line with the facts that distinguish its variant from the others."""
    names = {difference.name for difference in differences(runs)}
    return {run.pk: line(fact for fact in facts(run) if fact.name in names) for run in runs}
