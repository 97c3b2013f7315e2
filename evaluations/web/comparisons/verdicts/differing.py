"""In what the compared variants differ, and the changes between their prompts."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse

from evaluations.comparisons.comparison import Comparison
from evaluations.experiments.about import Difference, differences, with_prompts
from evaluations.models import PromptVersion, Run
from evaluations.prompts import versions
from evaluations.prompts.content import Content

from ...page_tools.paging import address
from ...page_tools.request import HttpRequest

EQUAL = "equal"  # the parameter that shows what is equal, too
MOST_SHOWN = 5  # variants whose prompts are compared with the baseline's


@dataclass(frozen=True)
class PromptChange:
    """The prompt of a variant against the baseline's; two versions of one prompt are compared at `address`."""

    name: str
    changes: versions.Differences
    address: str


@dataclass(frozen=True)
class Differing:
    """`facts` are those that differ, `rows` these or all; the address shows the others, or no longer."""

    names: Sequence[str]
    facts: Sequence[Difference]
    rows: Sequence[Difference]
    has_all: bool
    address: str
    prompts: Sequence[PromptChange]
    named: Sequence[tuple[str, str]]


def differing(request: HttpRequest, comparison: Comparison) -> Differing | None:
    """None if nothing differs, or there is nothing to compare."""
    runs = [side.run for side in comparison.sides]
    facts = differences(runs)
    if not facts:
        return None
    has_all = request.GET.get(EQUAL) == "1"
    every = differences(runs, with_equal=True)
    can_change = has_all or len(every) > len(facts)
    return Differing(
        names=comparison.sides.labels,
        facts=facts,
        rows=every if has_all else facts,
        has_all=has_all,
        address=f"{address(request, **{EQUAL: None if has_all else '1'})}#differing" if can_change else "",
        prompts=_prompts(comparison, with_prompts(runs)),
        named=_named(runs),
    )


def _prompts(comparison: Comparison, runs: Sequence[Run]) -> list[PromptChange]:
    baseline, *others = runs
    old = baseline.prompt_version
    if old is None:
        return []
    found = []
    for run in others:
        if (new := run.prompt_version) is None or new.pk == old.pk:
            continue
        changes = versions.differences(Content.from_version(old), Content.from_version(new))
        page = _comparing(old, new)
        if changes.messages or page:
            found.append(PromptChange(comparison.sides.label(run), changes, page))
    return found[:MOST_SHOWN]


def _comparing(old: PromptVersion, new: PromptVersion) -> str:
    """The page that compares two versions of one prompt; "" for those of two prompts."""
    if old.prompt_id != new.prompt_id or old.prompt.deleted_at:
        return ""
    return f"{reverse('prompt-detail', args=[new.prompt_id])}?version={new.number}&against={old.number}"


def _named(runs: Sequence[Run]) -> list[tuple[str, str]]:
    """The prompt versions of runs, each once, with their pages."""
    found = {run.prompt_version_id: run.prompt_version for run in runs if run.prompt_version}
    return [
        (str(version), f"{reverse('prompt-detail', args=[version.prompt_id])}?version={version.number}")
        for version in found.values()
        if not version.prompt.deleted_at
    ]
