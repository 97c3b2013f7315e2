"""lm-evaluation-harness: the samples of a task (`--log_samples`), a row for each document and filter.

A filter is a way to read an answer, as in strict-match and flexible-extract of GSM8K, so its scores are graders of
the answer. In files of which each filter has answers of its own, it is a variant.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from evaluations.files.text import clean
from evaluations.ingest.suggest import roles
from evaluations.numerals import grouped
from evaluations.values import JSON

from .evaluation import (
    Answer,
    Evaluation,
    Grader,
    Item,
    Score,
    Variant,
    as_list,
    as_objects,
    digest,
    distinct,
    number,
    refused,
)

TOOL = "lm-evaluation-harness"
HOW = "Export the samples again, with --log_samples."
# fields with a place of their own
MODELS = ("model", "model_name", "model_name_or_path")
PLACED = {*MODELS, "doc_id", "doc", "target", "resps", "filtered_resps", "filter", "metrics"}
NO_FILTER = "none"
INVALID = "[invalid]"  # what a filter gives that finds nothing in an answer
NOT_IMPORTED = ("arguments", "doc_hash", "prompt_hash", "target_hash")


def evaluation(document: Any) -> Evaluation:
    rows = [
        row for row in as_objects(document if isinstance(document, list) else [document]) if "doc_id" in row
    ]
    if not rows:
        raise refused(TOOL, "the file has no samples with a doc_id.", HOW)
    first: dict[str, dict[str, Any]] = {}
    for row in rows:
        first.setdefault(_key(row), row)
    index = {key: number for number, key in enumerate(first)}
    unread = _unread(rows)
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault((_model(row), NO_FILTER if unread else _filter(row)), []).append(row)
    metrics = dict.fromkeys((_filter(row) if unread else "", name) for row in rows for name in _metrics(row))
    # acc_norm is fair to longer options, and what is reported where both stand
    ordered = sorted(metrics, key=lambda metric: (unread.get(metric[0], 0), not metric[1].endswith("_norm")))
    labels = distinct([f"{name}, {chosen}" if chosen else name for chosen, name in ordered])
    names = dict(zip(ordered, labels, strict=True))
    return Evaluation(
        tool=TOOL,
        version="samples",
        name="samples",
        items=[_item(key, row) for key, row in first.items()],
        variants=[
            Variant(
                name,
                ({} if unread else {"filter": chosen}) | ({"model": model} if model else {}),
                _repetitions(group, index, names),
            )
            for ((model, chosen), group), name in zip(
                groups.items(), distinct(_labels([*groups])), strict=True
            )
        ],
        graders=[
            Grader(names[chosen, metric], metric, why=_why(unread.get(chosen, 0)))
            for chosen, metric in ordered
        ],
        notes=[*_notes(rows)],
    )


def _unread(rows: list[dict[str, Any]]) -> dict[str, int]:
    """How many answers each filter found nothing in; empty unless several filters read the same answers."""
    responses: dict[tuple[str, str, int], dict[str, bytes]] = {}
    counts: Counter[tuple[str, str, str]] = Counter()
    unread = dict.fromkeys(map(_filter, rows), 0)
    for row in rows:
        chosen = _filter(row)
        place = _model(row), _key(row), counts[_model(row), _key(row), chosen]
        counts[_model(row), _key(row), chosen] += 1
        responses.setdefault(place, {})[chosen] = digest(row.get("resps"))
        unread[chosen] += _answer(row) in (None, "", INVALID)
    is_same = all(row.get("resps") for row in rows) and all(
        len(by_filter) == len(unread) and len({*by_filter.values()}) == 1 for by_filter in responses.values()
    )
    return unread if is_same and len(unread) > 1 else {}


def _why(unread: int) -> str:
    found = f"; its filter found no answer in {grouped(unread)} of the outputs" if unread else ""
    return f"the harness computed it{found}"


def slim(value: dict[str, Any]) -> dict[str, Any]:
    """A sample without the prompts that it repeats for every filter."""
    return (
        {name: member for name, member in value.items() if name not in NOT_IMPORTED}
        if "doc_id" in value
        else value
    )


def _key(row: Mapping[str, Any]) -> str:
    return clean(str(row["doc_id"]))


def _filter(row: Mapping[str, Any]) -> str:
    return clean(str(row.get("filter") or NO_FILTER))


def _model(row: Mapping[str, Any]) -> str:
    """The model, which people add to each sample before they join the files of several."""
    return next((clean(row[name]) for name in MODELS if isinstance(row.get(name), str) and row[name]), "")


def _labels(groups: list[tuple[str, str]]) -> list[str]:
    """A name for each model and filter, of what differs between them."""
    models, filters = ({group[place] for group in groups} for place in (0, 1))
    if len(models) == 1:
        return [chosen for _, chosen in groups]
    return [model or chosen if len(filters) == 1 else f"{model} {chosen}".strip() for model, chosen in groups]


def _metrics(row: Mapping[str, Any]) -> list[str]:
    """The names of a sample's scores; older versions do not list them."""
    listed = [name for name in as_list(row.get("metrics")) if isinstance(name, str)]
    names = listed or [name for name in row if name not in PLACED]
    return [name for name in names if _score(row.get(name)) is not None]


def _score(value: Any) -> float | None:
    return float(value) if isinstance(value, bool) else number(value)


def _item(key: str, row: Mapping[str, Any]) -> Item:
    """The fields of the document are inputs, except those that hold the answer."""
    doc = row.get("doc")
    fields: dict[str, JSON] = doc if isinstance(doc, dict) else {"doc": doc}
    by_name = roles(fields)
    inputs = {name: value for name, value in fields.items() if by_name[name] not in ("reference", "output")}
    metadata = {name: value for name, value in fields.items() if name not in inputs}
    if row.get("resps") is not None:
        metadata["resps"] = row["resps"]
    return Item(inputs, {"target": row.get("target")}, metadata, key)


def _repetitions(
    rows: list[dict[str, Any]], index: Mapping[str, int], names: Mapping[tuple[str, str], str]
) -> list[dict[int, Answer]]:
    """The answers of a variant; a document that occurs again with its filter begins the next repetition."""
    repetitions: list[dict[int, Answer]] = []
    seen: Counter[tuple[int, str]] = Counter()
    is_read_by_filters = any(chosen for chosen, _ in names)
    for row in rows:
        item, chosen = index[_key(row)], _filter(row) if is_read_by_filters else ""
        repetition = seen[item, chosen]
        seen[item, chosen] += 1
        if repetition == len(repetitions):
            repetitions.append({})
        output = _response(row) if is_read_by_filters else _answer(row)
        answer = repetitions[repetition].setdefault(item, Answer(output))
        answer.scores.update({names[chosen, name]: Score(_score(row.get(name))) for name in _metrics(row)})
    return repetitions


def _answer(row: Mapping[str, Any]) -> JSON:
    """What the filter left of the answer."""
    return _only(row.get("filtered_resps"))


def _response(row: Mapping[str, Any]) -> JSON:
    """The whole answer, as the model wrote it."""
    return _only(_only(row.get("resps")))


def _only(value: JSON) -> JSON:
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _notes(rows: list[dict[str, Any]]) -> Iterator[str]:
    left_out = [name for name in NOT_IMPORTED if any(name in row for row in rows)]
    if left_out:
        yield f"Not imported: {', '.join(left_out)}."
    listed = dict.fromkeys(
        name for row in rows for name in as_list(row.get("metrics")) if isinstance(name, str)
    )
    scored = {name for row in rows for name in _metrics(row)}
    if unscored := [name for name in listed if name not in scored]:
        yield f"No numbers for each sample, and so not imported: {', '.join(unscored[:20])}."
    others = dict.fromkeys(
        name for row in rows for name in row if name not in {*PLACED, *NOT_IMPORTED, *listed, *scored}
    )
    if others:
        yield f"Not imported: {', '.join([*others][:20])}."
