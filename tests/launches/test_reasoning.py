"""What a model thinks before it answers is kept apart from its output."""

import pytest

from evaluations.clients import chat_client
from evaluations.clients.answers import parsed
from evaluations.evaluators import connections
from evaluations.launches import generating, launches
from evaluations.launches.plans import Plan, Variant
from evaluations.models import Output
from evaluations.playground import stored
from evaluations.prompts import prompts
from evaluations.prompts.content import Content
from evaluations.prompts.reasoning import separated
from tests import factories
from tests.clients.chat import reply

THOUGHT = "<think>Rome? No.</think>\n\nParis"


@pytest.fixture
def output_of(project, settings, serve):
    """The output of a launch with one example, on a server that answers so."""
    settings.PROVIDER_ALLOWED_HOSTS = ["127.0.0.1"]

    def output(answer, **content):
        server = connections.create(
            project, None, f"s{Output.objects.count()}", serve(lambda request: answer).url
        )
        parts = Content([{"role": "user", "content": "{{ question }}"}], "m", connection=server, **content)
        version = prompts.version_of(prompts.create(project, None, server.name, parts))
        experiment = factories.experiment(project, references=["Paris"])
        launch = launches.create(experiment, None, [Variant(version, "v1")], Plan(seed=1, tolerated=1.0))
        while generating.work():
            pass
        return Output.objects.get(run__generation__launch=launch)

    return output


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "answer",
    [reply(THOUGHT), reply("Paris", reasoning_content="Rome? No."), reply("Paris", reasoning="Rome? No.")],
)
def test_reasoning_is_kept_apart_however_a_server_sends_it(output_of, answer):
    output = output_of(answer)

    assert (output.text, output.reasoning, output.error) == ("Paris", "Rome? No.", None)


@pytest.mark.django_db(transaction=True)
def test_a_version_can_keep_reasoning_in_the_output(output_of):
    output = output_of(reply(THOUGHT, reasoning_content="Beside."), split_reasoning=False)

    assert (output.text, output.reasoning) == (THOUGHT, "Beside.")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("answer", [reply("<think>Rome? No."), reply("", reasoning_content="Rome? No.")])
def test_reasoning_without_an_answer_is_empty(output_of, answer):
    output = output_of(answer)

    assert output.error.startswith("empty: ")
    assert (output.text, output.reasoning) == (None, "Rome? No.")


def test_a_cut_answer_keeps_its_reasoning_and_the_rest_apart():
    answer = separated(chat_client.read(parsed(reply("<think>a</think>The capital", finish="length").body)))

    assert (answer.failure[:4], answer.reasoning, answer.partial) == ("cut:", "a", "The capital")


def test_a_text_without_reasoning_is_unchanged():
    answer = chat_client.read(parsed(reply(" I <think> so ").body))

    assert separated(answer) is answer


def test_an_answer_of_a_trial_is_separated_too():
    fields = stored.fields_of(chat_client.read(parsed(reply(THOUGHT).body)))

    assert (fields["text"], fields["reasoning"]) == ("Paris", "Rome? No.")


def test_versions_that_differ_in_the_switch_are_different():
    usual, kept = (
        Content([{"role": "user", "content": "?"}], split_reasoning=splits) for splits in (True, False)
    )

    assert not usual.is_same(kept)
