"""Lines of the log."""

import io
import json
import logging
import sys
from types import SimpleNamespace

import pytest
from celery import Celery, beat

from evalsite import processes
from evalsite.logs import JSONFormatter, MaskSecrets, TextFormatter


def record(message: str, *args, exc_info=None) -> logging.LogRecord:
    log_record = logging.LogRecord("evaluations.runs", logging.WARNING, __file__, 1, message, args, exc_info)
    log_record.created = 1_795_000_000.25  # 2026-11-18T11:06:40.250Z, by `date -u -d @1795000000`
    MaskSecrets().filter(log_record)
    return log_record


def test_a_line_break_in_a_message_makes_no_second_line():
    line = TextFormatter().format(record("run %s", "1\r\n2026 INFO forged"))

    assert line == "2026-11-18T11:06:40.250Z WARNING evaluations.runs: run 1\\r\\n2026 INFO forged"


def test_json_is_one_object_a_line():
    entry = json.loads(JSONFormatter().format(record("run %s\nfailed", 7)))

    assert entry == {
        "time": "2026-11-18T11:06:40.250Z",
        "level": "warning",
        "logger": "evaluations.runs",
        "message": "run 7\nfailed",
    }


def test_up_prints_one_object_a_line_if_the_log_is_json(settings, capsys):
    settings.LOG_FORMAT = "json"

    processes.say("up", 'Ready: "100%" of it')
    processes.say("web", '{"level": "info"}')
    processes.say("redis", "a crash of a program that knows no JSON")

    ready, served, crash = map(json.loads, capsys.readouterr().out.splitlines())
    assert (ready["logger"], ready["message"]) == ("evalsite.up", 'Ready: "100%" of it')
    assert served == {"level": "info"}
    assert (crash["logger"], crash["level"]) == ("evalsite.redis", "info")


@pytest.mark.parametrize(
    ("message", "masked"),
    [
        ("key evk_1a2b3c4d_Zm9vYmFy is new", "key evk_1a2b3c4d_*** is new"),
        ("Authorization: Bearer abc.def", "Authorization: Bearer ***"),
        ("provider said: sk-proj-123 is wrong", "provider said: sk-*** is wrong"),
        ("redis+socket://:hunter2@/run/redis.sock", "redis+socket://:***@/run/redis.sock"),
        ("Gone: /signin/link/Zm9vYmFy/", "Gone: /signin/link/***"),
        ("Bad Request: /invite/Zm9vYmFy/ [1]", "Bad Request: /invite/*** [1]"),
        ("Gone: /s/Zm9vYmFy/", "Gone: /s/***"),
        ("Gone: /rate/Zm9vYmFy/", "Gone: /rate/***"),
        ("Forbidden: /labels/3/rate/ [1]", "Forbidden: /labels/3/rate/ [1]"),
        ("Listening at http://127.0.0.1:8000", "Listening at http://127.0.0.1:8000"),
    ],
)
def test_secrets_do_not_reach_a_log(message, masked):
    assert record(message).getMessage() == masked


def test_a_secret_in_a_stack_trace_is_masked_as_well():
    try:
        raise ValueError("sk-live-abc refused")
    except ValueError:
        failed = record("failed", exc_info=sys.exc_info())

    assert "sk-live-abc" not in TextFormatter().format(failed)
    assert "sk-live-abc" not in json.loads(JSONFormatter().format(failed))["trace"]


def test_a_record_about_a_request_carries_its_id():
    request_record = record("Bad Request: %s", "/api/v1/runs/")
    request_record.request = SimpleNamespace(id="5f3a")

    assert TextFormatter().format(request_record).endswith("Bad Request: /api/v1/runs/ [5f3a]")
    assert json.loads(JSONFormatter().format(request_record))["request_id"] == "5f3a"


@pytest.fixture
def stdout(monkeypatch):
    """The output of the log."""
    handler = next(handler for handler in logging.getLogger().handlers if handler.name == "stdout")
    monkeypatch.setattr(handler, "stream", io.StringIO())
    return handler.stream


def test_a_wrong_host_is_one_warning_without_a_trace(client, stdout):
    assert client.get("/", headers={"host": "evil.example.com"}).status_code == 400

    [line] = stdout.getvalue().splitlines()
    assert " WARNING " in line
    assert "evil.example.com" in line


def test_a_task_that_is_due_takes_no_line(stdout, monkeypatch):
    monkeypatch.setattr(beat.Scheduler, "apply_async", lambda *_, **__: None)
    logging.getLogger("celery.beat").info("beat: Starting...")

    app = Celery(set_as_current=False)  # otherwise hints of later tests would go nowhere
    beat.Scheduler(app, lazy=True).apply_entry(SimpleNamespace(name="sweep", task="evaluations.sweep"))

    [line] = stdout.getvalue().splitlines()
    assert "beat: Starting" in line
