"""How the answers of two variants differ in form (length, fences, reasoning, JSON), and if the primary counts it."""

from collections.abc import Iterator

from evaluations.evaluators.recipe import Recipe
from evaluations.experiments import reading_steps
from evaluations.experiments.reading_steps import Found
from evaluations.kinds.kind import Family
from evaluations.models import EvaluatorVersion
from evaluations.numerals import grouped
from evaluations.statistics.wording import Part

from .figures.figures import Figures

FEWEST = 20  # answers of each variant that were looked at
LONGER, MORE = 1.5, 20  # from this ratio, and this many characters more, an answer is called longer
APART = 0.5  # difference of two shares
WEIGHS = (Family.EDITS, Family.OVERLAP)
BLIND = ("numeric_match", "contains", "label", "regex_match",
         "json_fields", "json_schema", "tool_calls", "retrieval")  # fmt: skip


def told(figures: Figures, baseline: int, side: int) -> list[Part]:
    """A caution for two sides whose answers differ in form; empty if they do not, or if few answers were seen."""
    runs = [figures.sides[index].run for index in (baseline, side)]
    before, after = reading_steps.look(runs)
    if min(before.seen, after.seen) < FEWEST:
        return []
    labels = [figures.sides.label(run) for run in runs]
    version = figures.evaluators.scoring(figures.primary.pk).evaluator_version
    facts = [*_counts(version, labels, before, after), *_length(labels, before, after)]
    parts = [part for fact in facts for part in [("", ". "), *fact]][1:]
    return [*parts, *_consequence(version)] if parts else []


def _counts(
    version: EvaluatorVersion, labels: list[str], before: Found, after: Found
) -> Iterator[list[Part]]:
    """What most answers of one side begin with, and those of the other do not, unless the evaluator reads past it."""
    opens_json = Recipe.from_version(version).kind.reads_json
    for name, words, step in (
        ("reasoning", "begin with a block of reasoning", "reasoning"),
        ("fenced", "begin with a fence", "code"),
        ("structured", "are JSON", ""),
    ):
        counts = getattr(before, name), getattr(after, name)
        shares = counts[0] / before.seen, counts[1] / after.seen
        is_read = not reading_steps.lacks(version, step) if step else opens_json
        if abs(shares[0] - shares[1]) < APART or is_read:
            continue
        more = int(shares[1] > shares[0])
        seen = (before, after)[more].seen
        few = grouped(counts[1 - more]) if counts[1 - more] else "none"
        yield [
            ("", f"{grouped(counts[more])} of {grouped(seen)} answers of "),
            ("name", labels[more]),
            ("", f" that were looked at {words}, {few} of "),
            ("name", labels[1 - more]),
        ]


def _length(labels: list[str], before: Found, after: Found) -> Iterator[list[Part]]:
    lengths = before.length, after.length
    more = int(lengths[1] > lengths[0])
    long, short = lengths[more], lengths[1 - more]
    if before.reasoning or after.reasoning or long < LONGER * short or long - short < MORE:
        return
    times = f"{long / short:.1f} times as long as" if short else "longer than"
    yield [
        ("", "Answers of "),
        ("name", labels[more]),
        ("", f" are {times} those of "),
        ("name", labels[1 - more]),
        ("number", f" (median {grouped(round(long))} and {grouped(round(short))} characters)"),
    ]


def _consequence(version: EvaluatorVersion) -> list[Part]:
    """Whether the evaluator counts a difference of form, or cannot see it; kinds that read meaning say neither."""
    kind, name = Recipe.from_version(version).kind, version.evaluator.name
    if kind.family in WEIGHS or kind.key == "exact_match":
        return [("", "; "), ("evaluator", name), ("", " counts that, whatever they say.")]
    if kind.key in BLIND:
        return [("", "; "), ("evaluator", name), ("", " does not see that.")]
    return [("", ".")]
