"""A comparison as a report: the figures of its page, with the largest regressions and its provenance."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import NamedTuple

from evaluations.comparisons.alignment.sides import Side
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.examples import examples
from evaluations.comparisons.examples.examples import Compared, Question
from evaluations.comparisons.examples.gains import Alignment
from evaluations.comparisons.figures.entries import Entry
from evaluations.conversations.messages import readable
from evaluations.numerals import grouped
from evaluations.reading.reading import Reading, View, compare, read
from evaluations.statistics.inference import MANY
from evaluations.statistics.intervals import PERCENT
from evaluations.statistics.terms import Difference
from evaluations.values import JSON

from . import provenance
from .further_sections import FurtherSections, further_sections
from .gate_verdicts import GateVerdicts, gate_verdicts
from .provenance import Source

MOST_EXAMPLES = 10
LONGEST = 3_000  # characters of a text
LONGEST_FOLDED = 20_000  # characters of a text on the page, most of them in folds
ROOM = 600  # of an input or a reference
VIEW = View(room=1_500, keeps=True)  # a file leads to no other page, so that its folds open where they are


class Read(NamedTuple):
    """An output as it is read beside the other one, and the whole of it if that is not all."""

    shown: Reading
    whole: Reading | None


@dataclass(frozen=True)
class Regression:
    """An example on which a run is worse than the baseline by the primary evaluator, or better where none is worse.

    Conversations are rendered as transcripts, and long texts are cut. `outputs` are read by the page, compared.
    """

    position: int
    key: str | None
    run: int
    variant: str
    gain: float
    asked: str
    expected: str
    baseline: str
    answer: str
    outputs: tuple[Read, Read]

    @property
    def input(self) -> str:
        return _cut(self.asked)

    @property
    def reference(self) -> str:
        return _cut(self.expected)

    @property
    def baseline_output(self) -> str:
        return _cut(self.baseline)

    @property
    def output(self) -> str:
        return _cut(self.answer)


@dataclass(frozen=True)
class Shared:
    """What a reader without an account is told of the link; with `kept` the figures stay as they are."""

    project: str
    until: datetime
    note: str
    kept: bool


@dataclass(frozen=True)
class Report:
    comparison: Comparison
    further: FurtherSections
    made_at: datetime
    gates: GateVerdicts
    regressions: list[Regression]
    regressed: int
    improvements: list[Regression]
    sources: list[Source]
    software: dict[str, str]
    methods: list[str]
    shared: Shared | None = None
    has_texts: bool = True

    room = ROOM

    @property
    def leader(self) -> str:
        """The variant whose regressions come first; "" of two variants."""
        side = _leader(self.comparison) if self.comparison.figures.ranking else None
        return self.comparison.sides.label(side.run) if side else ""

    @property
    def falls(self) -> str:
        """What a loss of 1 is where scores are only 0 and 1; "" for other scores."""
        primary = self.comparison.evaluators.primary
        return "pass → fail" if primary and self.comparison.evaluators.share(primary.pk) else ""

    @property
    def rises(self) -> str:
        """What a gain of 1 is where scores are only 0 and 1; "" for other scores."""
        return "fail → pass" if self.falls else ""

    @property
    def can_compare(self) -> bool:
        """Whether there is a variant that could be worse than the baseline."""
        return self.comparison.evaluators.primary is not None and bool(self.comparison.sides.others)


def report(comparison: Comparison) -> Report:
    return _report(comparison, further_sections(comparison), gate_verdicts(comparison))


def shared_report(comparison: Comparison, shared: Shared, *, texts: bool) -> Report:
    """The report for readers of a link: of these runs alone, without gates, and without `texts` of examples."""
    made = _report(comparison, further_sections(comparison, alone=True), GateVerdicts(), shared)
    return made if texts else replace(made, regressions=[], improvements=[], has_texts=False)


def _report(
    comparison: Comparison, further: FurtherSections, gates: GateVerdicts, shared: Shared | None = None
) -> Report:
    regressions, regressed = _largest(comparison, "worse")
    improvements = [] if regressions else _largest(comparison, "better")[0]
    return Report(
        comparison=comparison,
        further=further,
        made_at=datetime.now(UTC),
        gates=gates,
        regressions=regressions,
        regressed=regressed,
        improvements=improvements,
        sources=provenance.sources(comparison),
        software=provenance.software(),
        methods=list(_methods(comparison)),
        shared=shared,
    )


# ---- examples ------------------------------------------------------------------------------------------------


def _leader(comparison: Comparison) -> Side | None:
    """Of several variants the one that ranks highest, whose losses are what a change to it would cost."""
    ranked = [row.side for row in comparison.figures.ranking if row.side is not comparison.sides.baseline]
    return ranked[0] if len(comparison.sides.others) > 1 and ranked else None


def _largest(comparison: Comparison, outcome: str) -> tuple[list[Regression], int]:
    """The largest differences with an outcome, "worse" or "better", those of the leader first; how many there are."""
    if comparison.evaluators.primary is None or not comparison.sides.others:
        return [], 0
    found, total = _differences(comparison, outcome, None)
    if leader := _leader(comparison):
        first = _differences(comparison, outcome, leader)[0]
        told = {one.position for one in first}
        found = first + [one for one in found if one.position not in told]
    return found[:MOST_EXAMPLES], total


def _differences(comparison: Comparison, outcome: str, of: Side | None) -> tuple[list[Regression], int]:
    """The largest differences of one variant, or on each example that of the variant where it is largest."""
    primary, run = comparison.figures.primary, of.run if of else None
    order = "drop" if outcome == "worse" else "gain"
    question = Question(primary, outcome=outcome, order=order, run=run)
    aligned = Alignment(comparison, primary, run)
    page = examples.examples(comparison, question, MOST_EXAMPLES, aligned=aligned)
    indices = [n for n, side in enumerate(comparison.sides) if n and of in (None, side)]
    found = [_farthest(comparison, row, order, indices) for row in page.rows]
    return [one for one in found if one], page.total


def _farthest(comparison: Comparison, row: Compared, order: str, indices: Sequence[int]) -> Regression | None:
    """The largest loss or gain on this example; None if no run can be compared, as if none answered."""
    primary = comparison.figures.primary
    direction = comparison.evaluators.direction(primary.pk)
    gains = {index: row.gain(index, primary.name, direction) for index in indices}
    defined_gains = {index: gain for index, gain in gains.items() if gain is not None}
    if not defined_gains:
        return None
    sign = 1 if order == "drop" else -1
    index = min(defined_gains, key=lambda index: sign * defined_gains[index])
    baseline, result, run = row.rows[0], row.rows[index], comparison.sides[index].run
    return Regression(
        position=row.position,
        key=result.key,
        run=run.pk,
        variant=comparison.sides.label(run),
        gain=defined_gains[index],
        asked=_joined(result.inputs),
        expected=_joined(result.reference),
        baseline=_cut(readable(baseline.output), LONGEST_FOLDED),
        answer=_cut(readable(result.output), LONGEST_FOLDED),
        outputs=_read(readable(baseline.output), readable(result.output)),
    )


def _read(baseline: str, output: str) -> tuple[Read, Read]:
    texts = _cut(baseline, LONGEST_FOLDED), _cut(output, LONGEST_FOLDED)
    old, new = (
        Read(shown, read(text) if shown.characters_left else None)
        for shown, text in zip(compare(*texts, VIEW), texts, strict=True)
    )
    return old, new


def _joined(value: JSON) -> str:
    """A single column as plain text, several with their names."""
    if not isinstance(value, dict):
        return _cut(readable(value), LONGEST_FOLDED)
    texts = [readable(text) for text in value.values()]
    named = [f"{name}: {text}" for name, text in zip(value, texts, strict=True)]
    return _cut("\n".join(texts if len(texts) == 1 else named), LONGEST_FOLDED)


def _cut(text: str, most: int = LONGEST) -> str:
    return text if len(text) <= most else f"{text[:most]} … {grouped(len(text) - most)} more characters"


# ---- methods -------------------------------------------------------------------------------------------------


def _methods(comparison: Comparison) -> Iterator[str]:
    yield "Differences are paired: run minus baseline, example by example, over the examples that both have."
    if comparison.missing == "worst":
        yield "An example that a variant did not answer counts as the evaluator's worst score."
    else:
        yield "An example that a variant did not answer is excluded."
    yield "Examples with a missing reference or an evaluator error are excluded from all variants."
    decided = [entry for entry in comparison.figures.entries if entry.paired.method]
    if decided:
        yield (
            f"Intervals, p values and verdicts hold jointly for a whole family at {PERCENT}. All pairs of variants "
            "on the primary evaluator are one family. All other evaluators against the baseline are the "
            "second."
        )
    yield from _draws([entry.paired for entry in decided])
    if clusters := comparison.figures.clusters:
        yield (
            f"Examples with the same {clusters.column} belong together ({clusters.count} groups); "
            f"intervals are {clusters.widening:.2f} times as wide for that."
        )
    yield from _seeds(decided)


def _draws(paired: list[Difference]) -> Iterator[str]:
    if any(comparison.n < MANY for comparison in paired):
        yield (
            "Critical values come from random flips of the signs of whole examples; for scores that are not pass or "
            "fail, from resamples too."
        )
    if any(comparison.n >= MANY for comparison in paired):
        yield f"From {grouped(MANY)} examples on, critical values come from normal draws corrected for skewness."
    if any(comparison.interval_method == "tango" for comparison in paired):
        yield "Intervals of pass and fail are Tango's score intervals."


def _seeds(decided: list[Entry]) -> Iterator[str]:
    """The seed of each family of comparisons; it depends only on the data."""
    seeds = {entry.role: entry.paired.seed for entry in decided if entry.paired.seed is not None}
    for role, seed in seeds.items():
        yield f"The draws of the {role} family have the seed {seed}, a digest of its differences."
