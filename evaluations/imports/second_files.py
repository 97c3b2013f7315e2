"""Reads the file of a further variant as the first file of the experiment was read, as far as it has its columns."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from evaluations import ingest, jsonpath
from evaluations.errors import Invalid
from evaluations.experiments.matching import Keys
from evaluations.models import Experiment, Output, Upload
from evaluations.values import JSON, key_text, text_of

from . import by_metadata, choices, outputs, run_names
from .choices import DEFAULTS, How
from .columns import column_paths, columnmap, saved_mappings
from .columns.columnmap import ColumnMap, of_column
from .columns.measure_columns import STORED
from .columns.score_columns import by_name_and_variant, named_by
from .uploads import uploads

MOST_EXAMPLES = 200_000  # of an experiment whose inputs are looked through before an import is begun


@dataclass(frozen=True)
class Suggestion:
    """How a file of outputs is read by default, as `columnmap.check_outputs` takes it.

    `is_as_first` says that this was decided for the first file. Rows that nothing names have neither key, position nor
    inputs: only the sender can say that they are in the order of the dataset. `inputs` are all sources of inputs that
    the file has. `rows` says what tells the rows of one example apart, if the first file had several: the role and its
    column.
    """

    mapping: dict[str, Any]
    is_as_first: bool
    variant: str
    inputs: dict[str, str]
    rows: dict[str, str]

    @property
    def is_matched(self) -> bool:
        return bool({"key", "position", "inputs"} & self.mapping.keys())


def preview_as_first(upload: Upload, experiment: Experiment) -> ingest.Preview:
    """The first rows; with objects as they are in the file if only so they have the columns of the first file."""
    preview, stored, was = uploads.preview(upload), experiment.first_file.get("mapping"), upload.format
    named = ColumnMap.from_dict(stored).named if stored else set[str]()
    if named <= {*preview.columns} or not uploads.unopened(upload):
        return preview
    whole = uploads.preview(upload)
    if named <= {*whole.columns}:
        return whole
    upload.format = was
    return preview


def suggest(upload: Upload, experiment: Experiment) -> Suggestion:
    """The mapping of the first file where this one has its columns, else one by names and contents."""
    preview = preview_as_first(upload, experiment)
    first = _first(upload, experiment, preview)
    usual = outputs.suggest(upload, experiment)
    by_tool = upload.mapping.get("mapped")
    known = ColumnMap.from_dict(by_tool) if by_tool else first or ColumnMap.suggested(preview)
    output = _newest(known, preview, experiment) or _output(known, preview, usual.get("output", ""))
    is_as_first = bool(first and output and not by_tool)
    mapping: dict[str, Any] = {}
    if name := output or usual.get("output"):
        mapping["output"] = name
    mapping |= _matched(known, preview, experiment, usual, mapping.get("output", ""))
    if scores := _scores(known, preview, output):
        mapping["scores"] = scores
    if measures := _measures(known, preview, output or mapping.get("output", "")):
        mapping["measures"] = measures
    inputs = mapping.get("inputs") or _sources_of_inputs(known, preview, experiment)
    longs = choices.longs_of_outputs(upload, choices.row_names(mapping), mapping.get("output", ""))
    rows = {"rows": longs[0].role or "order", "apart": longs[0].column} if longs else {}
    if by_tool or (rows and is_as_first):
        rows |= _rows(known, preview)
    return Suggestion(mapping, is_as_first, run_names.suggested(upload, experiment), inputs, rows)


def _rows(known: ColumnMap, preview: ingest.Preview) -> dict[str, str]:
    if known.repeats == "order":
        return {"rows": "order", "apart": ""}
    if not known.variant or known.label or known.variant not in preview.columns:
        return {}
    return {"rows": known.repeats or "variant", "apart": known.variant}


def has_examples(upload: Upload, experiment: Experiment) -> bool:
    """Whether a file that is read as the first one has its examples: by inputs, or by keys without any."""
    preview = preview_as_first(upload, experiment)
    first = _first(upload, experiment, preview)
    if not first or not _output(first, preview, ""):
        return False
    if _sources_of_inputs(first, preview, experiment):
        return bool(_inputs(first, preview, experiment))
    key = dict(first.paths).get(first.key or "", first.key)
    return bool(key and names_examples(key, preview, experiment))


def read(upload: Upload, experiment: Experiment, how: How = DEFAULTS) -> dict[str, Any]:
    """How the file is read by default, as an import stores it.

    Raises `Invalid` if only its sender knows to which examples the rows belong, and `ChoiceNeeded` if it wants to be
    asked.
    """
    choices.ask_about_sheets(upload, how)
    suggestion = suggest(upload, experiment)
    if not suggestion.is_matched:
        raise Invalid(
            "invalid_mapping",
            "No column names the examples of the rows, neither by key nor by inputs.",
            hint="Send a mapping: with key or position, or with the output alone if rows are in the dataset's order.",
            fields={"mapping": ["Name the column of the keys, or the output alone for rows in order."]},
        )
    checked = outputs.checked(upload, suggestion.mapping, how)
    rows = suggestion.rows
    return outputs.with_rows(upload, checked, rows["rows"], rows["apart"]) if rows else checked


def _first(upload: Upload, experiment: Experiment, preview: ingest.Preview) -> ColumnMap | None:
    """The mapping of the experiment's first file; of earlier sites, what was last confirmed for such a file."""
    if stored := experiment.first_file.get("mapping"):
        return ColumnMap.from_dict(stored)
    if not experiment.first_file:
        recalled = saved_mappings.recall_for(upload.project, preview)
        return ColumnMap.check(preview.columns, recalled) if recalled else None
    return None


def _output(known: ColumnMap, preview: ingest.Preview, usual: str) -> str:
    """The column or path of the outputs; "" if the file has none of the known ones."""
    there = [source for _, source in known.outputs if _has(source, preview) and _is_there(source, preview)]
    return usual if usual in there else next(iter(there), "")


def _newest(known: ColumnMap, preview: ingest.Preview, experiment: Experiment) -> str:
    """Of several columns of outputs, the one whose texts no run has yet; "" if not exactly one is new.

    A column that both files have alike, as one of right answers, is not what the later run said.
    """
    there = {variant: source for variant, source in known.outputs if _has(source, preview)}
    if len(there) < 2 or experiment.examples[MOST_EXAMPLES : MOST_EXAMPLES + 1].exists():
        return ""
    new = [source for variant, source in there.items() if not _is_known(source, preview, experiment, variant)]
    return new[0] if len(new) == 1 else ""


def _is_known(source: str, preview: ingest.Preview, experiment: Experiment, variant: str) -> bool:
    """Whether the run of a variant has most of the texts in the first rows."""
    texts = {text for text in map(text_of, _values(source, preview)) if text is not None}
    runs = experiment.runs.filter(variant=variant, deleted_at=None)
    stored = Output.objects.filter(run__in=runs, text__in=texts).values("text").distinct()
    return stored.count() * 2 > len(texts)


def _is_there(source: str, preview: ingest.Preview) -> bool:
    return any(value is not None for value in _values(source, preview))


def _values(source: str, preview: ingest.Preview) -> Sequence[JSON]:
    return columnmap.values(ingest.Objects(preview.lines, preview.rows), source)


def _matched(
    known: ColumnMap, preview: ingest.Preview, experiment: Experiment, usual: Mapping[str, str], output: str
) -> dict[str, Any]:
    """By the key of the first file or another column that names examples, else by inputs, else by position."""
    paths = dict(known.paths)
    keys = [paths.get(known.key or "", known.key), usual.get("key")]
    named = {key for key in keys if key and key != output and names_examples(key, preview, experiment)}
    if key := next((key for key in keys if key in named), None):
        return {"key": key}
    if inputs := _inputs(known, preview, experiment):
        return {"inputs": inputs}
    return {part: usual[part] for part in ("position", "key") if part in usual and usual[part] != output}


def names_examples(key: str, preview: ingest.Preview, experiment: Experiment) -> bool:
    """Whether most of the first rows name examples in this column, a third of them different ones."""
    if column_paths.named(key, preview.columns) is None and key not in preview.columns:
        return False
    source = key if key.startswith("$") and key not in preview.columns else of_column(key)
    texts = [*map(key_text, _values(source, preview))]
    known = by_metadata.positions(experiment, key)
    found = {*texts} & (known or Keys(experiment).positions(texts)).keys()
    return sum(text in found for text in texts) * 2 > len(texts) and len(found) * 3 >= len(texts)


def _inputs(known: ColumnMap, preview: ingest.Preview, experiment: Experiment) -> dict[str, str]:
    """The inputs, all or one of them, by which more than half of the rows are found; empty without any."""
    sources = _sources_of_inputs(known, preview, experiment)
    if not sources or experiment.examples[MOST_EXAMPLES : MOST_EXAMPLES + 1].exists():
        return {}
    for chosen in _choices(sources):
        found = outputs.by_inputs(experiment.examples, [*chosen])
        rows = zip(*(_values(source, preview) for source in chosen.values()), strict=True)
        texts = [*map(columnmap.matching_text, rows)]
        if sum(text in found for text in texts) * 2 > len(texts) and len({*texts}) * 3 >= len(texts):
            return chosen
    return {}


def _sources_of_inputs(known: ColumnMap, preview: ingest.Preview, experiment: Experiment) -> dict[str, str]:
    names = experiment.dataset.columns.get("inputs", ())
    return {name: source for name in names if (source := _source_of_input(name, known, preview))}


def _choices(sources: dict[str, str]) -> Iterator[dict[str, str]]:
    yield sources
    if len(sources) > 1:
        yield from ({name: source} for name, source in islice(sources.items(), 10))


def _source_of_input(name: str, known: ColumnMap, preview: ingest.Preview) -> str:
    candidates = [dict(known.paths).get(name), known.columns_of("inputs").get(name), f"inputs.{name}", name]
    return next((source for source in candidates if source and _has(source, preview)), "")


def _has(source: str, preview: ingest.Preview) -> bool:
    return source in preview.columns or (
        column_paths.named(source, preview.columns) is not None and _is_there(_path(source), preview)
    )


def _path(source: str) -> str:
    return jsonpath.compile(source).text


def _scores(known: ColumnMap, preview: ingest.Preview, output: str) -> dict[str, str | list[str]]:
    """The scores of the output in the file, by the names that they have in the experiment."""
    variants = {variant for variant, source in known.outputs if source == output}
    found = [score for score in known.scores if score.variant in variants and not score.among]
    there = [score for score in found if _has(score.source, preview)]
    return {name: named_by(raters) for (name, _), raters in by_name_and_variant(there).items()}


def _measures(known: ColumnMap, preview: ingest.Preview, output: str) -> dict[str, str]:
    """What the answers took, by kind: as of the first file, else as the names of columns say."""
    variants = {variant for variant, source in known.outputs if source == output}
    there = {
        one.kind: one.source
        for one in known.measures
        if one.variant in variants and _has(one.source, preview)
    }
    named = {name: guess.role for name, guess in preview.guesses.items() if guess.role in STORED}
    return there or {kind: name for name, kind in named.items()}
