"""Tables of numbers beside the answers of the same model, such as how sure it was that there is none (SQuAD 2.0)."""

from collections.abc import Sequence

from .file_names import folder_of
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
    return [table for table in tables if table not in odds], told


def _are_odds_of(table: Table, other: Table) -> bool:
    same = table.columns == other.columns and folder_of(table.path) == folder_of(other.path) != ""
    if not same or len(table.columns) != COLUMNS:
        return False
    name = table.columns[-1]
    decimals, texts = ([row.get(name) for row in one.rows] for one in (table, other))
    are_decimals = sum(isinstance(one, float) and one % 1 != 0 for one in decimals) >= UNIQUE * len(decimals)
    return are_decimals and sum(isinstance(one, str) for one in texts) >= UNIQUE * len(texts)
