"""Cached answers are not paid again, and variants of a launch never share an answer."""

from itertools import count

import pytest
from django.utils import timezone

from evaluations.access import projects
from evaluations.clients.chat_client import Answer as ChatAnswer
from evaluations.clients.tokens import Tokens
from evaluations.evaluators import connections
from evaluations.launches import cache, generating, launches, states, usage
from evaluations.launches.plans import Plan, Variant
from evaluations.models import CachedAnswer, Experiment, Output, Price, Project, Run, Spending
from evaluations.prompts import prices, prompts
from evaluations.prompts.content import Content
from evaluations.upkeep import purging
from tests import factories
from tests.api.conftest import program
from tests.clients.stub import Stub, json_reply

pytestmark = pytest.mark.django_db(transaction=True)
SIZE = 6
UNIT = 10**6  # One unit of the currency per million tokens, in the ledger's unit.


@pytest.fixture
def stub():
    """A server whose answers are numbered."""
    numbers = count(1)

    def answer(request):
        if "fail" in request["messages"][0]["content"]:
            return chat("", "length")
        return chat(f"answer {next(numbers)}")

    stub = Stub(answer)
    yield stub
    stub.close()


def chat(text: str, finish: str = "stop"):
    message = {"role": "assistant", "content": text}
    tokens = {"prompt_tokens": 10, "completion_tokens": 2}
    return json_reply(
        {"model": "m", "choices": [{"message": message, "finish_reason": finish}], "usage": tokens}
    )


@pytest.fixture
def experiment(project, settings) -> Experiment:
    settings.PROVIDER_ALLOWED_HOSTS = ["127.0.0.1"]
    return factories.experiment(project, references=["Paris"] * SIZE)


def variant(
    stub, project: Project, name: str = "v1", template: str = "Where is {{ question }}?", **options
) -> Variant:
    connection = connections.create(project, None, f"{name} server", stub.url)
    prices.set_price(connection, "tiny", 1_000_000, 1_000_000, None, timezone.now().date())
    content = Content([{"role": "user", "content": template}], "tiny", options, connection=connection)
    return Variant(prompts.version_of(prompts.create(project, None, name, content)), name)


def launched(experiment: Experiment, *variants: Variant, **plan) -> list[Run]:
    """The runs of a launch, with all answers."""
    earlier_runs = list(Run.objects.values_list("pk", flat=True))
    launches.create(experiment, None, variants, Plan(seed=1, tolerated=1.0, **plan))
    generating.work()
    return list(Run.objects.exclude(pk__in=earlier_runs).order_by("pk"))


def outputs(run: Run) -> dict[int, str | None]:
    return dict(Output.objects.filter(run=run).values_list("position", "text"))


@pytest.mark.long
def test_a_second_launch_gets_the_same_answers_without_a_call(stub, experiment, project):
    solve = variant(stub, project)

    [first] = launched(experiment, solve)
    [second] = launched(experiment, solve)

    assert len(stub.requests) == SIZE
    assert outputs(second) == outputs(first)
    assert Spending.objects.count() == SIZE


@pytest.mark.long
def test_answers_from_the_cache_are_marked_and_free(stub, experiment, project):
    """An answer costs 12 tokens at one unit each; cached ones cost nothing."""
    solve = variant(stub, project)
    launched(experiment, solve)

    [second] = launched(experiment, solve)

    usage_of_second = usage.of_run(Run.objects.get(pk=second.pk))
    assert (
        usage_of_second.answers,
        usage_of_second.cached,
        usage_of_second.calls,
        usage_of_second.cost,
        usage_of_second.tokens_in,
    ) == (SIZE, SIZE, 0, 0, 0)
    assert set(second.answers.values_list("attempts", "cost", "tokens_in")) == {(0, 12 * UNIT, 10)}
    assert states.of_launch(second.generation.launch).status == "running"  # it is still being scored


@pytest.mark.long
def test_an_answer_that_was_known_without_a_price_has_no_cost(stub, experiment, project):
    solve = variant(stub, project)
    launched(experiment, solve)
    Price.objects.all().delete()

    [second] = launched(experiment, solve)

    assert set(second.answers.values_list("cost", flat=True)) == {None}


@pytest.mark.long
def test_two_variants_that_ask_the_same_never_share_an_answer(stub, experiment, project):
    solve = variant(stub, project)
    twin = Variant(solve.version, "twin")

    first = launched(experiment, solve, twin)
    second = launched(experiment, solve, twin)

    assert len(stub.requests) == 2 * SIZE
    for a, b in (first, second):
        assert not set(outputs(a).values()) & set(outputs(b).values())
    assert [outputs(run) for run in first] == [outputs(run) for run in second]


@pytest.mark.long
def test_templates_that_become_the_same_text_share_no_answer(stub, experiment, project):
    """Different templates that render to the same text."""
    same = variant(stub, project, "v2", "Where is {{question}}?")

    a, b = launched(experiment, variant(stub, project), same)

    assert not set(outputs(a).values()) & set(outputs(b).values())


@pytest.mark.long
def test_repetitions_never_share_an_answer(stub, experiment, project):
    solve = variant(stub, project)

    first = launched(experiment, solve, repetitions=2)
    second = launched(experiment, solve, repetitions=2)

    assert len(stub.requests) == 2 * SIZE
    assert [outputs(run) for run in first] == [outputs(run) for run in second]


@pytest.mark.long
@pytest.mark.parametrize("change", ["parameters", "model"])
def test_another_request_is_another_answer(stub, experiment, project, change):
    solve = variant(stub, project)
    changed = Variant(
        solve.version,
        "other",
        **{"parameters": {"temperature": 1}} if change == "parameters" else {"model": "big"},
    )

    launched(experiment, solve)
    launched(experiment, changed)

    assert len(stub.requests) == 2 * SIZE


@pytest.mark.long
def test_a_launch_without_the_cache_asks_everything(stub, experiment, project):
    solve = variant(stub, project)
    launched(experiment, solve, cache=False)
    cached_before = CachedAnswer.objects.count()

    launched(experiment, solve)
    launched(experiment, solve, cache=False)

    assert cached_before == 0
    assert len(stub.requests) == 3 * SIZE


def test_the_api_starts_a_launch_without_the_cache(stub, experiment, project):
    version = variant(stub, project).version
    body = {"experiment": experiment.pk, "variants": [{"prompt": version.prompt_id}]}
    runner = program(project, "run")

    started = [runner.create("launches/", body | more)["cache"] for more in ({}, {"cache": False})]

    assert started == [True, False]


@pytest.mark.long
def test_failures_are_asked_again(stub, experiment, project):
    failing = variant(stub, project, template="fail {{ question }}")

    launched(experiment, failing)
    launched(experiment, failing)

    assert (len(stub.requests), CachedAnswer.objects.count()) == (2 * SIZE, 0)


@pytest.mark.long
def test_cached_answers_are_private_to_a_project(stub, experiment, project, charlie):
    launched(experiment, variant(stub, project))
    other_project = projects.create("theirs", charlie)

    launched(factories.experiment(other_project, references=["Paris"] * SIZE), variant(stub, other_project))

    assert len(stub.requests) == 2 * SIZE


def test_a_cached_answer_is_returned_as_stored(project):
    """Including tool calls, unknown tokens, and characters that no database stores."""
    calls = [{"function": {"name": "f", "arguments": "{}"}}]
    fields = {
        b"1" * 32: ChatAnswer("text", [], "", "stop", "m", Tokens(1, 2, 3, 4), 5),
        b"2" * 32: ChatAnswer(None, calls, "", "tool_calls", "m", None),
        b"3" * 32: ChatAnswer("a\ud800b", [], "", "stop", "", None),
    }

    cache.remember(project, fields.items())

    recalled = cache.recall(list(fields))
    assert [recalled[key] for key in list(fields)[:2]] == list(fields.values())[:2]
    assert recalled[b"3" * 32].text == "a\ufffdb"


def test_the_sweep_keeps_the_cache_within_its_limit(project, settings):
    answers = {
        bytes([number]) * 32: ChatAnswer("x" * 100_000, [], "", "stop", "m", None) for number in range(30)
    }
    cache.remember(project, answers.items())
    settings.EVALSITE_ANSWERS_MB = 1

    purging.forget_cached_answers()

    assert 0 < CachedAnswer.objects.count() <= 10


def test_where_no_answer_may_be_kept_none_is(project, settings):
    settings.EVALSITE_ANSWERS_MB = 0

    cache.remember(project, [(b"1" * 32, ChatAnswer("x", [], "", "stop", "m", None))])

    assert not CachedAnswer.objects.exists()


def test_cached_answers_are_purged_with_their_project(project):
    cache.remember(project, [(b"1" * 32, ChatAnswer("x", [], "", "stop", "m", None))])
    long_ago = timezone.now() - 2 * purging.UNDO
    Project.objects.filter(pk=project.pk).update(deleted_at=long_ago)

    purging.purge()

    assert not CachedAnswer.objects.exists()
    assert not Project.objects.filter(pk=project.pk).exists()
