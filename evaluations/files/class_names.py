"""Names of classes that a Parquet file keeps beside their numbers: `ClassLabel` of the library `datasets`, which stores
them in the metadata of the schema under the key `huggingface`.
"""

from collections.abc import Sequence
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import types


def of(table: pq.ParquetFile) -> dict[str, list[str]]:
    """The names by column, in the order of their numbers, from 0.

    A column keeps its numbers where another one may have the same numbers without names: both can be compared then.
    """
    schema = table.schema_arrow
    found = {name: names for name in schema.names if (names := _names(_features(schema).get(name)))}
    return {
        name: names
        for name, names in found.items()
        if not any(
            schema.field(other).type == schema.field(name).type and _may_be(table.metadata, other, len(names))
            for other in schema.names
            if other not in found
        )
    }


def named(column: pa.Array, names: Sequence[str]) -> pa.Array:
    """Numbers, or lists of them, as names; null for a number without one, such as −1 for no class."""
    if types.is_integer(column.type):
        texts = [
            names[number] if number is not None and 0 <= number < len(names) else None
            for number in column.to_pylist()
        ]
        return pa.array(texts, pa.string())
    if types.is_list(column.type) and types.is_integer(column.type.value_type):
        lists = [
            None if numbers is None else [names[n] for n in numbers if n is not None and 0 <= n < len(names)]
            for numbers in column.to_pylist()
        ]
        return pa.array(lists, pa.list_(pa.string()))
    return column


def _features(schema: pa.Schema) -> dict[str, Any]:
    """The features by column; {} if the file has none, or none that can be read."""
    try:
        kept = orjson.loads((schema.metadata or {}).get(b"huggingface", b"{}"))
    except orjson.JSONDecodeError:
        return {}
    info = kept.get("info") if isinstance(kept, dict) else None
    features = info.get("features") if isinstance(info, dict) else None
    return features if isinstance(features, dict) else {}


def _names(feature: Any) -> list[str]:
    """The names of a class, or of the members of a list; [] for any other feature."""
    if isinstance(feature, list):
        feature = next(iter(feature), None)
    if not isinstance(feature, dict):
        return []
    if isinstance(feature.get("feature"), dict):
        feature = feature["feature"]
    names = feature.get("names")
    if feature.get("_type") != "ClassLabel" or not isinstance(names, list):
        return []
    return names if all(isinstance(name, str) and name.strip() for name in names) else []


def _may_be(footer: pq.FileMetaData, name: str, count: int) -> bool:
    """Whether a column may have numbers of so many classes only, by the statistics of the file."""
    for group in range(footer.num_row_groups):
        for place in range(footer.num_columns):
            column = footer.row_group(group).column(place)
            said = column.statistics
            if column.path_in_schema.partition(".")[0] != name or said is None or not said.has_min_max:
                continue
            if isinstance(said.min, int) and not (said.min >= 0 and said.max < count):
                return False
    return True
