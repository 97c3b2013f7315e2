"""Whatever the data are, the advice for them can be compiled: a page that shows it does not fail for odd texts."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluations.evaluators.recipe import Recipe
from evaluations.experiments.advised_reading import distinct, mapping_of
from evaluations.kinds.advising import advise
from evaluations.mapping.choice import MOST_LABELS

ODD = [
    "",
    " ",
    "a" * 201,
    "a" * 100_000,
    "\ufeff",
    "\u202e",
    "ß",
    "SS",
    "ﬁ",
    "İ",
    "```",
    "<think>",
    "{}",
    "[1]",
    "1",
]
TEXTS = st.sampled_from(ODD) | st.text(max_size=20)
VALUES = TEXTS | st.none() | st.integers() | st.booleans() | st.lists(TEXTS, max_size=3)


@pytest.mark.long
@settings(max_examples=300, deadline=None)
@given(st.lists(VALUES, min_size=1, max_size=4), st.integers(1, 9), st.lists(TEXTS, max_size=4))
def test_advice_for_any_data_is_an_evaluator(references, repeats, outputs):
    references = references * repeats  # few different ones look like labels
    advised = advise(references, outputs)

    if advised:
        for labels in (None, distinct(references, MOST_LABELS)):
            assert Recipe.compile(advised.kind, {}, mapping_of(advised, references, outputs, labels))


@pytest.mark.parametrize(
    ("other", "read"), [("Damaged item", True), ("Damaged", False), ("damaged_item.", False)]
)
def test_one_label_in_other_writing_is_enough_to_read_labels_so(other, read):
    references = ["damaged_item", "late_parcel", "refund"] * 20
    outputs = [other, *references[1:]]

    mapping = mapping_of(advise(references, outputs), references, outputs, None)

    [step] = mapping["actual"].get("read", [{}])
    assert ("damaged item" in step.get("also", {})) is read


@pytest.mark.parametrize(
    ("twice", "normalized"), [("The {} tower", True), ("A big {} tower", False), ("{} tower", False)]
)
def test_articles_do_not_count_where_right_answers_differ_by_them_alone(twice, normalized):
    references = [[f"{n}th tower", twice.format(f"{n}th")] for n in range(40)]
    outputs = [f"{n}th tower" for n in range(40)]

    mapping = mapping_of(advise(references, outputs), references, outputs, None)

    steps = mapping.get("actual", {}).get("read", [])
    assert any(step.get("articles") == "en" for step in steps) is normalized
