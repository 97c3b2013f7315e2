"""The sources of an evaluator's parameters and config fields, validated when it is saved."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from evaluations import jsonpath, validation
from evaluations.jsonpath import Path
from evaluations.mapping.choice import LONGEST_LABEL, MOST_LABELS, Choice
from evaluations.mapping.contexts import ALIASES, KEYS, NAMES, Contexts, Many
from evaluations.mapping.options import Options
from evaluations.mapping.reading import Reading, ReadingError, compile_steps
from evaluations.values import JSON, Column, Status, canonical_json

Problem = tuple[Status, str]
FIELDS = ("path", "literal", "many", "read", "options", "empty")  # of a source


class MappingError(Exception):
    """An invalid mapping. `pointer` is the JSON pointer of the field within the mapping."""

    def __init__(self, code: str, message: str, pointer: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.pointer = pointer


@dataclass(frozen=True)
class Literal:
    """A fixed value, the same in every row."""

    value: JSON


@dataclass(frozen=True)
class Matched:
    """The match of a path, what to do if there are several, and the steps by which the answer is read from it.

    Where they find nothing, the text of one of the `options` may be said. `empty` stands for a value that is empty.
    """

    path: Path
    many: Many
    reading: Reading | None = None
    options: Options | None = None
    empty: str = ""

    @property
    def paths(self) -> list[Path]:
        return [self.path, *(self.options.paths if self.options else ())]


@dataclass(frozen=True)
class Mapping:
    """A compiled mapping; `config_fields` are those `sources` that set fields of the config."""

    sources: dict[str, Literal | Matched]
    config_model: type[BaseModel] | None = None
    config_fields: frozenset[str] = frozenset()
    opens_lists: bool = True

    @property
    def needs(self) -> frozenset[str]:
        """The columns it reads, out of input, output, reference and metadata; others need not be loaded."""
        names: set[str] = set()
        for source in self.sources.values():
            for path in source.paths if isinstance(source, Matched) else ():
                names.update(ALIASES.get(root, root) for root in (KEYS if path.roots is None else path.roots))
        return frozenset(names) & frozenset(NAMES)

    def resolve(self, contexts: Contexts) -> dict[str, Column]:
        """A column per parameter and mapped config field."""
        return {name: self._column(contexts, name, source) for name, source in self.sources.items()}

    def column(self, contexts: Contexts, name: str) -> Column:
        """The column of one parameter."""
        return self._column(contexts, name, self.sources[name])

    def _column(self, contexts: Contexts, name: str, source: Literal | Matched) -> Column:
        if isinstance(source, Literal):
            return contexts.constant(source.value)
        column = contexts.column(source.path, source.many, opens_lists=self.opens_lists)
        if source.empty:
            column = contexts.filled(column, source.empty, source.path, is_reference=name == "expected")
        if source.reading is None:
            return column
        read = contexts.read(column, source.reading, of_reference=name == "expected")
        if source.options is None:
            return read
        texts = [contexts.column(path, "first") for path in source.options.paths]
        return source.options.filled(read, column, texts)

    @property
    def accepts_any(self) -> bool:
        """Whether the expected value may be one of several right answers."""
        expected = self.sources.get("expected")
        return isinstance(expected, Matched) and expected.many == "any"

    def group_by_config(
        self, config: dict[str, JSON], columns: dict[str, Column]
    ) -> tuple[list[tuple[dict[str, JSON], list[int]]], dict[int, Problem]]:
        """Groups of rows with equal configs, each as its config and rows, in the order of their first rows.

        `config` is the evaluator's own; mapped fields replace it row by row. Rows for which a field has no
        value, or one of the wrong type, belong to no group and are returned with their problem.
        """
        fixed = config | {
            name: source.value
            for name, source in self.sources.items()
            if name in self.config_fields and isinstance(source, Literal)
        }
        varying = sorted(name for name in self.config_fields if isinstance(self.sources[name], Matched))
        size = len(next(iter(columns.values()))) if columns else 0
        problems = {row: problem for name in varying for row, problem in columns[name].problems.items()}
        if not varying:
            return [(fixed, list(range(size)))], {}
        valid_rows = [row for row in range(size) if row not in problems]
        groups = []
        for rows in _grouped(valid_rows, [columns[name].values for name in varying]):
            resolved = fixed | {name: columns[name].values[rows[0]] for name in varying}
            wrong = self._wrong_field(resolved)
            if wrong is None:
                groups.append((resolved, rows))
            else:
                problems |= dict.fromkeys(rows, (Status.ERROR, f"invalid_config: {wrong}"))
        return groups, problems

    def _wrong_field(self, config: dict[str, JSON]) -> str | None:
        if self.config_model is None:
            return None
        try:
            self.config_model.model_validate(config)
        except ValidationError as error:
            return _sentence(error.errors()[0])
        return None


def compile(
    mapping: dict[str, Any],
    parameters: Iterable[str],
    config_model: type[BaseModel] | None = None,
    several: Collection[str] = (),
    *,
    opens_lists: bool = True,
) -> Mapping:
    """Check and compile `{"actual": {"path": "$.output"}, "expected": {"literal": "yes"}, "many": "first"}`.

    Names are parameters of the kind or fields of its config. A literal beats a path; a parameter with neither
    is the context key of its name. `many` (error, first or join) may also stand beside a path, for it alone. For
    the expected value it may be any: one of several right answers; with `opens_lists` lists have them. For
    the parameters in `several` it may be references: all values count. `read` beside the path of a parameter are
    its reading steps, and `options` of the actual value the paths to the texts that may be said for its labels;
    `empty` is the text that stands for an empty one.
    Raises MappingError for the first thing that is wrong.
    """
    if not isinstance(mapping, dict):
        raise MappingError("object_expected", "A mapping must be a JSON object.", "")
    entries = dict(mapping)
    many = _many(entries.pop("many", "error"), "/many", [*_choices("expected", several=bool(several))])
    parameters = list(parameters)
    fields = frozenset(config_model.model_fields if config_model else ())
    sources: dict[str, Literal | Matched] = {}
    for name, entry in entries.items():
        _check_name(name, [*parameters, *sorted(fields)])
        default = _many_of_parameter(many, name, several)
        source = _source(name, entry, default, is_several=name in several, is_side=name in parameters)
        if isinstance(source, Literal) and name in fields and config_model is not None:
            _check_literal(config_model, name, source.value)
        if source is not None:
            sources[name] = source
    unnamed = [name for name in parameters if name not in sources]
    sources |= {name: Matched(_default(name), _many_of_parameter(many, name, several)) for name in unnamed}
    return Mapping(sources, config_model, fields & sources.keys(), opens_lists)


def _grouped(rows: Iterable[int], columns: Sequence[Sequence[JSON]]) -> Iterable[list[int]]:
    """Rows with equal values in all columns together, in the order of their first rows."""
    rows_by_key: dict[str, list[int]] = {}
    for row in rows:
        rows_by_key.setdefault(canonical_json([values[row] for values in columns]), []).append(row)
    return rows_by_key.values()


def _check_name(name: str, column_names: list[str]) -> None:
    if name not in column_names:
        message = f"The evaluator has no parameter {name!r}; it has {', '.join(column_names)}."
        raise MappingError("unknown_parameter", message, _pointer(name))


def _many_of_parameter(many: Many, name: str, several: Collection[str]) -> Many:
    return many if many in _choices(name, several=name in several) else "error"


def _source(
    name: str, entry: Any, many: Many, *, is_several: bool, is_side: bool
) -> Literal | Matched | None:
    if not isinstance(entry, dict):
        message = 'Write {"path": "$.output"} or {"literal": "a value"}.'
        raise MappingError("object_expected", message, _pointer(name))
    for key in entry:
        if key not in FIELDS:
            message = f"{key!r} is unknown; use {', '.join(FIELDS[:-1])} or {FIELDS[-1]}."
            raise MappingError("unknown_field", message, _pointer(name, key))
    many = _many(entry.get("many", many), _pointer(name, "many"), [*_choices(name, several=is_several)])
    if "literal" in entry:
        return Literal(entry["literal"])
    reading = _reading(entry.get("read") or [], _pointer(name, "read"), is_side=is_side)
    options = _options(name, entry["options"], reading) if "options" in entry else None
    empty = _empty(name, entry["empty"], is_side=is_side) if "empty" in entry else ""
    if entry.get("path") is None:
        return Matched(_default(name), many, reading, options, empty) if reading or empty else None
    return Matched(_path(entry["path"], _pointer(name, "path")), many, reading, options, empty)


def _empty(name: str, text: Any, *, is_side: bool) -> str:
    """The text that stands for an empty value."""
    if not is_side or not isinstance(text, str) or not 0 < len(text.strip()) <= LONGEST_LABEL:
        message = f"What stands for an empty text is a text of at most {LONGEST_LABEL} characters."
        raise MappingError("invalid_empty", message, _pointer(name, "empty"))
    return text


def _options(name: str, options: Any, reading: Reading | None) -> Options:
    """The options of an answer that is read as one of their labels."""
    pointer = _pointer(name, "options")
    choice = next((step for step in reading.steps if isinstance(step, Choice)), None) if reading else None
    if name != "actual" or choice is None:
        message = "Options stand beside a step “choice” of the actual value, for answers in which it finds no label."
        raise MappingError("unknown_field", message, pointer)
    if isinstance(options, str):
        return Options([_path(options, pointer)], choice.labels, are_listed=True)
    if not isinstance(options, dict) or not 0 < len(options) <= MOST_LABELS:
        message = f"Options are a path, or an object with the path of the text of each of at most {MOST_LABELS} labels."
        raise MappingError("object_expected", message, pointer)
    paths = [_path(path, _pointer(name, "options", label)) for label, path in options.items()]
    return Options(paths, [*options])


def _reading(steps: Any, pointer: str, *, is_side: bool) -> Reading | None:
    if steps and not is_side:
        raise MappingError("unknown_field", "Only texts are read by steps, not settings.", pointer)
    try:
        return compile_steps(steps) if steps else None
    except ReadingError as error:
        raise MappingError("invalid_step", str(error), pointer + error.pointer) from error


def _path(text: Any, pointer: str) -> Path:
    if not isinstance(text, str):
        raise MappingError("invalid_path", "A path must be a text.", pointer)
    try:
        return jsonpath.compile(text)
    except jsonpath.PathError as error:
        raise MappingError("invalid_path", str(error), pointer) from error


def _default(name: str) -> Path:
    if name not in (*KEYS, *ALIASES):
        raise MappingError("mapping_required", f"{name} needs a path or a literal.", _pointer(name))
    return jsonpath.compile(f"$.{name}")


def _choices(name: str, *, several: bool) -> Iterator[Many]:
    """What a parameter may do with several matches: several right answers are for what is expected."""
    yield from ("error", "first", "join")
    if name == "expected":
        yield "any"
    if several:
        yield "references"


def _many(value: Any, pointer: str, choices: Sequence[Many]) -> Many:
    for choice in choices:
        if value == choice:
            return choice
    *first_choices, last = choices
    raise MappingError("invalid_choice", f"many must be {', '.join(first_choices)} or {last}.", pointer)


def _check_literal(model: type[BaseModel], name: str, value: JSON) -> None:
    """Validate a literal with the whole model, so that the field's validators run; other fields' errors are ignored."""
    try:
        model.model_validate({name: value})
    except ValidationError as error:
        for problem in error.errors():
            if problem["loc"][:1] == (name,):
                raise MappingError(
                    "invalid_literal", _sentence(problem), _pointer(name, "literal")
                ) from error


def _sentence(problem: Any) -> str:
    name = ".".join(str(part) for part in problem["loc"]) or "config"
    return f"{name} is {canonical_json(problem['input'])[:80]}. {validation.sentence(problem)}"


def _pointer(*names: str) -> str:
    return "".join("/" + name.replace("~", "~0").replace("/", "~1") for name in names)
