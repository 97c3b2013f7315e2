"""The role of each column of a file: checked against the file's columns, then applied row by row."""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypedDict

from evaluations import ingest, jsonpath
from evaluations.ingest.suggest import names_without_prefix, part_of
from evaluations.jsonpath import ABSENT
from evaluations.kinds.value import WON
from evaluations.values import JSON, LONGEST_NAME, PARTS, key_text, stored_json, text_of

from . import column_paths, mapping_shape, measure_columns, naming, raters, score_columns, score_labels
from .column_names import Names, invalid, require_column
from .measure_columns import MeasureColumn
from .score_columns import ScoreColumn

IMPORTED_FIELDS = ("run_id", "position", "text", "is_json", "scores")
REPEATS = ("repetition", "order")  # by a column of numbers or names, or by order in the file
EQUAL_ROWS = "rows"  # of `repeats`: equal rows are one example, and nothing tells them apart
FIRST, LAST = "first", "last"  # of rows that give an example a second output
LONG = ""  # the name of the variant, if the rows name their variants themselves
OutputReader = Callable[[ingest.Batch], Sequence[JSON]]


class Parts(TypedDict):
    """The names of the columns in each part."""

    inputs: tuple[str, ...]
    reference: tuple[str, ...]
    metadata: tuple[str, ...]


@dataclass(frozen=True)
class ColumnMap:
    """inputs, reference, metadata: column names; key: one name or None; outputs: variant → column name or JSONPath.

    `paths` maps names to paths of values inside columns. `renamed` has part, name and column of those whose name
    differs from the file's. With `takes_remaining`, columns without a role become metadata; else they are left out.
    `variant` is the source that names the variant of each row, in a file with a row for each variant and example;
    `outputs` then has one source. `scores` are columns and paths with scores of outputs; `lower` names those of which
    less is better, and `labels` has the numbers of those that are words. With `repeats`, the values of `variant` are
    not variants but repetitions of `of_variant`: one of REPEATS; EQUAL_ROWS has no `variant`. With `label`, the source
    of what raters said, they are raters of the one run `of_variant`, whose outputs they read. `unread` are paths inside
    columns that are left out although others are read. `decimal` is the sign before the decimals of scores, "" if both
    are known by their place. `measures` are columns and paths of what answers took.
    """

    inputs: tuple[str, ...] = ()
    reference: tuple[str, ...] = ()
    metadata: tuple[str, ...] = ()
    key: str | None = None
    outputs: tuple[tuple[str, str], ...] = ()
    takes_remaining: bool = False
    variant: str | None = None
    scores: tuple[ScoreColumn, ...] = ()
    lower: tuple[str, ...] = ()
    labels: tuple[tuple[str, str], ...] = ()
    paths: tuple[tuple[str, str], ...] = ()
    renamed: tuple[tuple[str, str, str], ...] = ()
    repeats: str = ""
    of_variant: str = ""
    label: str = ""
    unread: tuple[str, ...] = ()
    decimal: str = ""
    measures: tuple[MeasureColumn, ...] = ()

    @classmethod
    def suggested(cls, preview: ingest.Preview) -> "ColumnMap":
        """A mapping by well-known names and shapes, as the pages of an upload suggest it."""
        key = next((name for name, role in preview.roles.items() if role == "key"), None)
        outputs = _outputs(preview.outputs, preview.columns)
        scores = {name: {next(iter(preview.outputs)): source} for name, source in preview.scores.items()}
        placed = score_columns.checked(scores, preview.columns, preview.outputs)
        measures = measure_columns.by_name(preview)
        columns = cls(key=key, outputs=outputs, scores=placed, measures=measures).adding(
            {
                name: role
                for name, role in preview.roles.items()
                if name not in {one.column for one in measures}
            }
        )
        return replace(columns, takes_remaining=not columns.left_out(preview.columns))

    @classmethod
    def check(cls, columns: list[str], mapping: dict[str, Any]) -> "ColumnMap":
        """Validate a mapping as the API takes it; raises `Invalid`, which lists the columns of the file."""
        mapping_shape.check(mapping)
        names = Names(columns)
        parts = _parts({part: names.add(mapping.get(part), part) for part in PARTS})
        key = names.add(mapping.get("key"), "key")
        outputs = _outputs(mapping.get("outputs"), columns)
        variant = None
        is_rated = mapping.get("rater") is not None or mapping.get("label") is not None
        if not is_rated and (variant is not None or mapping.get("output") is not None):
            variant, outputs = _long_output(mapping, columns)
        scores = score_columns.checked(mapping.get("scores"), columns, dict(outputs))
        lower = score_columns.lower_is_better(mapping.get("lower_is_better"), scores)
        made = cls(
            **parts,
            key=next(iter(key), None),
            outputs=outputs,
            variant=variant,
            scores=scores,
            lower=lower,
            labels=score_labels.checked(mapping.get("labels"), scores),
            measures=measure_columns.checked(mapping.get("measures"), columns, dict(outputs)),
            paths=tuple(names.paths.items()),
            renamed=names.renamed,
        )
        return made._rated(mapping, columns) if is_rated else made

    def _rated(self, mapping: dict[str, Any], columns: list[str]) -> "ColumnMap":
        """This mapping of a file with a row for each rater of an example."""
        sources = {**dict(self.paths), **self.columns_of("inputs")}
        first = next((sources[name] for name in self.inputs), None)
        rater, label, output = raters.checked(mapping, first)
        rater, label = naming.source_of(rater, "rater", columns), naming.source_of(label, "label", columns)
        return self.labelled(rater, label, _outputs({output[:LONGEST_NAME]: output}, columns))

    def labelled(self, rater: str, label: str, outputs: tuple[tuple[str, str], ...]) -> "ColumnMap":
        """This mapping with raters and their labels of the one output."""
        (name, source), *_ = outputs
        return replace(self, variant=rater, label=label, of_variant=name, outputs=((LONG, source),))

    def as_dict(self) -> dict[str, Any]:
        parts = {part: list(getattr(self, part)) for part in PARTS}
        outputs = dict(self.outputs)
        single = {"key": self.key, "outputs": outputs, "rest": self.takes_remaining, "variant": self.variant}
        scores = {
            "scores": [[*score] for score in self.scores],
            "lower": [*self.lower],
            "labels": dict(self.labels),
        }
        pairs = {"paths": [[*path] for path in self.paths], "renamed": [[*pair] for pair in self.renamed]}
        rare = {"repeats": self.repeats, "of_variant": self.of_variant, "decimal": self.decimal}
        rare |= {"label": self.label} if self.label else {}
        taken = {"measures": [[*one] for one in self.measures]} if self.measures else {}
        return parts | single | scores | pairs | rare | taken | {"unread": [*self.unread]}

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> "ColumnMap":
        return cls(
            **_parts(stored),
            key=stored["key"],
            outputs=tuple(stored["outputs"].items()),
            takes_remaining=stored["rest"],
            variant=stored.get("variant"),
            scores=tuple(map(ScoreColumn.of_stored, stored.get("scores", ()))),
            lower=tuple(stored.get("lower", ())),
            labels=tuple(stored.get("labels", {}).items()),
            paths=tuple((name, path) for name, path in stored.get("paths", ())),
            renamed=tuple((part, name, column) for part, name, column in stored.get("renamed", ())),
            unread=tuple(stored.get("unread", ())),
            measures=tuple(MeasureColumn(*fields) for fields in stored.get("measures", ())),
            **{name: stored.get(name, "") for name in ("repeats", "of_variant", "label", "decimal")},
        )

    def columns_of(self, part: str) -> dict[str, str]:
        """The file's columns in a part, by their names there; without paths."""
        renamed = {name: column for owner, name, column in self.renamed if owner == part}
        inside = dict(self.paths)
        return {name: renamed.get(name, name) for name in getattr(self, part) if name not in inside}

    @property
    def named(self) -> set[str]:
        """All columns with a role, including those that paths lead into."""
        names_rows = {source for source in (self.variant, self.label) if source}
        sources = [s for s in names_rows if s.startswith(naming.PATH)] + [
            s for _, s in self.outputs if s.startswith("$")
        ]
        paths = [jsonpath.compile(source) for source in (*sources, *dict(self.paths).values())]
        rooted = {step for path in paths for step in path.prefix[:1] if isinstance(step, str)}
        plain = {source for _, source in self.outputs if not source.startswith("$")}
        parts = {column for part in PARTS for column in self.columns_of(part).values()}
        single = {name for name in (self.key, *names_rows.difference(sources)) if name} - dict(
            self.paths
        ).keys()
        beside = {one.column for one in self.scores} | {one.column for one in self.measures}
        return parts | single | plain | rooted | beside

    @property
    def known_variants(self) -> tuple[str, ...]:
        """The variants that are known before the rows are read."""
        if self.label:
            return (self.of_variant,)
        return () if self.variant else tuple(name for name, _ in self.outputs)

    @property
    def score_settings(self) -> dict[str, dict[str, Any]]:
        """The evaluator settings for each score, by its name."""
        names = dict.fromkeys(score.name for score in self.scores)
        won = {score.name: WON for score in self.scores if score.among}
        return score_labels.settings(names, self.lower, won | dict(self.labels))

    def left_out(self, columns: Iterable[str]) -> list[str]:
        return [] if self.takes_remaining else [name for name in columns if name not in self.named]

    def with_remaining(self, columns: Iterable[str]) -> "ColumnMap":
        """This mapping, with the remaining columns as metadata, or in the part that prefixes their name."""
        if not self.takes_remaining:
            return self
        named = self.named
        return self.adding({name: part_of(name) or "metadata" for name in columns if name not in named})

    def adding(self, roles: Mapping[str, str], keeping_names: Collection[str] = ()) -> "ColumnMap":
        """This mapping with more columns in these parts; prefixes that an export added are dropped.

        The columns in `keeping_names` keep their name in the file.
        """
        parts, renamed = {part: list(getattr(self, part)) for part in PARTS}, list(self.renamed)
        short_names = names_without_prefix(roles)
        for column, part in roles.items():
            if part in parts:
                name = column if column in keeping_names else short_names.get(column, column)
                name = column if name in parts[part] else name
                renamed += [(part, name, column)] if name != column else []
                parts[part].append(name)
        return replace(self, **_parts(parts), renamed=tuple(renamed))

    def readers(self) -> list[tuple[str, OutputReader]]:
        """For each variant, a function from a batch to the output of each row (None for no output)."""
        return [(variant, _reader(source)) for variant, source in self.outputs]

    def _rows(self, batch: ingest.Batch, part: str) -> Sequence[ingest.Row]:
        """For each row, the columns of a part by their names there."""
        columns = self.columns_of(part)
        rows = batch.only(columns.values())
        if all(name == column for name, column in columns.items()):
            return rows
        return [{name: row[column] for name, column in columns.items() if column in row} for row in rows]

    def part_texts(self, batch: ingest.Batch, part: str) -> list[str]:
        """One part of each row as a JSON text, as it is stored."""
        names: tuple[str, ...] = getattr(self, part)
        if not names:
            return ["{}"] * len(batch.lines)
        inside = [(name, jsonpath.compile(path)) for name, path in self.paths if name in names]
        rows = self._rows(batch, part)
        for name, path in inside:
            values = column_paths.find(batch, path)
            rows = [
                row if value is ABSENT else row | {name: value}
                for row, value in zip(rows, values, strict=True)
            ]
        return list(map(stored_json, rows))

    def part_values(self, batch: ingest.Batch, part: str) -> list[Sequence[JSON]]:
        """For each column and path of a part, the values of all rows; None if a row has none."""
        paths = [jsonpath.compile(path) for name, path in self.paths if name in getattr(self, part)]
        plain = [batch.column(column) for column in self.columns_of(part).values()]
        return plain + [column_paths.reader(path)(batch) for path in paths]

    def key_texts(self, batch: ingest.Batch) -> list[str | None]:
        """The keys of the rows; all None if no key column is mapped."""
        if path := dict(self.paths).get(self.key or ""):
            return list(map(key_text, column_paths.reader(jsonpath.compile(path))(batch)))
        return key_texts(batch, self.key)


def _parts(names: Mapping[str, Iterable[str]]) -> Parts:
    return Parts(
        inputs=tuple(names["inputs"]),
        reference=tuple(names["reference"]),
        metadata=tuple(names["metadata"]),
    )


def check_outputs(columns: list[str], mapping: dict[str, Any]) -> dict[str, Any]:
    """Validate a mapping of outputs: {"output": column or path} and, unless rows are matched in order, {"key": column
    or path}, {"position": column} or {"inputs": {name in the dataset: column or path}}.

    With scores of the outputs also {"scores": {name: column or path}}, with what they took {"measures": {kind: column
    or path}}, and {"keep": "first" or "last"} of rows that give an example a second output. Raises `Invalid`.
    """
    if unknown := set(mapping) - {"output", "key", "position", "inputs", "scores", "measures", "keep"}:
        raise invalid(
            f"A mapping has no “{min(unknown)}”; its fields are output, scores, measures, keep, and key, position or "
            "inputs.",
            "",
        )
    if mapping.get("keep", FIRST) not in (FIRST, LAST):
        raise invalid("Of rows that repeat an example, keep the first or the last.", "keep")
    if len({"key", "position", "inputs"} & mapping.keys()) > 1:
        raise invalid("Match rows by key, by position or by inputs, not by several.", "position")
    if "output" not in mapping:
        raise invalid("The column of the outputs is missing.", "output")
    own = ("scores", "measures", "inputs", "keep")
    named = {part: name for part, name in mapping.items() if part not in own}
    for part, name in named.items():
        if not isinstance(name, str):
            raise invalid("The name of a column is expected.", part)
    sources = {part: _source(name, part, columns) for part, name in named.items()}
    if inside := {part: source for part, source in sources.items() if source != of_column(named[part])}:
        named["sources"] = inside
    if "inputs" in mapping:
        named["inputs"] = _matched_inputs(mapping["inputs"], columns)
    scores = score_columns.checked(mapping.get("scores"), columns, {LONG: mapping["output"]})
    measures = measure_columns.checked(mapping.get("measures"), columns, {LONG: mapping["output"]})
    kept = {"keep": mapping["keep"]} if "keep" in mapping else {}
    kept |= {"measures": [[*one] for one in measures]} if measures else {}
    return named | kept | ({"scores": [[*score] for score in scores]} if scores else {})


def _matched_inputs(sent: Any, columns: Sequence[str]) -> dict[str, str]:
    """The columns and paths whose values are those of inputs, by the names of the inputs."""
    sources = {name: name for name in sent if isinstance(name, str)} if isinstance(sent, list) else sent
    if not isinstance(sources, dict) or not sources:
        raise invalid("inputs lists columns, or names the column of each input.", "inputs")
    for source in sources.values():
        if not isinstance(source, str):
            raise invalid("The name of a column is expected.", "inputs")
    return {name: _source(source, "inputs", columns) for name, source in sources.items()}


def _source(name: str, part: str, columns: Sequence[str]) -> str:
    """The source for a column, or for a path into one; raises `Invalid` if the file lacks it."""
    if inside := column_paths.named(name, columns):
        return inside[1].text
    require_column(name, part, columns)
    return of_column(name)


def source_of(read: Mapping[str, Any], part: str) -> str:
    """The source of a part of what `check_outputs` returned; "" if it has none."""
    inside: dict[str, str] = read.get("sources", {})
    return inside.get(part) or (of_column(read[part]) if part in read else "")


def values(batch: ingest.Batch, source: str) -> Sequence[JSON]:
    """The value of each row in a column, or at a path."""
    return _reader(source)(batch)


def matching_text(row: Sequence[JSON]) -> str | None:
    """What is compared of the inputs of a row and of an example; None if they have none."""
    texts = [(text_of(value) or "").strip() for value in row]
    return "\n".join(texts) if any(texts) else None


@dataclass(frozen=True)
class OutputColumns(ColumnMap):
    """The columns of a file of outputs; with `matched`, rows are found by their inputs in these sources."""

    matched: tuple[str, ...] = ()
    key_source: str = ""

    def key_texts(self, batch: ingest.Batch) -> list[str | None]:
        if self.matched:
            return [
                *map(matching_text, zip(*(values(batch, source) for source in self.matched), strict=True))
            ]
        if self.key_source:
            return list(map(key_text, values(batch, self.key_source)))
        return [None] * len(batch.lines)


def _outputs(sources: dict[str, str] | None, columns: list[str]) -> tuple[tuple[str, str], ...]:
    sources = sources or {}
    for variant, source in sources.items():
        if not variant.strip() or len(variant) > LONGEST_NAME:
            raise invalid(f"A variant's name must have 1 to {LONGEST_NAME} characters.", "outputs")
        if source in columns or not source.startswith("$"):
            require_column(source, "outputs", columns)
        else:
            _check_path(variant, source)
    return tuple((variant, of_column(s) if s in columns else s) for variant, s in sources.items())


def _long_output(mapping: dict[str, Any], columns: list[str]) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The source that names the variant of each row, and the one source of outputs."""
    if mapping.get("outputs"):
        raise invalid("If a column names the variant, one column must hold the outputs: “output”.", "outputs")
    for part in ("variant", "output"):
        if not isinstance(mapping.get(part), str):
            raise invalid("variant and output must be the names of two columns.", part)
    variant = naming.source_of(mapping["variant"], "variant", columns)
    return variant, tuple((LONG, source) for _, source in _outputs({"output": mapping["output"]}, columns))


def of_column(name: str) -> str:
    """The source for a column: its name, or a quoted path if the name looks like a path.

    >>> of_column("answer"), of_column("$cost")
    ('answer', '$["$cost"]')
    """
    return f"$[{json.dumps(name, ensure_ascii=False)}]" if name.startswith("$") else name


def _check_path(variant: str, source: str) -> None:
    try:
        jsonpath.compile(source)
    except jsonpath.PathError as error:
        raise invalid(f"{variant}: {error}", "outputs", code="invalid_path") from error


def _reader(source: str) -> OutputReader:
    if not source.startswith("$"):
        return lambda batch: batch.column(source)
    path = jsonpath.compile(source)
    if path.plain and path.prefix and isinstance(path.prefix[0], str):
        return column_paths.reader(path)
    return lambda batch: [next(iter(path.find(row)), None) for row in batch.rows]


def key_texts(batch: ingest.Batch, name: str | None) -> list[str | None]:
    """The keys of the rows; all None if no key column is mapped."""
    return list(map(key_text, batch.column(name))) if name else [None] * len(batch.lines)
