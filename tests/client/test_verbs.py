"""The requests and the output of each verb, against a live or a scripted server."""

import json
import sys

import pytest
from django.urls import reverse
from django.utils import timezone

from evalsite_client import Client, client, names
from evalsite_client.errors import Mistaken, TimedOut
from evaluations.models import Dataset, Evaluator, Gate, Launch
from evaluations.prompts import prices, prompts
from evaluations.prompts.content import Content
from tests import factories
from tests.client.scripted import Answer
from tests.other_tools.files import content


def listed(*rows: dict) -> Answer:
    return Answer({"results": list(rows), "next": None})


@pytest.fixture
def site(live_server, key):
    with Client(live_server.url, key) as connected:
        yield connected


def test_a_launch_takes_every_prompt_by_every_model(evalsite, scripted):
    server = scripted(listed({"id": 4}), listed({"id": 4}), listed({"id": 9}), Answer({"estimate": {}}))
    options = ["--prompt", "Plain", "--prompt", "Plain@2", "--model", "small", "--experiment", "capitals"]
    options += ["--sample", 50, "--stop-early", 0.02, "--estimate"]

    ended = evalsite("launch", *options, EVALSITE_URL=server.url, EVALSITE_KEY="evk_x")

    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout) == {"estimate": {}}
    body = json.loads(server.sent[-1].body)
    plain = {"prompt": 4, "model": "small"}
    assert body["variants"] == [plain, plain | {"version": 2}]
    assert (body["experiment"], body["sample"]) == (9, {"size": 50})
    assert (body["stop"], body["estimate_only"]) == ({"when": "decided", "margin": 0.02}, True)


@pytest.fixture
def prompt(project, settings):
    """A prompt with a priced model, whose server does not exist."""
    server = factories.connection(project, settings)
    prices.set_price(server, "m", 1_000_000, 1_000_000, None, timezone.now().date())
    messages = [{"role": "user", "content": "{{ question }}"}]
    content = Content(messages, "m", {"max_completion_tokens": 10}, connection=server)
    return prompts.create(project, None, "Plain", content)


@pytest.mark.django_db(transaction=True)
def test_the_command_line_gets_the_estimate_of_the_server(evalsite, live_server, key, project, prompt):
    dataset = factories.dataset(project)
    options = ["--dataset", dataset.name, "--name", "Try", "--evaluator", "exact_match", "--budget", "5.00"]

    ended = evalsite(
        "launch",
        "--prompt",
        "Plain",
        *options,
        "--estimate",
        "--json",
        EVALSITE_URL=live_server.url,
        EVALSITE_KEY=key,
    )

    assert json.loads(ended.stdout)["estimate"]["calls"] == {"low": 3, "high": 3}, ended.stderr


@pytest.mark.django_db(transaction=True)
def test_a_launch_goes_on_without_its_caller(evalsite, live_server, key, project, prompt):
    experiment = factories.experiment(project)
    options = ["--experiment", experiment.name, "--sample", 2, "--seed", 1, "--max-calls", 9, "--no-wait"]

    ended = evalsite("launch", "--prompt", "Plain", *options, EVALSITE_URL=live_server.url, EVALSITE_KEY=key)

    assert ended.returncode == 0, ended.stderr
    assert "running, 0 of 2 answers" in ended.stdout
    page = reverse("launch-detail", args=[Launch.objects.get().pk])
    assert ended.stderr.splitlines()[-1] == f"{live_server.url}{page}"


@pytest.mark.django_db(transaction=True)
def test_a_launch_is_waited_for_and_shown(site, prompt, project):
    experiment = factories.experiment(project)
    launch = site.launch([{"prompt": "Plain"}], experiment=experiment.pk, max_calls=9, wait=False)

    with pytest.raises(TimedOut):
        site.wait("launch", launch["id"], timeout=0)

    assert site.read_launch(launch["id"])["id"] == launch["id"]
    assert site.address("launch", launch["id"]).endswith(reverse("launch-detail", args=[launch["id"]]))


@pytest.mark.parametrize("options", [[], ["--experiment", "1", "--dataset", "2"], ["--dataset", "2"]])
def test_a_launch_says_where_it_belongs(evalsite, options):
    assert evalsite("launch", "--prompt", "Plain", *options).returncode == 64


@pytest.mark.parametrize("options", [["--output", "text"], ["--id", "id", "--in-order"]])
def test_outputs_say_how_they_find_their_examples(evalsite, tmp_path, options):
    (tmp_path / "rows.csv").write_text("id,output\n1,2\n")

    ended = evalsite("run", "rows.csv", "--experiment", 1, "--variant", "x", *options)

    assert (ended.returncode, "--in-order" in ended.stderr) == (64, True)


@pytest.mark.parametrize("mapping", ["{", "[]", "@absent.json"])
def test_a_mapping_that_is_no_object_is_a_mistake(evalsite, tmp_path, mapping):
    (tmp_path / "rows.csv").write_text("id,output\n1,2\n")

    assert evalsite("upload", "rows.csv", "--mapping", mapping).returncode == 64


@pytest.mark.django_db(transaction=True)
def test_many_outputs_go_in_batches(site, project, monkeypatch):
    monkeypatch.setattr(client, "BATCH", 2)
    experiment = factories.experiment(project)
    outputs = ({"key": f"k{n}", "output": "Paris"} for n in (1, 2, 3))

    run = site.run(experiment.name, "one by one", outputs, about={"model": "tiny"}, wait=False)

    assert (run["status"], run["output_count"], run["about"]) == ("queued", 3, {"model": "tiny"})


@pytest.mark.django_db(transaction=True)
def test_the_newest_run_of_a_variant_is_taken(site, project):
    experiment = factories.experiment(project)
    first, second, third = (factories.scored_run(experiment, variant=name) for name in ("v1", "v2", "v2"))

    compared = site.compare("v1", "v2", experiment=experiment.name)

    assert (compared["baseline"], compared["entries"][0]["run"]) == (first.pk, third.pk)
    with pytest.raises(Mistaken, match="v9"):
        site.compare("v1", "v9", experiment=experiment.name)
    with pytest.raises(Mistaken, match="--experiment"):
        site.compare("v1", second.pk)


@pytest.mark.django_db(transaction=True)
def test_a_kind_makes_its_evaluator_once(site, project):
    chosen = names.evaluator_ids(site.transport, ["exact_match", "exact_match", "numeric_match"])

    assert chosen[0] == chosen[1] != chosen[2]
    assert len(list(site.rows("evaluators"))) == 2
    assert names.evaluator_ids(site.transport, ["Exact match"]) == chosen[:1]


@pytest.mark.django_db(transaction=True)
def test_a_name_that_nothing_has_is_named(site):
    with pytest.raises(Mistaken, match="capitals"):
        site.experiment("capitals")


@pytest.mark.django_db(transaction=True)
def test_an_upload_for_an_unknown_evaluator_leaves_no_dataset(site, tmp_path):
    file = tmp_path / "rows.csv"
    file.write_text("question,answer,v1\nCapital of France?,Paris,Paris\n")
    with pytest.raises(Mistaken, match="exact_mach"):
        site.upload(file, outputs={"v1": "v1"}, evaluators=["exact_mach"], wait=False)

    assert not Dataset.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_pages_have_addresses(site, project, live_server):
    experiment = factories.experiment(project)
    first, second = (factories.scored_run(experiment, variant=name) for name in ("v1", "v2"))

    assert site.address("experiment", experiment.name) == f"{live_server.url}/experiments/{experiment.pk}/"
    page = site.comparison_address("v1", "v2", experiment=experiment.name)
    assert page == f"{live_server.url}/compare/?runs={first.pk},{second.pk}&baseline={first.pk}"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("form", ["csv", "jsonl", "json", "parquet", "xlsx"])
def test_a_run_is_exported_in_every_format(site, project, tmp_path, form):
    run = factories.scored_run(factories.experiment(project))

    path = site.export("run", run.pk, tmp_path / f"rows.{form}", form)

    assert (
        path.read_bytes()[:4]
        == {"csv": b"posi", "jsonl": b'{"po', "json": b'[\n{"', "parquet": b"PAR1", "xlsx": b"PK\x03\x04"}[
            form
        ]
    )


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("form", "beginning"), [("html", "<!doctype html>"), ("json", "{")])
def test_a_comparison_is_reported_in_one_file(site, project, tmp_path, form, beginning):
    experiment = factories.experiment(project)
    first, second = (factories.scored_run(experiment, variant=name) for name in ("v1", "v2"))

    path = site.report(first.pk, second.pk, target=tmp_path / "report", format=form)

    assert path.read_text().strip().lower().startswith(beginning)


@pytest.mark.django_db(transaction=True)
def test_rows_as_a_pandas_frame(site, project):
    pytest.importorskip("pandas")
    run = factories.scored_run(factories.experiment(project))

    assert len(site.to_pandas(run.pk)) == 3


def test_missing_pandas_is_an_error_with_a_remedy(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)

    with (
        Client("http://127.0.0.1:9", "evk_x") as nowhere,
        pytest.raises(Mistaken, match=r"evalsite-client\[pandas\]"),
    ):
        nowhere.to_pandas(1)


@pytest.mark.parametrize(
    ("verdict", "green", "code"),
    [
        ("pass", True, 0),
        ("fail", False, 1),
        ("inconclusive", False, 2),
        ("inconclusive", True, 0),
        ("changed", False, 3),
    ],
)
def test_the_verdict_of_a_gate_is_the_exit_code(evalsite, scripted, verdict, green, code):
    check = {
        "id": 7,
        "gate": 3,
        "verdict": verdict,
        "green": green,
        "sentence": "So it is.",
        "criteria": [],
        "changes": [],
    }
    server = scripted(Answer(check, 201))

    ended = evalsite("gate", 3, 5, "--hash", "abc", EVALSITE_URL=server.url, EVALSITE_KEY="evk_x")

    assert (ended.returncode, ended.stdout) == (code, f"{verdict.upper()}: So it is.\n")
    assert json.loads(server.sent[0].body) == {"run": 5, "hash": "abc"}


@pytest.fixture
def gated(evalsite, live_server, key, project):
    """`gated("create", …)` runs a verb of gates beside an experiment that has the run v1."""
    experiment = factories.experiment(project)
    factories.scored_run(experiment, variant="v1")

    def run(*arguments: object):
        return evalsite("gates", *arguments, "--json", EVALSITE_URL=live_server.url, EVALSITE_KEY=key)

    run.experiment = experiment
    return run


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_a_gate_is_made_of_options(gated):
    evaluator = Evaluator.objects.get()
    options = ["--experiment", gated.experiment.name, "--baseline", "v1", "--accepts-inconclusive"]
    options += ["--criterion", f"not_worse evaluator='{evaluator.name}' margin=0.02"]

    created = gated("create", "ship", *options, "--criterion", "answered value=0.99")

    assert created.returncode == 0, created.stderr
    [gate] = Gate.objects.all()
    assert (gate.name, gate.baseline.variant, gate.accepts_inconclusive) == ("ship", "v1", True)
    first = {"rule": "not_worse", "evaluator": evaluator.pk, "margin": 0.02}
    assert gate.criteria == [first, {"rule": "answered", "value": 0.99}]
    assert json.loads(created.stdout)["hash"] == gate.hash
    assert json.loads(gated("list").stdout) == [json.loads(created.stdout)]


@pytest.mark.django_db(transaction=True)
def test_a_gate_is_made_of_a_file_and_options_win(gated, tmp_path):
    [run] = gated.experiment.runs.all()
    body = {"name": "ship", "baseline": run.pk, "criteria": [{"rule": "examples", "value": 2}]}
    (tmp_path / "gate.json").write_text(json.dumps(body | {"missing": "exclude"}))

    created = gated("create", "--from", "@gate.json", "--missing", "worst")

    assert created.returncode == 0, created.stderr
    created = json.loads(created.stdout)
    assert (created["name"], created["criteria"], created["missing"]) == ("ship", body["criteria"], "worst")


@pytest.mark.parametrize(
    "options",
    [
        ["--baseline", 1],
        ["--criterion", "examples value=2"],
        ["--baseline", 1, "--criterion", ""],
        ["--baseline", 1, "--criterion", "answered value=most"],
        ["--baseline", 1, "--criterion", "better evaluator"],
    ],
)
def test_a_gate_that_lacks_something_is_a_mistake(evalsite, options):
    assert evalsite("gates", "create", "ship", *options).returncode == 64


@pytest.mark.processes
@pytest.mark.django_db(transaction=True)
def test_an_import_shows_the_figures_of_the_other_tool_beside_ours(
    evalsite, live_server, key, worker, tmp_path
):
    (tmp_path / "results.json").write_bytes(content("promptfoo_v3.json"))

    ended = evalsite("import", "results.json", EVALSITE_URL=live_server.url, EVALSITE_KEY=key)

    assert ended.returncode == 0, ended.stderr
    lines = [" ".join(line.split()) for line in ended.stdout.splitlines()]
    assert "all All assertions pass rate 0.417 0.417 equal" in lines
    assert any(line.startswith("llm-rubric: ") for line in lines)


@pytest.mark.processes
@pytest.mark.django_db(transaction=True)
def test_a_table_is_of_no_tool(live_server, key, worker, tmp_path):
    (tmp_path / "rows.csv").write_text("question,answer,output\n1,2,3\n")

    with Client(live_server.url, key) as site:
        assert site.import_file(tmp_path / "rows.csv")["source"] is None


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_a_dry_run_lists_the_contents_of_a_file_and_imports_nothing(evalsite, live_server, key, tmp_path):
    file = tmp_path / "export.json"
    file.write_bytes(content("promptfoo_v3.json"))
    here = {"EVALSITE_URL": live_server.url, "EVALSITE_KEY": key}

    export = evalsite("import", file, "--dry-run", **here)
    rows = tmp_path / "rows.csv"
    rows.write_text("question,answer,id\n2+2?,4,a\n3+3?,6,a\n")
    table = evalsite("upload", rows, "--input", "question", "--id", "id", "--dry-run", **here)

    assert (export.returncode, table.returncode) == (0, 0), export.stderr + table.stderr
    assert "3 examples, 12 answers" in export.stdout
    assert "grader exact: becomes exact_match" in export.stdout
    assert "1 example in 2 rows" in table.stdout
    assert "left out: answer" in table.stdout
    assert not Dataset.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_dataset_that_is_not_ready_is_waited_for_by_its_name(evalsite, live_server, key, project):
    Dataset.objects.create(project=project, name="Nightly", status="importing")
    here = {"EVALSITE_URL": live_server.url, "EVALSITE_KEY": key}

    ended = evalsite("wait", "dataset", "Nightly", "--timeout", "0.1", **here)

    assert ended.returncode == 7, ended.stderr


@pytest.mark.django_db(transaction=True)
def test_a_run_is_waited_for_by_the_name_of_its_variant(evalsite, live_server, key, project):
    experiment = factories.experiment(project)
    factories.scored_run(experiment, variant="nano")
    here = {"EVALSITE_URL": live_server.url, "EVALSITE_KEY": key}

    ended = evalsite("wait", "run", "nano", "--experiment", experiment.name, "--json", **here)

    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["variant"] == "nano"
