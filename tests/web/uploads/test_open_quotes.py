"""A quote that is opened and not closed is shown in its line, with a button where quotes are letters."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from evaluations.imports.uploads import uploads
from evaluations.models import Upload
from tests.pages import markup, text_of

pytestmark = pytest.mark.django_db
HEAD = "id,question,target,answer\n"
LETTERS = HEAD + "".join(f'{n},How long is a "size {n} pipe?,{n},{n}\n' for n in range(1, 22))
LETTERS_AT_START = HEAD + "".join(f"{n},What is {n}?,{n},{n}\n" for n in range(1, 20)) + '20,"Odd one,20,20\n'
QUOTED = HEAD + "".join(f'{n},"What is {n}, now?",{n},{n}\n' for n in range(1, 20)) + '20,"Odd, one,20,20\n'


@pytest.fixture
def sent(alices, project):
    """The second step of a sent file."""

    def send(content: str):
        file = SimpleUploadedFile("open.csv", content.encode())
        return alices.post(f"/p/{project.slug}/datasets/upload/", {"file": file}, follow=True)

    return send


@pytest.mark.parametrize("content", [LETTERS_AT_START, QUOTED])
def test_the_line_is_shown_with_the_quote_marked(sent, content):
    page = markup(sent(content))

    assert "Line 21" in text_of(page)
    assert "20,<mark>&quot;</mark>Odd" in page.replace('"', "&quot;").replace("&quot;auto&quot;", "")


def test_a_button_reads_quotes_as_letters(alices, sent):
    assert "Read quotes as letters" in markup(sent(LETTERS_AT_START))

    upload = Upload.objects.get()
    page = markup(alices.post(f"/uploads/{upload.pk}/columns/", {"letters": "letters"}))
    upload.refresh_from_db()

    assert "Odd one" in page
    assert "quotes are letters" in text_of(page)
    assert uploads.preview(upload).row_count == 20


def test_a_file_that_cannot_be_read_else_has_the_button_though_rows_are_refused_then(sent):
    rows = '1,"What is 1?,1,1\n2,What is 2?,2,2\n3,What,3,3,3,3\n4,ok?,4,4'

    assert "Read quotes as letters" in markup(sent(HEAD + rows))


def test_where_quotes_hold_cells_together_they_stay_quotes(sent):
    assert "Read quotes as letters" not in markup(sent(QUOTED))


def test_one_bad_row_among_quoted_cells_makes_no_letters_of_the_others_quotes(sent):
    rows = "".join(f'{n},"How large is {n}?","{n} m²","{n} m²"\n' for n in range(1, 13))

    page = markup(sent(HEAD + rows + '13,"How large is "13?","13 m²","13 m²"\n'))

    assert "open-quote" in page
    assert "Read quotes as letters" not in page


def test_what_few_quoted_cells_would_keep_is_said(sent):
    rows = "".join(f'{n},"Odd {n},{n},{n}\n' for n in range(1, 9)) + '9,"What is 9?",9,9\n'

    assert "1 quoted cell of the first rows would keep its quotation marks" in text_of(
        markup(sent(HEAD + rows))
    )


def test_a_file_of_quotes_in_texts_needs_no_button(sent):
    assert "open-quote" not in markup(sent(LETTERS))
