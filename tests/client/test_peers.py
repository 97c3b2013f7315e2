"""The first examples of four other tools run here with one import changed."""

import json
import re

import pytest

from evaluations.models import Run
from tests.client.test_evaluate import means_of
from tests.processes import ROOT

pytestmark = [pytest.mark.processes, pytest.mark.django_db(transaction=True)]
PAGE = (ROOT / "docs" / "move-code.md").read_text()
EXAMPLES = dict(re.findall(r"^## (\w+)\n.*?^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
# By tool: what its example gives as mean and number of each score.
EXPECTED = {
    "Braintrust": {"same": (0.5, 2)},
    "LangSmith": {"correct": (0.5, 2), "concise": (1.0, 2)},
    "Phoenix": {"matches": (0.5, 2)},
    "Langfuse": {"accuracy": (0.5, 2)},
}


@pytest.fixture(autouse=True)
def _site(monkeypatch, live_server, key, tmp_path):
    monkeypatch.setenv("EVALSITE_URL", live_server.url)
    monkeypatch.setenv("EVALSITE_KEY", key)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.mark.parametrize("tool", EXPECTED)
def test_the_example_of_another_tool_becomes_a_run(tool, worker):
    for _ in range(2):
        exec(compile(EXAMPLES[tool], f"{tool}.py", "exec"), {"__name__": "__main__"})

    runs = list(Run.objects.order_by("pk"))
    assert [run.status for run in runs] == ["completed"] * 2
    assert [means_of(run.pk) for run in runs] == [EXPECTED[tool]] * 2
    assert len({json.dumps(run.about) for run in runs}) == 1
    assert len({(run.experiment_id, run.experiment.dataset_version) for run in runs}) == 1


def test_only_the_import_differs_from_the_other_tool():
    imports = {
        tool: re.findall(r"^from evalsite_client\.peers\.(\w+) import", code, re.MULTILINE)
        for tool, code in EXAMPLES.items()
    }

    assert imports == {tool: [tool.lower()] for tool in EXPECTED}
    assert all("evalsite" not in code.replace("evalsite_client.peers", "") for code in EXAMPLES.values())
