"""Uploads with `--schema`, and with `--mapping` and the name of a saved mapping, against a live server."""

import pytest

from evalsite_client import Client
from evalsite_client.errors import Mistaken
from evaluations.evaluators import evaluators
from evaluations.imports.columns import saved_mappings
from evaluations.models import Dataset, Evaluator, Import

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_file_is_uploaded_by_a_saved_mapping(evalsite, live_server, key, project, tmp_path):
    saved_mappings.create(project, None, "weekly export", {"inputs": ["frage"], "key": "nr"})
    (tmp_path / "rows.csv").write_text("nr,frage\n1,2+2?\n")

    ended = evalsite(
        *("upload", "rows.csv", "--mapping", "Weekly export", "--no-wait"),
        EVALSITE_URL=live_server.url,
        EVALSITE_KEY=key,
    )

    assert ended.returncode == 0, ended.stderr
    mapped = Import.objects.get(dataset=Dataset.objects.get()).mapping
    assert (mapped["inputs"], mapped["key"]) == (["frage"], "nr")


def test_a_saved_mapping_is_given_alone(evalsite, live_server, key, tmp_path):
    (tmp_path / "rows.csv").write_text("nr,frage\n1,2+2?\n")

    ended = evalsite(
        *("upload", "rows.csv", "--mapping", "weekly", "--input", "frage"),
        EVALSITE_URL=live_server.url,
        EVALSITE_KEY=key,
    )

    assert ended.returncode == 64


def test_a_schema_goes_with_a_file(evalsite, live_server, key, project, tmp_path):
    (tmp_path / "rows.csv").write_text("question\n2+2?\n")
    (tmp_path / "schema.json").write_text('{"inputs": {"question": {"type": "string"}}}')

    ended = evalsite(
        *("upload", "rows.csv", "--schema", "@schema.json", "--no-wait"),
        EVALSITE_URL=live_server.url,
        EVALSITE_KEY=key,
    )

    assert ended.returncode == 0, ended.stderr
    assert Dataset.objects.get().schema == {"inputs": {"question": {"type": "string"}}}


def test_an_evaluator_with_reading_steps_is_made_once_and_changed_in_a_new_version(live_server, key):
    read = {"actual": {"path": "$.output", "read": ["reasoning"]}}
    with Client(live_server.url, key) as site:
        made = site.ensure_evaluator("Read", "exact_match", {"case_sensitive": False}, read)
        same = site.ensure_evaluator("Read", "exact_match", {"case_sensitive": False}, read)
        read["actual"]["read"] = ["reasoning", "last_line"]
        changed = site.ensure_evaluator("Read", "exact_match", {"case_sensitive": False}, read)
        with pytest.raises(Mistaken):
            site.ensure_evaluator("Read", "contains")

    assert made == same == changed
    evaluator = Evaluator.objects.get()
    assert (evaluator.version, evaluators.newest(evaluator).mapping) == (2, read)
