"""How many answers are right in all fields, beside an evaluator whose score is the share of fields."""

import numpy as np

from evaluations.evaluators.recipe import Recipe
from evaluations.numerals import grouped
from evaluations.process_cache import ProcessCache
from evaluations.statistics.wording import Part

from .figures.figures import Figures

counted: ProcessCache[str, list[tuple[int, int]]] = ProcessCache("answers with all fields right", 500)


def told(figures: Figures, baseline: int, side: int) -> list[Part]:
    """The answers of two sides of which all parts are right; empty beside an evaluator of other scores, and for means
    of repetitions."""
    version = figures.evaluators.scoring(figures.primary.pk).evaluator_version
    config, indices = Recipe.from_version(version).parsed, (side, baseline)
    if not config.can_be_whole or any(figures.sides[index].is_averaged for index in indices):
        return []
    runs = [(figures.sides[index].run.pk, figures.sides[index].run.revision) for index in indices]
    aligner = figures.aligner
    key = repr((version.pk, runs, aligner.example_filter, aligner.missing))
    counts = counted.get(key)
    if counts is None:
        counted.put(key, counts := _counted(figures, *indices))
    if not all(scored for _, scored in counts):
        return []
    said = [
        part
        for (whole, scored), index in zip(counts, indices, strict=True)
        for part in (
            ("", " and "),
            ("number", f"{grouped(whole)} of {grouped(scored)}"),
            ("", " answers of "),
            ("name", figures.sides.label(figures.sides[index].run)),
        )
    ]
    parts = config.counts_parts.removesuffix(" right")
    opening = f"All {parts} are right in " if parts else "All is right in "
    return [("", opening), *said[1:], ("", ".")]


def _counted(figures: Figures, *indices: int) -> list[tuple[int, int]]:
    """For each of two sides the answers with the score 1, and those that count."""
    primary = figures.primary.pk
    aligned = figures.aligner.aligned(primary, figures.evaluators.scales[primary])
    columns = [aligned.columns[index] for index in indices]
    return [
        (int(np.count_nonzero(column.values == 1)), int(np.isfinite(column.values).sum()))
        if column
        else (0, 0)
        for column in columns
    ]
