"""What answers took, named by the mapping of a file."""

import pytest

from evaluations.models import Answer, Output, Run
from tests import factories

from .conftest import import_all

pytestmark = pytest.mark.django_db
BOTH = b"id,q,a,x,y,ms,s,usd\n1,2 + 2,4,4,5,300,0.75,0.0003\n2,3 + 3,6,6,6,n/a,,0.001\n"
MAPPING = {"inputs": ["q"], "reference": ["a"], "key": "id", "outputs": {"x": "x", "y": "y"}}


def test_a_mapping_names_what_the_answers_of_each_variant_took(writer):
    measures = {"latency_ms": {"x": "ms"}, "latency_s": {"y": "s"}, "cost": {"y": "usd"}}
    writer.upload("datasets/", BOTH, name="sums", mapping=MAPPING | {"measures": measures})
    import_all()

    x, y = Run.objects.order_by("pk")
    assert [*x.outputs.order_by("position").values_list("latency_ms", flat=True)] == [300, None]
    assert [*y.outputs.order_by("position").values_list("latency_ms", flat=True)] == [750, None]
    assert [*Answer.objects.order_by("position").values_list("run", "cost")] == [
        (y.pk, 300_000_000),
        (y.pk, 1_000_000_000),
    ]
    assert writer.get(f"runs/{y.pk}/").json()["usage"]["cost"] == "0.0013"


@pytest.mark.parametrize(
    ("measures", "said"),
    [
        ({"latency_ms": "ms"}, "say which variant"),
        ({"speed": {"x": "ms"}}, "measures"),
        ({"latency_ms": {"z": "ms"}}, "no outputs belong"),
        ({"latency_ms": {"x": "ms"}, "latency_s": {"x": "s"}}, "Two columns have the latency_ms"),
    ],
)
def test_measures_that_fit_no_variant_are_refused(writer, measures, said):
    refused = writer.upload("datasets/", BOTH, name="sums", mapping=MAPPING | {"measures": measures})

    assert refused.status_code == 400
    assert said in str(refused.json())


def test_a_file_of_outputs_names_what_they_took(writer, project):
    experiment = factories.experiment(project)
    file = b"id,text,ms,out,usd\nk1,Paris,300,7,0.0003\nk2,Rome,500,9,0.0004\n"
    mapping = {"output": "text", "key": "id"}
    mapping |= {"measures": {"latency_ms": "ms", "tokens_out": "out", "cost": "usd"}}
    writer.upload("runs/", file, experiment=str(experiment.pk), variant="v9", mapping=mapping)
    import_all()

    run = Run.objects.get(variant="v9")
    assert {*Output.objects.filter(run=run).values_list("latency_ms", "tokens")} == {(300, 7), (500, 9)}
    assert {*Answer.objects.filter(run=run).values_list("cost", flat=True)} == {300_000_000, 400_000_000}
    assert run.outputs_note["left_out"] == []


@pytest.mark.parametrize(("chosen", "took"), [({}, {(300, 7), (500, 9)}), ({"measures": {}}, {(None, None)})])
def test_a_mapping_without_measures_takes_those_that_columns_are_named_after(writer, project, chosen, took):
    experiment = factories.experiment(project)
    file = b"id,text,latency_ms,completion_tokens\nk1,Paris,300,7\nk2,Rome,500,9\n"
    mapping = {"output": "text", "key": "id"} | chosen
    writer.upload("runs/", file, experiment=str(experiment.pk), variant="v9", mapping=mapping)
    import_all()

    assert {*Output.objects.filter(run__variant="v9").values_list("latency_ms", "tokens")} == took
