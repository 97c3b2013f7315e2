"""Verbs with `--split`, against a live server."""

import pytest

from evaluations.datasets import splits
from evaluations.datasets.splits import Rule
from evaluations.models import Run
from tests import factories

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def experiment(project):
    """On three examples, of which the split “hard” has k2 and k3."""
    experiment = factories.experiment(project)
    splits.create(experiment.dataset, None, "hard", Rule(keys=["k2", "k3"]))
    return experiment


def test_outputs_are_for_a_split(evalsite, live_server, key, experiment, tmp_path):
    (tmp_path / "rows.csv").write_text("id,output\nk2,Rome\nk3,Oslo\n")
    options = ["--experiment", experiment.pk, "--variant", "v1", "--id", "id", "--split", "hard", "--no-wait"]

    ended = evalsite("run", "rows.csv", *options, EVALSITE_URL=live_server.url, EVALSITE_KEY=key)

    assert ended.returncode == 0, ended.stderr
    assert Run.objects.get().split.name == "hard"


def test_a_comparison_is_of_a_split(evalsite, live_server, key, experiment):
    first, second = (factories.scored_run(experiment, variant=name) for name in ("v1", "v2"))
    options = [first.pk, second.pk, "--split", "hard", "--json"]

    ended = evalsite("compare", *options, EVALSITE_URL=live_server.url, EVALSITE_KEY=key)

    assert ended.returncode == 0, ended.stderr
    assert '"examples": 2' in ended.stdout or '"examples":2' in ended.stdout


def test_a_split_is_exported(evalsite, live_server, key, experiment, tmp_path):
    options = ["dataset", experiment.dataset_id, "--split", "hard", "-o", "hard.jsonl"]

    ended = evalsite("export", *options, EVALSITE_URL=live_server.url, EVALSITE_KEY=key)

    assert ended.returncode == 0, ended.stderr
    assert len((tmp_path / "hard.jsonl").read_text().splitlines()) == 2
