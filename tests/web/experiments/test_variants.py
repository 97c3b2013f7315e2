"""Variants from files: matches are counted before anything starts."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from evaluations.imports import imports
from evaluations.models import Example, Experiment, Import, Run, Upload
from evaluations.scoring import scoring
from tests import factories
from tests.pages import markup, text_of

pytestmark = pytest.mark.django_db
FILE = "id,answer\nk1,Paris\nk2,Lyon\nk9,Nowhere\n"


@pytest.fixture
def experiment(project) -> Experiment:
    return factories.experiment(project)


@pytest.fixture
def step(client, alice, experiment):
    """The address of the second step for a sent file."""

    def send(content: str = FILE, name: str = "answers.csv") -> str:
        client.force_login(alice)
        file = SimpleUploadedFile(name, content.encode())
        answer = client.post(
            f"/experiments/{experiment.pk}/variants/new/", {"variant": "terse", "file": file}
        )
        assert answer.status_code == 302
        return answer["Location"]

    return send


def test_matched_missing_and_extra_are_counted_before_the_start(client, step):
    words = text_of(markup(client.get(step())))

    assert re.search(r"Matched 2 examples .*Missing 1 example .*Extra 1 row .*line 4", words)
    assert not Run.objects.exists()


def test_the_missing_examples_and_the_columns_that_are_not_read_are_named(client, step):
    page = client.get(step("id,answer,remark\nk1,Paris,12\nk3,Rome,15\n"))

    words = text_of(markup(page))
    assert "Missing 1 example without an output, counted as unanswered k2 Extra" in words
    assert "Not read remark" in words
    assert "Key or position column optional" not in words


def test_most_examples_without_an_output_are_no_normal_fact(client, step):
    page = client.get(step("id,answer\nk1,Paris\n"))

    assert "Missing 2 of 3 examples have no output and count as unanswered" in text_of(markup(page))
    assert "Match terse" in text_of(page)


def test_the_first_rows_stand_beside_their_examples(client, step):
    answer = client.get(step())

    assert [(line, example) for line, example, _ in answer.context["rows"]] == [
        (2, ("k1", "q1")),
        (3, ("k2", "q2")),
        (4, None),
    ]
    assert "k1 q1" in text_of(markup(answer))


@pytest.mark.parametrize(
    ("key", "note"),
    [
        ("k1.0", "The file has the key “k1.0”, the dataset “k1”"),
        ("cafe\u0301", "in another Unicode form"),
        ("other", "Choose another column"),
    ],
)
def test_keys_that_are_only_spelt_differently_are_named(client, step, key, note):
    Example.objects.filter(key="k2").update(key="café")

    words = text_of(markup(client.get(step(f"id,answer\n{key},Paris\n"))))

    assert "No row matches an example." in words
    assert note in words


def test_the_column_of_the_keys_and_that_of_the_outputs_are_found_by_what_the_dataset_has(
    client, step, experiment
):
    """As in public benchmarks, whose files repeat the question and the right answer beside the model's."""
    dataset = experiment.dataset
    dataset.columns = {"inputs": ["text"], "reference": ["answer"], "metadata": []}
    dataset.save(update_fields=["columns"])

    chosen = client.get(step("row,ind,text,answer,said\n7,k1,q1,r1,Paris\n8,k2,q2,r2,Lyon\n")).context["form"]

    assert chosen.initial == {"name": "terse", "output": "said", "match": "key", "column": "ind"}


def test_the_name_of_a_variant_can_be_corrected_in_the_second_step(client, step, experiment):
    address = step()
    assert 'value="terse"' in client.get(address).content.decode()

    client.post(
        address, {"name": "short answers", "output": "answer", "match": "key", "column": "id", "start": "1"}
    )

    assert [run.variant for run in Run.objects.filter(experiment=experiment)] == ["short answers"]


@pytest.mark.parametrize(
    ("first", "column", "named"),
    [
        ({"v1": "v1", "v2": "v2"}, "v3", "v3"),  # the columns of the first file named its variants
        ({"v1": "v1", "v2": "v2"}, "response", "monday"),
        ({"v1": "output"}, "said", "monday"),
        ({}, "output_v3", "v3"),
    ],
)
def test_a_column_names_the_variant_of_a_further_file(client, alice, experiment, first, column, named):
    experiment.first_file = {"filename": "first.csv", "mapping": {"outputs": first}}
    experiment.save(update_fields=["first_file"])
    client.force_login(alice)
    file = SimpleUploadedFile("monday.csv", f"id,{column}\nk1,Paris\nk2,Lyon\n".encode())

    client.post(f"/experiments/{experiment.pk}/variants/new/", {"variant": "", "file": file})

    assert Upload.objects.get().mapping["variant"] == named


def test_a_few_labels_that_are_like_keys_name_no_examples(client, step):
    chosen = client.get(step("label,said\nk1,Paris\nk1,Lyon\nk1,Rome\nk1,Oslo\n")).context["form"]

    assert chosen.initial["match"] == ""


def test_another_way_of_matching_is_counted_again(client, step):
    choices = {"output": "answer", "match": "order", "column": ""}

    words = text_of(markup(client.post(step(), choices)))

    assert "Matched 3 examples" in words


def test_a_second_output_for_an_example_is_refused_before_the_start(client, step):
    choices = {"output": "answer", "match": "key", "column": "id", "rows": ""}
    html = markup(client.post(step("id,answer\nk1,Paris\nk1,Lyon\n"), choices))

    assert re.search(r"<dt>Repeated</dt>\s*<dd>.*?1 row", html, re.DOTALL)
    assert re.search(r'name="start"[^>]*disabled', html)


LONG_TABLE = "id,system,answer\nk1,a,Paris\nk1,b,Lyon\nk2,a,Rome\nk2,b,Milan\nk3,b,Oslo\n"


def test_rows_that_name_their_variants_are_recognised_and_become_runs(client, step, experiment):
    address = step(LONG_TABLE)
    shown = client.get(address)
    chosen = {field.name: field.value() or "" for field in shown.context["form"]}
    assert (chosen["rows"], chosen["apart"]) == ("variant", "system")
    words = text_of(markup(shown))
    assert re.search(r"Matched 3 examples .*2 runs a 2 outputs, b 3 outputs", words)
    assert "the name terse is not used" in words

    answer = client.post(address, chosen | {"start": "1"})

    assert answer["Location"] == f"/experiments/{experiment.pk}/"
    imports.run_import(Import.objects.get(run=Run.objects.get()).pk)
    assert [(run.variant, run.output_count) for run in Run.objects.order_by("pk")] == [("a", 2), ("b", 3)]


def test_rows_that_nothing_tells_apart_are_repetitions_of_the_named_variant(client, step):
    address = step("id,answer\nk1,Paris\nk1,Lyon\nk2,Rome\n")
    choices = {"output": "answer", "match": "key", "column": "id", "rows": "order", "start": "1"}

    client.post(address, choices)

    imports.run_import(Import.objects.get(run=Run.objects.get()).pk)
    runs = [(run.variant, run.about, run.output_count) for run in Run.objects.order_by("pk")]
    assert runs == [("terse", {"order": "1"}, 2), ("terse", {"order": "2"}, 1)]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"match": "order"}, "are matched by key, position or inputs"),
        ({"apart": ""}, "system"),
    ],
)
def test_a_long_table_that_cannot_be_read_so_says_why(client, step, changed, words):
    choices = {"output": "answer", "match": "key", "column": "id", "rows": "variant", "apart": "system"}

    answer = client.post(step(LONG_TABLE), choices | changed | {"start": "1"})

    assert answer.status_code == 400
    assert words in text_of(markup(answer))
    assert not Run.objects.exists()


def test_a_row_that_names_no_variant_is_counted_before_the_start(client, step):
    html = markup(client.get(step(LONG_TABLE + "k3, ,Bergen\n")))

    assert "1 row does not say to which variant" in text_of(html)
    assert re.search(r'name="start"[^>]*disabled', html)


def test_the_start_makes_a_run_that_is_scored_when_it_is_read(client, step):
    choices = {"output": "answer", "match": "key", "column": "id", "start": "1"}

    answer = client.post(step(), choices)

    run = Run.objects.get()
    assert answer["Location"] == f"/experiments/{run.experiment_id}/"
    imports.run_import(Import.objects.get(run=run).pk)
    while scoring.work(10):
        pass
    run.refresh_from_db()
    assert run.status == Run.Status.COMPLETED
    assert run.output_count == 2
    assert run.outputs_note["extra"] == 1
    assert run.scorings.get().summary["counts"]["total"] == 3


def test_a_missing_column_is_refused(client, step):
    answer = client.post(step(), {"output": "nothing", "match": "order", "start": "1"})

    assert answer.status_code == 400
    assert not Run.objects.exists()


def test_a_pasted_text_will_do(client, alice, experiment):
    client.force_login(alice)

    answer = client.post(
        f"/experiments/{experiment.pk}/variants/new/", {"variant": "pasted", "text": FILE}, follow=True
    )

    assert "Matched 2 examples" in text_of(markup(answer))


def test_several_lines_can_be_pasted(alices, experiment):
    """A field of one line would drop their ends."""
    assert re.search(
        r'<textarea[^>]* name="text"',
        markup(alices.get(f"/experiments/{experiment.pk}/variants/new/")),
    )


def test_a_text_that_nothing_names_needs_a_name_of_its_variant(client, alice, experiment):
    client.force_login(alice)

    answer = client.post(f"/experiments/{experiment.pk}/variants/new/", {"text": FILE})

    assert answer.status_code == 400
    assert "Name the variant" in text_of(markup(answer))
    assert not Upload.objects.exists()


def test_a_stranger_finds_neither_step(client, charlie, experiment, step):
    address = step()
    client.force_login(charlie)

    assert client.get(address).status_code == 404
    assert client.post(reverse("variant-create", args=[experiment.pk])).status_code == 404


def test_a_colleague_does_not_find_ones_own_upload(client, bob, step):
    address = step()
    client.force_login(bob)

    assert client.get(address).status_code == 404


def test_a_file_that_is_gone_leads_back_to_its_form(alices, experiment):
    page = alices.get(f"/experiments/{experiment.pk}/variants/999999/")

    assert page.status_code == 404
    assert f'href="/experiments/{experiment.pk}/variants/new/"' in markup(page)
