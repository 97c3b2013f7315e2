"""Suggests the role of each column by well-known names. If in doubt, none: a wrong guess costs more than a question."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from evaluations.linear import SPACE, Pattern
from evaluations.values import PARTS, without_accents

from . import wrapped
from .known_names import (
    ANSWERS,
    NAMES,
    OF_RUNS,
    OTHER_KEYS,
    OTHER_MODELS,
    OTHERWISE,
    OUTPUTS,
    REFERENCES,
    SCORES,
    TELL_APART,
    VARIANTS,
)
from .role_words import NOT_OUTPUT
from .score_words import OF_CALLS

_OUTPUT_OF = Pattern(
    r"(?:output|response|completion|prediction)s?[_ .:-]+(.+)|(.+?)[_ .:-]+(?:output|response|completion|prediction)",
    ignore_case=True,
)
OF_OUTPUTS = ("output.", "outputs.")  # beginnings of names in the details of runs
PATHS = 100
VARIANT = 200  # characters of a variant's name
# the number or letter of one of several references or outputs: ref1, reference_b
_NUMBER = Pattern(r"[ _.-]?(?:\p{Nd}{1,2}|[a-d])$")
_GAP = Pattern(rf"[{SPACE}-]+")
_GAP_OR_SIGN = Pattern(r"[^\p{L}\p{N}]+")
_CAMEL_CASE = Pattern("([a-z0-9])([A-Z])")
# the reader of paths takes no letters of further scripts, as Chinese ones, behind the first one
_SHORTHAND = Pattern(r"[A-Za-z_\x{80}-\x{10ff}][A-Za-z0-9_\x{80}-\x{10ff}]*")
_ESCAPES = {code: f"\\u{code:04x}" for code in range(0x20)}


def is_called_variant(name: str) -> bool:
    """Whether a column is called as one that tells variants apart.

    >>> is_called_variant("Model"), is_called_variant("agent_model"), is_called_variant("judge_model")
    (True, True, False)
    """
    name = name.removeprefix("inputs.")  # of a run, in its details
    maker, _, model = plain(name).rpartition("_")
    return plain(name) in TELL_APART or (model == "model" and bool(maker) and maker not in OTHER_MODELS)


def roles(columns: Iterable[str]) -> dict[str, str]:
    """The role of every column: "inputs", "reference", "key", "output" or "metadata".

    Case is ignored, an "s" at the end of "answers" or "references" too; "gold-label", "gold label" and "goldLabel" are
    one name.
    """
    names = {column: plain(column) for column in columns}
    has_grades = _has_answers_as_inputs(names.values())
    if has_grades:
        names = {column: name.removeprefix("inputs.") for column, name in names.items()}
    sure = {
        column: part_of(name if has_grades else column) or _sure_role(name) for column, name in names.items()
    }
    if has_grades:
        sure |= dict.fromkeys((name for name in names if plain(name).startswith("outputs.")), "metadata")
    sure |= {} if has_grades else _of_details(names)
    if _is_instructions({*names.values()}, [*sure.values()]) or _are_pairs(names, sure):
        sure = {column: "reference" if role == "output" else role for column, role in sure.items()}
    said = OUTPUTS | {"outputs", "predictions"}
    if {*names.values()} & (REFERENCES | {"answer"}) and {*names.values()} & said - {"solution"}:
        # how to get to the answer, and no output
        sure |= {column: "metadata" for column, name in names.items() if name == "solution"}
    if "premise" in names.values():
        sure |= {column: "inputs" for column, name in names.items() if name == "hypothesis"}
    sure |= _input_prefixes(names, sure)
    used_roles = set(sure.values())
    roles = {column: role or _other_role(names[column], used_roles) for column, role in sure.items()}
    if "key" not in used_roles:
        roles |= {column: "key" for column, name in names.items() if name in OTHER_KEYS and not sure[column]}
    roles |= dict.fromkeys(_beside_others(roles, names), "metadata")
    if {"problem", "solution", "answer"} <= {*names.values()}:  # as in MATH, the answer with how to get there
        roles |= {column: "metadata" for column, name in names.items() if name == "solution"}
    roles |= dict.fromkeys(_beside_answers(roles, names), "metadata")
    keys = [column for column, role in roles.items() if role == "key"]
    return roles | dict.fromkeys(keys[1:], "metadata")


def _has_answers_as_inputs(names: Iterable[str]) -> bool:
    """Whether the columns are those of a grader, whose inputs are answers and whose outputs are scores, as in Azure."""
    return any(name.startswith("inputs.") and name.removeprefix("inputs.") in OUTPUTS for name in names)


def _of_details(names: Mapping[str, str]) -> dict[str, str]:
    """The roles in the details of runs in which what is right stands among the inputs, as in those of promptflow.

    >>> _of_details({name: name for name in ("inputs.question", "inputs.groundtruth", "outputs.answer", "outputs.ms")})
    {'inputs.groundtruth': 'reference', 'outputs.ms': 'metadata'}
    """
    outputs = [column for column, name in names.items() if name.startswith(OF_OUTPUTS)]
    inputs = {column: _last(name) for column, name in names.items() if name.startswith("inputs.")}
    right = [column for column, name in inputs.items() if name in REFERENCES]
    if not right or not outputs:
        return {}
    numbers = [column for column, name in inputs.items() if name == "line_number"]
    about = [column for column in outputs if {*_GAP_OR_SIGN.split(_last(names[column]))} <= NOT_OUTPUT]
    return (
        dict.fromkeys(right, "reference")
        | dict.fromkeys(numbers, "key")
        | dict.fromkeys([*about, *filter(_is_score_of_run, outputs)], "metadata")
    )


def _beside_answers(roles: Mapping[str, str], names: Mapping[str, str]) -> list[str]:
    """Fields of an output beside one that is named as the answer, such as output.rationale beside output.label."""
    outputs = {
        column: names[column]
        for column, role in roles.items()
        if role == "output" and names[column].startswith(OF_OUTPUTS)
    }
    named = [column for column, name in outputs.items() if _last(name) in (OUTPUTS | {*ANSWERS})]
    beside = [names[column].rpartition(".")[0] for column in named]
    return [
        column
        for column, name in outputs.items()
        if column not in named and name.rpartition(".")[0] in beside
    ]


def _last(name: str) -> str:
    """The last part of a name with points.

    >>> _last("inputs.example.expected_answers")
    'expected_answer'
    """
    return plain(name.rpartition(".")[2])


def _is_score_of_run(column: str) -> bool:
    """Whether a name is that of scores beside an output, as output.scores.judge."""
    parts = column.lower().split(".")
    return len(parts) > 1 and f"{parts[0]}." in OF_OUTPUTS and parts[1] in SCORES


def sure_roles(columns: Iterable[str]) -> dict[str, str | None]:
    """The role of each column whose name has one meaning; None for the others."""
    return {column: _sure_role(plain(column)) for column in columns}


def plain(column: str) -> str:
    """The name in lower case with underscores and without accents, in the singular if that is well known.

    >>> plain("expectedOutput"), plain("Gold answers"), plain("inputs"), plain("Réponse"), plain("モデル")
    ('expected_output', 'gold_answer', 'inputs', 'reponse', 'モデル')
    """
    name = _CAMEL_CASE.sub(r"\1_\2", _GAP.sub("_", column.strip())).lower()
    name = without_accents(name) if any("à" <= letter <= "ỹ" for letter in name) else name
    singular = name.removesuffix("s")
    return singular if singular in REFERENCES | OTHERWISE.keys() else name


def _is_instructions(names: set[str], sure_roles: list[str | None]) -> bool:
    """Whether the columns are those of Alpaca or Dolly, whose only output or response is the one to learn.

    With a column that names a model, it is an answer of that model.
    """
    is_alone = sure_roles.count("output") == 1 and "reference" not in sure_roles
    return is_alone and "instruction" in names and not names & VARIANTS


def _beside_others(roles: Mapping[str, str], names: Mapping[str, str]) -> list[str]:
    """Columns of all outputs, such as "outputs", beside columns of single ones."""
    outputs = [column for column, role in roles.items() if role == "output"]
    plural = [column for column in outputs if names[column] in ("outputs", "predictions")]
    return plural if len(outputs) > len(plural) else []


def _are_pairs(names: Mapping[str, str], sure: Mapping[str, str | None]) -> bool:
    """Whether the columns are those of a LangSmith dataset, in which the outputs are the right ones.

    A column that only runs have shows that they are not.
    """
    ends = {name.partition(".")[0] for name in names.values()}
    has_fields = any(name.startswith("outputs.") for name in names.values())
    return (
        has_fields and "inputs" in ends and "reference" not in sure.values() and not ends & (OF_RUNS | SCORES)
    )


def _input_prefixes(names: Mapping[str, str], sure: Mapping[str, str | None]) -> dict[str, str]:
    """The roles of "input_question" and "output_answer", where both are prefixed: LangSmith's datasets as CSV."""
    inputs = [column for column, name in names.items() if name.startswith("input_") and not sure[column]]
    outputs = [
        column
        for column, name in names.items()
        if name.removeprefix("output_") in ANSWERS and name[:7] == "output_"
    ]
    if not inputs or not outputs or "reference" in sure.values() or {*names.values()} & OF_RUNS:
        return {}
    return dict.fromkeys(inputs, "inputs") | dict.fromkeys(outputs, "reference")


def part_of(column: str) -> str | None:
    """The part with which an export prefixed the name: "inputs" of "inputs.q"; None without a prefix."""
    part, dot, name = column.partition(".")
    return part if dot and part in PARTS and name.strip() else None


def names_without_prefix(roles: Mapping[str, str]) -> dict[str, str]:
    """The names without prefix, for columns prefixed with their part, unless another column of that part has the name.

    >>> names_without_prefix({"inputs.q": "inputs", "metadata.q": "metadata", "inputs.a": "metadata"})
    {'inputs.q': 'q', 'metadata.q': 'q'}
    """
    short_names: dict[str, str] = {}
    # A name without its prefix is shorter, so it comes first.
    prefixed = [column for column in roles if part_of(column) or _is_right_output(column, roles)]
    for column in sorted(prefixed, key=len):
        name = column.removeprefix("outputs." if _is_right_output(column, roles) else f"{roles[column]}.")
        if name != column and (roles.get(name) != roles[column] or name in short_names):
            short_names[column] = name
    return short_names


def _is_right_output(column: str, roles: Mapping[str, str]) -> bool:
    """Whether a field of LangSmith's `outputs` is a reference."""
    return column.startswith("outputs.") and column != "outputs." and roles[column] == "reference"


def _sure_role(name: str) -> str | None:
    by_name = (role for role, role_names in NAMES.items() if name in role_names)
    return next(by_name, None) or _numbered_role(name) or _role_of_field(name)


def _role_of_field(name: str) -> str | None:
    """The role of a field of a reference, such as "reference_outputs.answer", or of "outputs"."""
    whole, dot, _ = name.partition(".")
    if dot and whole == "outputs":
        return "output"
    return "reference" if dot and plain(whole) in REFERENCES else None


def _numbered_role(name: str) -> str | None:
    unnumbered = _NUMBER.sub("", name)
    return next((role for role in ("reference", "output") if unnumbered in NAMES[role]), None)


def _other_role(name: str, used_roles: set[str | None]) -> str:
    first, second = OTHERWISE.get(name, ("metadata", "metadata"))
    if name not in OTHERWISE and output_of(name):
        return "output"
    return second if first in used_roles else first


def output_of(column: str) -> str:
    """The variant whose outputs a column holds, by its name: "gpt-4" of "output_gpt-4" or "gpt-4 response"; else "".

    >>> output_of("output_gpt-4"), output_of("output_tokens"), output_of("response_status")
    ('gpt-4', '', '')
    """
    match = _OUTPUT_OF.fullmatch(column.strip())
    rest = (match[1] or match[2]) if match else ""
    words = _GAP_OR_SIGN.split(rest.lower())
    is_about = {*words} <= NOT_OUTPUT or rest.lower() in VARIANTS  # "response_model"
    is_about |= bool({words[0], words[-1]} & OF_CALLS) or _is_score_of_run(
        column.strip()
    )  # "output.model_latency"
    return "" if is_about else rest


def named_outputs(roles: Mapping[str, str], paths: Iterable[str]) -> dict[str, str]:
    """The columns and paths recognised as outputs by name, by variant.

    >>> named_outputs({"question": "inputs", "output_gpt-4": "output", "6b": "metadata"}, ["$['6b'].solution"])
    {'gpt-4': 'output_gpt-4', '6b': "$['6b'].solution"}
    """
    variants = {column: output_of(column) or column for column, role in roles.items() if role == "output"}
    variants |= {path: column_of(path, roles) for path in paths if _is_output(path)}
    outputs: dict[str, str] = {}
    for source, variant in variants.items():
        name = variant.strip()[:VARIANT]
        outputs.setdefault(name if name and name not in outputs else source[:VARIANT], source)
    return outputs


def _is_output(path: str) -> bool:
    return path.rpartition(".")[2].lower() in OUTPUTS or path in wrapped.PATHS


def column_of(path: str, columns: Iterable[str]) -> str:
    """The column a path begins with.

    >>> column_of("$['6b'].solution", ["question", "6b"]), column_of("$.big.text", ["big", "bigger"])
    ('6b', 'big')
    """
    return next(name for name in columns if path.startswith((f"${_step(name)}.", f"${_step(name)}[")))


def step(*names: str) -> str:
    """The path to a field inside a column: `step("6b", "text")` is `$['6b'].text`."""
    return "$" + "".join(map(_step, names))


def output_paths(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """JSONPaths (RFC 9535) to the texts inside nested objects: possible outputs, for the user to choose.

    >>> output_paths([{"question": "2+2?", "6b": {"solution": "4", "is_correct": True}}])
    ["$['6b'].solution"]
    """
    paths: dict[str, None] = {}
    for row in rows:
        for column, value in row.items():
            if isinstance(value, dict):
                paths |= dict.fromkeys(_text_paths(value, f"${_step(column)}"))
            if len(paths) >= PATHS:
                return list(paths)[:PATHS]
    return list(paths)


def _text_paths(fields: Mapping[str, Any], path: str) -> Iterator[str]:
    for name, value in fields.items():
        if isinstance(value, str):
            yield path + _step(name)
        elif isinstance(value, dict):
            yield from _text_paths(value, path + _step(name))


def _step(name: str) -> str:
    """A step of a path: `.name`, or `['6 b']` if the shorthand does not allow the name."""
    if _SHORTHAND.fullmatch(name):
        return f".{name}"
    escaped = name.replace("\\", "\\\\").replace("'", "\\'")
    return f"['{escaped.translate(_ESCAPES)}']"
