"""Formats answers as lines for people."""

import math
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

NEAREST, ROUNDED = 1e-12, 12  # a number nearer to 0 or 1, or a later decimal, is a rounding error
SMALLEST = 0.0005  # end of an interval that says how many decimals both need
WORDS = {"better": "better", "worse": "worse", "cannot_tell": "no clear difference"}


def printable(line: str) -> str:
    """The line without control characters, by which a name could command a terminal.

    >>> printable("red: \\x1b[31mred")
    'red: �[31mred'
    >>> printable("99.9\\u202f% answered")
    '99.9 % answered'
    """
    return "".join(map(_printable, line))


def _printable(character: str) -> str:
    if unicodedata.category(character) == "Zs":  # narrow spaces are harmless too
        return " "
    return character if character.isprintable() else "\N{REPLACEMENT CHARACTER}"


def grouped(count: int) -> str:
    """A whole number with spaces between thousands.

    >>> grouped(1234567), grouped(999)
    ('1 234 567', '999')
    """
    return f"{count:,}".replace(",", " ")


def counted(count: int, noun: str) -> str:
    """
    >>> counted(1, "row"), counted(2000, "row")
    ('1 row', '2 000 rows')
    """
    return f"{grouped(count)} {noun}{'s' * (count != 1)}"


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows in aligned columns; the first row has the heads.

    >>> table([["run", "mean"], ["12", "0.5"]])
    ['run  mean', '12   0.5']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    padded = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    return [line.rstrip() for line in padded]


def dataset(upload: Mapping[str, Any]) -> Iterator[str]:
    yield f"Dataset {upload['id']} {upload['name']}: {upload['status']}, {grouped(upload['example_count'])} examples"
    if upload.get("experiment"):
        yield f"Experiment {upload['experiment']}"
    yield from map(_warning, upload["warnings"])


def _warning(warning: Mapping[str, Any]) -> str:
    """What is wrong, and what to do about it."""
    return f"Warning: {warning['message']} {warning.get('hint') or ''}".rstrip()


def change(upload: Mapping[str, Any]) -> Iterator[str]:
    sizes = [
        f"{grouped(upload[name])} {name}" for name in ("added", "changed", "removed", "same", "duplicates")
    ]
    state = "dry run" if upload["dry_run"] else f"version {upload['version']}"
    yield f"{upload['filename']}, {state}: {', '.join(sizes)}"
    yield from map(_warning, upload["warnings"])


def preview(preview_answer: Mapping[str, Any]) -> Iterator[str]:
    if preview_answer["same_content"]:
        yield f"Dataset {preview_answer['same_content']} has the same content."
    yield from (
        _export(preview_answer["tool"]) if preview_answer["tool"] else _table_preview(preview_answer["table"])
    )


def _export(tool: Mapping[str, Any]) -> Iterator[str]:
    sizes = [counted(tool[f"{noun}s"], noun) for noun in ("example", "answer", "repetition")]
    yield f"{tool['tool']} {tool['version']}: {', '.join(sizes)}"
    yield from (f"  variant {variant['name']}" for variant in tool["variants"])
    yield from (f"  prompt {name}" for name in tool["prompts"])
    for grader in tool["graders"]:
        yield f"  grader {grader['name']}: " + (
            f"becomes {grader['kind']}" if grader["kind"] else f"stays an outside score: {grader['why']}"
        )
    yield from tool["notes"]


def _table_preview(shown: Mapping[str, Any]) -> Iterator[str]:
    forecast, mapping = shown["forecast"], shown["mapping"]
    rows = (
        counted(forecast["rows"], "row")
        if forecast["whole"]
        else f"the first {grouped(forecast['rows'])} rows"
    )
    yield f"Table ({shown['format']['kind']}): {counted(forecast['examples'], 'example')} in {rows}"
    yield from (f"  {part}: {_columns(named)}" for part, named in mapping.items() if named)
    if shown["left_out"]:
        yield f"  left out: {', '.join(shown['left_out'])}"
    if forecast["keys_twice"]:
        yield f"Rows that repeat an earlier key: {grouped(forecast['keys_twice'])}"
    yield from map(_problem, shown["problems"])
    yield from map(_warning, shown["warnings"])


def _problem(group: Mapping[str, Any]) -> str:
    """Rows that cannot be read for the same reason, with the lines of the first ones."""
    lines = ", ".join(str(location["line"]) for location in group["locations"] if "line" in location)
    text = f"{counted(group['count'], 'row')}: {group['message']}"
    return f"{text} (line {lines})" if lines else text


def _columns(named: Any) -> str:
    """Columns, with their names in the dataset.

    >>> _columns(["a", "b"]), _columns({"v1": "one", "v2": "v2"}), _columns("id")
    ('a, b', 'v1 = one, v2', 'id')
    """
    if isinstance(named, Mapping):
        return ", ".join(name if name == source else f"{name} = {source}" for name, source in named.items())
    return named if isinstance(named, str) else ", ".join(named)


def imported(answer: Mapping[str, Any]) -> Iterator[str]:
    yield from dataset(answer["dataset"])
    if answer["source"]:
        yield from _source(answer["source"])
    else:
        yield "The file is not an export of a known tool; it was read as a table."


def _source(source: Mapping[str, Any]) -> Iterator[str]:
    yield f"From {source['tool']} {source['version']}".rstrip()
    rows = [["variant", "grader", "figure", "theirs", "ours", ""]]
    for line in source["figures"]:
        rows += [_figure(line, name) for name in ("mean", "pass_rate") if line["ours"][name] is not None]
    yield from table(rows)
    yield from (f"{grader['name']}: {grader['why']}" for grader in source["graders"] if grader["why"])
    yield from (_failed(grader, source["tool"]) for grader in source["graders"] if grader.get("failed"))
    yield from source["notes"]


def _failed(grader: Mapping[str, Any], tool: str) -> str:
    failed = f"{grader['name']}: {counted(grader['failed'], 'answer')} failed"
    if grader["why"]:
        return f"{failed}: {tool} counts them as not passed; both figures do the same"
    return f"{failed}: no score in {tool}, 0 in Evalsite; both figures exclude them"


def _figure(line: Mapping[str, Any], name: str) -> list[str]:
    tool_figure, evalsite_figure = (line[side][name] for side in ("theirs", "ours"))
    word = {True: "equal", False: "DIFFERS", None: ""}[line["equal"]] if tool_figure is not None else ""
    columns = [line["variant"] or "all", line["grader"]]
    return [*columns, name.replace("_", " "), number(tool_figure), number(evalsite_figure), word]


def run(run_answer: Mapping[str, Any]) -> Iterator[str]:
    yield f"Run {run_answer['id']} {run_answer['variant']}: {run_answer['status']}"
    for scoring in run_answer["scorings"]:
        yield f"  {scoring['evaluator']['name']}: {_mean(scoring)}"


def _mean(scoring: Mapping[str, Any]) -> str:
    """The mean that comparisons and pages count, and that of the scored answers alone where it is another one."""
    compared = scoring.get("compared")
    shown = compared or scoring
    ends = shown["interval"]
    around = f" [{number(ends[0])}, {number(ends[1])}]" if ends else ""
    alone = f" ({number(scoring['mean'])} of the {grouped(scoring['n'])} scored alone)" if compared else ""
    return f"mean {number(shown['mean'])}{around}, n = {grouped(shown['n'])}{alone}"


def launch(launch_answer: Mapping[str, Any]) -> Iterator[str]:
    answers = " of ".join(grouped(launch_answer["progress"][name]) for name in ("done", "total"))
    runs = ", ".join(map(str, launch_answer["runs"]))
    yield f"Launch {launch_answer['id']}: {launch_answer['status']}, {answers} answers"
    yield f"Experiment {launch_answer['experiment']}, runs {runs}"
    yield f"Spent {launch_answer['spent']}" + (
        f" of {launch_answer['budget']}" if launch_answer["budget"] else ""
    )
    yield from (f"  {grouped(count)} failed: {code}" for code, count in launch_answer["errors"].items())


def comparison(answer: Mapping[str, Any]) -> Iterator[str]:
    yield answer["sentence"]
    if remarks := answer.get("remarks"):  # older servers have none
        yield remarks
    rows = [["variant", "evaluator", "mean", "baseline", "difference", "95 % interval", "n", "verdict"]]
    rows += [_entry(entry) for entry in answer["entries"]]
    if answer["entries"]:
        yield ""
        yield from table(rows)
    yield from map(_warning, answer["warnings"])


def _entry(entry: Mapping[str, Any]) -> list[str]:
    ends = entry["interval"]
    verdict = WORDS[entry["verdict"]] if entry["verdict"] else entry["reason"] or "no verdict"
    unheld = " (not checked against people)" if entry.get("standing") == "not_held" else ""
    return [
        entry["variant"],
        f"{entry['evaluator']['name']}{unheld}",
        number(entry["mean"]),
        number(entry["baseline_mean"]),
        number(entry["difference"], sign="+"),
        f"[{', '.join(both(ends))}]" if ends else "",
        grouped(entry["n"]),
        verdict,
    ]


def check(gate_answer: Mapping[str, Any]) -> Iterator[str]:
    yield f"{gate_answer['verdict'].upper()}: {gate_answer['sentence']}"
    yield from (
        f"  {criterion['verdict'].upper()}  {criterion['title']}: {criterion['words']}"
        for criterion in gate_answer["criteria"]
    )
    yield from (f"  CHANGED  {change}" for change in gate_answer["changes"])


def gate(gate_answer: Mapping[str, Any]) -> Iterator[str]:
    baseline = "none: it was deleted" if gate_answer["baseline"] is None else f"run {gate_answer['baseline']}"
    yield f"Gate {gate_answer['id']} {gate_answer['name']}: baseline {baseline}, hash {gate_answer['hash']}"
    yield from (f"  {_criterion(criterion)}" for criterion in gate_answer["criteria"])


def _criterion(criterion: Mapping[str, Any]) -> str:
    """A criterion in the syntax of `gates create --criterion`."""
    fields = (f"{name}={value}" for name, value in criterion.items() if name != "rule")
    return " ".join([criterion["rule"], *fields])


def judge_cost(estimate: Mapping[str, Any]) -> Iterator[str]:
    cost = "no price is known" if estimate["cost"] is None else f"at most about {estimate['cost']}"
    yield f"{counted(estimate['texts'], 'answer')}, {grouped(estimate['tokens'])} tokens: {cost}"


def judging(answer: Mapping[str, Any]) -> Iterator[str]:
    progress = answer["progress"]
    counts = ", ".join(f"{grouped(progress[name])} {name}" for name in ("given", "none", "failed", "cached"))
    yield f"Judging {answer['id']} of run {answer['run']}: {answer['status']}, spent {answer['spent']}"
    yield f"  {grouped(progress['done'])} of {grouped(progress['total'])} questions: {counts}"
    if answer.get("attacks"):
        yield f"  withstood {answer['attacks']['withstood']} of {counted(answer['attacks']['asked'], 'attack')}"


def verdict(answer: Mapping[str, Any]) -> str:
    said = answer["verdict"] or answer["problem"] or answer["state"]
    return f"{answer['example']}  {said}  {answer['reason']}"


def passport(answer: Mapping[str, Any]) -> Iterator[str]:
    if not answer["held"]:
        yield "Not checked against people."
    yield answer["sentence"]
    parts = ", ".join(f"{part['name']} {grouped(part['answers'])}" for part in answer["parts"])
    yield f"Labels: {parts}; opened {counted(len(answer['openings']), 'time')}"
    if answer["unsealing"]:
        yield f"The labels were unsealed: {answer['unsealing']['reason']}"
    named = [(variant["variant"], variant["agreement"]) for variant in answer["variants"]]
    people = [("people", answer["peers"])] if answer["peers"] else []
    whole = [("all variants", answer["sealed"])] if answer["sealed"] else []
    if rows := [*people, *whole, *named]:
        yield ""
        yield from _agreements(rows)


def agreement(answer: Mapping[str, Any]) -> Iterator[str]:
    yield answer["sentence"]
    yield f"{counted(answer['answers'], 'answer')} labelled, {grouped(answer['sealed'])} of them sealed"
    rows = [("people", answer["peers"])] if answer["peers"] else []
    rows += [(one["evaluator"]["name"], one["agreement"]) for one in answer["evaluators"] if one["agreement"]]
    if rows:
        yield ""
        yield from _agreements(rows)
    closed = [one["evaluator"]["name"] for one in answer["evaluators"] if not one["agreement"]]
    if closed:
        yield f"Not checked against people: {', '.join(closed)}"


def opinions(answer: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if not answer:
        yield "Nobody labelled these answers."
    for one in answer:
        yield one["sentence"]
        if one["helped"]:
            helped = one["helped"]
            judged, saved = grouped(helped["judged"]), grouped(helped["saved"])
            yield f"  From {counted(helped['labels'], 'label')}"
            yield f"  {one['helper']['name']} judged {judged} answers and saved {saved} of the labels"
        elif one["labels_only"]:
            yield f"  From {counted(one['labels_only']['labels'], 'label')}, labels only"
        else:
            yield "  Transferred from other runs: it decides nothing"


def _agreements(rows: Sequence[tuple[str, Mapping[str, Any]]]) -> list[str]:
    heads = ["who", "agreed", "κ", "95 % interval", "AC1"]
    return table([heads, *(_agreed(name, figures) for name, figures in rows)])


def _agreed(name: str, figures: Mapping[str, Any]) -> list[str]:
    ends = figures["kappa"]["interval"]
    around = f"[{number(ends[0])}, {number(ends[1])}]" if ends else ""
    agreed = f"{figures['agreed']:g} of {grouped(figures['n'])}"
    return [name, agreed, number(figures["kappa"]["value"]), around, number(figures["ac1"]["value"])]


def label_task(answer: Mapping[str, Any]) -> Iterator[str]:
    progress = answer["progress"]
    state = "ended" if answer["closed_at"] else "open"
    yield f"Task {answer['id']} of label set {answer['label_set']}: {state}, {counted(answer['size'], 'example')}"
    yield f"  {grouped(progress['done'])} of {counted(progress['total'], 'label')}, {progress['unsure']} unsure"


def sent_labels(answer: Mapping[str, Any]) -> Iterator[str]:
    yield f"{counted(answer['stored'], 'label')} of {counted(answer['raters'], 'rater')} added"
    if answer["left_out"]:
        yield f"Columns that were not read: {', '.join(answer['left_out'])}"


def both(ends: Sequence[float]) -> list[str]:
    """The ends of the interval of a difference as pages write them, with equally many decimals.

    An end that would look like zero, without being it, has one more; one that is nearer still has its sign alone.

    >>> both([-0.007, 0.0003]), both([-0.00001, 0.00005]), both([0.0, 0.25]), both([-3.21, 12.345])
    (['-0.007', '+0.0003'], ['-0.00001', '+0.00005'], ['0.000', '+0.250'], ['-3.21', '+12.35'])
    >>> both([-0.000004, 0.091])
    ['-0.000', '+0.091']
    """
    sides = [0.0 if abs(end) <= NEAREST else end for end in ends]
    told = [end for end in sides if abs(end) >= SMALLEST] or [max(sides, key=abs)]
    least = _decimals(max(map(abs, sides)))
    decimals = max(_honest(end, least) for end in told)
    return [_end(end, decimals) for end in sides]


def _end(value: float, decimals: int) -> str:
    needed = decimals if abs(value) >= 0.5 * 10.0**-decimals else _honest(value, decimals)
    if value and needed > decimals + 1:
        return f"{'+' if value > 0 else '-'}{0.0:.{decimals}f}"
    return f"{round(value, ROUNDED):+.{needed}f}" if value else f"{0.0:.{decimals}f}"


def number(value: float | None, sign: str = "") -> str:
    """A number as pages write it: three decimals, fewer of large ones, more where it would look like 0 or 1 without
    being it; a dash for none. `evaluations/numerals.py` has the same rules; tests/client/test_lines.py compares them.

    >>> number(0.25), number(0.25, sign="+"), number(None), number(0.9996), number(-0.00002), number(-0.0)
    ('0.250', '+0.250', '–', '0.9996', '-0.00002', '0.000')
    >>> number(0.22649999999999987), number(12.345, sign="+"), number(123.45)
    ('0.227', '+12.35', '123.5')
    """
    if value is None or math.isnan(value):
        return "–"
    shown = round(value, ROUNDED) if abs(value) > NEAREST else 0.0
    return f"{shown:{sign if shown else ''}.{_honest(shown, _decimals(abs(shown)))}f}"


def _decimals(size: float) -> int:
    return 3 - (size >= 10) - (size >= 100)


def _honest(value: float, decimals: int) -> int:
    """The decimals with which a number does not look like 0 or 1 without being it."""
    aways = [abs(abs(value) - bound) for bound in (0, 1)]
    near = (away for away in aways if NEAREST < away < 0.5 * 10.0**-decimals)
    return next((max(decimals, -math.floor(math.log10(away) + 1e-9)) for away in near), decimals)
