"""Prompts that a program fetches: filled as the site fills them, and kept for when the site is away."""

import json
import logging
import time

import pytest
from openai import OpenAI

from evalsite_client import Client, Mistaken, Refused, Unreachable
from evalsite_client.prompt import Prompt
from evaluations.access import api_keys
from evaluations.prompts import templates
from tests.client.scripted import Answer, refusal

BODY = {
    "id": 3, "name": "solve", "version": 2, "label": "production", "messages": [{"role": "user", "content": "{{ q }}"}],
    "model": "m", "parameters": {}, "schema": None, "tools": [], "variables": ["q"],
}  # fmt: skip
FETCHED = Answer(BODY, headers={"ETag": '"one"'})


def fetched(server, **options) -> Prompt:
    with Client(server.url, "evk_x", patience=0) as site:
        return site.prompt("solve", **options)


def test_the_copy_is_asked_about_by_its_etag(scripted):
    server = scripted(FETCHED, Answer(b"", 304, {"ETag": '"one"'}), Answer(BODY | {"version": 3}))

    prompts = [fetched(server) for _ in range(3)]

    assert [(prompt.version, prompt.kept_at) for prompt in prompts] == [(2, None), (2, None), (3, None)]
    assert [request.headers.get("If-None-Match") for request in server.sent] == [None, '"one"', '"one"']
    assert server.sent[0].path == "/api/v1/prompts/by-name/solve/?label=production"


@pytest.mark.parametrize("failing", [refusal(503, "database_unavailable"), refusal(429, "too_many_requests")])
def test_a_site_that_is_away_is_replaced_by_the_copy_which_says_so(scripted, caplog, failing):
    server = scripted(FETCHED, failing)
    fetched(server)

    with caplog.at_level(logging.WARNING, "evalsite"):
        prompt = fetched(server)

    assert (prompt.version, time.time() - prompt.kept_at < 60) == (2, True)
    assert "using the copy" in caplog.text


def test_a_closed_port_is_replaced_by_the_copy(scripted):
    server = scripted(FETCHED)
    fetched(server)
    server.close()

    assert fetched(server).kept_at is not None


def test_a_slow_site_is_replaced_by_the_copy_after_a_second(scripted, monkeypatch):
    server = scripted(FETCHED, Answer(BODY | {"version": 3}), Answer(BODY | {"version": 3}))
    fetched(server)
    quick_reply = server._server.RequestHandlerClass.reply

    def slow_reply(handler, answer):
        time.sleep(8)
        quick_reply(handler, answer)

    monkeypatch.setattr(server._server.RequestHandlerClass, "reply", slow_reply)
    began = time.monotonic()
    prompt = fetched(server)
    took = time.monotonic() - began

    assert (prompt.version, prompt.kept_at is not None) == (2, True)
    assert took < 7


def test_without_a_copy_an_absent_site_is_an_error(scripted):
    with pytest.raises(Refused):
        fetched(scripted(refusal(503, "database_unavailable")))
    with Client("http://127.0.0.1:9", "evk_x", patience=0) as site, pytest.raises(Unreachable):
        site.prompt("solve")


def test_a_label_that_was_taken_away_is_refused_in_spite_of_the_copy(scripted):
    server = scripted(FETCHED, refusal(404, "unknown_label"))
    fetched(server)

    with pytest.raises(Refused):
        fetched(server)


def test_another_key_and_another_label_have_copies_of_their_own(scripted):
    server = scripted(FETCHED, refusal(503, "a"), refusal(503, "a"))
    fetched(server)

    with Client(server.url, "evk_other", patience=0) as site, pytest.raises(Refused):
        site.prompt("solve")
    with pytest.raises(Refused):
        fetched(server, label="staging")


def test_a_recent_answer_is_used_again_without_a_call(scripted):
    server = scripted(FETCHED, Answer(BODY | {"version": 3}))

    with Client(server.url, "evk_x", patience=0) as site:
        versions = [site.prompt("solve", max_age=age).version for age in (60, 60, 0)]

    assert (versions, len(server.sent)) == ([2, 2, 3], 2)


def test_a_broken_copy_is_fetched_again(scripted, tmp_path):
    server = scripted(FETCHED, FETCHED)
    fetched(server)
    [copy] = (tmp_path / "cache" / "evalsite" / "prompts").iterdir()
    assert oct(copy.stat().st_mode)[-3:] == "600"
    copy.write_text('{"answer": ')

    assert fetched(server).version == 2


# ---- filling -----------------------------------------------------------------------------------------------


NASTY = [
    {
        "role": "system",
        "content": "{{q}} {{ q }}{{\tq }} \\{{ q }} {{ }} {a} {{{ q }}} {{ a.b }} {{ list.1.x }} {{ n }}",
    },
    {
        "role": "user",
        "content": [{"type": "{{ q }}", "text": "{{ q }}"}, {"image": {"url": "{{ dotted.name }}"}}],
    },
    {"role": "assistant", "content": None, "tool_calls": [{"id": "{{ q }}"}]},
    {"role": "user"},
]
VALUES = {
    "q": "{{ n }} é", "": "empty", "a": {"b": {"c": [1, None, True, 1.5, "é"]}}, "list": [0, {"x": "deep"}],
    "n": 7, "dotted.name": "own", "dotted": {"name": "other"},
}  # fmt: skip


def prompt_of(messages, **more) -> Prompt:
    return Prompt(**{"name": "a", "version": 1, "label": None, "messages": messages, "model": "m", "parameters": {}}
                  | {"schema": None, "tools": [], "variables": []} | more)  # fmt: skip


def test_the_client_fills_messages_as_the_site_does():
    paths = templates.paths_of(NASTY, {"inputs": list(VALUES)})
    on_the_site = templates.rendered(NASTY, paths, {"inputs": VALUES})

    assert prompt_of(NASTY).fill(VALUES) == on_the_site


@pytest.mark.parametrize("content", ["{{ other }}", "{{ a.c }}", "{{ list.7 }}", "{{ q.x }}", "{{ list.x }}"])
def test_a_variable_without_a_value_is_named(content):
    with pytest.raises(Mistaken):
        prompt_of([{"role": "user", "content": content}]).fill(VALUES)


def test_a_request_is_what_the_package_takes(serve):
    server = serve()
    prompt = prompt_of(
        [{"role": "user", "content": "{{ q }}"}],
        parameters={"temperature": 0, "top_k": 3},
        schema={"type": "object"},
    )

    with OpenAI(base_url=f"{server.url}/v1", api_key="x", max_retries=0) as client:
        client.chat.completions.create(**prompt.request(q="2 + 2"))

    body = server.requests[-1]
    assert (body["temperature"], body["top_k"]) == (0, 3)
    assert body["messages"] == [{"role": "user", "content": "2 + 2"}]
    assert body["response_format"]["json_schema"]["schema"] == {"type": "object"}


# ---- the command -------------------------------------------------------------------------------------------


@pytest.mark.processes
@pytest.mark.django_db(transaction=True)
def test_a_prompt_goes_from_a_file_to_production_and_back(evalsite, live_server, project, alice, tmp_path):
    key = api_keys.create_key(project, alice, "release", "admin")[1]
    env = {"EVALSITE_URL": live_server.url, "EVALSITE_KEY": key, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    (tmp_path / "solve.yaml").write_text(
        "name: solve\nmessages:\n- role: user\n  content: Solve {{ question }}\n"
    )

    said = [
        evalsite("prompt", *arguments, **env).stdout
        for arguments in (
            ["import", "solve.yaml", "--label", "production"],
            ["get", "solve"],
            ["get", "solve", "--values", '{"question": "2 + 2"}'],
            ["export", "solve", "-o", "-"],
            ["code", "solve"],
            ["label", "solve", "staging", "1"],
            ["unlabel", "solve", "production"],
        )
    ]
    gone = evalsite("prompt", "get", "solve", **env)

    assert said[0] == "solve v1 (production)\n"
    assert said[1] == "solve v1 (production)\nuser: Solve {{ question }}\n"
    assert json.loads(said[2])["messages"][0]["content"] == "Solve 2 + 2"
    assert "content: Solve {{ question }}" in said[3]
    assert "def solve(question):" in said[4]
    assert (gone.returncode, "unknown_label" in gone.stderr) == (5, True)
