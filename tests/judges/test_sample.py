"""The sample project with people's labels and a recorded judge, walked without a model."""

import pytest

from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.people import passports
from evaluations.evaluators import evaluators
from evaluations.experiments import experiments
from evaluations.judges import sample
from evaluations.models import Evaluator, Prompt, Spending
from evaluations.scoring import scoring

pytestmark = pytest.mark.django_db


@pytest.fixture
def loaded(project, alice):
    return sample.load(project, alice)


def named(project, name):
    return Evaluator.objects.live().get(project=project, name=name)


def test_the_judge_of_the_sample_has_a_passport_without_a_model(loaded, project, alice):
    version, label_set = evaluators.newest(named(project, sample.JUDGE)), named(project, sample.LABELS)
    closed = passports.of(version, label_set)
    assert (closed.sealed, closed.is_held) == (None, False)
    assert sum(part.answers for part in closed.parts) == 150
    opened = passports.open_sealed(version, label_set, alice)
    assert opened.is_held
    assert not opened.is_worthless
    assert opened.peers.n == 30
    assert {variant.name for variant in opened.variants} == {
        "current prompt",
        "with our rules",
        "one line only",
    }
    assert not Spending.objects.exists()


def test_the_judge_of_the_sample_helps_its_labels(loaded, project, alice):
    version, label_set = evaluators.newest(named(project, sample.JUDGE)), named(project, sample.LABELS)
    passports.open_sealed(version, label_set, alice)
    experiments.set_primary(loaded, label_set)
    loaded.refresh_from_db()
    runs = experiments.shown_runs(loaded)
    compared = Comparison(runs[:2], runs[0])
    entry = compared.figures.entries_of(label_set)[0]
    assert entry.helper == version
    assert entry.helped.judged == 60


@pytest.mark.long
def test_the_sample_is_loaded_once_and_leaves_nothing(loaded, project, alice):
    assert sample.load(project, alice) == loaded
    while scoring.work(seconds=10):
        pass
    sample.remove(project)
    assert not Prompt.objects.live().filter(project=project).exists()
    assert not Evaluator.objects.live().filter(project=project).exists()
