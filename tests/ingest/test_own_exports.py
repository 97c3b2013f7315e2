"""Tables in the order in which Evalsite writes them are its exports; all others are not."""

import io

import pytest

from evaluations import ingest

LABEL = ("v1 Label", "v1 Label passed", "v1 Label status", "v1 Label version")


def preview(*names):
    lines = [",".join(names), *(",".join(f"{name} {n}" for name in names) for n in range(3))]
    return ingest.preview(io.BytesIO("\n".join(lines).encode()), "e.csv", limits=ingest.Limits())


@pytest.mark.parametrize(
    ("names", "is_own"),
    [
        (("position", "key", "question", "v1 output", *LABEL), True),
        (("position", "key", "question", "v1 output", *LABEL, "v1 Label label", "v1 about"), True),
        (("position", "key", "question", "v1 output", "v1 latency_ms"), False),
        (("key", "question", "v1 output", *LABEL), False),
        (("position", "key", "question", "v1 output", *LABEL, "notes"), False),
        (("position", "key", "question", "v1 output", *LABEL[:3]), False),
    ],
)
def test_an_export_is_known_by_the_order_of_its_columns(names, is_own):
    seen = preview(*names)

    assert bool(seen.format.own) == is_own
    assert ("own_export" in [warning.code for warning in seen.warnings]) == is_own
