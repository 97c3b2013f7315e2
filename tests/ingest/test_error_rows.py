"""Rows of errors that reviewers found in answers are joined to answers with a penalty."""

import csv
import io

from evaluations import ingest

NAMES = ("system", "seg_id", "rater", "source", "target", "category", "severity")


def seen(*rows):
    text = io.StringIO()
    writer = csv.writer(text, delimiter="\t")
    writer.writerows([NAMES, *rows])
    return ingest.preview(io.BytesIO(text.getvalue().encode()), "mqm.tsv", limits=ingest.Limits())


def row(system, segment, severity, category="Accuracy/Mistranslation", rater="r1"):
    return (
        system,
        segment,
        rater,
        f"Satz {segment}.",
        f"Sentence <v>{segment}</v> by {system}.",
        category,
        severity,
    )


CLEAN = [row("b", n, "no-error", "No-error") for n in range(10, 22)] + [row("b", 50, "Minor")]


def penalties(preview):
    return {(line["system"], line["seg_id"]): line["penalty"] for line in preview.rows}


def test_the_errors_of_an_answer_add_up():
    found = penalties(
        seen(
            row("a", 1, "Major"),
            row("a", 1, "minor"),
            row("a", 1, "Minor", "Fluency/Punctuation"),
            row("a", 2, "no-error", "No-error"),
            row("a", 3, "Major", "Non-translation!"),
            *CLEAN,
        )
    )

    assert (found["a", "1"], found["a", "2"], found["a", "3"], found["b", "10"]) == (6.1, 0, 25, 0)


def test_of_several_raters_the_mean_counts():
    found = penalties(seen(row("a", 1, "Major"), row("a", 1, "Minor", rater="r2"), *CLEAN))

    assert found["a", "1"] == 3


def test_the_last_answer_of_a_file_is_there_and_marks_around_errors_are_not():
    preview = seen(row("a", 1, "Major"), *CLEAN, row("a", 99, "Minor"), row("a", 99, "Minor"))

    assert (preview.rows[-1]["seg_id"], preview.rows[-1]["penalty"]) == ("99", 2)
    assert preview.rows[-1]["target"] == "Sentence 99 by a."
    assert preview.row_count == 15


def test_marks_in_the_source_make_no_other_answer():
    omission = (*row("a", 1, "Minor")[:3], "<v>Satz</v> 1.", *row("a", 1, "Minor")[4:])
    preview = seen(row("a", 1, "Major"), omission, row("a", 1, "Minor"), *CLEAN)

    assert (penalties(preview)["a", "1"], preview.row_count) == (7, 14)


def test_severities_of_incidents_without_systems_stay():
    text = "id,severity,text\n" + "".join(f"{n},{['Major', 'Minor'][n % 2]},t {n}\n" for n in range(20))
    preview = ingest.preview(io.BytesIO(text.encode()), "incidents.csv", limits=ingest.Limits())

    assert preview.columns == ["id", "severity", "text"]


def test_the_page_says_that_rows_were_joined():
    assert "rows_of_errors" in [warning.code for warning in seen(row("a", 1, "Major"), *CLEAN).warnings]
