"""Names for the variant of a file: the model that its rows name, what sets its name apart, or its name."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from evaluations import jsonpath
from evaluations.ingest import Preview
from evaluations.ingest.file_names import VERSION, ending, is_id
from evaluations.ingest.known_names import OUTPUTS
from evaluations.ingest.suggest import output_of
from evaluations.linear import Pattern
from evaluations.models import Experiment, Upload
from evaluations.other_tools import Evaluation
from evaluations.values import JSON, LONGEST_NAME

from . import outputs
from .columns import column_paths
from .uploads import uploads

# steps that name a run, the most telling first
OF_RUNS = (
    "model",
    "model_name",
    "model_id",
    "model_identifier",
    "model_name_or_path",
    "generator",
    "run_name",
    "provider",
    "engine",
)
INSIDE = ("id", "name")  # of an object under one of those
LEAST_ROWS = 2
NAMELESS = "none"  # the filter of samples of lm-evaluation-harness that have no other
PASTED = "pasted.txt"  # the name of a text that was not a file
_SEPARATORS = Pattern(r"[_\s|,=:]+")
_ENDINGS = Pattern(r"(?i)(\.(jsonl?|csv|tsv|xlsx?|ods|parquet|ndjson|txt|gz|zst))+$")
_MODEL = Pattern(
    r"(?i)(.*[^a-z])?(gpt|o[134]|claude|gemini|gemma|llama|mistral|mixtral|qwen|phi|deepseek|command|internlm|grok)"
    r"[^a-z].*"  # “phi-4”, and not “philosophy”
)


def suggested(upload: Upload, experiment: Experiment) -> str:
    """The name for the variant of a further file, which no variant of the experiment has, if one can be found."""
    if named := upload.mapping.get("named"):  # by the tool that wrote the file
        return f"{named}"
    first = experiment.first_file.get("filename", "")
    taken = {*experiment.runs.filter(deleted_at=None).values_list("variant", flat=True)}
    of_column = _of_column(outputs.suggest(upload, experiment).get("output", ""), experiment)
    names = [
        *of_rows(uploads.preview(upload)),
        of_column,
        apart(upload.filename, first),
        stem(upload.filename),
    ]
    found = [name[:LONGEST_NAME].strip() for name in names if name.strip()]
    again = [f"{found[-1][: LONGEST_NAME - 4]} {number}" for number in range(2, 100)] if found else []
    return next((name for name in [*found, *again] if name not in taken), "")


def _of_column(column: str, experiment: Experiment) -> str:
    """The variant that a column of outputs names: "v2" of "output_v2", or its name as it is where those of the first
    file named its variants.
    """
    if named := output_of(column):
        return named
    first: dict[str, str] = (experiment.first_file.get("mapping") or {}).get("outputs") or {}
    are_named = len(first) > 1 and all(variant == source for variant, source in first.items())
    return column if are_named and column.lower() not in OUTPUTS else ""


def of_file(filename: str, experiment: Experiment) -> str:
    """What sets a file's name apart from that of the first file, else its name without endings."""
    return apart(filename, experiment.first_file.get("filename", "")) or stem(filename)


def of_first(preview: Preview, filename: str) -> str:
    """The name for the variant of the only run of a file: its model; "" if nothing names one."""
    return (next(iter(of_rows(preview)), "") or model_in(filename))[:LONGEST_NAME]


def model_in(filename: str) -> str:
    """The part of a file's name that is the name of a known model; "" if none is.

    >>> model_in("Qwen3-4B__samples_mmlu_2025-08-11.jsonl"), model_in("model_outputs_Mistral-Nemo-2407.json")
    ('Qwen3-4B', 'Mistral-Nemo-2407')
    >>> model_in("swe_gpt-4.1-mini.verified-subset.json"), model_in("model=meta_llama-3.1-8b__per_instance_stats.json")
    ('gpt-4.1-mini', 'llama-3.1-8b')
    """
    name = stem(filename)
    last = ending(name)
    name = name.removesuffix(last) if "-" in last and len(last) > 9 else name
    return next((token for token in _tokens(name) if _MODEL.fullmatch(token)), "")[:LONGEST_NAME]


def of_tool(evaluation: Evaluation, filename: str) -> Evaluation:
    """The contents with the model in the file's name, or that name, for the only variant where the tool names none."""
    model = model_in(filename) or stem(filename)[:LONGEST_NAME]
    if not model or [variant.name for variant in evaluation.variants] != [NAMELESS]:
        return evaluation
    variants = [replace(variant, name=model) for variant in evaluation.variants]
    figures = [replace(figure, variant=model) for figure in evaluation.figures]
    return replace(evaluation, variants=variants, figures=figures)


def renamed(
    mapping: Mapping[str, Any], name: str, suggested_outputs: Sequence[tuple[str, str]]
) -> dict[str, Any]:
    """A mapping whose only variant, called after its column, gets this name; any other mapping as it is."""
    outputs: dict[str, str] = mapping.get("outputs") or {}
    [(variant, source)] = outputs.items() if len(outputs) == 1 else [("", "")]
    columns = {
        source,
        source.rpartition(".")[2],
        *(known for known, path in suggested_outputs if path == source),
    }
    if not name or not variant or variant not in columns or mapping.get("rater"):
        return {**mapping}
    scores = {
        score: {name if of == variant else of: column for of, column in by_variant.items()}
        for score, by_variant in (mapping.get("scores") or {}).items()
    }
    measures = {
        kind: {name if of == variant else of: column for of, column in by_variant.items()}
        for kind, by_variant in (mapping.get("measures") or {}).items()
    }
    beside = {"scores": scores, "measures": measures}
    return {**mapping, "outputs": {name: source}} | {part: found for part, found in beside.items() if found}


def of_rows(preview: Preview) -> list[str]:
    """The texts in fields that name a model or run, if they are the same in all first rows; the likeliest first."""
    if len(preview.rows) < LEAST_ROWS:
        return []
    sources = [*preview.columns]
    for column in column_paths.nested(preview.columns, preview.rows):
        sources += column_paths.paths(column, preview.rows[:LEAST_ROWS])
    ranked = sorted(
        (rank, place) for place, source in enumerate(sources) if (rank := _rank(source)) is not None
    )
    values = (_constant(sources[place], preview.rows) for _, place in ranked)
    return [*dict.fromkeys(name for name in values if name)]


def _rank(source: str) -> int | None:
    steps = source.replace("/", ".").lower().split(".")
    if source.startswith("$"):
        steps = [f"{step}".lower() for step in jsonpath.compile(source).prefix]
    if len(steps) > 1 and steps[-1] in INSIDE:
        steps = steps[:-1]
    return OF_RUNS.index(steps[-1]) if steps[-1] in OF_RUNS else None


def _constant(source: str, rows: Sequence[Mapping[str, JSON]]) -> str:
    column = source if any(source in row for row in rows) else ""
    values = [row.get(column) if column else column_paths.example(source, [row]) for row in rows]
    texts = {value.strip() for value in values if isinstance(value, str)}
    is_one = len(texts) == 1 and all(isinstance(value, str) for value in values)
    text = texts.pop() if is_one else ""
    return text if not text.isdecimal() and "\n" not in text and len(text) <= LONGEST_NAME else ""


def stem(filename: str) -> str:
    """The name of a file without its endings.

    >>> stem("Ergebnis_Prompt_v2.xlsx"), stem("samples.jsonl.gz"), stem("a/gpt-4.1.json")
    ('Ergebnis_Prompt_v2', 'samples', 'gpt-4.1')
    """
    return "" if filename == PASTED else _ENDINGS.sub("", PurePath(filename).name)


def apart(filename: str, first: str) -> str:
    """What a file's name has and that of the first file has not; "" if it is only a time, or an id.

    >>> apart("Ergebnis_Prompt_v2.xlsx", "Ergebnis_Prompt_v1.xlsx"), apart("gsm8k_B.csv", "gsm8k_A.csv")
    ('Prompt v2', 'B')
    >>> apart("bot-v4-7be4410d.csv", "bot-v3-1f9c20ab.csv"), apart("s_2025-01-02T03.csv", "s_2025-01-01T05.csv")
    ('bot v4', '')
    """
    name, other = stem(filename), stem(first)
    if not other:
        return ""
    ours, theirs = _tokens(name), _tokens(other)
    if len(ours) == 1 == len(theirs):
        ours, theirs = name.split("-"), other.split("-")
    ours, theirs = _without_common_ending(ours, theirs)
    known = {*theirs}
    kept = [place for place, token in enumerate(ours) if token not in known and not is_id(token)]
    if len(kept) == 1 and kept[0] and VERSION.fullmatch(ours[kept[0]]):
        kept.insert(0, kept[0] - 1)
    return " ".join(ours[place] for place in kept)


def _tokens(text: str) -> list[str]:
    return [token for token in _SEPARATORS.split(text) if token]


def _without_common_ending(ours: list[str], theirs: list[str]) -> tuple[list[str], list[str]]:
    """The tokens without an ending behind a point that one has in both names: “.verified-subset”."""
    common = {ending(token) for token in ours} & {ending(token) for token in theirs} - {""}
    return _cut(ours, common), _cut(theirs, common)


def _cut(tokens: Iterable[str], endings: Iterable[str]) -> list[str]:
    ends = [*endings]
    return [next((token.removesuffix(end) for end in ends if token.endswith(end)), token) for token in tokens]
