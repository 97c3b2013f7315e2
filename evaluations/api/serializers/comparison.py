"""A comparison as JSON."""

from typing import Any

from evaluations.comparisons.alignment.leftovers import Leftover
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.figures.entries import Entry, Ranked
from evaluations.comparisons.figures.family_figures import Measure
from evaluations.comparisons.warnings import ABOUT_INTERVALS
from evaluations.datasets.counterparts import Counterparts, Version
from evaluations.experiments.about import digest
from evaluations.statistics import terms
from evaluations.statistics.power import examples_to_decide

from .split import NamedSplitSerializer

AMBIGUOUS = 100  # ambiguous positions that are listed


def as_dict(comparison: Comparison) -> dict[str, Any]:
    """The answer of `comparisons/`."""
    return {
        "baseline": comparison.baseline.run.pk,
        "primary": comparison.primary and comparison.primary.pk,
        "missing": comparison.missing,
        "cluster": _cluster(comparison),
        "filtered": filtered(comparison),
        "alignment": [_alignment(*matched) for matched in comparison.matched_datasets.items()],
        "repeats": "mean" if comparison.repeats else None,
        "sentence": comparison.sentence,
        "remarks": comparison.remarks,
        "warnings": comparison.warnings,
        "ranking": [_ranked(ranked) for ranked in comparison.ranking],
        "answers": _answers(comparison),
        "entries": [_entry(entry) for entry in comparison.entries],
        "measures": _measures(comparison),
    }


def _answers(comparison: Comparison) -> list[dict[str, int]]:
    """How many examples each variant answered."""
    if not comparison.primary:
        return []
    measures = comparison.measures
    counts = zip(comparison.sides, measures.answered, measures.examples, strict=True)
    return [{"run": side.run.pk, "answered": answered, "of": examples} for side, answered, examples in counts]


def _measures(comparison: Comparison) -> list[dict[str, Any]]:
    """The cost, latency and tokens of each variant."""
    return [
        _measure(side.run.pk, measure, index)
        for measure in (comparison.measures.measures if comparison.primary else [])
        for index, side in enumerate(comparison.sides)
    ]


def filtered(comparison: Comparison) -> dict[str, Any] | None:
    if not comparison.example_filter:
        return None
    return {
        "metadata": [
            {"column": column, "value": value} for column, value in comparison.example_filter.metadata
        ],
        "split": comparison.example_filter.split
        and NamedSplitSerializer(comparison.example_filter.split).data,
        "examples": comparison.size,
        "of": comparison.full_size,
    }


def _alignment(version: Version, matched: Counterparts) -> dict[str, Any]:
    return {
        "dataset": version[0].pk,
        "version": version[1],
        "examples": matched.examples,
        "by_key": matched.by_key,
        "changed": matched.changed,
        "by_contents": matched.by_contents,
        "left_out": matched.left_out,
        "ambiguous": matched.ambiguous.tolist()[:AMBIGUOUS],
    }


def _cluster(comparison: Comparison) -> dict[str, Any] | None:
    used = comparison.clusters
    if used is None:
        return None
    return {
        "column": used.column,
        "clusters": used.count,
        "design_effect": used.widening**2,
        "detected": used.p is not None,
        "warnings": [warning for warning in comparison.warnings if warning["code"] in ABOUT_INTERVALS],
    }


def _ranked(ranked: Ranked) -> dict[str, Any]:
    return {
        "run": ranked.side.run.pk,
        "variant": ranked.side.run.variant,
        "about_digest": digest(ranked.side.run.about),
        "mean": ranked.mean,
        "rank": list(ranked.rank),
        "group": ranked.group,
        "lead": ranked.lead
        and {"difference": ranked.lead.difference, "interval": _interval(ranked.lead.interval)},
    }


def _entry(entry: Entry) -> dict[str, Any]:
    return _means(entry) | _leftover(entry.leftover) | _difference(entry.paired)


def _means(entry: Entry) -> dict[str, Any]:
    paired = entry.paired
    return {
        "run": entry.run.pk,
        "runs": [run.pk for run in entry.runs],
        "variant": entry.run.variant,
        "about_digest": digest(entry.run.about),
        "evaluator": {"id": entry.evaluator.pk, "name": entry.evaluator.name},
        "role": entry.role,
        "direction": paired.direction,
        "mean": paired.mean,
        "baseline_mean": paired.baseline_mean,
        "n": paired.n,
        "imputed": paired.imputed,
    }


def _leftover(leftover: Leftover) -> dict[str, Any]:
    """The examples that make no pair, counted by cause."""
    return {
        "only_run": leftover.only_run,
        "only_baseline": leftover.only_baseline,
        "missing": leftover.missing,
        "error": leftover.error,
        "not_common": leftover.not_common,
    }


def _difference(paired: terms.Difference) -> dict[str, Any]:
    return {
        "difference": paired.difference,
        "interval": _interval(paired.interval),
        "interval_single": _interval(paired.interval_single),
        "interval_method": paired.interval_method,
        "effect_size": paired.effect_size,
        "p": paired.p,
        "p_corrected": paired.p_corrected,
        "method": paired.method,
        "reason": paired.reason,
        "seed": paired.seed,
        "wins": paired.wins,
        "losses": paired.losses,
        "ties": paired.ties,
        "tie_tolerance": paired.tie_tolerance,
        "smallest_detectable": paired.smallest,
        "examples_needed": examples_to_decide(paired),
        "verdict": paired.verdict,
        "margin": paired.margin,
        "equivalence": paired.equivalence,
    }


def _measure(run: int, measure: Measure, index: int) -> dict[str, Any]:
    """A measure of one run and its difference from the baseline; the baseline has only a mean."""
    paired = measure.comparisons[index]
    return {
        "run": run,
        "measure": measure.name,
        "mean": measure.means[index],
        "mean_interval": _interval(measure.intervals[index]),
        "difference": paired and paired.difference,
        "interval": paired and _interval(paired.interval),
        "p": paired and paired.p_corrected,
        "n": paired and paired.n,
        "verdict": paired and paired.verdict,
    }


def _interval(interval: terms.Interval | None) -> list[float] | None:
    return None if interval is None else list(interval)
