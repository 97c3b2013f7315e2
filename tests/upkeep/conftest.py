"""Old runs for retention."""

import pytest

from evaluations.models import Experiment, Project, Run
from tests import factories

from .aging import days_pass


@pytest.fixture
def experiment(project: Project) -> Experiment:
    return factories.experiment(project)


@pytest.fixture
def old_runs(experiment: Experiment) -> list[Run]:
    """Two runs that are 100 days old; neither was chosen as a baseline."""
    both = [factories.scored_run(experiment, variant=name) for name in ("v1", "v2")]
    days_pass(100)
    return both
