"""Matches the rows of a file with outputs of one variant to examples."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import orjson

from evaluations import ingest
from evaluations.datasets import datasets
from evaluations.datasets.bitmaps import Mask
from evaluations.experiments.matching import Keys
from evaluations.models import DatasetVersion, Experiment, Upload
from evaluations.models.dataset import ExampleQuerySet
from evaluations.numerals import whole
from evaluations.values import key_text, text_of

from . import by_metadata, choices
from .choices import DEFAULTS, How
from .columns import column_paths, columnmap, long_tables, measure_columns
from .columns.column_names import invalid, require_column
from .columns.long_tables import Long
from .uploads import uploads

WELL_KNOWN = {
    "output": ("output", "actual", "answer", "response", "completion", "prediction", "solution", "text"),
    "key": ("key", "id"),
    "position": ("position",),
}


def suggest(upload: Upload, experiment: Experiment) -> dict[str, str]:
    """A mapping by the keys of the examples, and by well-known names; keys are preferred to positions.

    Without a well-known name for the output, it is the first column of texts that has no other role.
    """
    preview = uploads.preview(upload)
    repeated = _repeated(preview.columns, experiment.dataset.columns)
    new = [name for name in preview.columns if name not in repeated]
    by_part = {part: _well_known(part, new) for part in WELL_KNOWN}
    if by_part["key"] or not by_part["position"]:
        by_part["key"] = _key_column(preview, experiment) or by_part["key"]
    if by_part["key"]:
        by_part["position"] = None
    if by_part["output"] in (None, by_part["key"]):
        others = [name for name in preview.columns if name not in by_part.values()]
        others.sort(key=lambda name: (name in repeated, not _has_texts(preview, name)))
        by_part["output"] = next(iter(others or preview.columns), None)
    return {part: name for part, name in by_part.items() if name}


def _repeated(columns: Sequence[str], parts: dict[str, list[str]]) -> set[str]:
    """The columns of the dataset in a file that repeats what was asked; in others, an answer is that of the variant."""
    if not {*columns}.intersection(parts.get("inputs", ())):
        return set()
    return {*columns} & {name for names in parts.values() for name in names}


def _has_texts(preview: ingest.Preview, name: str) -> bool:
    texts = [text for row in preview.rows if (text := text_of(row.get(name)))]
    return any(whole_number(text) is None for text in texts)


def _well_known(part: str, columns: Sequence[str]) -> str | None:
    spelt = {name.strip().lower(): name for name in reversed(columns)}
    return next((spelt[name] for name in WELL_KNOWN[part] if name in spelt), None)


def _key_column(preview: ingest.Preview, experiment: Experiment) -> str | None:
    """The column that names most examples in the first rows by their keys, if half of its cells do.

    A third of the rows must name different ones: a few numbers that repeat are labels, which are like some keys.
    """
    cells = {name: [key_text(row.get(name)) for row in preview.rows] for name in preview.columns}
    keys = Keys(experiment).positions([*{text for texts in cells.values() for text in texts}])
    known = {name: keys or by_metadata.positions(experiment, name) for name in cells}
    named = {
        name: len({*texts} & known[name].keys())
        for name, texts in cells.items()
        if sum(text in known[name] for text in texts) * 2 > len(texts)
    }
    best = max(named, key=lambda name: named[name], default=None)
    return best if best and named[best] * 3 >= len(preview.rows) else None


def checked(upload: Upload, mapping: dict[str, Any] | None, how: How = DEFAULTS) -> dict[str, Any]:
    """How the rows are read, as an import stores it: the checked mapping, or that of a long table.

    What answers took is read from columns that are named so, unless the mapping has measures of its own.
    Raises `Invalid` if it does not fit the file, and `ChoiceNeeded` if the sender wants to be asked.
    """
    choices.ask_about_sheets(upload, how)
    if how.long and mapping is not None:
        raise invalid("Send a mapping or “long”, not both.", "long")
    if how.long:
        read = _long(upload, how.long)
    elif mapping is None:
        raise invalid("Name the column of the outputs, and the one with keys or positions.", "output")
    else:
        chosen = mapping
        read = choices.fitting(upload, lambda names: columnmap.check_outputs(names, chosen))
        choices.ask_about_rows(upload, choices.row_names(read), read["output"], how)
    preview = uploads.preview(upload)
    if mapping is not None and "measures" not in mapping:
        cells = {name: [row.get(name) for row in preview.rows] for name in _left_out(read, preview.columns)}
        measures = measure_columns.of_names(cells, cells)
        read |= {"measures": [[*one] for one in measures]} if measures else {}
    return read | {"decimal": how.decimal, "left_out": _left_out(read, preview.columns)}


def _left_out(read: dict[str, Any], columns: Sequence[str]) -> list[str]:
    """The columns that a checked mapping does not name."""
    named = {read.get("variant"), *(one[2] for part in ("scores", "measures") for one in read.get(part, ()))}
    sources = [columnmap.source_of(read, part) for part in ("output", "key", "position")]
    named |= {column_of(source) for source in (*sources, *read.get("inputs", {}).values()) if source}
    return [name for name in columns if name not in named]


def with_rows(upload: Upload, read: dict[str, Any], role: str, apart: str) -> dict[str, Any]:
    """A checked mapping of a file in which the column `apart` tells the rows of one example apart.

    The role is variant, repetition, or order for repetitions in the order of the file. Raises `Invalid`.
    """
    if not {"key", "position", "inputs"} & read.keys():
        raise invalid("Rows that belong to one example are matched by key, position or inputs.", "long")
    repeats = "" if role == "variant" else role
    if repeats != "order":
        require_column(apart, "long", uploads.preview(upload).columns)
    left_out = [name for name in read["left_out"] if name != apart]
    return read | {"variant": apart or "order", "repeats": repeats, "left_out": left_out}


def _long(upload: Upload, sent: dict[str, Any]) -> dict[str, Any]:
    preview = uploads.preview(upload)
    long = Long.of(sent, preview.columns)
    if long.role == "rater":
        raise invalid(
            "Raters' labels are no outputs: send the answers first, then the labels to their label set.",
            "long",
        )
    mapped = long_tables.mapped(preview, uploads.first_columns(upload), long)
    output = mapped.outputs[0][1]
    if output not in preview.columns:
        raise invalid("Name the column of the outputs as “output”.", "long")
    part = "position" if long.id.strip().lower() in WELL_KNOWN["position"] else "key"
    beside = {"scores": mapped.scores, "measures": mapped.measures}
    stored = {name: [[*one] for one in found] for name, found in beside.items() if found}
    return {"output": output, part: long.id, "variant": mapped.variant, "repeats": mapped.repeats} | stored


def column_of(source: str) -> str:
    """The column that a source is, or leads into."""
    return f"{column_paths.column_of(source)}" if source.startswith("$") else source


def variant_of(upload: Upload, read: dict[str, Any], sent: str) -> str:
    """The name of the first run: the one that was sent, or the first in the file if its rows name their variants."""
    if read.get("repeats", "any") and not sent:
        raise invalid("Name the variant.", "variant")
    if read.get("repeats", "any"):
        return sent
    if sent:
        raise invalid("The rows of the file name their variants; leave out “variant”.", "variant")
    names = uploads.first_columns(upload)[read["variant"]]
    return next(((key_text(name) or "").strip() for name in names if name is not None), "")


def usual_length(upload: Upload, read: dict[str, Any]) -> float | None:
    """The mean number of characters of an output in the first rows; None without any."""
    column = column_of(columnmap.source_of(read, "output"))
    first = ingest.Objects((), [{column: cell} for cell in uploads.first_columns(upload).get(column, ())])
    found = list(map(text_of, columnmap.values(first, columnmap.source_of(read, "output"))))
    lengths = [len(text) for text in found if text]
    return sum(lengths) / len(lengths) if lengths else None


class Matching:
    """Finds the example of each row, batch after batch; `mapping` is that of `columnmap.check_outputs`.

    Examples outside the mask `included`, if it is given, match nothing.
    """

    def __init__(self, experiment: Experiment, mapping: dict[str, Any], included: Mask | None = None):
        self.included = included
        self.by_key, self.by_position = mapping.get("key"), mapping.get("position")
        self.by_inputs: dict[str, str] = mapping.get("inputs", {})
        self.source = columnmap.source_of(mapping, "key" if self.by_key else "position")
        self.experiment = experiment
        self.examples = experiment.examples
        self.keys = Keys(experiment)

    @property
    def column(self) -> str | None:
        """The column that identifies examples; None if rows are matched by inputs or in order."""
        return self.by_key or self.by_position

    @property
    def has_keys(self) -> bool:
        """Whether any example has a key."""
        return by_metadata.has_keys(self.experiment)

    @property
    def is_named(self) -> bool:
        """Whether something in the rows says to which example they belong, and not their order."""
        return bool(self.column or self.by_inputs)

    def texts(self, batch: ingest.Batch) -> list[str | None]:
        """What names the example of each row."""
        columns = columnmap.OutputColumns(matched=tuple(self.by_inputs.values()), key_source=self.source)
        return columns.key_texts(batch)

    def positions(self, named: Sequence[str | None]) -> list[int | None]:
        """The position of each row's example, from its cell in that column; None if no example matches."""
        positions = self._named(named) if self.is_named else [next(self._in_order, None) for _ in named]
        return [
            position if position is not None and self._is_included(position) else None
            for position in positions
        ]

    def _is_included(self, position: int) -> bool:
        return _has(self.included, position)

    @cached_property
    def _in_order(self) -> Iterator[int]:
        return _in_order(self.examples, self.included)

    @cached_property
    def _of_inputs(self) -> dict[str, int]:
        return by_inputs(self.examples, [*self.by_inputs])

    @cached_property
    def _of_metadata(self) -> dict[str, int]:
        return by_metadata.positions(self.experiment, self.by_key or "")

    def _named(self, named: Sequence[str | None]) -> list[int | None]:
        if self.by_inputs:
            return [None if text is None else self._of_inputs.get(text) for text in named]
        if self.by_key:
            key_positions = self._of_metadata or self.keys.positions(named)
            return [None if key is None else key_positions.get(key) for key in named]
        numbers = [whole_number(text) for text in named]
        present = [number for number in numbers if number is not None]
        stored = datasets.positions_by(self.examples, "position", present)
        return [number if number in stored else None for number in numbers]


def by_inputs(examples: ExampleQuerySet, names: Sequence[str]) -> dict[str, int]:
    """The positions of the examples by the texts of these inputs; without those that several examples share."""
    found: dict[str, int] = {}
    shared = set()
    for position, inputs in examples.values_list("position", "inputs").iterator():
        values = orjson.loads(inputs)
        text = columnmap.matching_text([values.get(name) for name in names])
        if text is not None and found.setdefault(text, position) != position:
            shared.add(text)
    return {text: position for text, position in found.items() if text not in shared}


def _in_order(examples: ExampleQuerySet, included: Mask | None) -> Iterator[int]:
    """Positions in order. Not a method, because a reference cycle would keep its database cursor open."""
    every = examples.order_by("position").values_list("position", flat=True).iterator()
    return (position for position in every if _has(included, position))


def _has(included: Mask | None, position: int) -> bool:
    return included is None or bool(included[position - 1])


def whole_number(text: str | None) -> int | None:
    """A position written as a number or text; None for anything else."""
    return whole(text.strip()) if text else None


def example_count(experiment: Experiment) -> int:
    """The number of examples in the experiment's dataset version."""
    versions = DatasetVersion.objects.filter(dataset=experiment.dataset_id, number=experiment.dataset_version)
    return versions.values_list("example_count", flat=True).first() or 0
