"""What a parked file would import, counted before it is confirmed; nothing is stored."""

from dataclasses import dataclass, field

from django.core.files.storage import default_storage

from evaluations import ingest
from evaluations.errors import Refusal
from evaluations.models import Dataset, Example, Upload

from . import uploads
from .columnmap import ColumnMap
from .incoming import Pending

LOOKED_AT = 100_000  # rows
CHARACTERS = 256_000_000
SECONDS = 5.0
FIRST = 10


@dataclass
class Forecast:
    """Counts of readable and unreadable rows; `twice` have the key of an earlier row, `known` one of the dataset.

    `whole` is false when only the first rows were looked at; `broken` says why the file cannot be read further.
    """

    readable: int = 0
    unreadable: int = 0
    twice: int = 0
    known: int = 0
    whole: bool = True
    first: list[int] = field(default_factory=list)
    identities: set[int] = field(default_factory=set)  # of examples with a row for each variant
    variants: set[str] = field(default_factory=set)
    broken: Refusal | None = None

    @property
    def rows(self) -> int:
        """All rows of the part that was read."""
        return self.readable + self.unreadable

    @property
    def good(self) -> int:
        """The rows that are imported."""
        return self.readable - self.twice - self.known

    @property
    def examples(self) -> int:
        """How many examples these rows make."""
        return len(self.identities) if self.variants else self.good

    @property
    def refused(self) -> int:
        """The rows that cannot become examples."""
        return self.unreadable + self.twice + self.known


def forecast(upload: Upload, columns: ColumnMap, dataset: Dataset | None = None) -> Forecast:
    """Read the file, at most its first 100 000 rows or as much as a page can wait for."""
    result, seen = Forecast(), set[str]()
    with default_storage.open(upload.stored_as) as file:
        reader = ingest.open_rows(file, ingest.Format.from_dict(upload.format), uploads.LIMITS)
        try:
            for batch in reader.head(LOOKED_AT, CHARACTERS, SECONDS):
                result.readable += len(batch.lines)
                if columns.variant:
                    _count_variants(result, batch, columns)
                elif columns.key:
                    _count_keys(result, seen, batch, columns, dataset)
        except ingest.FileError as error:
            result.broken = uploads.refusal(error)
        result.whole = reader.is_whole
        result.unreadable = reader.error_count
    return result


def _count_variants(forecast: Forecast, batch: ingest.Batch, columns: ColumnMap) -> None:
    pending = Pending(keep_rows=False)
    pending.add(batch, columns, [])
    forecast.identities.update(pending.identities)
    forecast.variants.update(variant.strip() for variant in pending.variants if variant)


def _count_keys(
    forecast: Forecast, seen: set[str], batch: ingest.Batch, columns: ColumnMap, dataset: Dataset | None
) -> None:
    keys = columns.key_texts(batch)
    stored = Example.objects.filter(dataset=dataset, removed_in=None, key__in=[key for key in keys if key])
    known = set(stored.values_list("key", flat=True)) if dataset else set()
    for line, key in zip(batch.lines, keys, strict=True):
        if key is None:
            continue
        forecast.twice += key in seen
        forecast.known += key in known and key not in seen
        if (key in seen or key in known) and len(forecast.first) < FIRST:
            forecast.first.append(line)
        seen.add(key)
