"""Counts what the import of a file would produce, before it is confirmed; nothing is stored."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain, compress

from evaluations import ingest
from evaluations.errors import Refusal
from evaluations.experiments.advice import Advice
from evaluations.experiments.advised_reading import distinct
from evaluations.experiments.measured_alike import by_measures
from evaluations.kinds.evidence import Pair
from evaluations.mapping.choice import MOST_LABELS
from evaluations.models import Dataset, Example, Upload
from evaluations.process_cache import ProcessCache
from evaluations.values import JSON, canonical_json

from .columns import odd_cells, score_columns
from .columns.columnmap import ColumnMap
from .rows import large_changes
from .rows.incoming import Pending
from .rows.large_changes import Effects
from .uploads import formats, uploads

LOOKED_AT = 50_000  # rows; a page needs a second or two for them
CHARACTERS = 64_000_000
FIRST = 10
ADVISED_FROM, MOST_VARIANTS = 200, 50  # examples, and variants that rows name


@dataclass
class Forecast:
    """Counts of readable and unreadable rows; `twice` repeat a key of the file, `in_dataset` have a key of the dataset,
    `keyless` have none though others have. `empty_parts` has how many rows have no value in any column of a part
    ("inputs", "reference"), `silent` how many have no output, by variant; not in a file with a row for each variant.

    `said` has what each score says of the outputs that the advice looks at, in their order; `pairs` are these outputs,
    with what stands beside them by column.

    `whole` is false when only the first rows were looked at; `broken` says why the file cannot be read further.
    `effects` are what the file would do to the dataset, by mode; None if not counted.
    """

    readable: int = 0
    unreadable: int = 0
    twice: int = 0
    in_dataset: int = 0
    keyless: int = 0
    empty_parts: Counter[str] = field(default_factory=Counter)
    silent: Counter[str] = field(default_factory=Counter)
    whole: bool = True
    first: list[int] = field(default_factory=list)  # the lines of the first rows that repeat a key
    repeats: list[str] = field(default_factory=list)  # what they repeat, in words
    problems: list[ingest.RowError] = field(default_factory=list)  # the first rows that cannot be read
    problem_counts: dict[str, int] = field(default_factory=dict)  # of all of them, by code
    # hashes of examples, in a file with a row for each variant
    identities: set[int] = field(default_factory=set)
    variants: dict[str, None] = field(default_factory=dict)  # in their order
    broken: Refusal | None = None
    advice: Advice | None = None  # if the file has references
    said: dict[str, list[JSON]] = field(default_factory=dict)
    pairs: list[Pair] = field(default_factory=list)
    # cells of scores and measures that are no numbers
    odd: odd_cells.Odd = field(default_factory=odd_cells.Odd)
    effects: Effects | None = None

    @property
    def rows(self) -> int:
        """The rows that were read."""
        return self.readable + self.unreadable

    @property
    def hides_rows(self) -> bool:
        """Whether there may be more rows than were counted."""
        return any(problem.hides_rows for problem in self.problems)

    @property
    def unanswered(self) -> list[tuple[str, int]]:
        """The variants that lack outputs, with the number of those rows."""
        return [(variant, count) for variant, count in self.silent.items() if count]

    @property
    def good(self) -> int:
        """The rows that are imported."""
        return self.readable - self.twice - self.in_dataset

    @property
    def examples(self) -> int:
        """The number of examples in these rows."""
        return len(self.identities) if self.variants else self.good

    @property
    def refused(self) -> int:
        """The rows that cannot become examples."""
        return self.unreadable + self.twice + self.in_dataset


# Cached by file, format, mapping and target, because a form with errors shows the page again.
_forecasts = ProcessCache[tuple[str, str, str, bool, int, int], Forecast](
    "forecasts of imports", 1_000_000, lambda forecast: 1 + len(forecast.identities)
)


def forecast(
    upload: Upload, columns: ColumnMap, dataset: Dataset | None = None, *, changes: bool = False
) -> Forecast:
    """The forecast from the first rows of the file: a fixed number, so that it does not depend on the load.

    If the file `changes` the dataset, keys that the dataset has are no errors.
    """
    target = (changes, dataset.pk, dataset.version) if dataset else (False, 0, 0)
    key = upload.stored_as, canonical_json(upload.format), canonical_json(columns.as_dict()), *target
    if (forecast := _forecasts.get(key)) is None:
        forecast = _forecast(upload, columns, None if changes else dataset)
        if changes and dataset and forecast.whole and dataset.example_count <= LOOKED_AT:
            forecast.effects = large_changes.forecast(upload, columns, dataset)
        _forecasts.put(key, forecast)
    return forecast


def _forecast(upload: Upload, columns: ColumnMap, dataset: Dataset | None) -> Forecast:
    result, keys, answers = Forecast(), dict[str, int](), Answers()
    with uploads.opened(upload) as file:
        reader = ingest.open_rows(file, ingest.Format.from_dict(upload.format), uploads.LIMITS)
        try:
            for batch in reader.head(LOOKED_AT, CHARACTERS):
                result.readable += len(batch.lines)
                result.odd.add(batch, columns)
                if columns.variant:
                    answers.add_rows(batch, columns, _count_variants(result, batch, columns))
                    continue
                new = _count_keys(result, keys, batch, columns, dataset) if columns.key else None
                _count_missing(result, batch, columns, new or [True] * len(batch.lines))
                answers.add(batch, columns, new)
        except ingest.FileError as error:
            result.broken = formats.refusal(error)
        result.whole = reader.is_whole
        result.unreadable, result.problems = reader.error_count, [*reader.errors]
        result.problem_counts = dict(reader.error_counts)
    answers.fill()
    result.said = answers.said()
    if columns.reference:
        result.advice = answers.advice(columns.reference)
        result.pairs = answers.pairs(columns.reference)
    return result


class Answers:
    """The references and outputs of the first rows, and the labels of all rows, to advise an evaluator from."""

    def __init__(self) -> None:
        self.references: list[tuple[JSON, ...]] = []  # one for each reference column
        self.asked: list[dict[str, JSON]] = []
        self.outputs: dict[str, list[JSON]] = {}
        self.labels: list[str] | None = []
        self.scores: dict[str, dict[str, list[JSON]]] = {}  # by name and variant
        self.places: dict[int, int] = {}  # of examples that several rows are about, by identity
        self.repeats = Counter[int]()  # rows of each of these examples

    def add(self, batch: ingest.Batch, columns: ColumnMap, new: Sequence[bool] | None = None) -> None:
        """Add the rows of a batch that are `new`: those that repeat a key become no examples."""
        kept = new or [True] * len(batch.lines)
        references = [*compress(zip(*columns.part_values(batch, "reference"), strict=True), kept)]
        if self.labels is not None:
            self.labels = distinct(chain(self.labels, (row[0] for row in references)), MOST_LABELS)
        room = ADVISED_FROM - len(self.references)
        if room > 0:
            self.references += references[:room]
            asked = compress(zip(*columns.part_values(batch, "inputs"), strict=True), kept)
            self.asked += [dict(zip(columns.inputs, row, strict=True)) for row in asked][:room]
            for variant, read in columns.readers():
                self.outputs.setdefault(variant, []).extend([*compress(read(batch), kept)][:room])
            for (name, variant), raters in score_columns.by_name_and_variant(columns.scores).items():
                found = compress(score_columns.of_raters(batch, raters, columns.decimal), kept)
                self.scores.setdefault(name, {}).setdefault(variant, []).extend([*found][:room])

    def add_rows(self, batch: ingest.Batch, columns: ColumnMap, rows: Pending) -> None:
        """Add the rows of a batch, each an output of the variant that it names, to the examples that they are about."""
        size = len(batch.lines)
        references = [*zip(*columns.part_values(batch, "reference"), strict=True)] or [()] * size
        asked = [*zip(*columns.part_values(batch, "inputs"), strict=True)] or [()] * size
        said = {"": [read(batch) for _, read in columns.readers()]}
        said |= {
            name: [score_columns.of_raters(batch, raters, columns.decimal)]
            for (name, _), raters in score_columns.by_name_and_variant(columns.scores).items()
        }
        if self.labels is not None:
            self.labels = distinct(chain(self.labels, (row[0] for row in references if row)), MOST_LABELS)
        for row, (identity, variant) in enumerate(zip(rows.identities, rows.variants, strict=True)):
            if identity not in self.places:
                if len(self.places) == ADVISED_FROM:
                    continue
                self.places[identity] = len(self.places)
                self.references.append(references[row])
                self.asked.append(dict(zip(columns.inputs, asked[row], strict=True)))
            if columns.repeats == "order":
                self.repeats[identity] += 1
                variant = str(self.repeats[identity])
            for name, values in said.items():
                by_variant = self.scores.setdefault(name, {}) if name else self.outputs
                for of_row in values:
                    self._put(by_variant, (variant or "").strip(), self.places[identity], of_row[row])

    def fill(self) -> None:
        """Give every variant a value for every example, None where no row has one."""
        for of_variant in chain(self.outputs.values(), *(values.values() for values in self.scores.values())):
            of_variant += [None] * (len(self.references) - len(of_variant))

    @staticmethod
    def _put(by_variant: dict[str, list[JSON]], variant: str, place: int, value: JSON) -> None:
        """The first value of a variant for an example counts."""
        if variant not in by_variant and len(by_variant) == MOST_VARIANTS:
            return
        of_variant = by_variant.setdefault(variant, [])
        of_variant += [None] * (place + 1 - len(of_variant))
        of_variant[place] = value if of_variant[place] is None else of_variant[place]

    def advice(self, names: Sequence[str]) -> Advice | None:
        outputs = [*chain(*self.outputs.values())]
        advice = Advice.of_columns(names, self.references, outputs, self.labels, self.asked)
        if len(names) > 1:
            return advice
        return by_measures(advice, self.said(), [right for (right,) in self.references], outputs, self.asked)

    def pairs(self, names: Sequence[str]) -> list[Pair]:
        """The outputs of one row after the other, with the references and inputs by column."""
        known = [dict(zip(names, row, strict=True)) for row in self.references]
        rows = zip(known, self.asked, *self.outputs.values(), strict=False)
        return [Pair(output, right, asked) for right, asked, *outputs in rows for output in outputs]

    def said(self) -> dict[str, list[JSON]]:
        """The scores of all variants, in the order of the outputs that give the advice."""
        return {
            name: [*chain(*(by_variant[variant] for variant in self.outputs))]
            for name, by_variant in self.scores.items()
            if by_variant.keys() >= self.outputs.keys()
        }


def _count_variants(forecast: Forecast, batch: ingest.Batch, columns: ColumnMap) -> Pending:
    pending = Pending(keep_rows=False)
    pending.add(batch, columns, [])
    forecast.identities.update(pending.identities)
    forecast.variants.update(dict.fromkeys(variant.strip() for variant in pending.variants if variant))
    return pending


def _count_missing(forecast: Forecast, batch: ingest.Batch, columns: ColumnMap, new: Sequence[bool]) -> None:
    """Count what rows lack that become examples: those that are `new`."""
    for part in ("inputs", "reference"):
        values = columns.part_values(batch, part)
        forecast.empty_parts[part] += sum(
            all(value is None for value in row) for row in compress(zip(*values, strict=True), new)
        )
    for variant, read in columns.readers():
        forecast.silent[variant] += sum(output is None for output in compress(read(batch), new))


def repeated(line: int, key: str, first: int | None) -> str:
    """What is wrong with a row whose key is on an earlier line, or in the dataset, without its stop.

    >>> repeated(7, "k1", 6)
    'Line 7: the key “k1” is on line 6 already'
    """
    return f"Line {line}: the key “{key[:80]}” is {f'on line {first}' if first else 'in the dataset'} already"


def _count_keys(
    forecast: Forecast,
    earlier_keys: dict[str, int],
    batch: ingest.Batch,
    columns: ColumnMap,
    dataset: Dataset | None,
) -> list[bool]:
    """Count what keys repeat; returns for each row whether its key is new, or it has none.

    `earlier_keys` have the line of each.
    """
    keys = columns.key_texts(batch)
    stored = Example.objects.filter(dataset=dataset, removed_in=None, key__in=[key for key in keys if key])
    dataset_keys = set(stored.values_list("key", flat=True)) if dataset else set()
    new = []
    for line, key in zip(batch.lines, keys, strict=True):
        new.append(key not in earlier_keys and key not in dataset_keys)
        if key is None:
            forecast.keyless += 1
            continue
        forecast.twice += key in earlier_keys
        forecast.in_dataset += key in dataset_keys and key not in earlier_keys
        if (key in earlier_keys or key in dataset_keys) and len(forecast.first) < FIRST:
            forecast.first.append(line)
            forecast.repeats.append(repeated(line, key, earlier_keys.get(key)))
        earlier_keys.setdefault(key, line)
    return new
