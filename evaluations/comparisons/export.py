"""A comparison as a table: one row per variant and evaluator, and per measure, with its verdict."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from evaluations.models import Run
from evaluations.numerals import grouped, plural
from evaluations.results.filenames import attachment
from evaluations.spreadsheet import BYTE_ORDER_MARK, Points, Share, guarded
from evaluations.statistics.intervals import PERCENT
from evaluations.statistics.terms import Difference
from evaluations.statistics.wording import Part, text
from evaluations.values import stored_json

from . import notes, subsets
from .measure_units import Unit, units

if TYPE_CHECKING:
    from .comparison import Comparison
    from .figures.entries import Entry

TYPE = "text/csv; charset=utf-8"
MOST_BESIDE = 7  # values of a column of which one is named
# the names of the variants in a comparison of two columns
NUMBERS = ("n", "imputed", "mean", "baseline_mean", "difference", "p", "p_corrected")
FIGURES = ("direction", *NUMBERS, "verdict", "equivalence", "reason")
HEADER = (
    "role",
    "evaluator",
    "variant",
    "run",
    "baseline",
    "rank_first",
    "rank_last",
    "low",
    "high",
    *FIGURES,
    "about",
    "statistic",
    "standing",
    "helper",
    "labels",
    "saved",
    "labels_low",
    "labels_high",
    "dataset",
    "dataset_version",
    "evaluator_version",
    "baseline_evaluator_version",
)


def rows(comparison: Comparison) -> Iterator[dict[str, Any]]:
    """Every entry, primary evaluator first, then answers, latency and cost, with the intervals of the family."""
    ranks = {ranked.side.run.pk: ranked.rank for ranked in comparison.figures.ranking}
    for entry in comparison.figures.entries:
        named = {"role": entry.role, "evaluator": entry.evaluator.name, "statistic": entry.statistic}
        row = named | _row(comparison, entry.run, entry.paired) | _people(comparison, entry)
        row |= _versions(comparison, entry)
        if entry.role == "primary" and entry.run.pk in ranks:
            row["rank_first"], row["rank_last"] = ranks[entry.run.pk]
        yield row
    for measure in comparison.figures.measures.measures if comparison.evaluators.primary else []:
        for side, paired in zip(comparison.sides.others, measure.comparisons[1:], strict=True):
            if paired is not None:
                yield {"role": "measure", "evaluator": measure.name} | _row(comparison, side.run, paired)


# the columns of the summary, with their titles for people
SUMMARY = {
    "evaluator": "evaluator",
    "variant": "variant",
    "mean": "mean",
    "baseline": "compared with",
    "baseline_mean": "its mean",
    "difference": "difference",
    "low": f"{PERCENT} interval from",
    "high": "to",
    "verdict": "verdict",
    "n": "examples",
    "wins": "better",
    "losses": "worse",
    "ties": "tied",
    "from": "scores from",
    "reason": "why no verdict",
}
WORDS = {"cannot_tell": "no clear difference", None: "no verdict"}
OF_MEANS, OF_DIFFERENCES = ("mean", "baseline_mean"), ("difference", "low", "high")
COUNTS = ("wins", "losses", "ties")
ANSWERED = Unit("Answered", "", 1.0, "")


def summary(
    comparison: Comparison | None, listed: int | None = None, of: int | None = None
) -> list[list[Any]]:
    """What people read first, as a sheet: the verdict with the lines below it, the table, and what is not fully
    comparable; empty without a comparison. Of a filtered view, the sheet of examples has those that are `listed`.

    Shares are of the class `Share`, which the sheet shows as per cent, and their differences `Points`.
    """
    if comparison is None:
        return []
    sides = comparison.sides
    shares = {e.name for e in comparison.evaluators if comparison.evaluators.is_share(e.pk)} | {"answers"}
    measures = units(sides.experiment.project.currency)
    verdict, found = comparison.sentence, notes.of(comparison)
    told = [verdict.parts, *(note.parts for note in found.every)]
    lines = [text(parts) for parts in told]
    cautions = [[warning["message"]] for warning in (*found.warnings, *found.asides)]
    cautions += [[sentence] for sentence in _sealed(comparison)]
    if listed is not None and of is not None and listed < of:
        part = f"The sheet of examples has {grouped(listed)} of {plural(of, 'example')}, as the page was filtered"
        lines.append(f"{part}; the figures here are of {plural(comparison.figures.size, 'example')}.")
    return [
        [sides.experiment.name],
        [f"{sides.dataset.name}, {plural(len(sides), 'variant')}, {datetime.now(UTC):%-d %b %Y}"],
        [],
        *([line] for line in lines if line),
        [],
        [*SUMMARY.values()],
        *(
            _summary_row(row, row.get("is_share", row["evaluator"] in shares), measures)
            for row in [*_lead(comparison), *_best_first(comparison), *_subsets(comparison, told)]
            if not _says_nothing(row)
        ),
        *([[], ["Cautions"], *cautions] if cautions else []),
    ]


def _best_first(comparison: Comparison) -> list[dict[str, Any]]:
    """The rows, those of each evaluator and measure in the order of the page."""
    places = {side.run.pk: place for place, side in enumerate(comparison.best_first)}
    found = list(rows(comparison))
    blocks = list(dict.fromkeys((row["role"], row["evaluator"]) for row in found))
    return sorted(found, key=lambda row: (blocks.index((row["role"], row["evaluator"])), places[row["run"]]))


def _sealed(comparison: Comparison) -> Iterator[str]:
    """Why the means here cannot be computed again from the sheet of examples: it has no sealed verdicts."""
    for evaluator in comparison.evaluators:
        hidden = int(comparison.figures.aligner.sealed(evaluator.pk).slots.sum())
        if hidden:
            yield (
                f"{evaluator.name}: its verdicts on {plural(hidden, 'example')} are sealed. Means here count them; the "
                "sheet of examples leaves them out until they are opened."
            )


def _lead(comparison: Comparison) -> Iterator[dict[str, Any]]:
    """The row of the difference in the sentence, if it is that of the best variant over the next, not the baseline."""
    facts = comparison.sentence.all_facts
    if facts is None or facts.leading is None or facts.lead is None or facts.baseline == facts.leading[0]:
        return
    over, leader = facts.leading
    primary = comparison.figures.primary
    run = next(
        side.run for side in comparison.sides if comparison.sides.label(side.run) == facts.variants[leader]
    )
    named = {"role": "primary", "evaluator": primary.name, "baseline": facts.variants[over]}
    yield _row(comparison, run, facts.lead) | named | {"from": comparison.figures.source_in_words(primary)}


def _subsets(comparison: Comparison, told: Sequence[Sequence[Part]]) -> Iterator[dict[str, Any]]:
    """The subsets that the lines above name, and what is beside them, with the figures of their own page."""
    primary, known = comparison.evaluators.primary, comparison.sentence.named_subsets
    labels = dict.fromkeys(words for parts in told for role, words in parts if role == "subset")
    if primary is None:
        return
    named = {known[label]: label for label in labels if label in known}
    if not named:
        return  # a search of subsets takes long where none is known yet
    for value, label in (_beside(comparison, named) | named).items():
        page = comparison.figures.within(*value)
        for side in comparison.sides.others:
            paired = page.entry_of(primary, comparison.sides.every.index(side)).paired
            yield _row(comparison, side.run, paired) | {
                "role": "primary",
                "evaluator": f"{primary.name}, {label} only",
                "is_share": comparison.evaluators.is_share(primary.pk),
            }


def _beside(comparison: Comparison, named: Mapping[tuple[str, str], str]) -> dict[tuple[str, str], str]:
    """All values of the columns of these subsets, each with its label, of columns with few: English beside German."""
    found = subsets.search(comparison.figures, comparison.evaluators.primary).subsets
    values = {column: dict.fromkeys(one.name for one in found if one.column == column) for column, _ in named}
    return {(column, value): value for column, of in values.items() if len(of) <= MOST_BESIDE for value in of}


def _says_nothing(row: dict[str, Any]) -> bool:
    """Whether it is about a measure, such as the share of answers, that both sides have alike, or a secondary evaluator
    without a pair, which the cautions name."""
    is_alike = row["role"] == "measure" and row["difference"] == 0
    return bool(is_alike or (row["role"] != "primary" and not row["n"]))


def _summary_row(row: dict[str, Any], is_share: bool, measures: Mapping[str, Unit]) -> list[Any]:
    low, high = row["shown_interval"] or (None, None)
    verdict = row.get("verdict")
    shown = row | {"low": low, "high": high, "verdict": WORDS.get(verdict, verdict)}
    if verdict is not None:
        shown["reason"] = None
    if row["role"] == "measure":
        unit = measures.get(row["evaluator"], ANSWERED)
        shown["evaluator"] = unit.title if unit.unit else unit.name
        shown |= {
            name: shown[name] * unit.factor
            for name in (*OF_MEANS, *OF_DIFFERENCES)
            if shown[name] is not None
        }
    if is_share:
        shown |= {name: Share(shown[name]) for name in OF_MEANS if shown[name] is not None}
        shown |= {name: Points(100 * shown[name]) for name in OF_DIFFERENCES if shown[name] is not None}
    return [shown.get(name) for name in SUMMARY]


def as_csv(comparison: Comparison, *, safe: bool = True, bom: bool = False) -> bytes:
    """The table as CSV. `safe` guards cells that a spreadsheet would run; `bom` adds a byte order mark for Excel."""
    content = io.StringIO()
    writer = csv.writer(content, lineterminator="\r\n")
    writer.writerow(HEADER)
    for row in rows(comparison):
        cells = [row.get(name) for name in HEADER]
        writer.writerow([guarded(cell) for cell in cells] if safe else cells)
    return ((BYTE_ORDER_MARK if bom else "") + content.getvalue()).encode()


def attached(comparison: Comparison) -> str:
    """The header that names the downloaded file."""
    return attachment(f"{comparison.sides.experiment.name} comparison", "csv")


def _people(comparison: Comparison, entry: Entry) -> dict[str, Any]:
    """What stands behind the scores, and what labels alone say where a judge helps them."""
    told = {"standing": entry.standing, "from": comparison.figures.source_in_words(entry.evaluator)}
    if entry.helped is None or entry.helper is None:
        return told
    low, high = entry.helped.alone
    figures = {"labels": entry.helped.labels, "saved": entry.helped.saved}
    return told | figures | {"helper": entry.helper.evaluator.name, "labels_low": low, "labels_high": high}


def _versions(comparison: Comparison, entry: Entry) -> dict[str, Any]:
    """The versions of the evaluator that scored the variant and the baseline, which can differ."""
    return {
        "evaluator_version": _numbers(entry.side.versions(entry.evaluator.pk)),
        "baseline_evaluator_version": _numbers(comparison.sides.baseline.versions(entry.evaluator.pk)),
    }


def _numbers(versions: set[int | None]) -> str:
    """Several if the runs of an averaged variant differ."""
    return ", ".join(str(number) for number in sorted(number for number in versions if number is not None))


def _row(comparison: Comparison, run: Run, paired: Difference) -> dict[str, Any]:
    low, high = paired.interval or (None, None)
    return {
        "variant": comparison.sides.label(run),
        "about": stored_json(run.about) if run.about else "",
        "run": run.pk,
        "dataset": run.experiment.dataset.name,
        "dataset_version": run.experiment.dataset_version,
        "baseline": comparison.sides.label(comparison.sides.baseline.run),
        "low": low,
        "high": high,
        "shown_interval": paired.shown_interval,
        **{name: getattr(paired, name) for name in (*FIGURES, *COUNTS)},
    }
