"""Equal passages are folded, so that the first difference is in sight, however late it comes."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluations.reading.passages import changes_between, passages
from evaluations.reading.reading import View, compare

LITTLE = View(room=600)
POLICY = "Thank you for asking. " + "".join(
    f"This is sentence number {number} of a long policy. " for number in range(36)
)
TEXTS = st.text(st.sampled_from(list("abAB .,\n日é")), max_size=60)


def shown(reading, side=2):
    return "".join(
        change[side] for passage in reading.passages if not passage.folded for change in passage.changes
    )


def test_two_long_texts_that_differ_in_their_last_sentence_show_that_sentence():
    older = f"{POLICY}You can return it within 30 days of delivery."
    newer = f"{POLICY}You can return it within 14 days of delivery."
    assert len(older) > 1_600

    before, after = compare(older, newer, LITTLE)

    assert shown(after) == "Thank you for asking. You can return it within 14 days of delivery."
    assert shown(before, 1) == "Thank you for asking. You can return it within 30 days of delivery."
    assert [passage.folded for passage in after.passages] == ["", "36 equal sentences, 324 words", ""]
    assert after.summary == "1 change, a number"


def test_a_difference_behind_the_part_that_is_compared_is_shown():
    older, newer = f"{'word ' * 30_000}end", f"{'word ' * 30_000}stop"

    assert shown(compare(older, newer, LITTLE)[1]).endswith("stop")


def test_what_is_behind_the_compared_part_counts_as_changed():
    older, newer = "a " * 40_000, "b " * 40_000

    assert changes_between(older, newer, most=10).changes[-2][1:3] == (older[10:-1], newer[10:-1])


def test_there_is_room_for_the_first_change_and_a_count_of_the_others():
    older = " ".join(f"{POLICY} {number}." for number in range(30))
    newer = " ".join(f"{POLICY} {number + 100}." for number in range(30))

    found = compare(older, newer, LITTLE)[1].passages

    assert "100" in "".join(change[2] for passage in found for change in passage.changes)
    assert "more changes" in found[-1].folded
    assert len(shown(compare(older, newer, LITTLE)[1])) < 1_200


@pytest.mark.parametrize(
    ("older", "newer", "words"),
    [
        ("Yes.", "Yes", "1 change, punctuation"),
        ("Yes No", "Yes\n\nNo", "1 change, white space"),
        ("the answer is A", "the Answer is A", "1 change, capital letters"),
        ("1 of 2 is 7", "3 of 4 is 7", "2 changes, numbers"),
        ("same", "same", "no difference"),
    ],
)
def test_the_kind_of_the_changes_is_named(older, newer, words):
    assert compare(older, newer)[1].summary == words


@given(TEXTS, TEXTS)
def test_the_passages_give_both_texts(older, newer):
    found = passages(changes_between(older, newer).changes)

    for side, text in ((1, older), (2, newer)):
        assert "".join(change[side] for passage in found for change in passage.changes) == text


@pytest.mark.long
@pytest.mark.parametrize("piece", ["*a_ ", "[", "> ", "* a\n  ", "a|b\n-|-\n", "a. ", "[1,", " ", "\n", "`"])
def test_no_text_holds_the_page(piece):
    older = (piece * 200_000)[:200_000]
    newer = f"{older[:100_000]}Z{older[100_000:][::-1]}"

    begin = time.process_time()
    compare(older, newer, LITTLE)
    compare(older[:20_000], newer[90_000:110_000])

    assert time.process_time() - begin < 3


def test_texts_that_have_little_in_common_say_so():
    older, newer = "one two three four five six seven eight", "a b c d e f g h i"

    assert compare(older, newer)[1].hint == "too different to mark"


def test_texts_can_be_compared_by_characters_also_where_words_have_little_in_common():
    words = compare("It costs 195.", "It costs 1957.")[1]
    characters = compare("It costs 195.", "It costs 1957.", View(characters=True))[1]

    assert [change[1:3] for change in words.passages[0].changes if change[0] != "equal"] == [("195", "1957")]
    assert [change[1:3] for change in characters.passages[0].changes if change[0] != "equal"] == [("", "7")]


def test_folds_that_are_kept_hold_all_of_a_text():
    older = " ".join(f"{POLICY} {number}." for number in range(30))
    newer = f"{older.replace('17.', '18.')} {'More of it. ' * 200}"

    kept = compare(older, newer, View(room=600, keeps=True))[1].passages

    assert "".join(change[2] for passage in kept for change in passage.changes) == newer
    assert len("".join(change[2] for one in kept if not one.folded for change in one.changes)) < 2_000
    assert not any(passage.changes for passage in compare(older, newer, LITTLE)[1].passages if passage.folded)
