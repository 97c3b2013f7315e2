"""Archives of texts with a line for each example, whatever their names end in."""

import io
import json
import zipfile

import pytest

from evaluations import ingest
from evaluations.ingest import archive
from tests.ingest.test_guesses import guessed

N = 20


def lines(word):
    return "".join(f"{word} sentence number {n} is here\n" for n in range(N))


def read(files):
    """The rows of an archive with these texts, and what the page says of them."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as written:
        for name, text in files.items():
            written.writestr(name, text)
    found = archive.unpacked(packed.getvalue(), ingest.Limits())
    assert found.warning
    return [json.loads(line) for line in found.content.splitlines()], found.warning.message


@pytest.mark.parametrize(
    ("source", "right", "outputs"),
    [
        ("t.orig", "t.simp.{}", ("system_output/old.txt", "system_output/new.txt")),
        ("orig.txt", "references/simp.{}.txt", ("system_output/old.txt", "system_output/new.txt")),
        ("t.src", "human/{}.tok", ("sys/old.lower", "sys/new.lower")),
    ],
    ids=["numbered at the end", "in a folder of references", "of any suffix"],
)
def test_files_of_equal_length_are_one_table_with_several_references(source, right, outputs):
    files = {source: lines("long")} | {right.format(n): lines(f"short{n}") for n in range(3)}
    rows, said = read(files | {name: lines(name[-7:-4]) for name in outputs} | {"LICENSE": "MIT\nfree\n" * 9})

    assert len(rows) == 2 * N
    assert {row["model"] for row in rows} == {"old", "new"}
    roles = guessed(*rows)
    assert [name for name, role in roles.items() if role == "reference"] == [
        f"reference_{n}" for n in (1, 2, 3)
    ]
    assert (roles["source"], roles["output"]) == ("inputs", "output")
    assert rows[0]["reference_1"].startswith("short0")
    assert "and 2 more have the right answers." in said
    assert "LICENSE" in said


def test_numbered_runs_beside_references_stay_outputs():
    files = {"src.txt": lines("asked"), "ref.txt": lines("right")}
    rows, _ = read(files | {f"run.{n}.txt": lines(f"said{n}") for n in range(2)})

    assert {row["output"].split()[0] for row in rows} == {"said0", "said1"}
    assert len({row["model"] for row in rows}) == 2


def test_transcripts_are_joined_by_the_name_of_the_utterance_behind_them():
    said = {"ref.trn": "right", "small.hyp.trn": "small", "large.hyp.trn": "large"}
    ordered = {"ref.trn": range(N), "small.hyp.trn": range(N), "large.hyp.trn": reversed(range(N))}
    rows, _ = read(
        {name: "".join(f"{said[name]} {n} (a-{n})\n" for n in numbers) for name, numbers in ordered.items()}
    )

    assert {(row["id"], row["ref"], row["output"]) for row in rows if "large" in row["model"]} == {
        (f"a-{n}", f"right {n}", f"large {n}") for n in range(N)
    }
    roles = guessed(*rows)
    assert (roles["ref"], roles["output"]) == ("reference", "output")


def test_beside_files_that_are_named_as_outputs_the_other_one_is_right():
    rows, said = read({"text": lines("right"), "hyp_a.txt": lines("a"), "hyp_b.txt": lines("b")})

    assert {row["reference"].split()[0] for row in rows} == {"right"}
    assert {row["model"] for row in rows} == {"a", "b"}
    assert "“text” has the right answers." in said


def test_a_file_in_another_language_is_what_is_asked():
    rows, said = read(
        {"n.en": lines("asked"), "n.ref.de": lines("right")} | {f"n.{s}.de": lines(s) for s in ("x", "y")}
    )

    assert {row["source"].split()[0] for row in rows} == {"asked"}
    assert {row["model"] for row in rows} == {"n.x", "n.y"}
    assert "“n.en” has what is asked." in said
