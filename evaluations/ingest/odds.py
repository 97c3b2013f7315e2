"""Tables that stand beside those of variants and are none: of numbers beside the answers of the same model, such as how
sure it was that there is none (SQuAD 2.0), and samples of what to hand in, with one answer to everything (Kaggle)."""

from collections.abc import Sequence

from .file_names import folder_of, is_named_as_sample
from .file_tables import UNIQUE, Table

COLUMNS = 2  # what names the example, and the number
SHOWN = 120  # characters of the end of a path


def without_odds(tables: Sequence[Table]) -> tuple[list[Table], list[str]]:
    """The tables without those of numbers beside the texts of the same folder, such as how sure a model was.

    >>> said = Table("small/said", [{"id": n, "prediction": f"{n} is"} for n in range(9)])
    >>> odds = Table("small/odds", [{"id": n, "prediction": (n + 1) / 7.3} for n in range(9)])
    >>> [table.path for table in without_odds([said, odds])[0]]
    ['small/said']
    """
    odds = [table for table in tables if any(_are_odds_of(table, other) for other in tables)]
    told = [f"Not read: “{table.path[-SHOWN:]}”, numbers beside the answers of its folder." for table in odds]
    samples = [table for table in tables if table not in odds and _is_sample(table, tables)]
    told += [
        f"Not read: “{table.path[-SHOWN:]}”, a sample with one answer to everything." for table in samples
    ]
    return [table for table in tables if table not in (*odds, *samples)], told


def _is_sample(table: Table, tables: Sequence[Table]) -> bool:
    """Whether a table is named as a sample and has the columns of another one, of which all but the key say one thing.

    >>> handed_in = Table("tuned", [{"id": n, "price": n * 7} for n in range(9)])
    >>> zeros = [{"id": n, "price": 0} for n in range(9)]
    >>> _is_sample(Table("sample_submission", zeros), [handed_in]), _is_sample(Table("always_0", zeros), [handed_in])
    (True, False)
    """
    if not is_named_as_sample(table.path) or not table.rows:
        return False
    counts = sorted(len({repr(row.get(name)) for row in table.rows}) for name in table.columns)
    says_one = len(counts) >= COLUMNS and counts[-1] >= UNIQUE * len(table.rows) > counts[-2] == 1
    return says_one and any(other is not table and {*other.columns} >= {*table.columns} for other in tables)


def _are_odds_of(table: Table, other: Table) -> bool:
    same = table.columns == other.columns and folder_of(table.path) == folder_of(other.path) != ""
    if not same or len(table.columns) != COLUMNS:
        return False
    name = table.columns[-1]
    decimals, texts = ([row.get(name) for row in one.rows] for one in (table, other))
    are_decimals = sum(isinstance(one, float) and one % 1 != 0 for one in decimals) >= UNIQUE * len(decimals)
    return are_decimals and sum(isinstance(one, str) for one in texts) >= UNIQUE * len(texts)
