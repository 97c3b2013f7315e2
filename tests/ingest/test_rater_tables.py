"""Sheets or files of several people who rated the same answers: who they are is no variant."""

import io
import json
import zipfile

import pytest

from evaluations import ingest
from evaluations.ingest import archive, rater_tables
from evaluations.ingest.file_tables import Table

from .test_workbook import book

SYSTEMS = ("BARThez", "mT5-base", "Mistral-7B")


def sheet(person, system="Système", rated="Fluidité"):
    """The rows of a person, each with an order of their own."""
    rows = [
        {"N°": n, "Titre": f"Titre {n}", system: name, "Résumé": f"{name} résume {n}."}
        | {
            rated: 1 + (n * (person + 1) + len(name)) % 5,
            "Commentaire": "un peu long" if n % (3 + person) == 0 else None,
        }
        for n in range(12)
        for name in SYSTEMS
    ]
    return [rows[at * (5, 7)[person % 2] % len(rows)] for at in range(len(rows))]


def workbook(sheets):
    pages = [[[*rows[0]], *([*row.values()] for row in rows)] for rows in sheets.values()]
    return io.BytesIO(book(*pages, names=tuple(sheets)))


def test_a_sheet_for_each_rater_is_what_they_said_of_each_answer():
    content = workbook({f"Annotatrice {person}": sheet(person) for person in (1, 2, 3)})

    fmt = ingest.sniff(content, "évaluation.xlsx", limits=ingest.Limits())

    long = ingest.detect_long(content, fmt, ingest.Limits())
    assert (long.variant, long.variants, long.output, long.items) == ("Système", 3, "Résumé", 12)
    assert long.grades == ("Fluidité rater 1", "Fluidité rater 2", "Fluidité rater 3")


@pytest.mark.parametrize(("system", "rated"), [("system", "adequacy"), ("modello", "Scorrevolezza")])
def test_a_file_for_each_rater_names_them(system, rated):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as packed:
        for person in (1, 2):
            packed.writestr(
                f"annotator_{person}.jsonl", "\n".join(map(json.dumps, sheet(person, system, rated)))
            )

    found = archive.unpacked(content.getvalue(), ingest.Limits())

    rows = [json.loads(line) for line in found.content.splitlines()]
    assert {row["rater"] for row in rows[:2]} == {"1", "2"}
    assert {row["Résumé"] for row in rows[:2]} == {rows[0]["Résumé"]}
    assert "“rater” names who rated" in found.warning.message


def test_tables_with_other_answers_are_not_of_raters():
    def of(prompt):
        return Table(prompt, [row | {"Résumé": f"{prompt}: {row['Résumé']}"} for row in sheet(1)])

    assert not rater_tables.are_of_raters([of("kurz"), of("lang")])
    assert rater_tables.are_of_raters([Table("Ann", sheet(1)), Table("Ben", sheet(2))])
