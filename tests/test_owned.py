"""Names of objects, for all kinds of them."""

import pytest

from evaluations import owned
from evaluations.errors import Conflict, Invalid
from evaluations.experiments import runs
from tests import factories

pytestmark = pytest.mark.django_db
RIGHT_TO_LEFT, ISOLATE, ZERO_WIDTH, MARK = "\u202e", "\u2066", "\u200b", "\ufeff"
LEFT_TO_RIGHT, JOINER = "\u200e", "\u200d"


@pytest.mark.parametrize(
    "name",
    [
        f"GSM{ZERO_WIDTH}8K",
        f"{MARK}GSM8K",
        f"{RIGHT_TO_LEFT}GSM{ISOLATE}8K",
        f"GSM8K{LEFT_TO_RIGHT}",
        f"GSM8K {JOINER}",
        f"GSM{JOINER}8K",
    ],
)
def test_invisible_characters_make_no_other_name(name):
    assert owned.checked_name(name) == "GSM8K"


def test_letters_that_need_a_joiner_keep_it():
    persian = "می\u200cخواهم"

    assert owned.checked_name(persian) == persian


@pytest.mark.parametrize("name", [ZERO_WIDTH, f" {RIGHT_TO_LEFT} ", "", None])
def test_a_name_needs_a_visible_character(name):
    with pytest.raises(Invalid):
        owned.checked_name(name)


def test_two_names_cannot_look_the_same(project):
    factories.evaluator(project, name="exact")

    with pytest.raises(Conflict):
        factories.evaluator(project, name=f"ex{ZERO_WIDTH}act")


def test_a_variant_is_named_by_visible_characters(project):
    experiment = factories.experiment(project)

    assert factories.run(experiment, variant=f"{RIGHT_TO_LEFT}terse").variant == "terse"
    with pytest.raises(Invalid):
        runs.create(experiment, None, ZERO_WIDTH, [])
