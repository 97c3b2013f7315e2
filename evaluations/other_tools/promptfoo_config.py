"""promptfoo: a configuration as YAML or JSON, with tests, assertions and prompts, but no answers."""

from collections.abc import Iterator
from typing import Any

import orjson
import yaml

from evaluations.ingest import FileError
from evaluations.ingest.known_names import REFERENCES
from evaluations.linear import Pattern
from evaluations.numerals import plural
from evaluations.values import JSON

from . import templates, yaml_document
from .evaluation import (
    Evaluation,
    Grader,
    Item,
    PromptText,
    as_list,
    as_object,
    as_objects,
    distinct,
    refused,
)
from .promptfoo_assertions import Assertion
from .promptfoo_rows import Identity

TOOL = "promptfoo"
MOST_BYTES = 2_000_000
MOST_VALUES = 500_000
HOW = "Write the tests into the configuration, or upload their file as a table."
REMOTE_PREFIXES = ("file://", "http://", "https://", "huggingface://")
MOST_RESULT_BYTES, MOST_RESULT_VALUES = 20_000_000, 1_000_000
RESULTS_HOW = "Write the results as JSON: promptfoo export eval ID -o results.json"
_TOP_LEVEL = Pattern(rb"(?m)^(prompts|providers|targets|tests|defaultTest)[\s\v]*:")
_RESULTS = Pattern(rb"(?m)^results:")


def is_configuration(head: bytes) -> bool:
    """Whether a text begins like promptfooconfig.yaml: with prompts and tests at the top level."""
    names = {match[1] for match in _TOP_LEVEL.finditer(head)}
    return {b"prompts", b"tests"} <= names


def is_results(head: bytes) -> bool:
    """Whether a text begins like results in YAML."""
    return head.startswith(b"evalId:") and _RESULTS.search(head) is not None


def parsed(content: bytes) -> Any:
    """The value of a YAML document, with a limit of its own: an alias may expand to a huge value."""
    if len(content) > MOST_BYTES:
        raise FileError(
            "bytes_limit", f"A configuration can have at most {MOST_BYTES // 1_000_000} MB.", hint=HOW
        )
    return _loaded(content, MOST_VALUES)


def results(content: bytes) -> Any:
    """The results in a YAML document."""
    if len(content) > MOST_RESULT_BYTES:
        message = f"Results as YAML can have at most {MOST_RESULT_BYTES // 1_000_000} MB."
        raise FileError("bytes_limit", message, hint=RESULTS_HOW)
    return _loaded(content, MOST_RESULT_VALUES)


def _loaded(content: bytes, most_values: int) -> JSON:
    try:
        return yaml_document.parsed(content, most_values)
    except (yaml.YAMLError, ValueError) as wrong:
        raise refused(TOOL, "the file is not valid YAML.", "Run: promptfoo validate config") from wrong


def evaluation(document: Any) -> Evaluation:
    config = as_object(document)
    tests = config.get("tests")
    if not as_objects(tests):
        raise refused(TOOL, "the tests of the configuration are not in it.", HOW)
    return _Config(config, as_objects(tests)).evaluation()


class _Config:
    def __init__(self, config: dict[str, Any], tests: list[dict[str, Any]]):
        self.config, self.tests = config, tests
        self.default = as_object(config.get("defaultTest"))
        self.checks = [_checks([*_asserts(self.default), *_asserts(test)]) for test in tests]
        self.assertions = {key: check for checks in self.checks for key, check in checks.items()}
        titles = distinct([assertion.name for assertion in self.assertions.values()])
        self.titles = dict(zip(self.assertions, titles, strict=True))
        self.prompts = list(_prompts(config.get("prompts")))
        texts = [message["content"] for prompt in self.prompts for message in prompt.messages]
        self.used = {name.split(".")[0] for text in texts for name in templates.variables(text)}
        self.columns = {key: self._column(key) for key in self.assertions}

    def evaluation(self) -> Evaluation:
        return Evaluation(
            tool=TOOL,
            version="configuration",
            name=str(self.config.get("description") or "promptfoo configuration"),
            items=[self._item(test, checks) for test, checks in zip(self.tests, self.checks, strict=True)],
            variants=[],
            graders=list(self._graders()),
            notes=list(self._notes()),
            prompts=self.prompts,
        )

    def _variables(self, test: dict[str, Any]) -> dict[str, JSON]:
        return as_object(self.default.get("vars")) | as_object(test.get("vars"))

    def _column(self, key: Identity) -> str:
        """The variable that an assertion compares with, if every test names the same one; else a column of its own."""
        first = self.assertions[key]
        variable = templates.only_variable(first.value) if isinstance(first.value, str) else ""
        tests = [
            self._variables(test)
            for test, checks in zip(self.tests, self.checks, strict=True)
            if key in checks
        ]
        same = all(checks[key].value == first.value for checks in self.checks if key in checks)
        is_text = all(isinstance(variables.get(variable), str) for variables in tests)
        return variable if variable and same and is_text and not first.has_own_column else self.titles[key]

    def _item(self, test: dict[str, Any], checks: dict[Identity, Assertion]) -> Item:
        variables, compared = self._variables(test), {*self.columns.values(), *REFERENCES}
        is_input = {name: name in self.used or not compared & {name, name.lower()} for name in variables}
        inputs = {name: value for name, value in variables.items() if is_input[name]}
        reference = {name: value for name, value in variables.items() if not is_input[name]}
        for key, assertion in checks.items():
            if assertion.formula("") and self.columns[key] not in reference:
                reference[self.columns[key]] = assertion.expected(variables)
        metadata = as_object(test.get("metadata"))
        description = test.get("description")
        return Item(
            inputs,
            reference,
            metadata | ({"description": description} if isinstance(description, str) else {}),
        )

    def _graders(self) -> Iterator[Grader]:
        for key, assertion in self.assertions.items():
            formula = assertion.formula(self.columns[key])
            yield Grader(self.titles[key], assertion.type, formula, "" if formula else assertion.why())

    def _notes(self) -> Iterator[str]:
        yield "A configuration has no answers: run its prompts on the dataset, on the experiment page."
        elsewhere = sum(isinstance(test, str) for test in as_list(self.config.get("tests")))
        if elsewhere:
            yield f"{elsewhere} entries of the tests are files. {HOW}"
        if isinstance(self.config.get("defaultTest"), str):
            yield "The default test is a file, so what it adds to each test is not imported."
        if self.config.get("scenarios"):
            yield "Scenarios are not imported."
        prompts = self.config.get("prompts")
        count = len(prompts) if isinstance(prompts, list) else 1
        if left_out := count - len(self.prompts):
            reason = "because they are files or do more than name variables."
            yield f"Not imported: {plural(left_out, 'prompt')}, {reason}"
        for grader in self._graders():
            if not grader.formula:
                yield f"The assertion {grader.name} is not imported: {grader.why}."


def _asserts(test: dict[str, Any]) -> list[dict[str, Any]]:
    return as_objects(test.get("assert"))


def _checks(sources: list[dict[str, Any]]) -> dict[Identity, Assertion]:
    checks: dict[Identity, Assertion] = {}
    for source in sources:
        slot = 1
        while (assertion := Assertion.read(source, slot)).identity in checks:
            slot += 1
        checks[assertion.identity] = assertion
    return checks


def _prompts(prompts: Any) -> Iterator[PromptText]:
    """The prompts that are texts with plain variables; a text that is a JSON list is a list of messages."""
    for number, prompt in enumerate(prompts if isinstance(prompts, list) else [prompts], 1):
        text = prompt if isinstance(prompt, str) else as_object(prompt).get("raw")
        label = as_object(prompt).get("label") or f"prompt {number}"
        if isinstance(text, str) and not text.startswith(REMOTE_PREFIXES) and templates.names_only(text):
            yield PromptText(str(label), _messages(text))


def _messages(text: str) -> list[dict[str, str]]:
    try:
        listed = as_objects(orjson.loads(text))
    except orjson.JSONDecodeError:
        listed = []
    messages = [
        {"role": str(m.get("role")), "content": m["content"]}
        for m in listed
        if isinstance(m.get("content"), str)
    ]
    return messages or [{"role": "user", "content": text}]
