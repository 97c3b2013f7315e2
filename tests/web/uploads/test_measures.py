"""What answers took, as a file says it: kept with the outputs, compared and exported, never scored."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from evaluations.models import Answer, Experiment, Output, Run
from evaluations.results import exports
from evaluations.scoring import scoring
from tests import factories
from tests.pages import text_of

from .test_uploads import fields, import_all

pytestmark = pytest.mark.django_db
PER_VARIANT = (
    "id,question,expected,answer A,answer B,latency_ms A,latency_ms B,cost_usd A,cost_usd B\n"
    + "".join(
        f"{n},What is {n} + {n}?,{2 * n},{2 * n if n % 3 else 1},{2 * n if n % 2 else 0},"
        f"{300 + n},{900 + n},0.0001,0.0002\n"
        for n in range(1, 31)
    )
)
LONG = "\n".join(
    json.dumps(
        {"id": n, "question": f"What is {n} + {n}?", "expected": f"{2 * n}", "model": model}
        | {"response": f"{2 * n if n % times else 0}", "duration_s": times / 2}
        | {"usage": {"prompt_tokens": 30, "completion_tokens": times, "total_tokens": 30 + times}}
    )
    for n in range(1, 31)
    for model, times in (("small", 2), ("large", 5))
)


ODD = "id,question,answer,output,Score,latency_ms\n" + "".join(
    f"{n},q {n},a {n},a {n},{'x' if n in (4, 8) else n / 20},{'fast' if n == 5 else 300 + n}\n"
    for n in range(1, 21)
)


def test_cells_that_are_no_numbers_are_said_before_the_import(alices, project):
    def last_step(content):
        file = SimpleUploadedFile("odd.csv", content.encode())
        page = alices.post(f"/p/{project.slug}/datasets/upload/", {"file": file}, follow=True)
        sent = fields(page.content.decode()) | {"continue": "yes"}
        columns = {sent[name]: name.rpartition("-")[2] for name in sent if name.startswith("column-")}
        sent |= {f"role-{columns['Score']}": "score", f"role-{columns['latency_ms']}": "latency_ms"}
        return text_of(alices.post(page.request["PATH_INFO"], sent, follow=True))

    said = last_step(ODD)
    assert "2 cells of “Score” are no numbers: line 5 “x”, line 9 “x”." in said
    assert "1 cell of “latency_ms” is no number: line 6 “fast”. It is left out." in said
    assert "no number" not in last_step(ODD.replace("x,", ",").replace("fast", "301"))


@pytest.fixture
def imported(alices, project):
    """The experiment of a file that was sent with all defaults, and the texts of both steps before."""

    def send(name: str, content: str):
        file = SimpleUploadedFile(name, content.encode())
        page = alices.post(f"/p/{project.slug}/datasets/upload/", {"file": file}, follow=True)
        columns = page.request["PATH_INFO"]
        confirm = alices.post(columns, fields(page.content.decode()) | {"continue": "yes"}, follow=True)
        exact = factories.evaluator(project)
        sent = {"name": "sums", "on_error": "reject", "evaluators": [f"evaluator:{exact.pk}"]}
        assert (done := alices.post(confirm.request["PATH_INFO"], sent)).status_code == 302, text_of(done)[
            200:1500
        ]
        import_all()
        while scoring.work(seconds=5):
            pass
        return Experiment.objects.get(), page, confirm

    return send


def test_each_variant_keeps_the_time_and_the_cost_of_its_answers(alices, imported):
    experiment, columns, confirm = imported("sums.csv", PER_VARIANT)

    assert "latency_ms A , latency_ms B as Latency in ms" in text_of(columns).replace("  ", " ")
    assert "Cost, in USD" in text_of(confirm)
    assert "Compared under Cost and latency , not scored. Costs are read as USD, the currency" in text_of(
        confirm
    )
    first, second = Run.objects.order_by("pk")
    assert [*Output.objects.filter(run=first, position__lt=3).values_list("latency_ms", flat=True)] == [
        301,
        302,
    ]
    assert Answer.objects.filter(run=second).values_list("cost", flat=True).distinct().get() == 200_000_000
    page = text_of(alices.get(f"/experiments/{experiment.pk}/"))
    assert "Cost and latency" in page
    assert "Cost USD per 1 000 answers" in page


def test_rows_of_several_models_keep_what_each_answer_took_also_inside_an_object(alices, imported):
    experiment, columns, _ = imported("calls.jsonl", LONG)

    roles = {one.source: one.role for one in columns.context["choices"].columns}
    inner = {one.source: one.role for one in columns.context["choices"].paths}
    assert roles["duration_s"] == "latency_s"
    assert (inner["$.usage.prompt_tokens"], inner["$.usage.completion_tokens"]) == ("tokens_in", "tokens_out")
    assert inner["$.usage.total_tokens"] == "leave out"
    assert experiment.dataset.example_count == 30
    large = Run.objects.get(variant="large")
    assert {*large.outputs.values_list("latency_ms", "tokens")} == {(2500, 5)}
    assert {*Answer.objects.filter(run=large).values_list("tokens_in", "tokens_out")} == {(30, 5)}
    head, row = b"".join(exports.of_run(large, "csv")).decode().splitlines()[:2]
    exported = dict(zip(head.split(","), row.split(","), strict=False))
    assert (exported["latency_ms"], exported["tokens_in"], exported["tokens_out"]) == ("2500", "30", "5")
    assert "Tokens" in text_of(alices.get(f"/experiments/{experiment.pk}/"))


def test_times_without_a_unit_are_asked_about(alices, project):
    content = "question,expected,output,latency\n" + "".join(
        f"What is {n} + {n}?,{2 * n},{2 * n},{20 + n}\n" for n in range(1, 31)
    )
    file = SimpleUploadedFile("sums.csv", content.encode())
    page = alices.post(f"/p/{project.slug}/datasets/upload/", {"file": file}, follow=True)

    assert page.context["unclear_times"] == ["latency"]
    sent = fields(page.content.decode()) | {"times": "latency_ms"}
    answered = alices.post(page.request["PATH_INFO"], sent)
    assert {one.source: one.role for one in answered.context["choices"].columns}["latency"] == "latency_ms"
    assert not answered.context["unclear_times"]


def test_nested_rows_say_what_was_asked_and_what_each_answer_took(alices, imported):
    """A harness of one's own nests what was asked deep, and names times and tokens in its own short way."""
    rows = [
        {"case": {"id": f"sum-{n}", "vars": {"question": f"What is {n} + {n}?"}, "tags": ["small"]}}
        | {"gold": f"{2 * n}", "system": system, "t_ms": 300 + n * times, "ok": n % times > 0}
        | {"response": {"text": f"{2 * n if n % times else 0}", "usage": {"in": 12 + n, "out": times}}}
        for n in range(1, 31)
        for system, times in (("base", 2), ("cot", 5))
    ]

    experiment, columns, _ = imported("harness.jsonl", "\n".join(map(json.dumps, rows)))

    roles = {
        one.source: one.role
        for one in (*columns.context["choices"].columns, *columns.context["choices"].paths)
    }
    assert [roles[name] for name in ("question", "id", "response.text", "t_ms")] == [
        *("input", "key", "output", "latency_ms")
    ]
    assert [roles[f"$['response.usage'].{name}"] for name in ("in", "out")] == ["tokens_in", "tokens_out"]
    assert experiment.dataset.columns["inputs"] == ["question"]
    assert [run.variant for run in Run.objects.order_by("pk")] == ["base", "cot"]
    first = Answer.objects.filter(run__variant="cot").order_by("position").first()
    assert (first.tokens_in, first.tokens_out) == (13, 5)
    assert Output.objects.get(run=first.run, position=first.position).latency_ms == 305
