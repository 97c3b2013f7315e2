"""The cells of the example notebook run in order."""

import json

import pytest

from tests.processes import ROOT

NOTEBOOK = ROOT / "client" / "examples" / "compare_two_variants.ipynb"


@pytest.mark.processes
@pytest.mark.django_db(transaction=True)
def test_the_notebook_runs_from_its_first_cell_to_its_last(live_server, worker, key, tmp_path, monkeypatch):
    monkeypatch.setenv("EVALSITE_URL", live_server.url)
    monkeypatch.setenv("EVALSITE_KEY", key)
    monkeypatch.chdir(tmp_path)
    cells = [cell for cell in json.loads(NOTEBOOK.read_text())["cells"] if cell["cell_type"] == "code"]
    names = {}

    for cell in cells:
        exec(compile("".join(cell["source"]), NOTEBOOK.name, "exec"), names)
    names["site"].close()

    assert [names["entry"][figure] for figure in ("difference", "n")] == [pytest.approx(-0.2), 20]
    assert names["table"].num_rows == 20


def test_the_notebook_is_kept_without_outputs():
    cells = json.loads(NOTEBOOK.read_text())["cells"]

    assert all(cell.get("outputs", []) == [] for cell in cells)
