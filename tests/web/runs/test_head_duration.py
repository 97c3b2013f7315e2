"""The head of a run says what took its time."""

import re
from datetime import timedelta

from evaluations.models import Run
from tests import factories


def test_a_run_of_sent_outputs_was_scored_in_its_time(alices, project):
    run = factories.scored_run(factories.experiment(project))
    started = run.finished_at - timedelta(seconds=1.3)
    Run.objects.filter(pk=run.pk).update(started_at=started)

    facts = " ".join(alices.get(f"/runs/{run.pk}/").content.decode().split())

    assert re.findall("scored in ([^<]+)</span>", facts) == ["1.3 s"]
