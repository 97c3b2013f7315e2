"""Names of columns, and of paths into columns, in the parts of a dataset."""

from collections.abc import Collection, Mapping, Sequence

from evaluations.errors import Invalid
from evaluations.values import PARTS

from . import column_paths

Sources = str | list[str] | dict[str, str] | None


class Names:
    """Collects names part by part, and checks that the file has the columns.

    `paths` lead to what lies inside a column, by name; `sources` are the columns, by part and name.
    """

    def __init__(self, columns: Sequence[str]) -> None:
        self.columns = columns
        self.paths: dict[str, str] = {}
        self.sources: dict[tuple[str, str], str] = {}

    @property
    def renamed(self) -> tuple[tuple[str, str, str], ...]:
        """Part, name and column of each name that differs from its column."""
        return tuple((part, name, column) for (part, name), column in self.sources.items() if name != column)

    def add(self, sources: Sources, part: str) -> tuple[str, ...]:
        """The names of a part: a list of columns and paths, or an object {name: column or path}."""
        listed = [sources] if isinstance(sources, str) else sources or []
        pairs = [*listed.items()] if isinstance(listed, dict) else [(name, name) for name in listed]
        return tuple(dict.fromkeys(self._name(name, source, part) for name, source in pairs))

    def _name(self, name: str, source: str, part: str) -> str:
        inside = column_paths.named(source, self.columns)
        if inside is None:
            return self._of_column(name, source, part)
        part_name = inside[0] if name == source else name
        is_taken = part_name in self.columns or any(part_name == name for _, name in self.sources)
        if is_taken or self.paths.setdefault(part_name, inside[1].text) != inside[1].text:
            raise in_use(part_name, source, part)
        return part_name

    def _of_column(self, name: str, source: str, part: str) -> str:
        """The column meant by a name.

        Exports prefix some names with their part: "q" means "inputs.q" if the file lacks "q".
        """
        full = f"{part}.{source}"
        column = full if source not in self.columns and full in self.columns else source
        require_column(column, part, self.columns)
        if part == "key":
            return column
        if name in self.paths or self.sources.setdefault((part, name), column) != column:
            raise in_use(name, source, part)
        return name


def parts_of(stored: Mapping[str, Sequence[str]], columns: Collection[str]) -> dict[str, str]:
    """The part of each of the dataset's columns, except those that the file, an export, prefixes with their part."""
    return {name: part for part in PARTS for name in stored.get(part, ()) if f"{part}.{name}" not in columns}


def placed(source: str, columns: Sequence[str], part: str) -> tuple[str, str]:
    """The column that a source of this part names, and the path if it lies inside one; raises `Invalid`."""
    if inside := column_paths.named(source, columns):
        path = inside[1]
        return f"{path.prefix[0]}", path.text
    require_column(source, part, columns)
    return source, ""


def require_column(name: str, part: str, columns: Sequence[str]) -> None:
    """Raise `Invalid` if the file lacks this column."""
    if name not in columns:
        raise Invalid(
            "missing_column",
            f"There is no column “{name}”. The file has: {', '.join(columns[:20])}.",
            fields={f"mapping.{part}": [f"No column “{name}”."]},
        )


def in_use(name: str, source: str, part: str) -> Invalid:
    return invalid(f"The name “{name}” is in use; give {source} another name.", part)


def invalid(message: str, part: str, code: str = "invalid_mapping") -> Invalid:
    return Invalid(code, message, fields={f"mapping.{part}".rstrip("."): [message]})
