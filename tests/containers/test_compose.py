"""docker-compose.yml as a team uses it: built, started, disturbed and restarted. Run with `make containers`.

With EVALSITE_IMAGE_IS_BUILT=1 the existing image `evalsite` is used.
"""

import pytest

from tests.containers import sums
from tests.containers.team import docker, docker_is_there

pytestmark = [
    pytest.mark.containers,
    pytest.mark.skipif(not docker_is_there(), reason="Docker is not there"),
]


def test_data_survives_a_lost_worker_and_a_restart(team):
    team.start()
    team.make_key()
    run = sums.begin_run(team, sums.upload(team), "v1")
    docker("kill", team.compose("ps", "--quiet", "worker").split()[0])
    sums.wait_for_scores(team, run)
    before = team.call(f"{run}results/")["results"]

    team.compose("down")
    team.start()

    assert team.call(f"{run}results/")["results"] == before
    [scoring] = team.call(run)["scorings"]
    assert scoring["counts"]["scored"] == sums.ROWS
    assert scoring["mean"] == sums.MEAN
