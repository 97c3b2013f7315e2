"""What the card of an evaluator of labels says beside the share that is right: macro-F1 and the commonest mix-up."""

from evaluations.evaluators.recipe import Recipe
from evaluations.models import Scoring
from evaluations.numerals import fixed, grouped
from evaluations.results.filters import Cell
from evaluations.scoring import run_counts, run_statistics
from evaluations.scoring.run_statistics import LabelTable, RunStatistics

from .filters import cell_words

MOST_EQUAL = 2  # mix-ups that are equally frequent and named
MOST = 20_000  # examples; the counts of more take longer than a page that is polled


def mixed_up(scoring: Scoring, recipe: Recipe, examples: int) -> str:
    """As "macro-F1 0.80; most often technical read as other, 6"; "" for all other evaluators."""
    if not (recipe.kind.reads_labels and recipe.has_statistics and scoring.summary) or examples > MOST:
        return ""
    try:
        figures = run_statistics.of_scoring(scoring)
    except run_counts.NoCounts:
        return ""
    return "; ".join(_macro_f1(figures) + (_most_often(figures.table) if figures.table else []))


def _macro_f1(figures: RunStatistics) -> list[str]:
    value = figures.value("macro_f1")
    return [] if value is None else [f"macro-F1 {fixed(value, 2)}"]


def _most_often(table: LabelTable) -> list[str]:
    wrong = [
        (
            count,
            Cell(label, None, is_outside=True)
            if column == len(table.labels)
            else Cell(label, table.labels[column]),
        )
        for row, label in enumerate(table.labels)
        for column, count in enumerate(table.counts[row])
        if column != row
    ]
    most = max((count for count, _ in wrong), default=0)
    cells = [cell_words(cell) for count, cell in wrong if count == most][:MOST_EQUAL]
    each = " each" * (len(cells) > 1)
    return [f"most often {' and '.join(cells)}, {grouped(most)}{each}"] if most else []
