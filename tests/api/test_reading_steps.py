"""Reading steps that answers need: offered, taken and taken back by the API."""

from tests import factories

from .conftest import score_all

THOUGHT = ("<think>Lyon?</think>Paris", "Rome", "<think>No.</think>Oslo")


def test_a_step_is_offered_taken_and_taken_back(writer, project):
    run = factories.scored_run(factories.experiment(project), THOUGHT)
    address = f"experiments/{run.experiment_id}/reading-steps/"

    [offer] = writer.get(address).json()["offers"]
    taken = writer.post(address, {"step": offer["step"]}).json()
    score_all()
    again = writer.post(address, {"step": "reasoning"})
    [evaluator] = offer["evaluators"]
    before = [{"evaluator": evaluator, "version": 1}]
    undone = writer.post(f"{address}undo/", {"versions": before}).json()

    assert (offer["step"], offer["answers"], offer["seen"]) == ("reasoning", 2, 3)
    assert taken == {"versions": [{"evaluator": evaluator, "version": 2, "before": 1}], "runs": [run.pk]}
    assert (again.status_code, again.json()["error"]["code"]) == (409, "step_not_needed")
    assert [used["version"] for used in undone["evaluators"]] == [1]
