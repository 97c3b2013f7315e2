"""A pytest plugin: each case of a marked test is an example of a dataset, and the tests together are one run.

Workers of pytest-xdist hand their cases to the controller inside their reports, so one process records one run
(`pytest_recorder.py`); `evalsite gate` decides afterwards.
"""

import json
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import pytest

from .errors import EvalsiteError, NotConfigured
from .examples import Example
from .outputs import as_output, error_text
from .pytest_recorder import DONE, Recorder
from .scorers import Score, as_row, code_digest

EXAMPLE = "evalsite_example"  # the fixture that a dataset of the site parametrizes
REPETITION = "evalsite_repetition"  # the fixture that runs each case several times, from 1
REFERENCES = ("expected", "reference", "answer")  # beginnings of names of parameters that are references
PASS = "pass"  # the evaluator of the test itself
RECORDER = "evalsite-recorder"  # the plugin of the controlling process


@dataclass
class Case:
    """One case of a marked test. `example.inputs` and `example.expected` are its parameters."""

    example: Example
    row: dict[str, Any] | None = None
    scores: dict[str, dict[str, Any]] = field(default_factory=dict)

    def output(self, value: Any, *, tokens: int | None = None, latency_ms: int | None = None) -> Any:
        """Keep what the program returned, an output or an answer of the `openai` package; returns it unchanged."""
        output = as_output(value)
        found = {"tokens": output.tokens if tokens is None else tokens}
        found["latency_ms"] = output.latency_ms if latency_ms is None else latency_ms
        self.row = {"output": output.value} | {name: part for name, part in found.items() if part is not None}
        return value

    def score(self, name: str, score: float | bool | str | Score, note: str = "") -> None:
        """Keep a score of this case: a number, true or false, a label or a `Score`."""
        row = as_row(score)
        if row is not None:
            self.scores[name] = row | ({"note": note} if note else {})


# ---- options, marks, fixtures --------------------------------------------------------------------------------


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("evalsite")
    group.addoption(
        "--evalsite-variant", metavar="NAME", help="Name of the variant that marked tests record."
    )
    group.addoption(
        "--evalsite-about", metavar="JSON", default="{}", help="Description of the variant as JSON."
    )
    group.addoption(
        "--evalsite-repetitions",
        type=int,
        metavar="N",
        help="Run each case of marked tests N times; each repetition is a run of the variant.",
    )
    group.addoption(
        "--evalsite-resume",
        action="store_true",
        help="Go on from a session that was stopped: its cases are recorded with those that are missing.",
    )
    group.addoption(
        "--evalsite-record-only",
        action="store_true",
        help="A failed assertion about an output is recorded and no failure of the test; `evalsite gate` decides.",
    )
    group.addoption(
        "--evalsite-for-gate",
        action="store_true",
        help="A gate checks what is recorded: it is kept apart from the variants of the experiment.",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "evalsite(dataset, variant='pytest', evaluators=(), experiment=None, version=None, repetitions=1): "
        "record the cases of this test as a run on Evalsite.",
    )
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Recorder(config), RECORDER)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the cases that a stopped session has, unless the code of their test has changed."""
    worker = getattr(config, "workerinput", None)
    recorder: Any = config.pluginmanager.get_plugin(RECORDER)
    done: Mapping[str, str] = recorder.done if worker is None else worker.get(DONE, {})
    items[:] = [item for item in items if item.nodeid not in done or done[item.nodeid] != _code(item)]


def _code(item: pytest.Item) -> str:
    return code_digest(item.function)  # type: ignore[attr-defined] # an item with parameters is of a function


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Without parameters of its own, a marked test runs on the examples of its dataset on the site."""
    mark = metafunc.definition.get_closest_marker("evalsite")
    if mark is None or "case" not in metafunc.fixturenames:
        return
    repetitions = metafunc.config.getoption("evalsite_repetitions") or mark.kwargs.get("repetitions", 1)
    if repetitions > 1:
        metafunc.fixturenames.append(REPETITION)
        numbers = range(1, repetitions + 1)
        metafunc.parametrize(REPETITION, numbers, ids=map(_repetition_id, numbers), indirect=True)
    if list(metafunc.definition.iter_markers("parametrize")):
        return
    metafunc.fixturenames.append(EXAMPLE)
    examples, reason = _examples(mark.kwargs)
    skipped = [pytest.param(None, marks=pytest.mark.skip(reason=reason), id="no examples")]
    chosen = [pytest.param(example, id=example.name) for example in examples] if examples else skipped
    metafunc.parametrize(EXAMPLE, chosen, indirect=True)


def _examples(options: Mapping[str, Any]) -> tuple[list[Example], str]:
    """The examples of the dataset of a mark, or why there are none."""
    if "dataset" not in options:
        raise pytest.UsageError("Name the dataset: @pytest.mark.evalsite(dataset=…).")
    targets, id_of = import_module(f"{__package__}.targets"), import_module(f"{__package__}.names").id_of
    try:
        with import_module(f"{__package__}.client").Client() as site:
            dataset = id_of(site.transport, "datasets", options["dataset"])
            experiment = targets.existing(site, dataset, options.get("experiment"))
            version = experiment["dataset_version"] if experiment else None
            return targets.examples_in(site, dataset, version), "The dataset has no examples."
    except NotConfigured:
        return [], "EVALSITE_URL and EVALSITE_KEY are needed to read the dataset."
    except EvalsiteError as error:
        raise pytest.UsageError(f"evalsite: {error}") from error


def _repetition_id(number: int) -> str:
    return f"repetition {number}"


@pytest.fixture(name=REPETITION)
def _evalsite_repetition(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture(name=EXAMPLE)
def _evalsite_example(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture
def case(request: pytest.FixtureRequest) -> Case:
    """The case of a marked test: its example, and where output and scores go."""
    spec = getattr(request.node, "callspec", None)
    if request.node.get_closest_marker("evalsite") is None or spec is None:
        raise pytest.UsageError("`case` is for parametrised tests with @pytest.mark.evalsite(dataset=…).")
    example = spec.params.get(EXAMPLE) or _from_parameters(spec)
    request.node.stash[CASE] = case = Case(example)
    return case


CASE = pytest.StashKey[Case]()


def _from_parameters(spec: Any) -> Example:
    """The example whose key is the id of the parameters; some names make a parameter a reference."""
    values = {name: _plain(value) for name, value in spec.params.items() if name != REPETITION}
    reference = {name: value for name, value in values.items() if name.startswith(REFERENCES)}
    key = spec.id.removeprefix(f"{_repetition_id(_repetition(spec))}-")
    return Example(
        0, key, {name: value for name, value in values.items() if name not in reference}, reference
    )


def _repetition(spec: Any) -> int:
    return int(spec.params.get(REPETITION, 1))


def _plain(value: Any) -> Any:
    try:
        return as_output(value).value
    except (TypeError, ValueError):
        return repr(value)


# ---- what a worker hands to the controller -------------------------------------------------------------------


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: "pytest.CallInfo[None]"
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    kept = item.stash.get(CASE, None)
    mark = item.get_closest_marker("evalsite")
    if call.when != "call" or kept is None or mark is None:
        return report
    error = call.excinfo.value if call.excinfo else None
    is_skipped = isinstance(error, pytest.skip.Exception)
    if not is_skipped:
        _add_pass(kept, error)
        # An attribute, because xdist sends those to the controller; properties would be in the JUnit file.
        vars(report)["evalsite"] = json.dumps(_record(item, mark, kept, report.failed), ensure_ascii=False)
    item.user_properties.append(("evalsite_example", kept.example.name))
    for name, row in kept.scores.items():
        item.user_properties.append((f"evalsite_{name}", row.get("value", row.get("label", "error"))))
    if (
        item.config.getoption("evalsite_record_only")
        and isinstance(error, AssertionError)
        and kept.row is not None
    ):
        report.outcome, report.wasxfail = "skipped", "recorded; a gate decides"
    return report


def _add_pass(kept: Case, error: BaseException | None) -> None:
    """The score of the test itself: 1 if it passed, 0 if an assertion about its output failed."""
    if kept.row is None:
        kept.row = {"output": None, "error": error_text(error) if error else "The test gave no output."}
        kept.scores.clear()
    elif error is None or isinstance(error, AssertionError):
        note = str(error).partition("\n")[0][:500] if error else ""
        kept.scores[PASS] = {"value": error is None} | ({"note": note} if note else {})
    else:
        kept.scores[PASS] = {"error": error_text(error)}


def _record(item: pytest.Item, mark: pytest.Mark, kept: Case, has_failed: bool) -> dict[str, Any]:
    example = kept.example
    options = {"dataset": item.name.partition("[")[0], "variant": "pytest", "evaluators": [], **mark.kwargs}
    return {
        "test": item.nodeid.partition("[")[0],
        "options": options | {"evaluators": list(options["evaluators"])},
        "code": _code(item),
        "has_failed": has_failed,
        "repetition": _repetition(item.callspec),  # type: ignore[attr-defined] # an item with parameters has it
        "is_own": example.position == 0,
        "example": {"key": example.key, "inputs": example.inputs, "reference": example.reference},
        "position": example.position,
        "output": kept.row,
        "scores": kept.scores,
    }
