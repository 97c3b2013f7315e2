"""The three steps of an upload, without JavaScript."""

import io
import json
import re
import subprocess
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from html import unescape
from types import SimpleNamespace

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from evaluations.access import limits
from evaluations.datasets import datasets
from evaluations.evaluators import evaluators
from evaluations.evaluators.recipe import Recipe
from evaluations.imports import imports, own_scores
from evaluations.imports.uploads import turns, uploads
from evaluations.kinds import CATALOGUE
from evaluations.models import (
    Dataset,
    Evaluator,
    Example,
    Experiment,
    Import,
    Label,
    Output,
    Run,
    Scoring,
    Upload,
)
from evaluations.results import exports
from evaluations.scoring import scoring
from evaluations.upkeep import purging
from evaluations.web.forms.evaluators import STANDARD, recipe_of
from evaluations.web.forms.upload import ColumnChoices
from tests import factories
from tests.pages import markup, text_of

CSV = b"id,question,answer,topic,terse,notes\n1,2+2?,4,maths,4,x\n2,3+3?,6,maths,six,y\n3,4+4?,8,maths,,z\n"
NESTED = (
    b'{"question": "2+2?", "ground_truth": "4", "6b": {"solution": "4", "is_correct": true}}\n'
    b'{"question": "3+3?", "ground_truth": "6", "6b": {"solution": "7", "is_correct": false}}\n'
)
RESPONSES = b'{"id": 1, "prompt": "2+2?", "output": "4", "gpt-4 response": "5", "topic": "sums"}\n'


def send(client: Client, content: bytes, name: str = "answers.csv", **more: str):
    address = "/p/default/datasets/upload/"
    return client.post(address, {"file": SimpleUploadedFile(name, content)} | more)


def fields(html: str) -> dict[str, str]:
    """The form of the columns page as browsers send it."""
    values = dict(re.findall(r'<input[^>]*name="([\w-]+)"[^>]*value="([^"]*)"(?![^>]*checkbox)', html))
    for name, options in re.findall(r'<select[^>]*name="([\w-]+)"[^>]*>(.*?)</select>', html, re.DOTALL):
        option = re.search(r'<option(?: value="([^"]*)")? selected>([^<]*)', options) or re.search(
            r'<option(?: value="([^"]*)")?>([^<]*)', options
        )
        values[name] = option.group(2) if option.group(1) is None else option.group(1)
    return {name: unescape(value) for name, value in values.items()}


def test_several_files_at_once_are_one_table(alices):
    files = [
        SimpleUploadedFile("questions.csv", b"id,question,answer\n1,2+2?,4\n2,3+3?,6\n3,4+4?,8\n"),
        SimpleUploadedFile("terse.csv", b"id,terse_answer\n1,4\n2,6\n3,8\n"),
    ]
    page = alices.post("/p/default/datasets/upload/", {"file": files}, follow=True)

    text = text_of(markup(page))
    assert "2 files are read as one table. “id” names the examples." in text
    assert "terse_answer" in text


def roles(html: str) -> dict[str, str]:
    values = fields(html)
    return {values[f"column-{n}"]: values[f"role-{n}"] for n in range(20) if f"column-{n}" in values}


def arrive(client: Client, content: bytes, name: str = "answers.csv") -> tuple[str, str]:
    """The address and the page of the second step."""
    address = send(client, content, name)["Location"]
    return address, markup(client.get(address))


def import_all() -> None:
    for job in Import.objects.all():
        imports.run_import(job.pk)


# ---- file ----


def test_the_first_page_says_the_limits(alices):
    html = markup(alices.get("/p/default/datasets/upload/"))

    assert "5 000 000 rows" in html.replace("\u202f", " ")


def test_without_a_file_the_form_comes_back(alices):
    response = alices.post("/p/default/datasets/upload/", {"text": " "})

    assert response.status_code == 400
    assert response.context["form"].non_field_errors()


def test_text_can_be_pasted(alices):
    address = alices.post("/p/default/datasets/upload/", {"text": "question,answer\r\n2+2?,4\r\n"})[
        "Location"
    ]

    assert roles(markup(alices.get(address))) == {"question": "input", "answer": "reference"}


def test_a_dataset_gets_a_name_of_its_own(alices):
    names = []
    for _ in range(2):
        columns = alices.post("/p/default/datasets/upload/", {"text": "question,answer\n2+2?,4\n"})[
            "Location"
        ]
        confirm = columns.replace("columns", "confirm")
        names.append(re.search(r'name="name" value="([^"]*)"', markup(alices.get(confirm)))[1])
        alices.post(confirm, {"name": names[-1], "on_error": "reject"})

    assert names == ["Pasted rows", "Pasted rows 2"]


@pytest.mark.parametrize(
    ("content", "name", "sentence"),
    [
        (b"", "a.csv", "empty"),
        (b"PK\x03\x04" + b"\0" * 60, "a.xlsx", "CSV UTF-8"),
        (b'{"a": 1', "a.json", "before its JSON object is closed"),
        (b'{"a": 1,\n "b": 2}', "a.json", "not an array"),
    ],
)
def test_a_bad_file_is_refused_on_the_same_page(alices, content, name, sentence):
    response = send(alices, content, name)

    assert response.status_code == 400
    assert sentence in markup(response)
    assert not Upload.objects.exists()


def test_htmx_gets_a_refused_form_back_with_422(alices):
    alices.defaults["HTTP_HX_REQUEST"] = "true"

    refusal, success = send(alices, b""), send(alices, CSV)

    assert refusal.status_code == 422
    assert re.fullmatch(r"/uploads/\d+/columns/", success["HX-Redirect"])


# ---- columns ----


def test_columns_are_suggested_from_exact_names_only(alices):
    _, html = arrive(alices, CSV)

    assert roles(html) == {
        "id": "key",
        "question": "input",
        "answer": "reference",
        "topic": "metadata",
        "terse": "metadata",
        "notes": "metadata",
    }
    suggested = re.findall(r'class="name">([^<]+)<small>suggested', html)
    assert suggested == ["id", "question", "answer"]


def test_the_first_rows_stand_beside_their_lines(alices):
    _, html = arrive(alices, CSV)

    assert re.findall(r'<td class="line">(\d+)</td>', html) == ["2", "3", "4"]


def test_another_delimiter_shows_the_file_again(alices):
    address, html = arrive(alices, b"question|answer;x\n1|2;3\n")
    form = fields(html) | {"delimiter": ";"}

    second_page = markup(alices.post(address, form))

    assert list(roles(second_page)) == ["question|answer", "x"]
    assert Upload.objects.get().format["delimiter"] == ";"


def test_how_a_file_is_read_is_one_line_until_it_is_changed(alices):
    address, html = arrive(alices, CSV)
    changed = markup(alices.post(address, fields(html) | {"delimiter": ";"}, headers={"hx-request": "true"}))

    assert "Read as: comma, utf-8, header in the first row" in text_of(html)
    assert '<details class="more-settings">' in html
    assert '<details class="more-settings" open>' in changed


def test_a_first_row_that_is_data_is_no_header(alices):
    address, html = arrive(alices, b"2+2?,4\n3+3?,6\n")

    second_page = markup(alices.post(address, fields(html) | {"header": "no"}))

    assert re.findall(r'<td class="line">(\d+)</td>', second_page) == ["1", "2"]


def test_the_number_of_rows_counts_those_with_problems(alices):
    response = alices.get(send(alices, CSV + b"only,two\n").url)

    assert response.context["preview"].rows_read == 4


def test_roles_outlast_another_reading_of_the_file(alices):
    address, html = arrive(alices, CSV)
    form = fields(html) | {"role-4": "output", "variant-4": "short", "empty_as_text": "text"}

    second_page = markup(alices.post(address, form))

    assert roles(second_page)["terse"] == "output"
    assert 'name="variant-4" value="short"' in second_page


def test_a_file_that_cannot_be_read_says_where(alices):
    address, html = arrive(alices, b'question;answer\n"a;b\n')

    assert alices.get(address).status_code == 400
    assert "never closed" in html
    assert 'name="delimiter"' in html
    assert "Another file" in html


def test_texts_in_nested_columns_can_be_outputs(alices):
    _, html = arrive(alices, NESTED, "solutions.jsonl")

    assert "$[&#x27;6b&#x27;].solution" in html
    assert roles(html)["6b"] == "leave out"


def test_a_path_may_lead_through_names_with_spaces_and_quotes(alices):
    row = b'{"question": "2+2?", "m": {"the text": "4"}, "it\'s": {"output": "4"}}\n'

    _, html = arrive(alices, row, "solutions.jsonl")

    assert "$.m[&#x27;the text&#x27;]" in html
    assert roles(html)["it's"] == "leave out"


@pytest.mark.parametrize("content", [CSV, NESTED, RESPONSES], ids=["csv", "nested", "responses"])
def test_pages_and_api_suggest_the_same_mapping(alices, content):
    arrive(alices, content, "rows.csv" if content == CSV else "rows.jsonl")
    upload = Upload.objects.get()
    preview = uploads.preview(upload)

    on_pages = imports.checked(upload, ColumnChoices.suggested(preview, {}, None).mapping())
    in_the_api = imports.checked(upload, None)

    assert on_pages == replace(in_the_api.with_remaining(preview.columns), takes_remaining=False)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"role-1": "key"}, "two_keys"),
        ({"role-3": "output", "variant-3": "a", "role-4": "output", "variant-4": "a"}, "variant_twice"),
        ({"role-3": "output", "variant-3": " "}, "variant_needed"),
        ({"role-1": "metadata", "role-2": "metadata"}, "no_roles"),
    ],
)
def test_roles_that_do_not_go_together_are_refused_on_the_page(alices, changes, code):
    address, html = arrive(alices, CSV)

    response = alices.post(address, fields(html) | changes | {"continue": "yes"})

    assert response.status_code == 400
    assert code in markup(response)


def test_a_number_that_repeats_is_no_column_of_variants_where_two_columns_have_outputs(alices):
    """Two questions of each passage, which the rows number."""
    rows = "".join(
        f"Passage {n // 2},{n % 2 + 1},Which in {n}?,{n % 4 + 1},It is {n % 4 + 1}.,{(n + n // 9) % 4 + 1}\n"
        for n in range(48)
    )
    header = "passage,question_number,question,correct_answer_num,gpt_output,llama_output\n"

    _, html = arrive(alices, (header + rows).encode(), "belebele.csv")

    assert "one row for each variant" not in text_of(html)
    sent = fields(html)
    assert [sent[f"role-{n}"] for n in (3, 4, 5)] == ["reference", "output", "output"]


def test_a_column_that_is_called_model_has_the_variants_though_two_columns_have_texts_of_outputs(alices):
    rows = "".join(
        f"q{n},Which in {n}?,{model},It is {n} by {model}.,{model} says {n}\n"
        for n in range(12)
        for model in "ab"
    )

    _, html = arrive(alices, f"id,question,model,output,response\n{rows}".encode(), "long.csv")

    assert fields(html)["role-2"] == "variant"


# ---- confirm ----


def to_confirm(client: Client, content: bytes, name: str = "answers.csv", **changes: str) -> str:
    address, html = arrive(client, content, name)
    return client.post(address, fields(html) | changes | {"continue": "yes"})["Location"]


def test_before_the_columns_have_roles_confirming_leads_to_them(alices):
    columns, _ = arrive(alices, b"alpha,beta\n1,2\n")

    response = alices.get(columns.replace("columns", "confirm"), follow=True)

    assert response.redirect_chain == [(columns, 302)]
    assert "Assign at least one column as input or reference." in markup(response)


AS_OUTPUT = {"role-4": "output", "variant-4": "short", "role-5": "leave out"}


def test_the_last_page_shows_the_result_and_creates_nothing(alices):
    html = markup(alices.get(to_confirm(alices, CSV, **AS_OUTPUT)))
    text = text_of(html)

    assert "Examples 3 examples" in text
    assert "Experiment 1 run short — terse" in text
    assert "Left out notes" in text
    assert 'value="answers"' in html
    assert not Dataset.objects.exists()


def test_without_references_no_evaluator_that_needs_one_is_ticked(alices):
    html = markup(
        alices.get(
            to_confirm(alices, b"question,answer\nhow?,so\n", **{"role-1": "output", "variant-1": "v1"})
        )
    )

    assert re.findall(r'name="evaluators"[^>]* checked', html) == []
    assert "Nothing is selected, because these rows have no reference" in text_of(html)


def test_an_evaluator_of_the_advised_kind_is_ticked_with_its_own_name_and_settings(alices, project):
    evaluator = evaluators.from_preset(project, None, STANDARD["numeric_match"])
    evaluators.change(evaluator, None, name="Close enough", config={"tolerance": 0.5})

    html = markup(alices.get(to_confirm(alices, CSV.replace(b"six", b"7"), **AS_OUTPUT)))

    ticked = re.findall(r'name="evaluators" value="([:\w]+)"[^>]* checked', html)
    assert ticked == [f"evaluator:{evaluator.pk}"]


def test_confirming_makes_dataset_experiment_and_scores(alices):
    address = to_confirm(alices, CSV, **AS_OUTPUT)
    form = {"name": "Sums", "on_error": "reject", "evaluators": ["preset:axion_exact_string_match"]}

    response = alices.post(address, form)
    import_all()
    while scoring.work(seconds=10):
        pass

    dataset, run = Dataset.objects.get(), Run.objects.get()
    assert response["Location"] == f"/datasets/{dataset.pk}/?then=experiment"
    assert list(Example.objects.values_list("key", flat=True)) == ["1", "2", "3"]
    assert sorted(Output.objects.values_list("text", flat=True)) == ["4", "six"]
    assert (run.variant, run.status) == ("short", Run.Status.COMPLETED)
    # One of three: "4" is right, "six" is not, and this evaluator counts a missing answer as wrong.
    assert run.scorings.get().summary["mean"] == pytest.approx(1 / 3)
    assert Evaluator.objects.get().name == "Exact match"


def test_every_kind_can_be_chosen_or_has_a_link_to_its_settings(alices, project):
    page = markup(alices.get(to_confirm(alices, CSV, **AS_OUTPUT)))

    values = re.findall(r'name="evaluators" value="([:\w]+)"', page)
    offered = {recipe.kind.key for value in values if (recipe := recipe_of(project, value))}
    linked = set(re.findall(r"/evaluators/new/\?kind=(\w+)", page))
    assert (offered | linked, offered & linked) == ({*CATALOGUE}, set())


def test_the_evaluator_marked_as_primary_decides_the_experiment_of_an_upload(alices):
    ticked = ["preset:axion_exact_string_match", "kind:rouge_l"]
    form = {"name": "Sums", "on_error": "reject", "evaluators": ticked, "primary": "kind:rouge_l"}

    alices.post(to_confirm(alices, CSV, **AS_OUTPUT), form)

    assert Experiment.objects.get().primary.name == "ROUGE"


def test_a_mark_on_an_evaluator_that_is_not_ticked_leaves_the_first_one_primary(alices):
    ticked = ["kind:chrf", "kind:rouge_l"]
    form = {"name": "Sums", "on_error": "reject", "evaluators": ticked, "primary": "kind:jaro_winkler"}

    alices.post(to_confirm(alices, CSV, **AS_OUTPUT), form)

    assert Experiment.objects.get().primary.name == "chrF"


def test_nested_outputs_become_runs(alices):
    alices.post(to_confirm(alices, NESTED, "solutions.jsonl"), {"name": "S", "on_error": "reject"})
    import_all()

    assert Experiment.objects.get().runs.get().variant == "6b"
    assert sorted(Output.objects.values_list("text", flat=True)) == ["4", "7"]


def test_the_worker_reads_with_the_chosen_delimiter(alices):
    address, html = arrive(alices, b"question|answer;x\n1|2;3\n")
    alices.post(address, fields(html) | {"delimiter": ";"})
    second_page = fields(markup(alices.get(address))) | {"role-0": "input", "role-1": "reference"}
    confirm = alices.post(address, second_page | {"continue": "yes"})["Location"]

    alices.post(confirm, {"name": "Odd", "on_error": "reject"})
    import_all()

    assert Example.objects.get().inputs == '{"question|answer":"1|2"}'


def test_empty_cells_can_be_empty_texts(alices):
    confirm = to_confirm(alices, CSV, **AS_OUTPUT, empty_as_text="text")

    alices.post(confirm, {"name": "Sums", "on_error": "reject"})
    import_all()

    assert sorted(Output.objects.values_list("text", flat=True)) == ["", "4", "six"]


def test_the_same_bytes_are_recognised(alices):
    alices.post(to_confirm(alices, CSV), {"name": "First", "on_error": "reject"})
    import_all()

    html = markup(alices.get(to_confirm(alices, CSV, "again.csv")))

    assert "First" in html


def test_the_export_of_a_dataset_is_said_to_have_its_rows(alices, project):
    rows = [{"key": f"k{n}", "inputs": {"question": f"q{n}"}, "reference": {"answer": "a"}} for n in range(9)]
    dataset = datasets.create(project, None, "Known", rows)
    file = b"".join(exports.of_dataset(dataset, "csv", parts=True))
    said = "You have these rows already."

    assert said in markup(alices.get(to_confirm(alices, file, "export.csv")))
    assert said not in markup(alices.get(to_confirm(alices, file.replace(b"q8", b"other"), "changed.csv")))
    assert said not in markup(alices.get(to_confirm(alices, file + b"k9,q9,a\n", "more.csv")))


def test_the_rows_of_an_older_version_are_recognised_on_both_steps(alices, project):
    rows = [{"key": f"k{n}", "inputs": {"question": f"q{n}"}, "reference": {"answer": "a"}} for n in range(9)]
    dataset = datasets.create(project, None, "Known", rows)
    file = b"".join(exports.of_dataset(dataset, "csv", parts=True))
    datasets.edit(dataset, None, 9, {"reference": {"answer": "b"}})
    said = "They are version 1 of Known , which is at version 2 now."

    _, html = arrive(alices, file, "export.csv")
    assert said in text_of(html)
    assert said in text_of(markup(alices.get(to_confirm(alices, file, "export.csv"))))


def test_columns_that_are_left_out_stand_last(alices):
    address, html = arrive(alices, CSV)
    sent = fields(html) | {"role-1": "leave out"}

    shown = alices.post(address, sent).context["choices"].columns
    assert shown[-1].source == sent["column-1"]


def test_a_dataset_that_changed_since_no_longer_has_the_contents_of_its_file(alices):
    alices.post(to_confirm(alices, CSV), {"name": "First", "on_error": "reject"})
    import_all()
    Dataset.objects.filter(name="First").update(version=2)

    html = markup(alices.get(to_confirm(alices, CSV, "again.csv")))

    assert "You uploaded this file before" not in html


def test_a_taken_name_keeps_the_upload(alices):
    alices.post(to_confirm(alices, CSV), {"name": "First", "on_error": "reject"})
    address = to_confirm(alices, CSV, "again.csv")

    refusal = alices.post(address, {"name": "FIRST", "on_error": "reject"})
    success = alices.post(address, {"name": "Second", "on_error": "reject"})

    assert (refusal.status_code, success.status_code) == (409, 302)
    assert "named “FIRST” already" in markup(refusal)


def test_good_rows_can_be_imported_and_the_others_are_listed(alices):
    confirm = to_confirm(alices, b"question,answer\n1,2\nlonely\n3,4\n")

    address = alices.post(confirm, {"name": "Part", "on_error": "skip"})["Location"]
    import_all()

    html = markup(alices.get(address))
    assert Example.objects.count() == 2
    assert "Rows that were left out" in html
    assert "line 3" in html
    file = alices.get(f"{address}refused/")
    assert re.search(f'href="{address}refused/"', html)
    assert b"".join(file.streaming_content).splitlines()[1].startswith(b"lonely,3,csv_field_count,")
    assert file["Content-Disposition"] == 'attachment; filename="Part refused.csv"'


def test_the_last_page_counts_the_rows_that_cannot_be_imported(alices):
    rows = b"id,question,answer\n1,a,b\n2,lonely\n1,c,d\n"
    html = markup(alices.get(to_confirm(alices, rows)))
    text = text_of(html)

    assert "Examples 1 example from 3 rows" in text
    assert "1 row cannot be read. Line 3: " in text


def test_the_last_page_says_where_a_file_breaks_off(alices):
    rows = b"question,answer\n" + b"a,b\n" * 1_500 + b'x,"never closed\n'
    html = markup(alices.get(to_confirm(alices, rows)))

    assert "Line 1502" in html


def test_a_file_can_be_appended(alices, dataset):
    address = alices.post(
        f"/datasets/{dataset.pk}/append/",
        {"file": SimpleUploadedFile("more.csv", b"key,question,answer\nnew,q,a\n")},
    )["Location"]
    html = markup(alices.get(address))
    confirm = alices.post(address, fields(html) | {"continue": "yes"})["Location"]

    alices.post(confirm, {"on_error": "reject"})
    import_all()

    dataset.refresh_from_db()
    assert "Output of a variant" not in html
    assert (dataset.version, dataset.example_count) == (2, 121)
    assert Example.objects.get(key="new").inputs == '{"question":"q"}'


def test_a_file_for_a_dataset_is_previewed_and_then_imported(alices, dataset):
    content = b"key,question,answer\nnew,q,a\n"
    file = SimpleUploadedFile("more.csv", content)
    address = alices.post(f"/datasets/{dataset.pk}/append/", {"file": file})["Location"]
    confirm = alices.post(address, fields(markup(alices.get(address))) | {"continue": "yes"})["Location"]
    preview = alices.post(confirm, {"mode": "merge", "on_error": "reject", "preview": "yes"})["Location"]
    assert "Waiting for a worker" in markup(alices.get(preview))
    import_all()
    dataset.refresh_from_db()
    assert dataset.version == 1

    shown = markup(alices.get(preview))
    result = alices.post(f"{preview}apply/")["Location"]
    import_all()

    assert "Nothing has changed yet" in shown
    assert "new" in shown
    assert "version 2" in markup(alices.get(result))
    assert Example.objects.get(key="new").inputs == '{"question":"q"}'


def test_a_file_that_would_remove_most_of_a_dataset_warns_before_the_import(alices, dataset):
    file = SimpleUploadedFile("few.csv", b"key,question,answer\nnew,q,a\n")
    address = alices.post(f"/datasets/{dataset.pk}/append/", {"file": file})["Location"]

    confirm = alices.post(address, fields(markup(alices.get(address))) | {"continue": "yes"})["Location"]

    assert "This removes 120 of 120 examples" in markup(alices.get(confirm))
    assert not Import.objects.exists()


def test_an_hour_later_nothing_is_left(alices):
    address, _ = arrive(alices, CSV)
    path = Upload.objects.get().stored_as
    Upload.objects.update(touched_at=timezone.now() - uploads.KEPT_FOR - timedelta(seconds=1))

    purging.purge()

    assert alices.get(address).status_code == 404
    assert not default_storage.exists(path)


def test_every_step_keeps_the_file_for_another_hour(alices):
    address, html = arrive(alices, CSV)
    Upload.objects.update(touched_at=timezone.now() - timedelta(minutes=59))

    alices.post(address, fields(html))

    assert timezone.now() - Upload.objects.get().touched_at < timedelta(minutes=1)


def test_a_mapping_names_every_column_once():
    form = {"column-0": "q", "role-0": "input", "column-1": "r", "role-1": "reference"}

    assert ColumnChoices.from_form(form).mapping() == {
        "inputs": ["q"],
        "reference": ["r"],
        "metadata": [],
        "key": None,
        "outputs": {},
    }


def test_columns_prefixed_with_a_part_belong_to_it_without_the_prefix(alices):
    content = b"key,inputs.text,reference.label,metadata.text\nk1,2+2?,4,sums\n"

    address = to_confirm(alices, content)
    alices.post(address, {"name": "Again", "on_error": "reject"})
    import_all()

    dataset = Dataset.objects.get()
    assert dataset.columns == {"inputs": ["text"], "reference": ["label"], "metadata": ["text"]}
    assert dataset.examples.get().metadata == '{"text":"sums"}'


def test_rows_inside_a_json_object_are_read_and_their_list_is_named_once(alices):
    file = json.dumps({"version": 1, "data": [{"question": "2+2?", "answer": "4"}] * 2}).encode()

    columns, html = arrive(alices, file, "wrapped.json")
    confirm = alices.post(columns, fields(html) | {"continue": "yes"})["Location"]
    alices.post(confirm, {"name": "wrapped", "on_error": "reject"})
    import_all()

    assert text_of(html).count("its rows are read from the list “data”. Not imported: “version”.") == 1
    assert "guessed" not in text_of(html)
    dataset = Dataset.objects.get()
    assert (dataset.status, dataset.example_count) == ("ready", 2)
    assert "its rows are read from the list" in text_of(alices.get(f"/datasets/{dataset.pk}/"))


def test_outputs_of_all_variants_in_one_column_have_their_names(alices):
    row = {"question": "2+2?", "by_model": {"big": {"text": "4"}, "small": {"text": "5"}}}

    _, html = arrive(alices, factories.jsonl(row).encode(), "nested.jsonl")

    values = fields(html)
    outputs = [n for n in range(4) if values.get(f"role-{n}") == "output"]
    assert [values[f"variant-{n}"] for n in outputs] == ["big", "small"]


# ---- several columns at once, and columns that are remembered ----

SYSTEMS = b"source,ref,A,B,doc\n" + b"".join(
    b"Satz %d ist kurz.,Sentence %d is short.,The sentence %d.,A sentence %d.,d%d\n" % (n, n, n, n, n % 3)
    for n in range(20)
)


def test_the_page_begins_with_guessed_roles_and_says_so(alices):
    _, html = arrive(alices, SYSTEMS)

    guessed = {"source": "input", "ref": "reference", "A": "output", "B": "output", "doc": "metadata"}
    assert roles(html) == guessed
    assert "A , B as Output , because rows often agree with “ref”" in text_of(html)


def test_texts_that_only_look_like_outputs_become_outputs_by_one_button(alices):
    rows = b"".join(b"Frage %d,%d,Some words %d.,Other words %d.\n" % (n, n, n * 7, n * 3) for n in range(20))
    address, html = arrive(alices, b"question,answer,first,second\n" + rows)

    second_page = alices.post(address, fields(html) | {"likely": "output"}).content.decode()

    assert [roles(html)[name] for name in ("first", "second")] == ["metadata", "metadata"]
    assert [roles(second_page)[name] for name in ("first", "second")] == ["output", "output"]
    assert 'name="likely"' not in second_page


def test_columns_of_scores_and_their_outputs_get_their_roles_by_one_button(alices):
    lines = SYSTEMS.decode().splitlines()
    scored = [lines[0] + ",A style,style_B", *(f"{line},-{n}.5,{n}" for n, line in enumerate(lines[1:]))]
    address, html = arrive(alices, "\n".join(scored).encode())
    assert "2 columns look like outside scores" in text_of(html)

    second_page = alices.post(address, fields(html) | {"likely": "low score"}).content.decode()
    last_page = alices.post(address, fields(second_page) | {"continue": "yes"}, follow=True)

    chosen = roles(second_page)
    assert [chosen[name] for name in ("A", "B", "A style", "style_B", "doc")] == [
        *("output", "output", "low score", "low score", "metadata")
    ]
    assert "Outside scores style (lower is better) A style , style_B" in text_of(last_page)


def test_ticked_columns_get_one_role_in_one_step(alices):
    address, html = arrive(alices, CSV)
    form = fields(html) | {"several": "yes", "several-role": "output", "pick": ["4", "5"]}

    second_page = alices.post(address, form).content.decode()

    assert (roles(second_page)["terse"], roles(second_page)["notes"], roles(second_page)["topic"]) == (
        "output",
        "output",
        "metadata",
    )


def test_a_file_with_the_same_header_has_the_roles_that_were_confirmed(alices):
    alices.post(to_confirm(alices, CSV, **AS_OUTPUT), {"name": "First", "on_error": "reject"})

    address, html = arrive(alices, CSV.replace(b"2+2", b"5+5"))
    reset = alices.post(address, fields(html) | {"suggestions": "yes"}).content.decode()

    assert (roles(html)["terse"], roles(html)["notes"]) == ("output", "leave out")
    assert 'name="variant-4" value="short"' in " ".join(html.split())
    assert roles(reset)["terse"] == "metadata"
    assert 'name="suggestions"' not in reset


def test_roles_that_nobody_changed_and_that_made_no_variants_are_not_remembered(alices):
    text = b"question,answer\n" + b"".join(b"What is %d?,%d\n" % (n, n) for n in range(12))
    for name in ("first.csv", "second.csv"):
        columns, html = arrive(alices, text, name)
        assert "The columns have the roles of the last file with this header." not in html
        confirm = alices.post(columns, fields(html) | {"continue": "yes"})["Location"]
        alices.post(confirm, {"name": name, "on_error": "reject", "duplicates": "keep"})
        import_all()


def test_another_header_is_not_remembered(alices):
    alices.post(to_confirm(alices, CSV, **AS_OUTPUT), {"name": "First", "on_error": "reject"})

    _, html = arrive(alices, CSV.replace(b"notes", b"remarks"))

    assert roles(html)["terse"] == "metadata"


def test_mappings_of_a_project_are_of_no_use_to_another(alices, charlie, as_user):
    alices.post(to_confirm(alices, CSV, **AS_OUTPUT), {"name": "First", "on_error": "reject"})
    charlies = as_user(charlie)

    form = {"file": SimpleUploadedFile("answers.csv", CSV)}
    address = charlies.post("/p/elsewhere/datasets/upload/", form)["Location"]

    assert roles(charlies.get(address).content.decode())["terse"] == "metadata"


# ---- bad rows ----

MESSY = b"id,question,answer\n1,a,b\n2,lonely\n1,c,d\n3,e,f\n"


def checked_choice(html: str) -> str:
    found = re.search(r'name="on_error" value="(\w+)"[^>]*checked', " ".join(html.split()))
    return found[1] if found else ""


def test_where_bad_rows_are_known_nothing_is_chosen_before_somebody_does(alices):
    messy, sound = (alices.get(to_confirm(alices, rows)).content.decode() for rows in (MESSY, CSV))

    assert checked_choice(messy) == ""
    assert "Import the 2 valid rows and skip 2 rows" in messy
    assert checked_choice(sound) == "reject"


def test_a_failed_import_offers_three_ways_on(alices):
    address = alices.post(to_confirm(alices, MESSY), {"name": "Messy", "on_error": "reject"})["Location"]
    import_all()
    html = alices.get(address).content.decode()

    assert all(f'action="{address}{action}/"' in html for action in ("retry", "reopen", "delete"))
    assert all(code in html for code in ("csv_field_count", "duplicate_key"))

    alices.post(f"{address}retry/")
    import_all()
    dataset = Dataset.objects.get()
    assert (dataset.status, dataset.example_count) == ("ready", 2)


def test_the_mapping_of_a_failed_import_can_be_changed(alices):
    address = alices.post(to_confirm(alices, MESSY), {"name": "Messy", "on_error": "reject"})["Location"]
    import_all()

    columns = alices.post(f"{address}reopen/")["Location"]
    html = alices.get(columns).content.decode()
    confirm = alices.post(columns, fields(html) | {"role-0": "metadata", "continue": "yes"})["Location"]
    page = alices.get(confirm).content.decode()
    alices.post(confirm, {"name": "Messy", "on_error": "skip"})
    import_all()

    assert roles(html)["id"] == "key"
    assert 'value="Messy"' in page
    assert Dataset.objects.get().example_count == 3


def test_the_experiment_says_how_many_rows_of_its_file_were_left_out(alices):
    rows = b"question,answer,output\na,b,c\nlonely\n"
    address = alices.post(to_confirm(alices, rows), {"name": "Part", "on_error": "skip"})["Location"]
    import_all()

    landing = alices.get(address)["Location"]
    html = " ".join(alices.get(landing).content.decode().split())

    assert "1 row of the file was left out." in html
    assert f'href="/datasets/{Dataset.objects.get().pk}/#problems"' in html


# ---- encodings ----


def test_a_guessed_encoding_can_be_changed(alices):
    text = "question,answer\n" + "".join(f"Wie heißt der Öl-Prüfer {n}?,größer\n" for n in range(30))
    address, html = arrive(alices, text.encode("cp1252"))

    second_page = alices.post(address, fields(html) | {"encoding": "koi8_r"}).content.decode()

    assert "guessed" in html
    assert "The file is read as cp1252." in html
    assert Upload.objects.get().format["encoding"] == "koi8_r"
    assert 'value="koi8_r" selected' in " ".join(second_page.split())


def test_a_text_with_one_wrong_byte_asks_for_its_encoding(alices):
    """Nearly all of it is UTF-8, so no other encoding is guessed."""
    lines = [f"{n},naïve {n},expected {n}\n".encode() for n in range(40)]
    lines[20] = "20,café,expected\n".encode("cp1252")
    address, html = arrive(alices, b"id,question,answer\n" + b"".join(lines))
    assert "Line 22: the byte 0xE9 is not valid" in html
    assert html.count("Line 22") == 1
    assert 'value="cp1252"' in html

    second_page = markup(alices.post(address, fields(html) | {"encoding": "cp1252"}))

    assert roles(second_page) == {"id": "key", "question": "input", "answer": "reference"}


def test_a_file_that_cannot_be_read_one_way_can_be_read_another_way(alices):
    line = ",".join(f"c{n}" for n in range(1_001)) + ";x\n"
    address, html = arrive(alices, (line + line.replace("c", "d") * 2).encode())
    assert "columns_limit" in html

    second_page = markup(alices.post(address, fields(html) | {"delimiter": ";"}))

    assert "columns_limit" not in second_page
    assert Upload.objects.get().format["delimiter"] == ";"


def test_a_line_break_in_the_name_of_a_column_survives_the_form(alices):
    """Browsers send line breaks in fields as CR LF."""
    address, html = arrive(alices, b'id,"the\nquestion","the\r\nanswer"\n1,q,a\n')
    sent = fields(html) | {"role-1": "input", "role-2": "reference", "continue": "yes"}
    sent |= {"column-1": "the\r\nquestion", "column-2": "the\r\nanswer"}

    confirm = alices.post(address, sent)["Location"]
    alices.post(confirm, {"name": "breaks", "on_error": "reject"})
    import_all()

    assert Dataset.objects.get().columns["inputs"] == ["the\nquestion"]


def test_the_last_step_counts_rows_without_key_input_reference_and_output(alices):
    content = b"id,question,expected,output\n1,q,a,b\n2,q,,\n3,q,,b\n,,,\nRemarks,,,\n"
    html = markup(alices.get(to_confirm(alices, content)))

    assert "unique in every row that has one" in html
    assert "1 row has none and is numbered" in html
    assert html.count("2 of 5 rows have none") == 1  # inputs
    assert "4 of 5 rows have none" in html
    assert "<bdi>output</bdi>: no output in 3 of 5 rows" in html
    assert html.count('<div class="lacks">') == 3  # with the sign of care


def test_the_second_step_does_not_count_rows_that_it_did_not_read(alices):
    _, html = arrive(alices, b'{"question": "2+2?"}\n' * 1_000, "rows.jsonl")

    assert "at least 1 000 rows" in html.replace("\u202f", " ")


@pytest.mark.parametrize("name", ["promptfoo.json", "log.eval"])
def test_an_export_of_another_tool_is_named_on_the_first_page(alices, name):
    content = b'{"evalId": "e", "results": {"version": 3, "results": []}}'
    if name.endswith(".eval"):
        content = b"PK\x03\x04" + b"\0" * 26 + b"_journal/start.json{}"

    response = send(alices, content, name)

    assert response.status_code == 400
    assert "other_tool" in response.content.decode()


@pytest.mark.long
def test_an_upload_of_parquet_starts_few_readers(alices, monkeypatch):
    pa = pytest.importorskip("pyarrow", reason="Parquet is an extra")
    parquet = pytest.importorskip("pyarrow.parquet")
    file, readers = io.BytesIO(), []
    parquet.write_table(pa.table({"question": ["2+2?", "3+3?"], "answer": ["4", "6"]}), file)

    class CountedPopen(subprocess.Popen):
        def __init__(self, *arguments, **options):
            readers.append(arguments)
            super().__init__(*arguments, **options)

    monkeypatch.setattr(subprocess, "Popen", CountedPopen)
    confirm = to_confirm(alices, file.getvalue(), "a.parquet")
    alices.get(confirm)
    alices.post(confirm, {"name": "Few", "on_error": "reject"})
    import_all()

    assert Dataset.objects.get().example_count == 2
    assert len(readers) <= 5


# ---- one row for each variant and example ----

LONG = b"system,doc,seg,source,ref,hyp\n" + b"".join(
    b"%s,d%d,%d,Satz %d.,Sentence %d.,%s says %d\n" % (system, n // 10, n % 10, n, n, system, n)
    for system in (b"first", b"second", b"third")
    for n in range(40)
)


def test_rows_of_several_systems_are_variants_at_first_because_the_column_says_so(alices):
    _, html = arrive(alices, LONG)

    assert [roles(html)[name] for name in ("system", "hyp", "source")] == ["variant", "output", "input"]
    assert "system as Variant name , because every example has a row for each of its 3 values" in text_of(
        html
    )


def test_rows_by_prompt_version_have_what_was_asked_as_inputs(alices):
    rows = b"".join(
        b"R%d,Best soup number %d,%s,%s,%s\n" % (n, n, (b"good", b"bad")[n % 2], version, answer[n % 2])
        for n in range(30)
        for version, answer in ((b"v1", (b"Good", b"good")), (b"v2", (b"good", b"bad")))
    )

    _, html = arrive(alices, b"review_id,review,gold_label,prompt_version,completion\n" + rows)

    chosen = roles(html)
    assert [chosen[name] for name in ("prompt_version", "completion", "review", "gold_label")] == [
        "variant",
        "output",
        "input",
        "reference",
    ]


def test_rows_of_several_variants_with_a_gap_are_offered_as_such_and_become_them(alices):
    address, html = arrive(alices, LONG.replace(b"system", b"who", 1).rpartition(b"third,")[0])
    second_page = alices.post(address, fields(html) | {"long": "yes"}).content.decode()
    confirm = alices.post(address, fields(second_page) | {"continue": "yes"})["Location"]
    page = text_of(alices.get(confirm))

    alices.post(confirm, {"name": "Systems", "on_error": "reject"})
    import_all()

    assert 'name="long"' in html
    assert [roles(second_page)[name] for name in ("who", "hyp", "source")] == ["variant", "output", "input"]
    assert "Examples 40 examples from 119 rows" in page
    assert "3 runs, named by who" in page
    assert Dataset.objects.get().example_count == 40
    assert dict(Run.objects.values_list("variant", "output_count")) == {
        "first": 40,
        "second": 40,
        "third": 39,
    }


def test_raters_of_each_variants_rows_are_one_score(alices):
    rows = [
        f"{n},Where is town {n}?,{model},Town {n} is {n + at} miles away,{(n + at) % 3 + 1},{n % 2 + at},{at + 2}"
        for n in range(12)
        for at, model in enumerate(("short", "long"))
    ]
    head = "id,question,model,answer,rater_1,rater_2,rater_3"
    address, html = arrive(alices, "\n".join([head, *rows]).encode())
    confirm = alices.post(address, fields(html) | {"continue": "yes"})["Location"]

    alices.post(confirm, {"name": "Towns", "on_error": "reject"})
    import_all()

    scored = Scoring.objects.filter(evaluator_version__evaluator__name="rater")
    assert {one.run.variant for one in scored} == {"short", "long"}
    assert Output.objects.get(run__variant="long", position=2).scores == {"rater": ["3", "2", "3"]}


def test_scores_of_each_variants_rows_stay_scores(alices):
    rows = "".join(
        f"Where is town {n}?,Town {n} is in {variant}.,In the south {n},{(n + more) % 2},{n + more}.5,{n},{variant}\n"
        for more, variant in enumerate(("short", "long"))
        for n in range(12)
    )
    head = "inputs.question,outputs.answer,reference.answer,feedback.correctness,execution_time,example_id,experiment\n"
    address, html = arrive(alices, (head + rows).encode())
    confirm = alices.post(address, fields(html) | {"continue": "yes"})["Location"]

    alices.post(confirm, {"name": "Towns", "on_error": "reject"})
    import_all()

    chosen = roles(html)
    assert [chosen[name] for name in ("experiment", "feedback.correctness", "execution_time")] == [
        "variant",
        "score",
        "leave out",
    ]
    scored = Scoring.objects.filter(evaluator_version__evaluator__name="correctness")
    assert {one.run.variant for one in scored} == {"short", "long"}


def test_what_each_answer_of_a_row_per_variant_took_is_kept(alices):
    rows = "".join(
        f"q{n},How far is town {n}?,{variant},Town {n} is {n + more} miles away.,{0.002 + more / 100},{more + 0.5}\n"
        for more, variant in enumerate(("short", "long"))
        for n in range(12)
    )
    address, html = arrive(alices, f"id,question,variant,answer,cost_usd,latency_s\n{rows}".encode())
    confirm = alices.post(address, fields(html) | {"continue": "yes"})["Location"]

    alices.post(confirm, {"name": "Towns", "on_error": "reject"})
    import_all()

    assert [roles(html)[name] for name in ("cost_usd", "latency_s")] == ["cost", "latency_s"]
    assert {*Output.objects.values_list("run__variant", "latency_ms")} == {("short", 500), ("long", 1500)}


def test_whether_tests_passed_is_a_score_of_each_variants_rows(alices):
    rows = [
        {
            "task_id": f"Task/{n}",
            "model": model,
            "prompt": f"def f{n}(x):",
            "completion": f"    return {n + more}",
            "passed": (n + more) % 3 > 0,
        }
        for more, model in enumerate(("small", "large"))
        for n in range(12)
    ]
    address, html = arrive(alices, "\n".join(map(json.dumps, rows)).encode(), "results.jsonl")
    confirm = alices.post(address, fields(html) | {"continue": "yes"})["Location"]

    page = text_of(alices.get(confirm))
    alices.post(confirm, {"name": "Programs", "on_error": "reject"})
    import_all()

    assert roles(html)["passed"] == "score"
    assert "Your own score “passed” decides" in page
    assert Experiment.objects.get().primary.name == "passed"


RATED = b"nr,annotator,id,sentiment,text\n" + b"".join(
    b"%d,%d,%d,%s,soup %d\n" % (3 * item + who, who, item, (b"good", b"bad")[who == item], item)
    for item in range(4)
    for who in range(3)
)


def test_rows_of_several_raters_are_offered_as_labels_and_become_them(alices):
    address, html = arrive(alices, RATED)
    second_page = alices.post(address, fields(html) | {"raters": "yes"}).content.decode()
    confirm = alices.post(address, fields(second_page) | {"continue": "yes"})["Location"]
    page = text_of(alices.get(confirm))

    alices.post(confirm, {"name": "Soups", "on_error": "reject"})
    import_all()

    assert 'name="raters"' in html
    assert 'name="long"' not in html
    chosen = roles(second_page)
    assert [chosen[name] for name in ("annotator", "sentiment", "id", "text", "nr")] == [
        "rater",
        "label",
        "key",
        "input",
        "leave out",
    ]
    assert "3 raters, named by annotator , with the labels in sentiment , about the first input" in page
    assert "Examples 4 examples from 12 rows" in page
    assert Counter(Label.objects.values_list("rater__name", "answer")) == {
        (str(who), answer): count for who in range(3) for answer, count in (("good", 3), ("bad", 1))
    }


def test_a_column_of_variants_needs_one_column_of_outputs(alices):
    address, html = arrive(alices, LONG)

    response = alices.post(address, fields(html) | {"role-5": "metadata", "continue": "yes"})

    assert response.status_code == 400
    assert "invalid_mapping" in response.content.decode()


def test_ordinary_rows_are_not_offered_as_variants(alices):
    _, html = arrive(alices, CSV)

    assert 'name="long"' not in html


def test_kinds_without_a_preset_can_be_ticked_too(alices):
    confirm = to_confirm(alices, CSV, **AS_OUTPUT)
    html = alices.get(confirm).content.decode()
    form = {"name": "Sums", "on_error": "reject", "evaluators": ["kind:rouge_l", "kind:numeric_match"]}

    response = alices.post(confirm, form)

    offered = set(re.findall(r'name="evaluators" value="kind:(\w+)"', " ".join(html.split())))
    assert {"rouge_l", "chrf", "numeric_match", "json_match"} <= offered
    assert response.status_code == 302
    kinds = Experiment.objects.get().evaluator_versions.values_list("kind", flat=True)
    assert set(kinds) == {"rouge_l", "numeric_match"}


# ---- outside scores ----------------------------------------------------------------------------------------


SCORED = b"id,question,answer,a,b,comet_a,comet_b\n1,2+2?,4,4,5,0.9,0.2\n2,3+3?,6,6,7,0.8,good\n"


def test_columns_of_numbers_become_scores_in_one_step(alices, project):
    columns, html = arrive(alices, SCORED)
    chosen = {"role-3": "output", "variant-3": "a", "role-4": "output", "variant-4": "b"}
    chosen |= {"role-5": "score", "role-6": "score"}

    confirm = alices.post(columns, fields(html) | chosen | {"continue": "yes"})["Location"]
    summary = markup(alices.get(confirm))
    alices.post(confirm, {"name": "scored", "on_error": "reject"})
    import_all()

    assert "Outside scores" in summary
    evaluator = Evaluator.objects.get(name="comet")
    assert set(Run.objects.values_list("scorings__evaluator_version__evaluator", flat=True)) == {evaluator.pk}
    assert Output.objects.get(run__variant="b", position=2).scores == {"comet": "good"}


def test_scores_belong_to_the_variants_that_end_like_them(alices, project):
    file = b"source,reference,mt_a,mt_b,comet_a,comet_b\n" + b"Ein Hund,a dog,a dog,dogs,0.9,0.2\n" * 2
    columns, html = arrive(alices, file)
    chosen = {"role-2": "output", "role-3": "output", "role-4": "score", "role-5": "score"}

    confirm = alices.post(columns, fields(html) | chosen | {"continue": "yes"})["Location"]
    alices.post(confirm, {"name": "scored", "on_error": "reject"})
    import_all()

    assert Output.objects.get(run__variant="mt_b", position=1).scores == {"comet": "0.2"}


def test_several_raters_of_each_output_are_one_score_their_mean(alices, project):
    rows = [
        f"q{n},Do {n} at once,Never do {n},{n % 5 + 1},{n % 3 + 1},{n % 4 + 1},{n % 2 + 1}" for n in range(30)
    ]
    head = "question,base,tuned,base_rater1,base_rater2,tuned_rater1,tuned_rater2"
    columns, html = arrive(alices, "\n".join([head, *rows]).encode())

    confirm = alices.post(columns, fields(html) | {"continue": "yes"})["Location"]
    summary = text_of(alices.get(confirm))
    alices.post(confirm, fields(markup(alices.get(confirm))) | {"name": "rated"})
    import_all()

    assert (
        "rater the mean of several raters: base_rater1 , base_rater2 , tuned_rater1 , tuned_rater2" in summary
    )
    assert Evaluator.objects.filter(name__contains="rater").get().name == "rater"
    assert Output.objects.get(run__variant="tuned", position=2).scores == {"rater": ["2", "2"]}


@pytest.mark.parametrize("are_texts", [False, True])
def test_lists_of_what_several_raters_said_are_their_scores(alices, are_texts):
    def answer(n, model, low):
        marks = {"natural": [low, n % 3 + 1, 3], "overall": [low, n % 5 + 1, 4]}
        said = {name: json.dumps(cell) if are_texts else cell for name, cell in marks.items()}
        return {"response": f"I would say {n} by {model}", "model": model} | said

    rows = [
        {"context": f"what of {n}?", "responses": [answer(n, "greedy", 3), answer(n, "nucleus", 1)]}
        for n in range(30)
    ]
    columns, html = arrive(alices, json.dumps(rows).encode(), "usr.json")

    confirm = alices.post(columns, fields(html) | {"continue": "yes"})["Location"]
    alices.post(confirm, {"name": "rated", "on_error": "reject"})
    import_all()

    assert Experiment.objects.get().primary.name == "overall"
    assert Output.objects.get(run__variant="nucleus", position=2).scores["overall"] == [1, 2, 4]


def test_the_grade_of_the_whole_decides_where_nothing_is_known_to_be_right(alices):
    rows = [
        {
            "prompt": f"What is {n}?",
            "responses": {"small": f"It is {n}.", "large": f"It is number {n}."},
            "scores": {
                model: {"accuracy": n % 3 + low, "overall": n % 4 + low}
                for model, low in (("small", 1), ("large", 2))
            },
        }
        for n in range(30)
    ]
    confirm = to_confirm(alices, json.dumps(rows).encode(), "rated.json")
    alices.post(confirm, {"name": "rated", "on_error": "reject"})
    import_all()

    assert Experiment.objects.get().primary.name == "scores overall"


def test_scores_in_per_cent_are_numbers(alices):
    text = "question,bot v1 reply,bot v1 QA score,bot v2 reply,bot v2 QA score\n" + "".join(
        f"Where is order {n}?,Order {n} is here,{60 + n} %,Your order {n} is there,{65 + n}%\n"
        for n in range(30)
    )
    confirm = to_confirm(alices, text.encode(), "qa.csv")
    alices.post(confirm, {"name": "rated", "on_error": "reject"})
    import_all()

    assert Experiment.objects.get().primary.name == "QA score"
    assert Output.objects.get(run__variant="bot v2 reply", position=1).scores == {"QA score": "65"}


def test_records_that_python_printed_are_objects(alices):
    text = "order,expected,small,large\n" + "".join(
        f"Order {n},\"{{'sku': 'A-{n}', 'paid': True}}\",\"{{'sku': 'A-{n}', 'paid': {n % 2 == 0}}}\","
        f"\"{{'sku': 'A-{n}', 'paid': {n % 9 > 0}}}\"\n"
        for n in range(30)
    )
    confirm = to_confirm(alices, text.encode(), "orders.csv")
    alices.post(confirm, {"name": "orders", "on_error": "reject"})
    import_all()

    assert json.loads(Example.objects.earliest("position").reference) == {
        "expected": {"sku": "A-0", "paid": True}
    }
    assert Output.objects.filter(is_json=True).count() == 60


def test_rows_of_variants_with_examples_of_their_own_are_said_to_be_so(alices):
    def log(shared):
        return "conversation,variant,user_message,bot_reply\n" + "".join(
            f"c-{n},{'AB'[n % 2]},Where is order {n // 2 if shared else n}?,Order {n} is on its way to you.\n"
            for n in range(30)
        )

    said = "but no example has an output of two of them."
    assert said in text_of(alices.get(arrive(alices, log(shared=False).encode())[0]))
    assert said not in text_of(alices.get(arrive(alices, log(shared=True).encode(), "pairs.csv")[0]))


def test_measures_of_which_less_is_better_in_rows_for_each_variant_are_scores(alices):
    text = "audio,reference,hypothesis,model,wer\n" + "".join(
        f"clip_{n}.wav,the {n} ships sail,the {n} {said} sail,{model},{wer}\n"
        for n in range(30)
        for model, said, wer in (("tiny", "sheep", 0.25), ("large", "ships", n % 2 / 4))
    )
    confirm = to_confirm(alices, text.encode(), "asr.csv")
    alices.post(confirm, {"name": "heard", "on_error": "reject"})
    import_all()

    config = Evaluator.objects.get(name="wer").versions.get().config
    assert (config["direction"], Experiment.objects.count()) == ("minimize", 1)


def test_scores_with_a_decimal_comma_are_no_words(alices, project):
    file = "Frage;Erwartet;Antwort;COMET\n" + "".join(f"q{n};e;e;0,70{n}\n" for n in range(9))
    columns, html = arrive(alices, file.encode())
    roles = {"role-0": "input", "role-1": "reference", "role-2": "output", "role-3": "score"}

    confirm = alices.post(columns, fields(html) | roles | {"continue": "yes"})["Location"]
    summary = markup(alices.get(confirm))
    alices.post(confirm, {"name": "scored", "on_error": "reject"})
    import_all()

    assert "Numbers of the words" not in summary
    assert Output.objects.get(position=2).scores == {"COMET": "0.701"}


def test_a_score_inside_a_column_gets_its_role_and_its_numbers(alices, project):
    rows = [
        {"q": q, "a": q, "b": q, "judge": {"a": {"grade": grade}, "b": {"grade": "good"}}}
        for q, grade in (("one", "good"), ("two", "bad"))
    ]
    columns, html = arrive(alices, factories.jsonl(*rows).encode(), "graded.jsonl")
    html = markup(alices.post(columns, fields(html) | {"open": "judge"}))
    roles = {"role-0": "input", "role-1": "output", "role-2": "output", "role-3": "leave out"}
    roles |= {"path-role-0": "score", "path-role-1": "score"}

    confirm = alices.post(columns, fields(html) | roles | {"continue": "yes"})["Location"]
    alices.post(confirm, {"name": "graded", "on_error": "reject", "labels-0": "good = 1, bad = 0"})
    import_all()
    again = arrive(alices, factories.jsonl(*rows).encode(), "graded.jsonl")[1]

    assert (
        evaluators.newest(Evaluator.objects.get(name="judge.grade")).config["labels"] == "good = 1, bad = 0"
    )
    assert Output.objects.get(run__variant="a", position=2).scores == {"judge.grade": "bad"}
    assert [role for name, role in fields(again).items() if name.startswith("path-role")].count("score") == 2


def test_words_get_their_numbers_before_the_import(alices, project):
    columns, html = arrive(alices, SCORED.replace(b"0.9,0.2", b"bad,good"))
    chosen = {"role-3": "output", "variant-3": "a", "role-4": "output", "variant-4": "b"}
    chosen |= {"role-5": "score", "role-6": "score"}
    confirm = alices.post(columns, fields(html) | chosen | {"continue": "yes"})["Location"]

    question = markup(alices.get(confirm))
    refused = alices.post(confirm, {"name": "graded", "on_error": "reject", "labels-0": "good"})
    alices.post(confirm, {"name": "graded", "on_error": "reject", "labels-0": "good = 1, bad = 0"})
    import_all()

    assert "bad = 0, good = 1." in question
    assert "Write each label with its number" in markup(refused)
    assert evaluators.newest(Evaluator.objects.get(name="comet")).config["labels"] == "good = 1, bad = 0"


def test_words_are_not_asked_for_again_where_an_evaluator_reads_them(alices, project):
    mapping = {"actual": {"path": "$.scores.comet"}}
    evaluators.create(project, None, "COMET", "value", {"labels": "good = 1"}, mapping)
    columns, html = arrive(alices, SCORED)
    chosen = {"role-3": "output", "variant-3": "a", "role-4": "output", "variant-4": "b", "role-6": "score"}

    confirm = alices.post(columns, fields(html) | chosen | {"continue": "yes"})["Location"]

    assert "labels-0" not in markup(alices.get(confirm))


def test_a_file_that_was_exported_comes_back_without_its_scores_as_metadata(alices, project):
    scores = "new exact,new exact passed,new exact status,new exact version"
    file = f"position,key,question,answer,status,new output,{scores}\n1,a,how?,so,open,so,1.0,true,ok,1\n"

    _, html = arrive(alices, file.encode())

    left_out = {"position", *scores.split(",")}
    assert {name for name, role in roles(html).items() if role == "leave out"} == left_out
    assert roles(html)["status"] == "metadata"


def test_a_score_column_names_the_variant_that_it_scores_not_itself(alices, project):
    columns, html = arrive(alices, SCORED.replace(b"comet_a", b"comet"))
    chosen = {"role-3": "output", "variant-3": "a", "role-4": "output", "variant-4": "b", "role-5": "score"}

    again = markup(alices.post(columns, fields(html) | chosen))
    confirm = alices.post(columns, fields(html) | chosen | {"scored-5": "b", "continue": "yes"})["Location"]

    assert fields(again)["scored-5"] == ""
    assert alices.get(confirm).context["mapping"]["scores"] == {"comet": {"b": "comet"}}


def test_the_baseline_of_an_upload_is_chosen_on_its_last_page(alices, project):
    two = {"role-2": "output", "role-3": "output"}
    confirm = to_confirm(alices, b"question,answer,new,old\nhow?,so,so,no\nwhy?,no,no,no\n", **two)
    proposed = alices.get(confirm).context["form"]["baseline"]

    alices.post(confirm, {"name": "Sums", "on_error": "reject", "baseline": "new"})

    assert [value for value, _ in proposed.field.choices] == ["new", "old"]
    assert proposed.initial == "old"
    assert Experiment.objects.get().baseline == "new"


def test_a_score_column_without_a_variant_asks_for_one(alices, project):
    columns, html = arrive(alices, SCORED.replace(b"comet_a", b"comet"))
    chosen = {"role-3": "output", "variant-3": "a", "role-4": "output", "variant-4": "b", "role-5": "score"}

    refused = alices.post(columns, fields(html) | chosen | {"continue": "yes"})

    assert refused.status_code == 400
    assert refused.context["error"].code == "variant_needed"


def test_a_score_without_outputs_is_refused(alices, project):
    columns, html = arrive(alices, SCORED)
    chosen = {f"role-{n}": "leave out" for n in (3, 4, 6)} | {"role-5": "low score"}

    refused = alices.post(columns, fields(html) | chosen | {"continue": "yes"})

    assert refused.context["error"].code == "invalid_mapping"


def test_the_fields_of_a_nested_column_get_roles(alices):
    cell = '{""question"": ""2+2?"", ""answers"": [""4""]}'
    address, html = arrive(alices, f'id,item\n1,"{cell}"\n'.encode())

    html = markup(alices.post(address, fields(html) | {"open": "item"}))
    chosen = {"$.item.question": "input", "$.item.answers[0]": "reference"}
    form = fields(html)
    form |= {f"path-role-{n}": chosen[form[f"path-{n}"]] for n in range(2)}
    alices.post(address, form | {"role-1": "leave out", "continue": "yes"})
    alices.post(address.replace("columns", "confirm"), {"name": "opened", "on_error": "reject"})
    import_all()

    example = Dataset.objects.get(name="opened").examples.get()
    assert (example.inputs, example.reference) == ('{"item.question":"2+2?"}', '{"item.answers[0]":"4"}')


def test_a_value_inside_a_nested_column_names_the_variant(alices, project):
    rows = [
        {"q": f"{n}+1?", "right": f"{n + 1}", "run": {"of": {"system": name}}, "answer": f"{n + gain}"}
        for n in range(8)
        for name, gain in (("new", 1), ("old", n % 2))
    ]
    address, html = arrive(alices, "\n".join(map(json.dumps, rows)).encode(), "nested.jsonl")
    html = markup(alices.post(address, fields(html) | {"open": "run"}))
    form = fields(html)
    [number] = [name.removeprefix("path-") for name, value in form.items() if value == "$.run.of.system"]
    roles = {"q": "input", "right": "reference", "run": "leave out", "answer": "output"}
    form |= {f"role-{n}": roles[form[f"column-{n}"]] for n in range(4)} | {f"path-role-{number}": "variant"}

    sent = alices.post(address, form | {"continue": "yes"})
    assert sent.status_code == 302
    assert "2 runs" in text_of(alices.get(sent.url))
    alices.post(sent.url, {"name": "inside", "on_error": "reject"})
    import_all()

    dataset = Dataset.objects.get(name="inside")
    assert dataset.example_count == 8
    assert sorted(dataset.experiments.get().runs.values_list("variant", flat=True)) == ["new", "old"]


# ---- while other large files are being read -------------------------------------------------------------------


@pytest.fixture
def busy(monkeypatch):
    """Another large file is being read; nobody waits for it."""
    monkeypatch.setattr(turns, "PATIENCE", 0)
    monkeypatch.setattr(turns, "LIGHT", 0)
    with limits.FILES:
        yield


@pytest.fixture
def waiting(client, alice, project, monkeypatch) -> str:
    """The address after a file was sent while another one was being read, which has ended by now."""
    monkeypatch.setattr(turns, "PATIENCE", 0)
    monkeypatch.setattr(turns, "LIGHT", 0)
    client.force_login(alice)
    with limits.FILES:
        return send(client, CSV)["Location"]


def test_a_file_that_must_wait_is_kept(client, waiting):
    assert "answers.csv is stored" in text_of(client.get(waiting))


def test_a_file_that_waited_continues_by_one_click(client, waiting):
    html = markup(client.post(waiting, follow=True))

    assert roles(html)["question"] == "input"


def test_a_file_that_must_wait_longer_stays_where_it_is(client, waiting, busy):
    answer = client.post(waiting)

    assert (answer.status_code, Upload.objects.count()) == (429, 1)
    assert "answers.csv is stored" in text_of(answer)


def test_a_file_that_waited_for_a_dataset_is_added_to_it(client, alice, project, monkeypatch):
    dataset = factories.dataset(project)
    monkeypatch.setattr(turns, "PATIENCE", 0)
    monkeypatch.setattr(turns, "LIGHT", 0)
    client.force_login(alice)
    with limits.FILES:
        file = SimpleUploadedFile("more.csv", CSV)
        waiting = client.post(f"/datasets/{dataset.pk}/append/", {"file": file})["Location"]

    assert f"Add to {dataset.name}" in text_of(client.post(waiting, follow=True))


def test_a_file_that_waited_and_is_no_table_is_refused_and_deleted(client, alice, project, monkeypatch):
    monkeypatch.setattr(turns, "PATIENCE", 0)
    monkeypatch.setattr(turns, "LIGHT", 0)
    client.force_login(alice)
    with limits.FILES:
        waiting = send(client, b"%PDF-1.7 not a table", "a.pdf")["Location"]

    answer = client.post(waiting)

    assert (answer.status_code, Upload.objects.exists()) == (400, False)


@pytest.mark.parametrize("step", ["columns", "confirm"])
def test_later_steps_of_a_waiting_file_lead_back(client, waiting, step):
    assert client.get(waiting.replace("waiting", step))["Location"] == waiting


def test_a_page_that_must_wait_offers_to_try_again(client, alice, project, monkeypatch):
    client.force_login(alice)
    page = send(client, CSV)["Location"].replace("columns", "confirm")
    monkeypatch.setattr(turns, "PATIENCE", 0)
    monkeypatch.setattr(turns, "LIGHT", 0)
    uploads._previews.clear()
    with limits.FILES:
        html = markup(client.get(page))

    assert re.search(f'href="{page}"[^>]*>Try again', html)


LISTS = b'{"left": [{"question": "a"}, {"question": "b"}], "right": [{"prompt": "c"}, {"prompt": "d"}]}'


def test_which_list_of_an_object_has_the_rows_is_chosen_on_the_page(alices):
    address, html = arrive(alices, LISTS, "lists.json")
    assert fields(html)["rows"] == "left"
    assert "Not imported: “right”" in text_of(html)

    html = markup(alices.post(address, fields(html) | {"rows": "right"}))

    assert (fields(html)["rows"], roles(html)) == ("right", {"prompt": "input"})


def test_back_after_an_import_leads_to_what_it_became(alices):
    address, html = arrive(alices, CSV)
    confirm = alices.post(address, fields(html) | {"continue": ""})["Location"]
    became = alices.post(confirm, {"name": "faq", "on_error": "reject"})["Location"]

    for page in (address, confirm):
        answer = alices.get(page)
        assert (answer.status_code, answer["Location"]) == (302, became)


def test_a_verdict_in_the_file_decides_where_the_references_are_code(alices):
    rows = [
        {
            "prompt": f"p{n}",
            "canonical_solution": f"def f(x):\n    return {n}",
            "base": f"return {n}",
            "base_passed": n > 9,
        }
        for n in range(20)
    ]
    confirm = to_confirm(alices, "\n".join(map(json.dumps, rows)).encode(), "code.jsonl")
    page = text_of(alices.get(confirm))

    alices.post(confirm, {"name": "Code", "on_error": "reject"})

    assert "Your own score “passed” decides" in page
    primary = Experiment.objects.get().primary
    assert primary.name == "passed"
    assert Recipe.from_version(evaluators.newest(primary)).is_share


@pytest.mark.parametrize(("name", "decides"), [("correctness", True), ("conciseness", False)])
def test_a_score_of_what_is_right_decides_where_only_likeness_could_be_measured(alices, name, decides):
    rows = [
        {
            "question": f"How do I change setting number {n}?",
            "answer": f"Open the page of settings and change number {n} there.",
            "base": f"You will find number {n} on the page of settings, at the very end.",
            f"base_{name}_score": n % 2,
        }
        for n in range(20)
    ]
    for row in rows:  # another score stands before it
        row["base_fluency_score"] = 0.5
    rows = [dict(sorted(row.items(), reverse=True)) for row in rows]
    confirm = to_confirm(alices, "\n".join(map(json.dumps, rows)).encode(), "faq.jsonl")

    assert (f"Your own score “{name}" in text_of(alices.get(confirm))) is decides
    alices.post(confirm, {"name": "FAQ", "on_error": "reject"})
    assert Experiment.objects.get().primary.name.startswith(name) is decides


@pytest.mark.parametrize(("step", "decides"), [(1, True), (0.37, False)])
def test_grades_from_1_to_5_decide_where_only_likeness_could_be_measured(alices, step, decides):
    rows = [
        {
            "question": f"How do I change setting number {n}?",
            "ideal answer": f"Open the page of settings and change number {n} there.",
            "GPT response": f"You will find number {n} on the page of settings, at the very end.",
            "GPT score": 1 + n % 5 * step,
            "Claude response": f"Number {n} is on the page of settings.",
            "Claude score": 5 - n % 5 * step,
        }
        for n in range(40)
    ]
    confirm = to_confirm(alices, "\n".join(map(json.dumps, rows)).encode(), "sheet.jsonl")

    assert ("Your own score “score" in text_of(alices.get(confirm))) is decides


@pytest.mark.parametrize(("mistaken", "decides"), [(0, False), (9, True)])
def test_a_verdict_of_the_team_decides_where_an_evaluator_would_often_say_the_opposite(
    alices, mistaken, decides
):
    rows = [
        {"question": f"What is {n} + {n}?", "answer": f"{2 * n}", "base": f"It is {2 * n + n % 2}."}
        | {"base_correct": n % 2 == 0 or n < mistaken}
        for n in range(40)
    ]
    confirm = to_confirm(alices, "\n".join(map(json.dumps, rows)).encode(), "sums.jsonl")
    page = text_of(alices.get(confirm))

    said = "Numeric match would say the opposite of 4 of the first 40 outputs"
    assert (f"Your own score “correct” decides, because {said}" in page) is decides
    assert ("Numeric match is selected" in page) is not decides


@pytest.mark.parametrize("winner", ["preferred", "winner"])
def test_preferences_decide_the_experiment_of_two_answers(alices, winner):
    rows = [
        {
            "question": f"How do I change setting {n}?",
            "answer A": f"Open the page of settings, number {n}.",
            "answer B": f"It cannot be changed, {n} is fixed.",
            winner: ["A", "B", "A", "tie"][n % 4],
        }
        for n in range(40)
    ]
    confirm = to_confirm(alices, "\n".join(map(json.dumps, rows)).encode(), "pairs.jsonl")

    alices.post(confirm, {"name": "Pairs", "on_error": "reject"})
    import_all()
    while scoring.work(seconds=5):
        pass
    experiment = Experiment.objects.get()
    assert experiment.primary.name == winner
    page = text_of(alices.get(f"/experiments/{experiment.pk}/"))
    assert "37.5 % of comparisons won against 62.5 %" in page


def test_votes_of_several_people_decide_as_one_score(alices):
    rows = [
        {
            "question": f"How do I change setting {n}?",
            "Output A (v6)": f"Open the page of settings, number {n}.",
            "Output B (v7)": f"It cannot be changed, {n} is fixed.",
            "Mia": "ABB="[n % 4],
            "Tom": ["B", "b", "A", ""][n % 4],
        }
        for n in range(40)
    ]
    confirm = to_confirm(alices, "\n".join(map(json.dumps, rows)).encode(), "votes.jsonl")

    alices.post(confirm, {"name": "Votes", "on_error": "reject"})
    import_all()
    while scoring.work(seconds=5):
        pass
    experiment = Experiment.objects.get()
    assert experiment.primary.name == "votes"
    page = text_of(alices.get(f"/experiments/{experiment.pk}/"))
    # of A: half a vote, none, half of them, a tie of one voter
    assert "62.5 % of comparisons won against 37.5 %" in page


def test_weights_of_preferences_are_called_so(alices):
    rows = [
        {
            "instruction": f"Tell me about {n}",
            "output_1": f"It is the number {n}.",
            "output_2": f"It is number {n}, I think.",
            "preference": 1 + [0.02, 0.93, 0.4, 0.51][n % 4],
        }
        for n in range(40)
    ]
    confirm = to_confirm(alices, "\n".join(map(json.dumps, rows)).encode(), "annotations.jsonl")

    alices.post(confirm, {"name": "Alpaca", "on_error": "reject"})
    import_all()
    while scoring.work(seconds=5):
        pass

    page = text_of(alices.get(f"/experiments/{Experiment.objects.get().pk}/"))
    assert "46.5 % of the weight of preferences against 53.5 %" in page


def test_a_preference_is_read_by_the_names_of_columns_though_variants_are_named_after_models(alices):
    rows = [
        {
            "prompt": f"Tell me about {n}",
            "model_a": "gpt-4o",
            "response_a": f"It is {n}.",
            "model_b": "claude-3.5",
            "response_b": f"It is number {n}, I think.",
            "winner": ["model_a", "model_b", "model_b", "tie"][n % 4],
        }
        for n in range(40)
    ]
    confirm = to_confirm(alices, "\n".join(map(json.dumps, rows)).encode(), "pairs.jsonl")

    alices.post(confirm, {"name": "Arena", "on_error": "reject"})
    import_all()
    while scoring.work(seconds=5):
        pass

    page = text_of(alices.get(f"/experiments/{Experiment.objects.get().pk}/"))
    assert "claude-3.5 and gpt-4o" in page
    assert "62.5 % of comparisons won against 37.5 %" in page


@pytest.mark.parametrize(
    ("score", "cells"),
    [("resolved", [True, False, False]), ("thumbs", ["up", "down", "down"]), ("score", [8, 6, 7])],
)
def test_scores_of_rows_that_name_their_variants_decide_without_references_or_inputs(alices, score, cells):
    rows = [
        {
            "instance_id": f"x-{n}",
            "model": model,
            "model_patch": f"patch {n} of {model}",
            score: cells[(n + place) % 3],
        }
        for n in range(30)
        for place, model in enumerate(["swe-agent", "openhands"])
    ]
    confirm = to_confirm(alices, "\n".join(map(json.dumps, rows)).encode(), "runs.jsonl")

    alices.post(confirm, {"name": "Runs", "on_error": "reject"})
    import_all()

    assert Experiment.objects.get().primary.name == score


def test_rows_of_one_question_in_two_turns_are_two_examples(alices):
    rows = [
        {
            "question_id": n,
            "model": model,
            "user_prompt": f"Question {n}, turn {turn}",
            "judgment": f"{model}: {n}.{turn}",
            "score": 5 + n % 3 + (model == "vicuna"),
            "turn": turn,
        }
        for n in range(20)
        for turn in (1, 2)
        for model in ("vicuna", "zephyr-7b")
    ]
    confirm = to_confirm(alices, "\n".join(map(json.dumps, rows)).encode(), "turns.jsonl")

    alices.post(confirm, {"name": "Turns", "on_error": "reject"})
    import_all()

    experiment = Experiment.objects.get()
    assert (experiment.primary.name, experiment.dataset.example_count) == ("score", 40)


def test_ids_that_differ_between_the_rows_of_an_example_part_no_examples(alices):
    text = "id,question,expected,model,answer\n" + "".join(
        f"{n * 2 + place},How far is town {n}?,{n} miles,{model},{n + place} miles\n"
        for n in range(30)
        for place, model in enumerate(("small", "large"))
    )
    confirm = to_confirm(alices, text.encode(), "runs.csv")
    alices.post(confirm, {"name": "Runs", "on_error": "reject"})
    import_all()

    assert Dataset.objects.get().example_count == 30
    assert [*Run.objects.values_list("output_count", flat=True)] == [30, 30]


@pytest.mark.parametrize(
    ("names", "first"),
    [
        (["latency_ms", "cost"], ""),
        (["latency_ms", "human grade"], "human grade"),
        (["bleu acc", "gpt judge correct"], "gpt judge correct"),
        (["base_passed", "passed"], "passed"),
        (["executed", "rows_match"], "rows_match"),
        (["executed_ok", "result_match"], "result_match"),
        (["exact_match", "quasi_exact_match"], "quasi_exact_match"),
        (["natural", "overall", "engaging"], "overall"),
    ],
)
def test_what_tells_right_from_wrong_decides_and_no_measure_of_calls(names, first):
    mapping = {
        "outputs": {"a": "a", "b": "b"},
        "scores": {name: {"a": f"a {name}", "b": f"b {name}"} for name in names},
    }

    assert own_scores.deciding(mapping, SimpleNamespace(advice=None, said={}), {}).name == first


def test_people_decide_where_something_speaks_against_what_suits_the_references():
    mapping = {"outputs": {"a": "a", "b": "b"}, "scores": {"rating": {"a": "Ruth A", "b": "Ruth B"}}}
    doubted = SimpleNamespace(
        kind="exact_match", is_code=False, evidence=None, doubt="it calls 0 of 45 right"
    )

    own = own_scores.deciding(mapping, SimpleNamespace(advice=doubted, said={}), {})

    assert own == ("rating", "Exact match would suit the references, but it calls 0 of 45 right")


@pytest.mark.parametrize(
    ("said", "first"),
    [
        ({"accuracy": [1, 2, 5] * 9, "overall": [2, 3, 4] * 9}, "overall"),
        ({"overall": [2, 3, 4] * 9, "correct": [0, 1, 1] * 9}, "correct"),
        (
            {"flesch_kincaid_grade_level/v1": [8.1, 9.3] * 12, "answer_similarity/v1": [1, 4, 5] * 8},
            "answer_similarity/v1",
        ),
        ({"acc": [0, 1] * 12, "acc_norm": [1, 0] * 12}, "acc_norm"),
    ],
)
def test_the_grade_of_the_whole_decides_before_that_of_one_quality_and_after_a_verdict(said, first):
    mapping = {
        "outputs": {"a": "a", "b": "b"},
        "scores": {name: {"a": f"a {name}", "b": f"b {name}"} for name in said},
    }

    assert own_scores.deciding(mapping, SimpleNamespace(advice=None, said=said), {}).name == first


@pytest.mark.parametrize(
    ("name", "decides"), [("faithfulness", True), ("answer_relevancy", True), ("tone", False)]
)
def test_what_a_judge_measured_decides_where_only_likeness_could_be_measured(name, decides):
    mapping = {"outputs": {"answer": "answer"}, "scores": {name: {"answer": name}}}
    alike = SimpleNamespace(kind="token_f1", is_code=False, evidence=None, doubt="")
    said = {name: [0.5, 0.875, 1.0] * 9}

    own = own_scores.deciding(mapping, SimpleNamespace(advice=alike, said=said), {})

    assert (own.name == name) is decides


@pytest.mark.parametrize(("points", "decides"), [([-5.0, -1.0, 0.0], True), ([-0.5, 0.25, 1.5], False)])
def test_points_that_reviewers_take_off_decide_where_only_likeness_could_be_measured(points, decides):
    mapping = {"outputs": {"mt": "mt"}, "scores": {"score": {"mt": "score"}}}
    alike = SimpleNamespace(kind="chrf", is_code=False, evidence=None, doubt="")

    own = own_scores.deciding(mapping, SimpleNamespace(advice=alike, said={"score": points * 9}), {})

    assert (own.name == "score") is decides


def test_answers_beside_keys_alone_are_imported_with_the_keys(alices):
    rows = [{"task_id": f"t{n}", "solution": f"return {n}", "passed": n % 2 == 0} for n in range(12)]

    confirm = to_confirm(alices, "\n".join(map(json.dumps, rows)).encode(), "results.jsonl")

    assert "/confirm/" in confirm
    chosen = {name: role for name, (role, *_) in Upload.objects.get().mapping["columns"].items()}
    assert chosen == {"task_id": "key", "solution": "output", "passed": "score"}


def test_a_sheet_of_verdicts_makes_an_experiment(alices):
    rows = [f"T-{n},{'pass' if n % 3 else 'fail'},{'pass' if n % 5 else 'fail'}\n" for n in range(40)]
    confirm = to_confirm(alices, ("id,verdict of A,verdict of B\n" + "".join(rows)).encode(), "verdicts.csv")
    sent = fields(markup(alices.get(confirm)))
    alices.post(confirm, {name: value for name, value in sent.items() if name != "evaluators"})
    imports.run_import(Import.objects.get().pk)

    runs = Run.objects.order_by("pk")
    assert [run.variant for run in runs] == ["A", "B"]
    assert Output.objects.get(run=runs[0], position=1).text == "fail"
    assert {scoring.evaluator_version.evaluator.name for scoring in runs[0].scorings.all()} == {"verdict of"}


def test_measures_of_a_run_without_its_answers_are_read_and_decide(alices):
    rows = [
        {
            "instance_id": f"id{n}",
            "stats": [{"name": {"name": "exact_match"}, "count": 1, "mean": float(n % 4 > 0)}],
        }
        for n in range(40)
    ]
    confirm = to_confirm(
        alices, json.dumps(rows).encode(), "philosophy,model=meta_llama-3.1-8b__per_instance_stats.json"
    )

    alices.post(confirm, {"name": "Stats", "on_error": "reject"})
    import_all()
    while scoring.work(seconds=5):
        pass

    run = Run.objects.get()
    assert (run.variant, run.output_count) == ("llama-3.1-8b", 40)
    assert "exact_match" in text_of(alices.get(f"/experiments/{run.experiment_id}/"))
    assert "75.0 %" in text_of(alices.get(f"/experiments/{run.experiment_id}/"))


@pytest.mark.parametrize(
    ("names", "second", "first"),
    [
        (("base_status", "plus_status"), ["pass", "fail", "fail"], "plus_status"),
        (("base_status", "other_outcome"), ["pass", "fail", "fail"], "base_status"),
        (("base_status", "plus_status"), ["pass", "fail", "pass"], "base_status"),
        (
            ("base_status", "plus_status"),
            [*["pass", "fail", "fail"] * 9, "fail", "fail", "pass"],
            "plus_status",
        ),
    ],
)
def test_the_stricter_of_two_results_of_one_name_decides(names, second, first):
    said = {names[0]: ["pass", "pass", "fail"] * 10, names[1]: (second * 10)[:30]}
    mapping = {"outputs": {"a": "solution"}, "scores": {name: {"a": name} for name in names}}
    labels = dict.fromkeys(names, "pass=1, fail=0")

    assert own_scores.deciding(mapping, SimpleNamespace(advice=None, said=said), labels).name == first
