import unicodedata
from typing import Any

import orjson
from django.db import models


class JSONTextField(models.TextField):
    """JSON kept as text: the same bytes, in the same order, on SQLite and PostgreSQL."""

    def from_db_value(self, value: str | None, expression: Any, connection: Any) -> Any:
        return None if value is None else orjson.loads(value)

    def get_prep_value(self, value: Any) -> str | None:
        return None if value is None else orjson.dumps(value).decode()

    def to_python(self, value: Any) -> Any:
        return value

    def value_to_string(self, obj: models.Model) -> str:
        return self.get_prep_value(self.value_from_object(obj)) or "null"


def name_key(name: str) -> str:
    """What two names that look the same have in common: NFC, case folded, blanks collapsed."""
    return unicodedata.normalize("NFC", " ".join(name.split()).casefold())
