"""Lists of tags beside lists of words are the entities that they name."""

import io
import json

import pytest

from evaluations import ingest

WORDS = ["Ada", "Byron", "went", "to", "Rome"]
RIGHT = ["B-PER", "I-PER", "O", "O", "B-LOC"]
SAID = ["B-PER", "I-PER", "O", "O", "O"]
ADA = {"type": "PER", "text": "Ada Byron", "word": 1}


def preview(**columns):
    content = "\n".join(json.dumps({"id": n, "tokens": WORDS, **columns}) for n in range(8))
    return ingest.preview(io.BytesIO(content.encode()), "ner.jsonl", limits=ingest.Limits())


@pytest.mark.parametrize("name", ["ner_tags", "gold", "labels"])
def test_the_tags_without_the_name_of_a_model_are_right(name):
    seen = preview(**{name: RIGHT, "pred_bert": SAID})

    assert seen.rows[0]["pred_bert"] == [ADA]
    assert seen.rows[0][name] == [ADA, {"type": "LOC", "text": "Rome", "word": 5}]
    roles = seen.roles | {column: guess.role for column, guess in seen.guesses.items()}
    assert (roles[name], roles["tokens"], roles["pred_bert"]) == ("reference", "inputs", "output")
    assert "tags_as_entities" in [warning.code for warning in seen.warnings]


@pytest.mark.parametrize("other", [SAID[:4], WORDS, "O O O O O"])
def test_lists_of_another_length_or_of_words_stay(other):
    assert preview(ner_tags=RIGHT, pred_bert=other).format.tag_lists == ()
