"""Labels that exist already, sent by the client."""

import json

from evalsite_client import Client

from .scripted import Answer


def test_labels_are_sent_to_a_label_set_by_its_name(scripted):
    server = scripted(
        Answer({"results": [{"id": 7, "name": "people"}], "next": None}), Answer({"stored": 2}, 201)
    )
    client = Client(server.url, "evk_1", patience=0)

    labels = [{"key": "k1", "value": "pass", "rater": "Ann"}, {"key": "k1", "unsure": True, "rater": "Ben"}]
    assert client.add_labels("people", 3, labels, random=True) == 2

    assert server.sent[1].path == "/api/v1/label-sets/7/labels/"
    assert json.loads(server.sent[1].body) == {"run": 3, "labels": labels, "random": True}
