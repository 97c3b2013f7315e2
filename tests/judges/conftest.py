"""A judge, a stand-in server that gives verdicts, and a worker in this process."""

import json
import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from django.utils import timezone

from evaluations.evaluators import connections, evaluators
from evaluations.experiments import experiments
from evaluations.judges import allowances, judgings
from evaluations.launches import generating, launches, storing
from evaluations.launches.plans import Plan, Variant
from evaluations.models import (
    Chunk,
    Connection,
    Evaluator,
    EvaluatorVersion,
    Experiment,
    Judging,
    Launch,
    Project,
    Run,
)
from evaluations.prompts import prices, prompts
from evaluations.prompts.content import Content
from evaluations.prompts.named import Money
from evaluations.scoring import scoring
from tests import factories
from tests.clients.stub import Reply, Stub, embedded, json_reply

PRICE = 1_000_000  # one unit of the currency per million tokens
RUBRIC = "Is it right?\nQuestion: {{ input }}\nReference: {{ expected }}\nAnswer: {{ output }}"
CONFIG: dict[str, Any] = {
    "messages": [{"role": "user", "content": RUBRIC}],
    "model": "tiny",
    "parameters": {"temperature": 0, "max_completion_tokens": 50},
}


def said(
    verdict: str | None, reason: str = "Because.", model: str = "tiny-1", text: str | None = None
) -> Reply:
    """An answer of a server with this verdict, or with this text."""
    content = json.dumps({"reason": reason, "verdict": verdict}) if text is None else text
    return json_reply(
        {
            "model": model,
            "choices": [{"message": {"role": "assistant", "content": content}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 10},
        }
    )


def right_is_paris(request: dict[str, Any]) -> Reply:
    """Passes the answers that mention Paris."""
    answer = request["messages"][1]["content"].rpartition("Answer:")[2]
    return said("pass" if "Paris" in answer else "fail", "It must be Paris.")


@pytest.fixture
def usual_answer() -> Callable[..., Reply]:
    return right_is_paris


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storing, "LONGEST_PAUSE", 0.0)
    monkeypatch.setattr(generating, "MONEY_PAUSE", 0.2)


@pytest.fixture
def server(project: Project, settings: Any) -> Callable[[Stub], Connection]:
    settings.PROVIDER_ALLOWED_HOSTS = ["127.0.0.1"]

    def make(stub: Stub) -> Connection:
        connection = connections.create(project, None, f"server {stub.port}", stub.url, "k-secret-123")
        prices.set_price(connection, "tiny", PRICE, PRICE, None, timezone.now().date())
        project.refresh_from_db()
        return connection

    return make


@pytest.fixture
def experiment(project: Project) -> Experiment:
    return factories.experiment(project, references=["Paris", "Rome", "Oslo"])


@pytest.fixture
def run(experiment: Experiment) -> Run:
    return factories.scored_run(experiment, ["Paris", "Lyon", "Paris, or Oslo"])


@pytest.fixture
def make_judge(project: Project, server: Callable[[Stub], Connection]) -> Callable[..., EvaluatorVersion]:
    def make(stub: Stub, name: str = "right", kind: str = "judge", **config: Any) -> EvaluatorVersion:
        connection = server(stub)
        judge: Evaluator = evaluators.create(
            project, None, name, kind, CONFIG | config, {}, connection=connection.pk
        )
        return experiments.newest([judge])[0]

    return make


def work() -> None:
    """Ask and score until nothing waits."""
    while generating.work() or scoring.work(seconds=10):
        pass


def work_on() -> None:
    """Work until nothing is left, however long it rests."""
    work()
    while Chunk.objects.exists():
        time.sleep(0.05)
        work()


def judged(runs: Sequence[Run], version: EvaluatorVersion, **options: Any) -> list[Judging]:
    """Start a judge with money for everything, and work until it has ended."""
    money = options.pop("money", Money(budget=10**15))
    started = judgings.start(list(runs), [version], None, money, **options)
    work()
    for judging in started:
        judging.refresh_from_db()
    return started


def answers_and_verdicts(request: dict[str, Any]) -> Reply:
    """Answers a prompt with Paris, embeds texts, and judges."""
    if "input" in request:
        return embedded(request)
    if "response_format" in request:
        return right_is_paris(request)
    return json_reply(
        {
            "model": "tiny-1",
            "choices": [{"message": {"role": "assistant", "content": "Paris"}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 1},
        }
    )


@pytest.fixture
def stub(serve: Callable[..., Stub]) -> Stub:
    return serve(answers_and_verdicts)


@pytest.fixture
def judge(
    stub: Stub, experiment: Experiment, make_judge: Callable[..., EvaluatorVersion]
) -> EvaluatorVersion:
    """A judge among the evaluators of the experiment."""
    version = make_judge(stub)
    experiments.add_evaluators(experiment, [version.evaluator])
    return version


@pytest.fixture
def semantic(judge: EvaluatorVersion, experiment: Experiment) -> EvaluatorVersion:
    """An evaluator of the experiment by embeddings of the judge's server."""
    server = judge.evaluator.connection
    prices.set_price(server, "small", PRICE, 0, None, timezone.now().date())
    evaluator = factories.evaluator(
        experiment.project, "semantic_similarity", connection=server.pk, model="small"
    )
    experiments.add_evaluators(experiment, [evaluator])
    return experiments.newest([evaluator])[0]


@pytest.fixture
def launched(project: Project, experiment: Experiment, judge: EvaluatorVersion) -> Callable[..., Launch]:
    def start(names: Sequence[str] = ("v1",), judges: bool = True, **plan: Any) -> Launch:
        content = Content(
            [{"role": "user", "content": "Where is {{ question }}?"}],
            "tiny",
            {"max_completion_tokens": 10},
            connection=judge.evaluator.connection,
        )
        version = prompts.version_of(prompts.create(project, None, f"p{len(names)}", content))
        variants = [Variant(version, name) for name in names]
        launch = launches.create(experiment, None, variants, Plan(seed=1, **plan))
        if judges:
            allowances.allow_launch(launch)
        return launch

    return start


def embedded_texts(stub: Stub) -> list[str]:
    return sorted(text for request in stub.requests for text in request.get("input", ()))


def judged_calls(stub: Stub) -> int:
    return sum("response_format" in request for request in stub.requests)
