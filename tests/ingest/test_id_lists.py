"""Lists of the names of examples by what became of them are a verdict for each."""

import io
import json
import zipfile

import pytest

from evaluations import ingest
from evaluations.ingest import archive

IDS = [f"django-{n}" for n in range(30)]


def report(right, wrong, solved):
    return {
        "total": len(IDS),
        "submitted_ids": IDS,
        f"{right}_ids": IDS[:solved],
        f"{wrong}_ids": IDS[solved:-2],
        "error_ids": IDS[-2:],
    }


@pytest.mark.parametrize(
    ("right", "wrong"), [("resolved", "unresolved"), ("correct", "wrong"), ("gelöst", "ungelöst")]
)
def test_reports_beside_patches_are_scores_of_them(right, wrong):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as files:
        for model, solved in (("small", 9), ("large", 20)):
            patches = [
                {"model": model, "instance_id": name, "model_patch": f"diff {model} {name}"} for name in IDS
            ]
            files.writestr(f"{model}/preds.jsonl", "\n".join(map(json.dumps, patches)))
            files.writestr(f"{model}/{model}.report.json", json.dumps(report(right, wrong, solved)))
    content = archive.unpacked(packed.getvalue(), ingest.Limits()).content
    rows = [json.loads(line) for line in content.splitlines()]
    [column] = {*rows[0]} - {"model", "instance_id", "model_patch"}

    assert [sum(row[column] for row in rows if row["model"] == model) for model in ("small", "large")] == [
        9,
        20,
    ]


def test_lists_of_parts_of_a_dataset_are_no_verdicts():
    assert archive.unpacked_object(json.dumps({"train": IDS[:20], "test": IDS[20:]}).encode()) is None
