"""How the answers of two variants differ: in form (length, fences, reasoning, JSON), or in one word; and if the primary
counts it.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from django.db.models import Exists, OuterRef
from django.db.models.functions import Length
from numpy.typing import NDArray

from evaluations.evaluators.recipe import Recipe
from evaluations.experiments import reading_steps
from evaluations.experiments.reading_steps import Found
from evaluations.kinds.kind import Family
from evaluations.models import EvaluatorVersion, Output, Run
from evaluations.numerals import grouped
from evaluations.process_cache import ProcessCache
from evaluations.statistics.wording import Part
from evaluations.values import MINIMIZE

from . import other_numbers
from .alignment.alignment import Aligner
from .figures.figures import Figures

FEWEST = 20  # answers of each variant that were looked at
LONGER, MORE = 1.5, 20  # from this ratio, and this many characters more, an answer is called longer
APART = 0.5  # difference of two shares
LONG = 15  # words of a text in which one word changes edits and overlap little
FEWEST_PAIRS, MOST_PAIRS = 5, 0.5  # answers that differ in one word, and their share of all that differ
LOOKED = 20_000  # characters of an answer whose words are compared
MEASURED = 100_000  # answers of each variant whose lengths are read
WEIGHS = (Family.EDITS, Family.OVERLAP)
BLIND = ("numeric_match", "contains", "label", "regex_match",
         "json_fields", "json_match", "json_schema", "tool_calls", "retrieval")  # fmt: skip

lengths_of: ProcessCache[tuple[int, int], NDArray[np.int64]] = ProcessCache(
    "lengths of answers", 32_000_000, lambda rows: rows.nbytes
)
words_apart: ProcessCache[str, tuple[int, int]] = ProcessCache("answers that differ in one word", 500)


def told(figures: Figures, baseline: int, side: int) -> list[Part]:
    """A caution for two sides whose answers differ in form; empty if they do not, or if few answers were seen."""
    runs = [figures.sides[index].run for index in (baseline, side)]
    before, after = reading_steps.look(runs)
    if min(before.seen, after.seen) < FEWEST:
        return []
    labels = [figures.sides.label(run) for run in runs]
    lengths = [_lengths(figures.aligner, run) for run in runs]
    if before == after and np.array_equal(lengths[0], lengths[1]) and _are_same(runs):
        return [
            ("name", labels[0]),
            ("", " and "),
            ("name", labels[1]),
            ("", " have the same answers, word for word: was one of them sent twice?"),
        ]
    version = figures.evaluators.scoring(figures.primary.pk).evaluator_version
    reasons = before.reasoning or after.reasoning
    facts = [
        *_counts(version, labels, before, after),
        *([] if reasons else _length(version, labels, lengths)),
    ]
    parts = [part for fact in facts for part in [("", ". "), *fact]][1:]
    form = [*parts, *_consequence(version)] if parts else _one_word(version, runs)
    others = other_numbers.told(version, runs, labels)
    return [*form, *([("", " ")] if form and others else []), *others]


def _are_same(runs: Sequence[Run]) -> bool:
    """Whether two runs answer the same examples, and every one in the same words."""
    first, second = runs
    if first.output_count != second.output_count:
        return False
    others = Output.objects.filter(run=second, position=OuterRef("position"))
    answers = Output.objects.filter(run=first, text__isnull=False)
    return not answers.exclude(Exists(others.filter(text=OuterRef("text")))).exists()


def likeness(figures: Figures) -> list[Part]:
    """That a primary evaluator of likeness does not tell right from wrong, or what words count; else empty."""
    version = figures.evaluators.scoring(figures.primary.pk).evaluator_version
    recipe = Recipe.from_version(version)
    if numbers := recipe.parsed.words_told:
        return [("evaluator", version.evaluator.name), ("", f" counts {numbers}.")]
    if not recipe.kind.measures_likeness:
        return []
    how = (
        "far an answer is from the reference"
        if recipe.direction == MINIMIZE
        else "like the reference an answer is"
    )
    means = f" measures how {how}, not whether it is right."
    return [("evaluator", version.evaluator.name), ("", means)]


def _one_word(version: EvaluatorVersion, runs: Sequence[Run]) -> list[Part]:
    """A caution if most answers that differ do so in one word of a long text, such as a number or a unit."""
    if not Recipe.from_version(version).kind.measures_likeness:
        return []
    key = [(run.pk, run.revision) for run in runs]
    counts = words_apart.get(repr(key))
    if counts is None:
        words_apart.put(repr(key), counts := _counted_words(runs))
    few, differing = counts
    if few < FEWEST_PAIRS or few < MOST_PAIRS * differing:
        return []
    return [
        ("number", f"{grouped(few)} of {grouped(differing)}"),
        ("", " answers that differ, of those looked at, do so in one word or number only; "),
        ("evaluator", version.evaluator.name),
        ("", " hardly counts that: read them below."),
    ]


def _counted_words(runs: Sequence[Run]) -> tuple[int, int]:
    """Of the first answers of two runs: how many long ones differ in one word, and how many differ at all."""
    seen = Output.objects.filter(run__in=runs, position__lte=reading_steps.SEEN, text__isnull=False)
    by_run: dict[int, dict[int, list[str]]] = {run.pk: {} for run in runs}
    whole = seen.alias(length=Length("text")).filter(length__lte=LOOKED)
    for pk, position, text in whole.values_list("run_id", "position", "text"):
        by_run[pk][position] = (text or "").split()
    first, second = (by_run[run.pk] for run in runs)
    pairs = [(first[position], second[position]) for position in first.keys() & second.keys()]
    differing = [(a, b) for a, b in pairs if a != b]
    few = [a for a, b in differing if len(a) == len(b) >= LONG and sum(map(str.__ne__, a, b)) == 1]
    return len(few), len(differing)


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


def _lengths(aligner: Aligner, run: Run) -> NDArray[np.int64]:
    """The characters of the answers of a run to the examples that count: of all, or of the first `MEASURED`."""
    key = run.pk, run.revision
    rows = lengths_of.get(key)
    if rows is None:
        answers = Output.objects.filter(run=run, text__isnull=False).order_by("position")
        pairs = list(answers.values_list("position", Length("text"))[:MEASURED])
        lengths_of.put(key, rows := np.array(pairs, np.int64).reshape(-1, 2))
    positions = aligner.placement(run.pk).positions
    slots, is_here = positions.find(rows[:, 0])
    characters = np.full(len(positions), -1, np.int64)  # of each example; -1 where none were counted
    characters[slots[is_here]] = rows[is_here, 1]
    counted = aligner.part_of(run.pk, characters, -1)
    return counted[counted >= 0]


def _length(
    version: EvaluatorVersion, labels: list[str], lengths: Sequence[NDArray[np.int64]]
) -> Iterator[list[Part]]:
    """Whose answers are longer. Beside answers of a word or a number it is said only where the evaluator counts it."""
    if min(map(len, lengths)) < FEWEST:
        return
    medians = [float(np.median(one)) for one in lengths]
    more = int(medians[1] > medians[0])
    long, short = medians[more], medians[1 - more]
    if long < LONGER * short or long - short < MORE:
        return
    if short < MORE and not _counts_form(version):
        return
    times = "longer than" if short < MORE else f"{long / short:.1f} times as long as"
    of = f" of the first {grouped(MEASURED)}" if max(map(len, lengths)) >= MEASURED else ""
    yield [
        ("", "Answers of "),
        ("name", labels[more]),
        ("", f" are {times} those of "),
        ("name", labels[1 - more]),
        ("number", f" (median{of} {grouped(round(long))} and {grouped(round(short))} characters)"),
    ]


def _counts_form(version: EvaluatorVersion) -> bool:
    kind = Recipe.from_version(version).kind
    return (kind.family in WEIGHS or kind.key == "exact_match") and not _reads_a_part(version)


def _reads_a_part(version: EvaluatorVersion) -> bool:
    """Whether a step takes a part of the answer, so that its whole length is not what is compared."""
    steps = version.mapping.get("actual", {}).get("read") or []
    return any(not (isinstance(step, dict) and step["step"] == "normalize") for step in steps)


def _consequence(version: EvaluatorVersion) -> list[Part]:
    """Whether the evaluator counts a difference of form, or cannot see it; kinds that read meaning say neither."""
    kind, name = Recipe.from_version(version).kind, version.evaluator.name
    if _counts_form(version):
        return [("", "; "), ("evaluator", name), ("", " counts that, whatever they say.")]
    if kind.key in BLIND or (_reads_a_part(version) and kind.key == "exact_match"):
        return [("", "; "), ("evaluator", name), ("", " does not see that.")]
    if _reads_a_part(version):
        return [("", "; "), ("evaluator", name), ("", " reads a part of them.")]
    return [("", ".")]
