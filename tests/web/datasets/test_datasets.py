"""Pages of datasets: browse, change, delete."""

import re
from html import unescape

import orjson
import pytest
from django.test import Client
from django.urls import reverse

from evaluations import owned
from evaluations.datasets import datasets
from evaluations.experiments import experiments
from evaluations.models import Dataset, Example, Import
from tests import factories
from tests.pages import markup, text_of


def keys(html: str) -> list[str]:
    """The examples that a page lists."""
    return re.findall(r'class="id clip">(?:<input[^>]*> ?)?<a[^>]*>([^<]+)<', html)


def body(response) -> str:
    return markup(response)


# ---- browsing ----


def test_pages_follow_one_another_and_lead_back(alices, dataset):
    first = alices.get(f"/datasets/{dataset.pk}/")
    second = alices.get(first.context["page"].next)
    third = alices.get(second.context["page"].next)
    second_again = alices.get(third.context["page"].previous)

    assert [keys(body(page)) for page in (first, second, third)] == [
        [f"k{n}" for n in range(1, 51)],
        [f"k{n}" for n in range(51, 101)],
        [f"k{n}" for n in range(101, 121)],
    ]
    assert third.context["page"].next is None
    assert keys(body(second_again)) == keys(body(second))


def test_the_ranks_of_a_page_count_examples_not_positions(alices, alice, dataset):
    """An edited example gets a position after the last one, and its old position stays empty."""
    datasets.edit(dataset, alice, 3, {"reference": {"answer": "It is new."}})
    first = alices.get(f"/datasets/{dataset.pk}/")
    last = alices.get(alices.get(first.context["page"].next).context["page"].next)

    assert "1 to 50 of 120 examples" in text_of(markup(first))
    assert "101 to 120 of 120 examples" in text_of(markup(last))


def test_searching_keeps_the_words_in_the_address(alices, dataset):
    page = alices.get(f"/datasets/{dataset.pk}/?q=it+is+11.")

    assert keys(body(page)) == ["k11"]
    assert 'value="it is 11."' in body(page)


def test_an_open_row_shows_its_texts_and_its_neighbours(alices, dataset):
    page = alices.get(f"/datasets/{dataset.pk}/?row=17")

    assert "What is 17?" in body(page)
    assert page.context["opened"].before.endswith("?row=16")
    assert page.context["opened"].after.endswith("?row=18")
    assert f'data-copy="http://testserver/datasets/{dataset.pk}/?row=17"' in body(page)
    assert 'data-copy="What is 17?"' in body(page)


def test_an_older_version_is_as_it_was(alices, alice, dataset):
    datasets.edit(dataset, alice, 1, {"reference": {"answer": "It is one."}})

    old = body(alices.get(f"/datasets/{dataset.pk}/?version=1&row=1"))
    new = body(alices.get(f"/datasets/{dataset.pk}/?q=It+is+one"))

    assert "It is 1." in old
    assert f'href="/datasets/{dataset.pk}/"' in old  # the way to the newest version
    assert keys(new) == ["k1"]


def test_a_phone_has_the_reference_below_the_input(alices, project):
    page = markup(alices.get(f"/datasets/{factories.dataset(project).pk}/"))

    shown = re.findall(r'told-below">reference\s*<span class="one-line" dir="auto">([^<]+)</span>', page)
    assert shown == ["Paris", "Rome", "Oslo"]


@pytest.mark.parametrize("version", ["3", "99999999"])
def test_a_version_that_never_was_is_404(alices, dataset, version):
    assert alices.get(f"/datasets/{dataset.pk}/?version={version}").status_code == 404


@pytest.mark.parametrize(
    "odd", ["version=x", "row=-1", "after=%00", "before=1e9", "row=99999999999999999999"]
)
def test_an_odd_address_is_no_error(alices, dataset, odd):
    assert alices.get(f"/datasets/{dataset.pk}/?{odd}").status_code == 200


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_a_download_is_a_file_with_the_dataset_s_name(alices, dataset, kind):
    response = alices.get(f"/datasets/{dataset.pk}/download/?format={kind}")

    content = b"".join(response.streaming_content)
    assert response["Content-Disposition"] == f'attachment; filename="Numbers v1.{kind}"'
    assert b"What is 120?" in content or kind == "parquet"


def test_the_page_offers_a_file_to_upload_again_in_each_format(alices, dataset):
    links = re.findall(
        r'href="([^"]+parts=yes[^"]*)"', markup(alices.get(f"/datasets/{dataset.pk}/?version=1"))
    )

    downloads = [alices.get(unescape(link)) for link in links]

    assert [download.status_code for download in downloads] == [200] * 5
    endings = [download["Content-Disposition"].rpartition(".")[2].strip('"') for download in downloads]
    assert endings == ["csv", "jsonl", "json", "parquet", "xlsx"]


def test_a_download_turns_escaping_off_in_the_spelling_of_the_api(alices, alice, project):
    risky = datasets.create(project, alice, "risky", [{"key": "k", "inputs": {"q": "=1+1"}}])
    address = f"/datasets/{risky.pk}/download/?format=csv"

    escaped, plain, older = (
        alices.get(address + more).getvalue() for more in ("", "&safe=false", "&safe=no")
    )

    assert b"'=1+1" in escaped
    assert b"'=1+1" not in plain
    assert plain == older


def test_a_name_cannot_break_the_header_of_a_download(alices, alice, dataset):
    owned.rename(dataset, 'a"; x=../../b')

    response = alices.get(f"/datasets/{dataset.pk}/download/?format=csv")

    assert response["Content-Disposition"] == 'attachment; filename="a ; x= b v1.csv"'


def test_an_unknown_format_is_refused(alices, dataset):
    response = alices.get(f"/datasets/{dataset.pk}/download/?format=xls")

    assert response.status_code == 400
    assert "csv, jsonl, parquet, xlsx" in body(response)


# ---- rows ----


def edit(client: Client, dataset: Dataset, position: int, **fields: str):
    return client.post(f"/datasets/{dataset.pk}/examples/{position}/edit/", fields)


def example_form(key: str, question: str, answer: str) -> dict[str, str]:
    return {"key": key, "field-0": question, "field-1": answer}


def test_an_edit_makes_a_version_and_leads_to_the_new_row(alices, dataset):
    response = edit(alices, dataset, 5, **example_form("k5", "What is 5?", "Five."))

    new_example = Example.objects.get(dataset=dataset, key="k5", removed_in=None)
    assert orjson.loads(new_example.reference) == {"answer": "Five."}
    assert response["Location"] == f"/datasets/{dataset.pk}/?row={new_example.position}"
    assert Dataset.objects.get(pk=dataset.pk).version == 2


def test_an_example_without_a_key_is_called_by_its_first_position(alices, project):
    rows = [{"inputs": {"q": f"q{n}"}, "reference": {"a": "x"}} for n in (1, 2, 3)]
    keyless = datasets.create(project, None, "keyless", rows)
    datasets.edit(keyless, None, 2, {"inputs": {"q": "edited"}})

    html = body(alices.get(f"/datasets/{keyless.pk}/?row=4"))

    assert keys(html) == ["1", "2", "3"]
    assert '<h2 id="drawer-name">2</h2>' in html


def test_an_edited_example_keeps_its_place(alices, alice, dataset):
    """Its position is a new one, but the list, the open row and its neighbours have it where it was."""
    datasets.edit(dataset, alice, 60, {"reference": {"answer": "Sixty."}})
    datasets.edit(dataset, alice, 61, {"reference": {"answer": "Sixty-one."}})
    position = dataset.last_position - 1

    second = alices.get(alices.get(f"/datasets/{dataset.pk}/").context["page"].next)
    assert keys(body(second)) == [f"k{n}" for n in range(51, 101)]
    assert keys(body(alices.get(second.context["page"].previous))) == [f"k{n}" for n in range(1, 51)]
    assert keys(body(alices.get(second.context["page"].next))) == [f"k{n}" for n in range(101, 121)]

    page = alices.get(f"/datasets/{dataset.pk}/?row={position}")
    assert keys(body(page))[:7] == [f"k{n}" for n in range(55, 62)]
    assert page.context["opened"].before.endswith("?row=59")
    assert page.context["opened"].after.endswith(f"?row={position + 1}")
    assert "Position 60" in text_of(markup(page))

    found = alices.get(f"/datasets/{dataset.pk}/?q=Sixty")
    assert keys(body(found)) == ["k60", "k61"]
    form = alices.get(f"/datasets/{dataset.pk}/examples/{position}/edit/")
    assert (form.context["before"], form.context["after"]) == (59, position + 1)


@pytest.mark.parametrize(("address", "shown"), [("?row=2", "edited"), ("?version=1&row=4", "q2")])
def test_a_link_to_an_example_finds_it_before_and_after_an_edit(alices, project, address, shown):
    rows = [{"inputs": {"q": f"q{n}"}, "reference": {"a": "x"}} for n in (1, 2, 3)]
    keyless = datasets.create(project, None, "keyless", rows)
    datasets.edit(keyless, None, 2, {"inputs": {"q": "edited"}})

    opened = alices.get(f"/datasets/{keyless.pk}/{address}").context["opened"]

    assert orjson.loads(opened.example.inputs) == {"q": shown}


def test_an_edit_goes_back_to_where_the_example_was_read(alices, alice, project):
    """From the open row of an experiment or of a run; the text of an older version leads to the newest."""
    experiment = factories.scored_sample(project, alice)
    dataset, run = experiment.dataset, experiment.runs.first()
    for page in (f"/experiments/{experiment.pk}/?open=2", f"/runs/{run.pk}/?row=2"):
        links = re.findall(rf'href="(/datasets/{dataset.pk}/examples/2/edit/[^"]*)"', body(alices.get(page)))
        assert len(links) == 1
        form = alices.get(links[0], follow=True)
        back = form.context["back"]
        assert back.partition("#")[0] == page
        position = form.context["example"].position
        fields = {
            field.name: f"from {page}" for _, fields in form.context["form"].groups() for field in fields
        }
        response = alices.post(f"/datasets/{dataset.pk}/examples/{position}/edit/", {"next": back} | fields)
        assert response["Location"] == back
    assert "Its runs keep the old text." in body(alices.get(page))


def test_an_edit_leads_to_no_page_of_another_site(alices, dataset):
    address = f"/datasets/{dataset.pk}/examples/5/edit/?next=https://example.com/"

    assert alices.get(address).context["back"] == ""
    saved = alices.post(address, example_form("k5", "What is 5?", "Five."))
    assert saved["Location"].startswith(f"/datasets/{dataset.pk}/?row=")


def test_an_edit_that_changes_nothing_makes_no_version(alices, dataset):
    edit(alices, dataset, 5, **example_form("k5", "What is 5?", "It is 5."))

    assert Dataset.objects.get(pk=dataset.pk).version == 1


def test_a_concurrent_change_is_not_overwritten(alices, as_user, bob, dataset):
    edit(as_user(bob), dataset, 5, **example_form("k5", "What is 5?", "Bob's answer"))

    response = edit(alices, dataset, 5, **example_form("k5", "Which is 5?", "Alice's answer"))

    assert response.status_code == 409
    assert "Alice&#x27;s answer" in body(response)
    assert "saved meanwhile yours answer [deleted: Bob ] [inserted: Alice ]" in text_of(response)
    assert Dataset.objects.get(pk=dataset.pk).version == 2


def test_a_stale_example_saved_again_replaces_what_the_page_showed(alices, as_user, bob, dataset):
    edit(as_user(bob), dataset, 5, **example_form("k5", "What is 5?", "Bob's answer"))
    typed = example_form("k5", "What is 5?", "Alice's answer")
    refused = edit(alices, dataset, 5, **typed)

    saved = edit(alices, dataset, 5, **typed, seen=refused.context["form"].seen)

    assert saved.status_code == 302
    newest = Example.objects.get(dataset=dataset, key="k5", removed_in=None)
    assert orjson.loads(newest.reference) == {"answer": "Alice's answer"}


def test_a_removed_example_can_be_restored_where_it_was_typed(alices, dataset):
    alices.post(f"/datasets/{dataset.pk}/examples/5/delete/")

    refused = edit(alices, dataset, 5, **example_form("k5", "What is 5?", "Five."))

    assert refused.status_code == 409
    assert f'formaction="/datasets/{dataset.pk}/examples/5/restore/"' in markup(refused)


def test_an_example_offers_the_metadata_that_others_have(alices, project):
    rows = [{"inputs": {"q": "q1"}, "metadata": {"topic": "billing", "size": 3}}, {"inputs": {"q": "q2"}}]
    dataset = datasets.create(project, None, "topics", rows)

    page = alices.get(f"/datasets/{dataset.pk}/examples/new/")

    assert '<option value="billing">' in markup(page)
    assert "size a number, such as 3" in text_of(page)


def test_beside_an_example_stand_its_experiments_and_its_neighbours(alices, project):
    experiment = factories.experiment(project)

    page = alices.get(f"/datasets/{experiment.dataset_id}/examples/2/edit/")

    assert "In 1 experiment." in text_of(page)
    assert f'href="/experiments/{experiment.pk}/"' in markup(page)
    assert (page.context["before"], page.context["after"]) == (1, 3)


def test_values_that_nobody_touched_keep_their_type(alices, alice, project):
    parts = {"inputs": {"a": "one\r\ntwo", "n": 7, "o": {"x": [1]}, "none": None}, "reference": {"r": "1"}}
    dataset = datasets.create(project, alice, "Mixed", [parts])
    page = alices.get(f"/datasets/{dataset.pk}/examples/1/edit/")
    fields = {name: field.initial or "" for name, field in page.context["form"].fields.items()}

    edit(alices, dataset, 1, **fields | {"field-4": "changed"})

    new_example = Example.objects.get(dataset=dataset, removed_in=None)
    assert orjson.loads(new_example.inputs) == parts["inputs"]
    assert orjson.loads(new_example.reference) == {"r": "changed"}


def test_a_json_column_takes_json_only(alices, alice, project):
    dataset = datasets.create(project, alice, "Mixed", [{"inputs": {"n": 7}, "reference": {"r": "1"}}])

    refusal = edit(alices, dataset, 1, **{"field-0": "seven", "field-1": "1"})
    success = edit(alices, dataset, 1, **{"field-0": "8", "field-1": "1"})

    assert (refusal.status_code, success.status_code) == (400, 302)
    assert orjson.loads(Example.objects.get(dataset=dataset, removed_in=None).inputs) == {"n": 8}


def test_a_taken_key_is_refused_beside_the_form(alices, dataset):
    response = alices.post(f"/datasets/{dataset.pk}/examples/new/", example_form("k1", "q", "a"))

    assert response.status_code == 409
    assert "#duplicate_key" in body(response)


def test_a_new_example_stands_at_the_end(alices, dataset):
    response = alices.post(
        f"/datasets/{dataset.pk}/examples/new/", example_form("k121", "What is 121?", "It is 121.")
    )

    assert response["Location"] == f"/datasets/{dataset.pk}/?row=121"
    assert Dataset.objects.get(pk=dataset.pk).example_count == 121


def test_a_removed_row_stays_in_the_version_before(alices, dataset):
    alices.post(f"/datasets/{dataset.pk}/examples/7/delete/")

    assert keys(body(alices.get(f"/datasets/{dataset.pk}/?q=is+7?"))) == []
    assert keys(body(alices.get(f"/datasets/{dataset.pk}/?q=is+7?&version=1"))) == ["k7"]


# ---- name and end ----


def test_a_taken_name_is_refused_beside_the_name_field(alices, alice, project, dataset):
    datasets.create(project, alice, "Letters", [{"inputs": {"a": "b"}}])

    response = alices.post(f"/datasets/{dataset.pk}/rename/", {"name": "LETTERS"})

    assert response.status_code == 409
    assert "named “LETTERS” already" in body(response)
    assert Dataset.objects.get(pk=dataset.pk).name == "Numbers"


def test_deleting_can_be_undone_from_the_message(alices, dataset):
    page = alices.post(f"/datasets/{dataset.pk}/delete/", follow=True)
    undo = re.search(r'class="undo" method="post" action="([^"]+)"', body(page)).group(1)

    assert Dataset.objects.live().count() == 0
    assert alices.get(f"/datasets/{dataset.pk}/").status_code == 404
    assert alices.post(undo)["Location"] == f"/datasets/{dataset.pk}/"
    assert alices.get(f"/datasets/{dataset.pk}/").status_code == 200


def test_a_dataset_with_a_run_in_progress_is_not_deleted(alices, project):
    run = factories.run(factories.experiment(project))

    response = alices.post(f"/datasets/{run.experiment.dataset_id}/delete/")

    assert response.status_code == 409
    assert "Cancel the run" in body(response)


# ---- while it is imported ----


@pytest.fixture
def importing(project, alice) -> Dataset:
    dataset = Dataset.objects.create(
        project=project, created_by=alice, name="Coming", status=Dataset.Status.IMPORTING
    )
    Import.objects.create(
        dataset=dataset, filename="a.csv", stored_as="a", size=1_000, bytes_done=500, rows_done=70
    )
    return dataset


def test_an_import_asks_again_until_it_has_ended(alices, importing):
    address = reverse("dataset-detail", args=[importing.pk])

    during = body(alices.get(address, headers={"HX-Request": "true"}))
    Import.objects.all().delete()
    datasets.create(importing.project, None, "other", [{"inputs": {"a": "b"}}])
    Dataset.objects.filter(pk=importing.pk).update(status=Dataset.Status.READY, version=1)
    after = body(alices.get(address, headers={"HX-Request": "true"}))

    assert 'hx-trigger="every 1s"' in during
    assert "<html" not in during
    assert "hx-trigger" not in after


def test_the_list_says_why_an_upload_failed_and_deletes_it(alices, project):
    failed = factories.imported(project, "question,answer\nall,right\nlonely\n", "rows.csv")

    html = body(alices.get(f"/p/{project.slug}/datasets/"))

    assert failed.errors[0]["message"] in html
    assert f'action="/datasets/{failed.pk}/delete/"' in html


def test_a_failed_import_shows_problem_location_and_remedy(alices, project):
    failed = factories.imported(project, "question,answer\nall,right\nlonely\n", "rows.csv")

    html = body(alices.get(f"/datasets/{failed.pk}/"))

    assert failed.status == Dataset.Status.FAILED
    assert "Nothing was imported" in html
    assert "line 3" in html
    assert "Put quotes around cells" in html
    assert 'href="/p/default/datasets/upload/"' in html


def test_the_list_starts_near_the_row_of_a_link(alices, dataset):
    page = alices.get(f"/datasets/{dataset.pk}/?row=100")
    positions = [row.position for row in page.context["rows"]]

    assert 100 in positions[:10]
    assert page.context["page"].previous


def test_a_row_of_the_first_page_leaves_the_list_where_it_is(alices, dataset):
    page = alices.get(f"/datasets/{dataset.pk}/?row=3")

    assert page.context["rows"][0].position == 1


def test_a_new_example_has_the_types_of_the_first_one(alices, project):
    rows = [{"inputs": {"q": "q1"}, "metadata": {"tags": ["urgent"], "market": "eu"}}]
    dataset = datasets.create(project, None, "tagged", rows)
    page = alices.get(f"/datasets/{dataset.pk}/examples/new/")
    names = {of[1]: name for name, of in page.context["form"].columns.items()}
    sent = {"key": "", names["q"]: "q2", names["market"]: "12"}

    refused = alices.post(page.request["PATH_INFO"], sent | {names["tags"]: "vip"})
    alices.post(page.request["PATH_INFO"], sent | {names["tags"]: '["vip"]'})

    assert "such as [" in text_of(page)
    assert "This column needs valid JSON" in text_of(refused)
    added = Example.objects.get(dataset=dataset, position=2)
    assert orjson.loads(added.metadata) == {"tags": ["vip"], "market": "12"}


def test_tags_of_an_example_are_read_as_words(alices, project):
    rows = [{"inputs": {"q": "q1"}, "metadata": {"tags": ["urgent", "returns"]}}]
    dataset = datasets.create(project, None, "tagged", rows)

    assert "urgent, returns" in text_of(alices.get(f"/datasets/{dataset.pk}/?row=1").content.decode())


def test_a_run_is_compared_to_a_baseline_from_the_page_of_its_dataset(alices, project):
    earlier = factories.experiment(project, "exact_match")
    old = factories.scored_run(earlier, variant="old")
    address = f"/datasets/{earlier.dataset_id}/"
    assert "Compare to baseline" not in markup(alices.get(address))
    later = experiments.create(project, None, "later", earlier.dataset, [earlier.primary])
    first, second = (factories.scored_run(later, variant=name) for name in ("v1", "v2"))

    offered = alices.get(address).context["to_compare"]
    page = alices.get(f"/compare/?runs={old.pk}&runs={second.pk}")

    assert {run.pk for run in offered.runs} == {old.pk, first.pk, second.pk}
    assert (offered.baseline, offered.run) == (first, second)
    assert page.context["comparison"].sides.baseline.run == old


def test_a_column_of_short_texts_leaves_the_room_to_the_others(alices, dataset):
    page = markup(alices.get(f"/datasets/{dataset.pk}/"))

    heads = re.findall(r'title="[^"]+"\s+class="([^"]+)"', page)
    assert "reference short" in heads
