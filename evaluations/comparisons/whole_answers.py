"""How many answers are right in all fields, or pass, beside an evaluator whose mean does not say that."""

import numpy as np
from numpy.typing import NDArray

from evaluations.evaluators.recipe import Recipe
from evaluations.kinds.config import Config
from evaluations.kinds.value import ValueConfig, passes
from evaluations.numerals import grouped
from evaluations.process_cache import ProcessCache
from evaluations.statistics.wording import Part

from .figures.figures import Figures

Counts = list[tuple[int, int, bool]]
counted: ProcessCache[str, Counts] = ProcessCache("answers with all fields right", 500)


def told(figures: Figures, baseline: int, side: int) -> list[Part]:
    """The answers of two sides of which all parts are right; empty beside an evaluator of other scores, and for means
    of repetitions."""
    version = figures.evaluators.scoring(figures.primary.pk).evaluator_version
    config, indices = Recipe.from_version(version).parsed, (side, baseline)
    is_judged = isinstance(config, ValueConfig) and config.threshold is not None
    if not (config.can_be_whole or is_judged) or any(figures.sides[index].is_averaged for index in indices):
        return []
    runs = [(figures.sides[index].run.pk, figures.sides[index].run.revision) for index in indices]
    aligner = figures.aligner
    key = repr((version.pk, runs, aligner.example_filter, aligner.missing))
    counts = counted.get(key)
    if counts is None:
        counted.put(key, counts := _counted(figures, config, *indices))
    if not all(scored for _, scored, _ in counts) or (is_judged and not any(parts for *_, parts in counts)):
        return []  # a mean of zeros and ones says already how many pass
    said = [
        part
        for (whole, scored, _), index in zip(counts, indices, strict=True)
        for part in (
            ("", " and "),
            ("number", f"{grouped(whole)} of {grouped(scored)}"),
            ("", " answers of "),
            ("name", figures.sides.label(figures.sides[index].run)),
        )
    ]
    if is_judged:
        return [*said[1:], ("", " pass.")]
    fields = config.counts_parts.removesuffix(" right")
    opening = f"All {fields} of the reference are right in " if fields else "All is right in "
    return [("", opening), *said[1:], ("", ".")]


def _counted(figures: Figures, config: Config, *indices: int) -> Counts:
    """For each of two sides the answers that are right or pass, those that count, and whether any is in between."""
    primary = figures.primary.pk
    aligned = figures.aligner.aligned(primary, figures.evaluators.scales[primary])
    columns = [aligned.columns[index] for index in indices]
    return [_of_column(config, column.values) if column else (0, 0, False) for column in columns]


def _of_column(config: Config, values: NDArray[np.float64]) -> tuple[int, int, bool]:
    scored = values[np.isfinite(values)]
    right = passes(config, scored) if isinstance(config, ValueConfig) else scored == 1
    return int(np.count_nonzero(right)), len(scored), bool(((scored != 0) & (scored != 1)).any())
