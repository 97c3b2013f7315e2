"""Code is read and compared as code, in a fence or not."""

import pytest

from evaluations.reading.forms import form_of
from evaluations.reading.reading import compare, read

CODE = "import math\n\ndef area(r):\n# of a circle\n    return math.pi * r ** 2"
FENCED = f"```python\n{CODE}\n```"


def texts(reading):
    return [change[1:3] for passage in reading.passages for change in passage.changes if change[0] != "equal"]


def test_a_text_that_is_one_fence_is_its_code():
    reading = read(FENCED)

    assert reading.form.words == f"code in a fence, {len(FENCED)} characters"
    assert [passage.changes[0][2] for passage in reading.passages] == [CODE]


def test_a_comment_among_statements_is_no_heading():
    assert form_of(CODE).kind == "code"
    assert form_of("# Returns\nIf you return it, you get (all of) it.").kind == "markdown"


@pytest.mark.parametrize(
    ("older", "newer"), [(FENCED, CODE), (CODE, FENCED), (FENCED, FENCED), (FENCED, f"~~~\n{CODE}\n~~~")]
)
def test_only_the_code_is_compared(older, newer):
    before, after = compare(older, newer.replace("** 2", "* r"))

    assert (before.form.kind, after.form.kind) == ("code", "code")
    assert texts(after) == [("* 2", " r")]


def test_equal_code_in_and_outside_a_fence_is_the_same():
    assert compare(FENCED, CODE)[1].summary == "the same code, not in a fence"
    assert compare(FENCED, FENCED)[1].summary == "no difference"


def test_code_beside_words_around_a_fence_is_rendered_like_them():
    before, after = compare(FENCED, f"Here it is:\n\n{FENCED}\n\nIt is **short**.")

    assert (before.form.kind, after.form.kind) == ("markdown", "markdown")
    assert [block.tag for block in after.blocks] == ["insert", "equal", "insert"]


def test_words_beside_code_stay_words():
    before, after = compare(
        FENCED, "I cannot help with that, as no **shape** was named in the question at all."
    )

    assert (before.form.kind, after.form.kind) == ("code", "markdown")
    assert after.is_unlike


def test_raw_shows_the_fence():
    after = compare(FENCED, CODE.replace("** 2", "* r"))[1]

    assert "```" not in "".join(text for pair in texts(after) for text in pair)
    assert read(FENCED).form.differs_from_raw
    assert not read(CODE).form.differs_from_raw
