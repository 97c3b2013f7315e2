"""Columns named after people who rated the same answers count as raters of one question."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from evaluations.models import Upload
from tests.pages import markup, text_of

pytestmark = pytest.mark.django_db
WIDE = "id,question,formal,warm,formal_Anna,formal_Ben,warm_Anna,warm_Ben\n" + "".join(
    f"{n},What does case {n} need?,Dear customer of case {n}.,Happy to help with case {n}!,"
    f"{1 + n % 4},{2 + n % 4},{1 + n % 5},{1 + n * 3 % 5}\n"
    for n in range(1, 25)
)
LONG = "id,question,model,answer,Anna,Ben\n" + "".join(
    f"{n},What does case {n} need?,{model},Case {n} needs {model} help.,"
    f"{1 + (n + len(model)) % 4},{2 + n * len(model) % 4}\n"
    for n in range(1, 25)
    for model in ("formal", "warm")
)
MARKED = "id,question,answer old bot,answer new bot,Anna old,Anna new,Ben old,Ben new\n" + "".join(
    f"{n},What does case {n} need?,Dear customer of case {n}.,Happy to help with case {n}!,"
    f"{1 + n % 4},{2 + n % 4},{1 + n % 5},{1 + n * 3 % 5}\n"
    for n in range(1, 25)
)
ONE = "Anna and Ben rated the same answers on one scale"


@pytest.fixture
def sent(alices, project):
    """The second step of a sent file."""

    def send(content: str):
        file = SimpleUploadedFile("rated.csv", content.encode())
        return alices.post(f"/p/{project.slug}/datasets/upload/", {"file": file}, follow=True)

    return send


def fields(page) -> dict[str, str]:
    """The names, roles and variants in the form of the second step."""
    choices = page.context["choices"].columns
    return {
        key: value
        for one in choices
        for key, value in (
            (f"column-{one.number}", one.source),
            (f"role-{one.number}", one.role),
            (f"variant-{one.number}", one.variant),
            (f"scored-{one.number}", "" if one.variant == one.source else one.variant),
            (f"name-{one.number}", one.name),
        )
    }


@pytest.mark.parametrize(
    "content",
    [WIDE, LONG, MARKED],
    ids=["a column for each", "a row for each variant", "a word of the variant"],
)
def test_people_are_raters_of_one_question(sent, content):
    page = sent(content)

    assert ONE in text_of(page)
    scores = page.context["choices"].mapping()["scores"]
    assert [*scores] == ["rating"]
    assert all(len(columns) == 2 for columns in scores["rating"].values())


def test_they_can_be_counted_one_by_one_and_together_again(alices, sent):
    page = sent(WIDE)
    address = f"/uploads/{Upload.objects.get().pk}/columns/"

    apart = alices.post(address, fields(page) | {"one_question": "no"})
    assert [*apart.context["choices"].mapping()["scores"]] == ["Anna", "Ben"]
    assert "Count them as raters of one question" in markup(apart)

    together = alices.post(address, fields(apart) | {"one_question": "yes"})
    assert [*together.context["choices"].mapping()["scores"]] == ["rating"]


def test_names_without_a_capital_are_asked_about(sent):
    page = sent(WIDE.replace("Anna", "anna").replace("Ben", "ben"))

    assert "Are anna and ben people who rated the same answers?" in text_of(page)
    assert [*page.context["choices"].mapping()["scores"]] == ["anna", "ben"]


@pytest.mark.parametrize("names", [("Fluency", "Adequacy"), ("Tone", "Clarity")])
def test_qualities_are_questions_of_their_own(sent, names):
    page = sent(WIDE.replace("Anna", names[0]).replace("Ben", names[1]))

    assert "rated the same answers" not in text_of(page)
    assert [*page.context["choices"].mapping()["scores"]] == [*names]


def test_who_left_out_answers_that_another_rated_is_a_person_among_names_with_capitals(sent):
    content = MARKED.replace("id,question,answer", "No,Question,Answer").replace("answer new", "Answer new")
    head, *rows = content.splitlines(keepends=True)

    assert [*sent(content).context["choices"].mapping()["scores"]] == ["Anna", "Ben"]
    rows[2] = rows[2].rpartition(",")[0] + ",\n"
    assert [*sent(head + "".join(rows)).context["choices"].mapping()["scores"]] == ["rating"]


UNPLACED = "id,question,prompt_v1,prompt_v2,rater_1,rater_2\n" + "".join(
    f"{n},What does case {n} need?,Dear customer of case {n}.,Happy to help with case {n}!,"
    f"{'good' if n % 3 else 'bad'},{'good' if n % 2 else 'bad'}\n"
    for n in range(1, 25)
)
ASKED = "rater_1 and rater_2 look like people's verdicts. Of which variant?"


def test_verdicts_of_people_beside_two_outputs_are_asked_about_once(alices, sent):
    page = sent(UNPLACED)
    address = page.request["PATH_INFO"]
    kept = alices.post(address, fields(page) | {"continue": "yes"}, follow=True)

    assert ASKED in text_of(page)
    assert "kept as metadata: say of which variant" in text_of(kept)

    chosen = alices.post(address, fields(page) | {"rated": "yes", "rated-variant": "prompt_v2"})
    assert chosen.context["choices"].mapping()["scores"] == {"rater": {"prompt_v2": ["rater_1", "rater_2"]}}
    assert ASKED not in text_of(chosen)

    none = alices.post(address, fields(page) | {"rated": "yes", "rated-variant": ""})
    assert "scores" not in none.context["choices"].mapping()


def test_the_variant_of_a_score_is_chosen_from_a_list(alices, sent):
    page = sent(UNPLACED)
    roles = {choice.source: f"role-{choice.number}" for choice in page.context["choices"].columns}
    refused = alices.post(
        page.request["PATH_INFO"], fields(page) | {roles["rater_1"]: "score", "continue": "yes"}
    )

    assert "Choose one of: prompt_v1, prompt_v2" in text_of(refused)
    assert '<select class="select" name="scored-' in markup(refused)
    assert "scores of the variant" not in text_of(refused)
