"""The form of a bench as browsers send it."""

from typing import Any


def bench_form(*columns: dict[str, Any], **choices: Any) -> dict[str, Any]:
    """Columns with one message each: its `content`, and the `base`, `model` and other fields that differ."""
    form: dict[str, Any] = {"column": [f"c{number}" for number in range(len(columns))]}
    for number, column in enumerate(columns):
        fields = {"base": "1", "model": "tiny", "role": "user", "as": "text"} | column
        form |= {f"c{number}-{name}": value for name, value in fields.items()}
    return form | {"try_from": "named", "try_names": "1"} | choices
