"""A table with a verdict for each variant and example, and no answers: the verdict stands in their place."""

from evaluations.web.forms.choice import Choice
from evaluations.web.forms.output_roles import long_mapping
from evaluations.web.forms.upload import ColumnChoices

LONG = {"variant": "model", "variants": 2, "output": "passed", "varying": [], "key": ["id"], "grades": []}


def test_a_verdict_that_differs_between_variants_stays_their_score():
    columns = [Choice(0, "id", "key"), Choice(0, "model", "metadata"), Choice(0, "passed", "score")]

    chosen = ColumnChoices(columns, []).as_guessed_long(LONG, [])

    assert [choice.role for choice in chosen.columns] == ["key", "variant", "score"]
    assert long_mapping(chosen.columns) == {"variant": "model", "output": "passed"}
    assert chosen.mapping()["scores"] == {"passed": {"": "passed"}}


def test_ids_of_which_each_example_has_one_are_the_key():
    columns = [Choice(0, "case_id", "metadata"), Choice(1, "q", "input"), Choice(2, "model", "metadata")]
    long = LONG | {"output": "said", "id": "case_id"}

    chosen = ColumnChoices([*columns, Choice(3, "said", "output")], []).as_guessed_long(long, [])

    assert [choice.role for choice in chosen.with_key(long).columns] == ["key", "input", "variant", "output"]
