"""Forms select the evaluator that suits the data, and say why."""

from dataclasses import replace
from re import findall
from types import SimpleNamespace

import pytest
from django.template.loader import render_to_string

from evaluations.datasets import datasets
from evaluations.evaluators import evaluators
from evaluations.experiments import advice, experiments
from evaluations.models import Experiment
from tests import factories
from tests.pages import text_of
from tests.web.uploads.test_uploads import import_all, to_confirm

ROWS = "question,answer,small,large\n" + "".join(
    f"{n} + 1?,It is {n + 1}.,{n + 1},{n + 2}\n" for n in range(12)
)


@pytest.fixture
def confirm(alices) -> str:
    """The last page of an upload whose references end in numbers."""
    outputs = {"role-2": "output", "variant-2": "small", "role-3": "output", "variant-3": "large"}
    return to_confirm(alices, ROWS.encode(), "sums.csv", **outputs)


def test_an_upload_selects_the_suited_evaluator_as_primary(alices, confirm):
    page = alices.get(confirm)

    assert "Numeric match" in text_of(page)
    assert "is selected, because 12 of 12 references end in a number" in text_of(page)

    alices.post(confirm, {"name": "sums", "on_error": "reject", "evaluators": ["kind:numeric_match"]})
    import_all()

    assert Experiment.objects.get().primary.name == "Numeric match"


def test_labels_in_sentences_are_read_out_of_them_also_those_of_late_rows(alices):
    labels = [*["yes"] * 15, *["no"] * 15, *["maybe"] * 3]
    rows = "".join(f"{n}?,{label},{label},I would say **{label}**\n" for n, label in enumerate(labels))
    outputs = {"role-2": "output", "variant-2": "terse", "role-3": "output", "variant-3": "chatty"}
    confirm = to_confirm(alices, f"question,answer,terse,chatty\n{rows}".encode(), "votes.csv", **outputs)
    page = alices.get(confirm)
    [value] = page.context["form"]["evaluators"].value()

    alices.post(confirm, {"name": "votes", "on_error": "reject", "evaluators": [value], "primary": value})
    import_all()

    assert "Label (maybe, no, yes) is selected" in text_of(page)
    primary = Experiment.objects.get().primary
    [step] = primary.versions.get().mapping["actual"]["read"]
    assert (primary.name, step["labels"]) == ("Label (maybe, no, yes)", ["maybe", "no", "yes"])


def test_a_dataset_without_outputs_says_so_and_offers_to_make_variants_of_its_columns_first(alices, project):
    confirm = to_confirm(alices, ROWS.encode(), "sums.csv", **{"role-2": "metadata", "role-3": "metadata"})
    assert "Outputs none" in text_of(alices.get(confirm))
    alices.post(confirm, {"name": "sums", "on_error": "reject"})
    import_all()

    page = alices.get(f"/p/{project.slug}/experiments/new/")

    assert "sums has no outputs yet." in text_of(page)
    assert "is selected, because" not in text_of(page)
    [main] = findall(r'<(?:a|button) class="button button-main"[^>]*>([^<]+)<', page.content.decode())
    assert main == "Make variants of its columns"


@pytest.mark.parametrize(
    "value",
    [
        "advised:",
        "advised:[1]",
        'advised:["judge",{},{}]',
        "advised:x",
        'advised:["label",5,{}]',
        'advised:["json_match",{"x":1},{}]',
    ],
)
def test_a_choice_that_no_advice_made_is_not_found(alices, confirm, value):
    sent = {"name": "sums", "on_error": "reject", "evaluators": [value]}

    assert alices.post(confirm, sent).status_code == 404


def test_the_last_primary_of_a_dataset_is_selected_again(alices, project):
    dataset = factories.dataset(project)
    chosen = factories.evaluator(project, "rouge_l", "Our ROUGE")
    experiments.create(project, None, "before", dataset, [chosen])

    page = text_of(alices.get(f"/p/default/experiments/new/?dataset={dataset.pk}"))

    assert "Our ROUGE is selected, because it decided in the last experiment on this dataset" in page


@pytest.mark.parametrize("page", ["experiments", "launches"])
def test_what_the_references_alone_recommend_is_told_beside_another_that_decided(alices, project, page):
    """Nobody gave outputs, so the reason does not speak of them."""
    dataset = factories.dataset(project)
    experiments.create(project, None, "before", dataset, [factories.evaluator(project, "rouge_l")])
    factories.prompt(project)

    page = text_of(alices.get(f"/p/default/{page}/new/?dataset={dataset.pk}"))

    assert (
        "By the references alone, Exact match would be recommended: the 3 references are single words or names"
        in page
    )
    assert "like the outputs" not in page


def test_a_score_from_outside_decides_nothing_about_new_answers(alices, project):
    dataset = factories.dataset(project)
    mapping = {"actual": {"path": "$.scores.rating"}}
    rating = evaluators.create(project, None, "Their rating", "value", {}, mapping)
    experiments.create(project, None, "before", dataset, [rating])

    page = text_of(alices.get(f"/p/default/launches/new/?dataset={dataset.pk}"))

    assert "Their rating is selected" not in page
    assert "it decided in the last experiment" not in page


def test_an_error_rate_that_is_recommended_says_what_it_is_for_and_that_lower_is_better(alices):
    spoken = [f"the door number {n} opens at noon today" for n in range(12)]
    rows = "audio,answer,small,large\n" + "".join(
        f"clips/{n}.wav,{text},{text},{text.replace('door', 'floor')}\n" for n, text in enumerate(spoken)
    )
    outputs = {"role-2": "output", "variant-2": "small", "role-3": "output", "variant-3": "large"}

    page = text_of(alices.get(to_confirm(alices, rows.encode(), "speech.csv", **outputs)))

    assert "because the 12 references read like transcripts" in page
    assert "Recommended. Transcripts of speech or recognised text" in page
    assert "by the length of the reference. Lower is better." in page


@pytest.mark.parametrize("page", ["experiments", "launches"])
def test_the_last_primary_is_shown_at_work_on_earlier_answers(alices, project, page):
    references = [f"It is {n}." for n in range(12)]
    chosen = factories.evaluator(project, "exact_match", "Our match")
    dataset = factories.dataset(project, references)
    experiment = experiments.create(project, None, "before", dataset, [chosen])
    factories.scored_run(experiment, [*references[:6], *["no"] * 6], "v1")
    factories.prompt(project)

    text = text_of(alices.get(f"/p/default/{page}/new/?dataset={dataset.pk}"))

    assert "Three of your rows, scored by each" in text
    rows = advice.of_dataset(dataset).evidence.rows
    assert {(output in references, output == reference) for output, reference in rows} == {
        *((True, True), (False, False))
    }
    assert "Our match" in text


def test_an_exact_match_of_answers_in_small_letters_has_one_that_ignores_case_beside_it(alices, project):
    references = ["Lima", "Paris", "Rome", "Oslo"]
    chosen = factories.evaluator(project, "exact_match", "Our match")
    dataset = factories.dataset(project, references)
    experiment = experiments.create(project, None, "before", dataset, [chosen])
    factories.scored_run(experiment, [one.lower() for one in references], "v1")

    page = alices.get(f"/p/default/experiments/new/?dataset={dataset.pk}")

    text = text_of(page)
    assert (
        "4 of the 4 answers that Our match calls wrong here differ from the reference only in letter case"
        in text
    )
    assert "wrong, only letter case differs" in text
    looser = next(
        choice
        for group in page.context["form"].evaluator_groups
        for choice in group.choices
        if choice.name == "Exact match, read in any case and punctuation"
    )
    form = {"name": "again", "dataset": dataset.pk, "evaluators": [looser.value], "primary": looser.value}
    assert alices.post("/p/default/experiments/new/", form).status_code == 302


def test_the_last_primary_is_shown_on_answers_of_both_variants(project):
    references = [f"It is {n}." for n in range(150)]
    dataset = factories.dataset(project, references)
    chosen = factories.evaluator(project, "exact_match", "Our match")
    experiment = experiments.create(project, None, "before", dataset, [chosen])
    factories.scored_run(experiment, ["no"] * 150, "v1")
    factories.scored_run(experiment, references, "v2")

    rows = advice.of_dataset(dataset).evidence.rows

    assert {output == reference for output, reference in rows} == {True, False}


def test_an_evaluator_that_decides_nothing_calls_no_row_right(project):
    references = [f"It is {n}." for n in range(12)]
    chosen = factories.evaluator(project, "rouge_l", "Our ROUGE")
    dataset = factories.dataset(project, references)
    experiment = experiments.create(project, None, "before", dataset, [chosen])
    factories.scored_run(experiment, [f"It was {n}." for n in range(12)], "v1")

    lines = advice.of_dataset(dataset).evidence.lines

    assert [remark for line in lines for remark in line.remarks if remark] == []


def test_a_deleted_primary_is_not_advised(project):
    dataset = factories.dataset(project)
    chosen = factories.evaluator(project, "rouge_l", "Our ROUGE")
    experiments.create(project, None, "before", dataset, [chosen])
    type(chosen).objects.filter(pk=chosen.pk).update(deleted_at="2026-01-01T00:00:00Z")

    assert advice.of_dataset(dataset).evaluator is None


@pytest.mark.long
def test_pages_show_examples_that_are_plain_texts_instead_of_columns(alices, project):
    rows = [{"inputs": f"{n} + 1?", "reference": f"It is {n + 1}."} for n in range(12)]
    dataset = datasets.create(project, None, "texts", rows)
    used = factories.evaluator(project, "exact_match")
    experiment = experiments.create(project, None, "texts", dataset, [used])
    before = alices.get(f"/experiments/{experiment.pk}/").status_code
    run = factories.scored_run(experiment, [f"It is {n}." for n in range(12)])
    factories.scored_run(experiment, [f"It is {n + 1}." for n in range(12)], "v2")
    pages = [
        f"/experiments/{experiment.pk}/",
        f"/experiments/{experiment.pk}/evaluators/",
        f"/experiments/{experiment.pk}/people/",
        f"/experiments/{experiment.pk}/preview/?evaluators={used.pk}",
        f"/p/default/experiments/new/?dataset={dataset.pk}",
        f"/p/default/launches/new/?experiment={experiment.pk}",
        f"/runs/{run.pk}/?row=1",
        f"/runs/{run.pk}/score/",
        f"/runs/{run.pk}/people/",
        f"/datasets/{dataset.pk}/?row=1",
        f"/datasets/{dataset.pk}/variants/",
        f"/datasets/{dataset.pk}/schema/",
    ]
    codes = {page: alices.get(page).status_code for page in pages}
    assert before == 200
    assert {page: code for page, code in codes.items() if code != 200} == {}


FORMS = ["/p/{slug}/experiments/new/", "/p/{slug}/launches/new/"]


@pytest.fixture
def two_datasets(project):
    """One of which the last experiment was decided by ROUGE, and a newer one that Exact match suits."""
    older = factories.dataset(project, name="older")
    decided = experiments.create(
        project, None, "decided", older, [factories.evaluator(project, "rouge_l", "Our ROUGE")]
    )
    factories.scored_run(decided)
    newer = factories.dataset(project, ["yes", "no", "yes"] * 6, name="newer")
    other = factories.evaluator(project, "levenshtein_similarity", "Somebody's choice")
    return older, newer, decided.primary, other


def selected_for(alices, address, dataset, **sent):
    return alices.get(address, {"dataset": dataset.pk} | sent).context["form"]["evaluators"].value()


@pytest.mark.parametrize("form", FORMS)
def test_another_dataset_brings_its_own_primary_evaluator(alices, project, two_datasets, form):
    older, newer, primary, _ = two_datasets
    address = form.format(slug=project.slug)
    before = selected_for(alices, address, newer)

    after = selected_for(alices, address, older, advised_for=newer.pk, evaluators=before)

    assert (before != after, after) == (True, [f"evaluator:{primary.pk}"])


@pytest.mark.parametrize("form", FORMS)
def test_another_dataset_keeps_evaluators_that_a_person_chose(alices, project, two_datasets, form):
    older, newer, _, other = two_datasets
    chosen = [f"evaluator:{other.pk}"]

    kept = selected_for(
        alices, form.format(slug=project.slug), older, advised_for=newer.pk, evaluators=chosen
    )

    assert kept == chosen


@pytest.mark.parametrize(
    ("form", "sent"),
    [
        ("/p/{slug}/experiments/new/", {"name": ""}),
        ("/p/{slug}/launches/new/", {"name": "", "do": "start"}),
        ("/p/{slug}/launches/new/", {"do": "show"}),
    ],
)
def test_a_form_that_comes_back_shows_the_advice_that_it_had(alices, project, two_datasets, form, sent):
    older, _, primary, other = two_datasets
    factories.prompt(project)
    address = form.format(slug=project.slug)
    chosen = {"evaluators": [f"evaluator:{primary.pk}"], "primary": f"evaluator:{primary.pk}"}
    before = alices.get(address, {"dataset": older.pk}).context["form"].advice

    form_data = {"dataset": older.pk, "advised_for": older.pk} | sent
    after = alices.post(address, form_data | chosen)
    of_another = alices.post(address, form_data | {"evaluators": [f"evaluator:{other.pk}"]})

    assert after.context["form"].advice == before
    assert f"is selected, because {before.reason}" in text_of(after)
    assert "is selected, because" not in text_of(of_another)


def test_a_file_with_several_right_answers_is_scored_against_any_of_them(alices):
    rows = "".join(f"{n}?,Anna Keller{n},A. Keller{n},A. Keller{n},Rui Costa{n}\n" for n in range(12))
    data = f"question,reference_1,reference_2,small,large\n{rows}".encode()
    outputs = {"role-3": "output", "variant-3": "small", "role-4": "output", "variant-4": "large"}
    confirm = to_confirm(alices, data, "authors.csv", **outputs)
    page = alices.get(confirm)
    [value] = page.context["form"]["evaluators"].value()

    alices.post(confirm, {"name": "authors", "on_error": "reject", "evaluators": [value], "primary": value})
    import_all()

    assert "any of reference_1 and reference_2 is right" in text_of(page)
    assert "Choose a reference column" not in text_of(page)
    assert Experiment.objects.get().primary.name == "Exact match, against any of 2 references"


@pytest.mark.parametrize(
    ("references", "answers"),
    [
        (["0", "1"], ["different", "different"]),  # none is right as a number
        (["A", "B", "C", "D"], ["A", "B", "Rome", "Oslo"]),  # no label is found in half of them
    ],
)
def test_an_evaluator_that_is_blind_to_answers_of_a_variant_is_not_selected(alices, references, answers):
    size = len(references)
    rows = "".join(
        f"Is it {n}?,{references[n % size]},{references[n % size]},{answers[n % size]}\n" for n in range(24)
    )
    outputs = {"role-2": "output", "variant-2": "short", "role-3": "output", "variant-3": "words"}
    confirm = to_confirm(alices, f"question,answer,short,words\n{rows}".encode(), "pairs.csv", **outputs)

    page = alices.get(confirm)

    assert page.context["form"]["evaluators"].value() == []
    assert "Nothing is selected yet" in text_of(page)
    assert "outputs of one variant" in text_of(page)


def test_rows_are_called_right_by_a_name_also_where_that_evaluator_is_not_offered(alices, project):
    references = [f"It is {n}." for n in range(12)]
    dataset = factories.dataset(project, references)
    experiment = experiments.create(
        project, None, "before", dataset, [factories.evaluator(project, "exact_match", "Our match")]
    )
    factories.scored_run(experiment, [*references[:6], *["no"] * 6], "v1")
    form = alices.get(f"/p/default/experiments/new/?dataset={dataset.pk}").context["form"]
    groups = [
        replace(group, choices=[choice for choice in group.choices if not choice.is_advised])
        for group in form.evaluator_groups
    ]
    shown = SimpleNamespace(
        evaluator_groups=groups,
        evidence_rows=form.evidence_rows,
        advice=form.advice,
        suits=None,
        judged_by=form.judged_by,
    )

    text = render_to_string("evaluators/_evaluator_groups.html", {"form": shown})

    assert "right and wrong as Our match says" in " ".join(text.split())
