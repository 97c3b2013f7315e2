"""Saved mappings: saved when an upload is confirmed, chosen on the page of columns, and listed."""

import pytest

from evaluations.evaluators import evaluators
from evaluations.experiments import experiments
from evaluations.imports.columns import saved_mappings
from evaluations.models import Dataset, DatasetImport, Experiment, SavedMapping
from tests import factories
from tests.pages import text_of

from .test_uploads import AS_OUTPUT, CSV, arrive, fields, import_all, markup, roles, to_confirm

pytestmark = pytest.mark.django_db

MAPPING = {"inputs": ["question"], "reference": {"answer": "gold"}, "outputs": {"short": "terse"}}
HEADER = b"question,gold,terse,more\n2+2?,4,4,x\n"


@pytest.fixture
def weekly(project, alice) -> SavedMapping:
    return saved_mappings.create(project, alice, "weekly export", MAPPING)


def use(client, content: bytes) -> str:
    """The page of columns after choosing the saved mapping."""
    address, html = arrive(client, content)
    return markup(client.post(address, fields(html) | {"use": "yes"}, follow=True))


def test_the_roles_are_saved_under_a_name_with_the_import(alices, project):
    address = to_confirm(alices, CSV, **AS_OUTPUT)

    alices.post(address, {"name": "First", "on_error": "reject", "save_as": "weekly export"})

    saved = saved_mappings.named(project, "weekly export")
    assert saved.mapping["outputs"] == {"short": "terse"}
    assert Dataset.objects.filter(name="First").exists()


@pytest.mark.long
def test_the_evaluators_of_an_upload_are_selected_for_the_next_file_with_its_header(alices, project, alice):
    read = {"actual": {"path": "$.output", "read": ["reasoning"]}}
    evaluator = evaluators.create(project, alice, "Read", "exact_match", {}, read)
    address = to_confirm(alices, CSV, **AS_OUTPUT)
    chosen = {"evaluators": [f"evaluator:{evaluator.pk}"], "save_as": "weekly export"}
    alices.post(address, {"name": "First", "on_error": "reject"} | chosen)

    again = alices.get(to_confirm(alices, CSV, **AS_OUTPUT))
    other, html = arrive(alices, HEADER)
    html = markup(alices.post(other, fields(html) | {"use": "yes"}, follow=True))
    alices.post(other, fields(html) | {"continue": "yes"})
    by_name = alices.get(other.replace("columns", "confirm"))

    for response in (again, by_name):
        assert response.context["form"]["evaluators"].value() == [f"evaluator:{evaluator.pk}"]
    assert "Read is selected, because it decided about the last file with these columns." in text_of(again)
    assert "Read is selected, because the mapping names it." in text_of(by_name)
    assert "Read" in alices.get(f"/p/{project.slug}/mappings/").content.decode()
    evaluators.delete(evaluator)
    gone = alices.get(other.replace("columns", "confirm"))
    assert f"evaluator:{evaluator.pk}" not in gone.context["form"]["evaluators"].value()


def test_an_evaluator_that_was_advised_for_other_references_is_not_selected_for_the_same_header(
    alices, project
):
    sums, orders = (
        "question,reference,new\n" + "".join(f'"q{n}","{value}","{value}"\n' for n in range(6))
        for value in ("It makes 7", '{""total"": 7}')
    )
    address = to_confirm(alices, sums.encode(), **{"role-2": "output", "variant-2": "new"})
    advised = alices.get(address).context["form"]["evaluators"].value()
    alices.post(address, {"name": "Sums", "on_error": "reject", "evaluators": advised})
    import_all()

    same = alices.get(to_confirm(alices, sums.encode())).context["form"]
    other = alices.get(to_confirm(alices, orders.encode())).context["form"]

    assert same.from_mapping == same["evaluators"].value()
    assert advised == ["kind:numeric_match"]
    assert other.from_mapping == []
    assert other.advice.kind == "json_fields"
    assert other["evaluators"].value() != same["evaluators"].value()


def test_a_remembered_evaluator_that_finds_nothing_here_is_not_selected(alices, project):
    first, second = (
        "question,reference,new\n" + "".join(f"q{n},{n % 7},{answer.format(n % 7)}\n" for n in range(20))
        for answer in ("{}", "The result is {}")
    )
    exact = factories.evaluator(project)
    address = to_confirm(alices, first.encode(), **{"role-2": "output", "variant-2": "new"})
    sent = {"name": "Sums", "on_error": "reject", "evaluators": [f"evaluator:{exact.pk}"]}
    alices.post(address, sent)
    import_all()

    same = alices.get(to_confirm(alices, first.encode())).context["form"]
    page = alices.get(to_confirm(alices, second.encode()))

    assert same["evaluators"].value() == [f"evaluator:{exact.pk}"]
    assert (same.advised.name, len(same.evidence_rows)) == (exact.name, 3)
    assert f"{exact.name} scored the last file with this header, and finds none" in text_of(page)
    assert page.context["form"]["evaluators"].value() == ["kind:numeric_match"]


def test_what_decides_about_the_last_file_by_now_decides_about_the_next(alices, project):
    exact, near = factories.evaluator(project), factories.evaluator(project, kind="levenshtein_similarity")
    address = to_confirm(alices, CSV, **AS_OUTPUT)
    both = [f"evaluator:{exact.pk}", f"evaluator:{near.pk}"]
    alices.post(address, {"name": "First", "on_error": "reject", "evaluators": both})
    import_all()
    experiment = Experiment.objects.get()
    experiments.set_primary(experiment, near)

    form = alices.get(to_confirm(alices, CSV)).context["form"]

    assert form["evaluators"].value() == both[::-1]


def test_a_taken_name_starts_no_import(alices, weekly):
    address = to_confirm(alices, CSV, **AS_OUTPUT)

    response = alices.post(address, {"name": "First", "on_error": "reject", "save_as": "Weekly Export"})

    assert response.status_code == 409
    assert response.context["form"].errors.keys() == {"save_as"}
    assert not Dataset.objects.exists()


def test_a_saved_mapping_sets_the_roles_of_another_header(alices, weekly):
    address, html = arrive(alices, HEADER)

    html = markup(alices.post(address, fields(html) | {"use": "yes"}, follow=True))
    alices.post(address, fields(html) | {"continue": "yes"})
    alices.post(address.replace("columns", "confirm"), {"name": "Sums", "on_error": "reject"})
    import_all()

    assert roles(html) == {
        "question": "input",
        "gold": "reference",
        "terse": "output",
        "more": "leave out",
    }
    dataset = Dataset.objects.get()
    assert dataset.columns == {"inputs": ["question"], "reference": ["answer"], "metadata": []}
    assert dataset.experiments.get().runs.get().variant == "short"


def test_a_path_that_begins_with_no_column_leaves_the_page_usable(alices, project, alice):
    """The API takes it; the page has a field for paths into columns only."""
    saved_mappings.create(project, alice, "any text", MAPPING | {"outputs": {"short": "$..text"}})

    html = use(alices, HEADER)

    assert roles(html) == {
        "question": "input",
        "gold": "reference",
        "terse": "leave out",
        "more": "leave out",
    }


def test_columns_that_the_file_lacks_are_named(alices, weekly):
    html = use(alices, b"question,terse\n2+2?,4\n")

    assert roles(html) == {"question": "input", "terse": "output"}
    assert "gold" in html


def test_a_file_for_a_dataset_leaves_the_outputs_of_the_mapping_out(alices, project, weekly):
    dataset = factories.dataset(project)
    content = {"text": "question,gold,terse\n2+2?,4,4\n"}
    address = alices.post(f"/datasets/{dataset.pk}/append/", content)["Location"]

    html = markup(alices.get(address))
    html = markup(alices.post(address, fields(html) | {"use": "yes"}, follow=True))
    alices.post(address, fields(html) | {"continue": "yes"})
    alices.post(
        address.replace("columns", "confirm"), {"mode": "append", "duplicates": "keep", "on_error": "reject"}
    )

    assert roles(html)["terse"] == "leave out"
    assert DatasetImport.objects.get().imports.get().mapping["outputs"] == {}


def test_the_list_renames_a_mapping(alices, weekly):
    alices.post(f"/mappings/{weekly.pk}/rename/", {"name": "monthly"})

    assert "monthly" in markup(alices.get("/p/default/mappings/"))


def test_a_deleted_mapping_can_be_restored_from_the_message(alices, project, weekly):
    page = alices.post(f"/mappings/{weekly.pk}/delete/", follow=True)
    assert f"/mappings/{weekly.pk}/restore/" in markup(page)
    assert not saved_mappings.live(project).exists()

    alices.post(f"/mappings/{weekly.pk}/restore/")

    assert saved_mappings.live(project).get().pk == weekly.pk


def test_a_name_in_use_is_refused_in_a_form(alices, project, weekly):
    monthly = saved_mappings.create(project, None, "monthly", MAPPING)

    response = alices.post(f"/mappings/{monthly.pk}/rename/", {"name": "weekly export"})

    form = response.context["form"]
    assert (response.status_code, form["name"].value()) == (409, "weekly export")
    assert form.refused or form.has_error("name")


def test_mappings_by_header_are_no_named_ones(alices, project):
    saved_mappings.remember(project, ["a"], {"inputs": ["a"]})

    assert alices.post(f"/mappings/{SavedMapping.objects.get().pk}/delete/").status_code == 404


def test_the_list_of_datasets_leads_to_mappings_where_there_are_any(alices, project):
    address = f"/p/{project.slug}/datasets/"
    assert "Saved mappings" not in markup(alices.get(address))

    saved_mappings.create(project, None, "weekly", {"inputs": ["question"]})
    assert "Saved mappings" in markup(alices.get(address))


def test_rows_are_right_and_wrong_by_the_name_that_the_evaluator_has_here(alices, project, alice):
    evaluators.create(project, alice, "Right number", "numeric_match", {}, {})
    file = "question,reference,new\n" + "".join(f"q{n},{n},It is {n + n % 2}\n" for n in range(20))

    page = text_of(alices.get(to_confirm(alices, file.encode(), **{"role-2": "output", "variant-2": "new"})))

    assert "right and wrong as Right number says" in page
