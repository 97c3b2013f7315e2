"""Field types and lookups that behave the same on SQLite and PostgreSQL."""

import unicodedata
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

import orjson
from django.db import connections, models

if TYPE_CHECKING:  # The attribute of an object is any JSON value.
    Text = models.TextField[Any, Any]
else:
    Text = models.TextField


class JSONTextField(Text):
    """JSON stored as text: the same bytes in the same order on SQLite and PostgreSQL."""

    if TYPE_CHECKING:  # What may be assigned and what is read, for the plugin.
        _pyi_private_set_type: Any
        _pyi_private_get_type: Any

    def from_db_value(self, value: str | None, expression: Any, connection: Any) -> Any:
        return None if value is None else orjson.loads(value)

    def get_prep_value(self, value: Any) -> str | None:
        return None if value is None else orjson.dumps(value).decode()

    def to_python(self, value: Any) -> Any:
        return value

    def value_to_string(self, obj: models.Model) -> str:
        return self.get_prep_value(self.value_from_object(obj)) or "null"


if TYPE_CHECKING:
    Set = TypeVar("Set")
    Get = TypeVar("Get")

    class BinaryField(models.BinaryField[Set, Get]):
        """Bytes: SQLite and psycopg 3 return them as such; Django's type allows for other drivers."""

        _pyi_private_set_type: bytes
        _pyi_private_get_type: bytes
else:
    BinaryField = models.BinaryField


def name_key(name: str) -> str:
    """Equal for names that look the same: normalised to NFC, case folded, blanks collapsed."""
    return unicodedata.normalize("NFC", " ".join(name.split()).casefold())


FOLDED = "evalsite_has"  # the function of SQLite with which texts beyond ASCII are searched


def has_folded(text: str | None, lowered: str) -> bool:
    """Whether a text has this one, in lower case, in any case.

    >>> has_folded("ПРИВЕТ мир", "привет"), has_folded(None, "a")
    (True, False)
    """
    return text is not None and lowered in text.lower()


def add_functions(connection: Any, **_: Any) -> None:
    """Give a new connection to SQLite the functions of lookups."""
    if connection.vendor == "sqlite":
        connection.connection.create_function(FOLDED, 2, has_folded, deterministic=True)


@cache
def _unicode_collation(alias: str) -> str:
    """The clause with which PostgreSQL knows the case of every script; "" for the database's own, if it lacks ICU."""
    with connections[alias].cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_collation WHERE collname = 'und-x-icu'")
        return 'COLLATE "und-x-icu"' if cursor.fetchone() else ""


@models.CharField.register_lookup
@models.TextField.register_lookup
class Has(models.Lookup):
    """The lookup `text__has="50 %"`: contains this text; no wildcards, case ignored.

    Both databases give the same rows. A text in ASCII is found by LIKE, which ignores the case of ASCII letters in
    SQLite, and in PostgreSQL under the C collation. The time of LIKE grows with the length of the text where the rows
    repeat its beginning, so a long one is found by position. Other texts need the case of Unicode: a function of ours
    in SQLite, which knows that of ASCII only, and an ICU collation in PostgreSQL.
    """

    lookup_name = "has"
    prepare_rhs = False
    LONG = 32

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        lhs, lhs_params = self.process_lhs(compiler, connection)
        if not self.rhs.isascii():
            return f"{FOLDED}({lhs}, %s)", (*lhs_params, self.rhs.lower())
        if len(self.rhs) > self.LONG:
            return f"instr(lower({lhs}), lower(%s)) > 0", (*lhs_params, self.rhs)
        return f"{lhs} LIKE %s ESCAPE '~'", (*lhs_params, self._pattern)

    def as_postgresql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        lhs, lhs_params = self.process_lhs(compiler, connection)
        collation = 'COLLATE "C"' if self.rhs.isascii() else _unicode_collation(connection.alias)
        column, text = f"lower({lhs} {collation})", f"lower(%s {collation})"
        if len(self.rhs) > self.LONG:
            return f"strpos({column}, {text}) > 0", (*lhs_params, self.rhs)
        return f"{column} LIKE {text} ESCAPE '~'", (*lhs_params, self._pattern)

    @property
    def _pattern(self) -> str:
        escaped = self.rhs.replace("~", "~~").replace("%", "~%").replace("_", "~_")
        return f"%{escaped}%"


@models.IntegerField.register_lookup
class OneOf(models.Lookup):
    """The lookup `position__one_of={1, 7}`: one of these numbers. They are one parameter, so there may be a million.

    Of a list or tuple, Django looks at every member first.
    """

    lookup_name = "one_of"
    prepare_rhs = False

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        lhs, lhs_params = self.process_lhs(compiler, connection)
        numbers = orjson.dumps(list(self.rhs)).decode()
        return f"{lhs} IN (SELECT value FROM json_each(%s))", (*lhs_params, numbers)

    def as_postgresql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        lhs, lhs_params = self.process_lhs(compiler, connection)
        return f"{lhs} = ANY(%s::integer[])", (*lhs_params, list(self.rhs))


def longest(model: type[models.Model], field: str) -> int:
    """How many characters a column holds, which forms and bodies of the API allow."""
    column = model._meta.get_field(field)
    assert isinstance(column, models.Field)
    length = column.max_length
    assert length is not None
    return length
