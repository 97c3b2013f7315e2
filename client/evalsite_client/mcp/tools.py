"""The tools for an agent, all of which only read."""

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from ..names import id_of
from ..people_reader import PeopleReader

LISTED = 50  # objects in a list
FEW = 10  # examples, which have long texts
Arguments = Mapping[str, Any]
OUTPUT = {
    "type": "object",
    "properties": {
        "note": {"type": "string"},
        "data": {"description": "What the REST API answers, cut to fit."},
    },
    "required": ["note", "data"],
}
TYPES: dict[str, type[Any]] = {"integer": int, "string": str, "array": list, "object": dict}


@dataclass(frozen=True)
class Tool:
    """A tool: its arguments as JSON Schema properties, and a function of a client."""

    name: str
    description: str
    call: Callable[[PeopleReader, Arguments], Any]
    arguments: dict[str, dict[str, Any]] = field(default_factory=dict)
    required: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The tool as `tools/list` shows it."""
        schema = {"type": "object", "properties": self.arguments, "additionalProperties": False}
        return {
            "name": self.name,
            "description": self.description,
            "inputSchema": schema | ({"required": list(self.required)} if self.required else {}),
            "outputSchema": OUTPUT,
            "annotations": {"readOnlyHint": True, "openWorldHint": False},
        }

    def problem(self, arguments: Arguments) -> str | None:
        """A sentence about invalid arguments; None if they are valid."""
        if missing := [name for name in self.required if name not in arguments]:
            return f"Missing arguments: {', '.join(missing)}."
        if unknown := [name for name in arguments if name not in self.arguments]:
            return f"Unknown arguments: {', '.join(unknown)}. Known: {', '.join(self.arguments) or 'none'}."
        wrong = [name for name, value in arguments.items() if not self._fits(name, value)]
        return f"Arguments of the wrong type or value: {', '.join(wrong)}." if wrong else None

    def _fits(self, name: str, value: Any) -> bool:
        schema = self.arguments[name]
        if not _is_of(schema["type"], value) or isinstance(value, bool):
            return False
        if "enum" in schema and value not in schema["enum"]:
            return False
        parts = schema.get("items")
        return not parts or all(_is_of(parts["type"], part) for part in value)


def _is_of(kinds: str | list[str], value: Any) -> bool:
    named = [kinds] if isinstance(kinds, str) else kinds
    return isinstance(value, tuple(TYPES[kind] for kind in named))


def _listed(collection: str) -> Callable[[PeopleReader, Arguments], Any]:
    def read(site: PeopleReader, arguments: Arguments) -> Any:
        return list(islice(site.rows(collection, page_size=LISTED, **arguments), LISTED))

    return read


def _runs(site: PeopleReader, arguments: Arguments) -> Any:
    """Runs, with the fields that help to choose among them."""
    if "experiment" in arguments:
        arguments = {**arguments, "experiment": id_of(site.transport, "experiments", arguments["experiment"])}
    runs = islice(site.rows("runs", page_size=LISTED, **arguments), LISTED)
    fields = ("id", "experiment", "variant", "status", "about")
    return [
        {name: run[name] for name in fields}
        | {"means": {scoring["evaluator"]["name"]: scoring["mean"] for scoring in run["scorings"]}}
        for run in runs
    ]


def _compare(site: PeopleReader, arguments: Arguments) -> Any:
    return site.compare(arguments["baseline"], *arguments["runs"], missing=arguments.get("missing"))


def _regressions(site: PeopleReader, arguments: Arguments) -> Any:
    maximum = max(1, min(arguments.get("most", FEW), LISTED))
    query = {"evaluator": arguments.get("evaluator"), "page_size": maximum}
    return list(islice(site.compared_examples(arguments["baseline"], arguments["run"], **query), maximum))


def _explain(site: PeopleReader, arguments: Arguments) -> Any:
    return site.explain(arguments["run"], arguments["position"])


def _statistics(site: PeopleReader, arguments: Arguments) -> Any:
    return site.statistics(arguments["run"], arguments.get("evaluator"))


def _repetitions(site: PeopleReader, arguments: Arguments) -> Any:
    return site.repetitions(arguments["run"], arguments.get("evaluator"))


def _passport(site: PeopleReader, arguments: Arguments) -> Any:
    return site.passport(arguments["evaluator"], arguments.get("label_set"))


def _agreement(site: PeopleReader, arguments: Arguments) -> Any:
    return site.agreement(arguments["label_set"], arguments.get("experiment"))


def _verdicts(site: PeopleReader, arguments: Arguments) -> Any:
    return list(islice(site.verdicts(arguments["run"], arguments["evaluator"]), LISTED))


def _score(site: PeopleReader, arguments: Arguments) -> Any:
    return site.transport.post("score/", {"explain": True, **arguments})


def _prompt(site: PeopleReader, arguments: Arguments) -> Any:
    found = site.prompt(arguments["name"], arguments.get("label", "production"), max_age=0)
    return dataclasses.asdict(found)


def _check(site: PeopleReader, arguments: Arguments) -> Any:
    return site.try_gate(arguments["gate"], arguments["run"], arguments.get("hash"))


RUN = {"type": "integer", "description": "Id of a run."}
NAME = {"type": "string", "description": "The exact name; leave it out to list all."}

EVALUATOR = {
    "type": ["integer", "string"],
    "description": "Name or id of an evaluator; without it the first one.",
}

TOOLS = (
    Tool(
        "list_experiments",
        f"Experiments of the project, at most {LISTED}: each compares variants on one dataset.",
        _listed("experiments"),
        {"name": NAME},
    ),
    Tool(
        "list_runs",
        f"Runs, newest first, at most {LISTED}: the outputs of one variant with their mean scores.",
        _runs,
        {
            "experiment": {
                "type": ["integer", "string"],
                "description": "Only runs of this experiment, by id or exact name.",
            },
            "variant": {"type": "string", "description": "Only runs of the variant with this name."},
        },
    ),
    Tool(
        "compare",
        "Compare runs with a baseline: a summary sentence, a ranking, and a verdict for each evaluator. "
        "cannot_tell means no clear difference with these examples.",
        _compare,
        {
            "baseline": RUN,
            "runs": {"type": "array", "items": {"type": "integer"}, "minItems": 1},
            "missing": {
                "type": "string",
                "enum": ["worst", "exclude"],
                "description": "How unanswered examples count: worst (the worst score) or exclude.",
            },
        },
        ("baseline", "runs"),
    ),
    Tool(
        "regressions",
        "The largest regressions of a run against a baseline, worst first, with inputs, references, outputs "
        "and scores. `gain` is negative where the run is worse.",
        _regressions,
        {
            "baseline": RUN,
            "run": RUN,
            "evaluator": {
                "type": "string",
                "description": "Name of the evaluator; by default the primary one.",
            },
            "most": {
                "type": "integer",
                "minimum": 1,
                "description": f"Number of examples, at most {LISTED}; by default {FEW}.",
            },
        },
        ("baseline", "run"),
    ),
    Tool(
        "list_gates",
        f"Gates of the project, at most {LISTED}: criteria that a run must meet against a fixed baseline.",
        _listed("gates"),
        {"name": NAME},
    ),
    Tool(
        "check_gate",
        "Check a run against a gate: pass, fail, inconclusive or changed. The check is not stored.",
        _check,
        {
            "gate": {"type": ["integer", "string"], "description": "Id or exact name of a gate."},
            "run": RUN,
            "hash": {
                "type": "string",
                "description": "The hash that you expect the gate to have, if you know it.",
            },
        },
        ("gate", "run"),
    ),
    Tool(
        "score_texts",
        "Score answers by a kind of evaluator, with the reason of each score; nothing is stored. To evaluate a program "
        "over a dataset, run the command `evalsite evaluate` instead.",
        _score,
        {
            "kind": {"type": "string", "description": "Key of the kind, such as exact_match or json_fields."},
            "config": {"type": "object", "description": "Settings of the kind; by default its own."},
            "items": {
                "type": "array",
                "items": {"type": "object"},
                "minItems": 1,
                "description": "Each has `actual`, and `expected` where the kind compares.",
            },
        },
        ("kind", "items"),
    ),
    Tool(
        "get_prompt",
        "The version of a prompt that programs get: its messages, model and parameters. `kept_at` is set if it is a "
        "copy, because the site did not answer.",
        _prompt,
        {
            "name": {"type": "string", "description": "The exact name of the prompt."},
            "label": {
                "type": "string",
                "description": "The label of the version; by default production. `latest` is the newest version.",
            },
        },
        ("name",),
    ),
    Tool(
        "explain_score",
        "One example of a run: its input, reference and output, its scores, and an explanation of each score.",
        _explain,
        {
            "run": RUN,
            "position": {"type": "integer", "description": "Position of the example in its dataset."},
        },
        ("run", "position"),
    ),
    Tool(
        "run_statistics",
        "What is no mean of a run's scores: F1, MCC and the like with the table of labels, corpus BLEU, error rate.",
        _statistics,
        {"run": RUN, "evaluator": EVALUATOR},
        ("run",),
    ),
    Tool(
        "passport",
        "What an evaluator is worth, checked against people: agreement, errors on each variant. While `held` is false, "
        "nobody knows; do not take its scores for people's opinion.",
        _passport,
        {
            "evaluator": {"type": ["integer", "string"], "description": "Name or id of an evaluator."},
            "label_set": {"type": ["integer", "string"], "description": "Name or id of a label set."},
        },
        ("evaluator",),
    ),
    Tool(
        "agreement_with_people",
        "How far people agree with each other on a label set, and which evaluator agrees best with them.",
        _agreement,
        {
            "label_set": {"type": ["integer", "string"], "description": "Name or id of a label set."},
            "experiment": {"type": ["integer", "string"], "description": "Only labels of this experiment."},
        },
        ("label_set",),
    ),
    Tool(
        "judge_verdicts",
        f"What a judge said about outputs of a run, with its reasons, at most {LISTED}; not about sealed labels.",
        _verdicts,
        {"run": RUN, "evaluator": {"type": ["integer", "string"], "description": "Name or id of the judge."}},
        ("run", "evaluator"),
    ),
    Tool(
        "run_repetitions",
        "All repetitions of a run's variant: pass@k, pass^k, and the examples that pass only sometimes.",
        _repetitions,
        {"run": RUN, "evaluator": EVALUATOR},
        ("run",),
    ),
)
BY_NAME = {tool.name: tool for tool in TOOLS}
