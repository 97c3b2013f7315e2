"""Bodies for chats that accept only JSON in a form of their own."""

import orjson
import pytest

from evaluations.models import Delivery, Webhook
from evaluations.webhooks import chats, sending

EVENT = {"id": 7, "event": "gate.failed", "text": "Gate ship failed. https://e.test/gates/3/"}


@pytest.mark.parametrize(
    ("address", "body"),
    [
        ("https://chat.googleapis.com/v1/spaces/A/messages?key=k", {"text": EVENT["text"]}),
        (
            "https://discord.com/api/webhooks/1/t",
            {"content": EVENT["text"], "allowed_mentions": {"parse": []}},
        ),
        ("https://hooks.slack.com/services/T/B/x", EVENT),
        ("https://notdiscord.com/hook", EVENT),
        ("https://example.com/?x=.discord.com", EVENT),
    ],
)
def test_a_chat_gets_its_own_format_and_others_the_event(address, body):
    assert chats.shaped(address, EVENT) == body


@pytest.mark.parametrize(
    "host", ["prod-7.westeurope.logic.azure.com", "a.b.api.powerplatform.com", "t.webhook.office.com"]
)
def test_teams_gets_an_adaptive_card(host):
    [attachment] = chats.shaped(f"https://{host}:443/workflows/1", EVENT)["attachments"]

    assert attachment["contentType"] == "application/vnd.microsoft.card.adaptive"
    assert [block["text"] for block in attachment["content"]["body"]] == [EVENT["text"]]


def test_a_long_text_is_cut_to_the_limit_of_discord():
    assert len(chats.shaped("https://discord.com/x", {"text": "x" * 5_000})["content"]) == 2_000


def test_a_delivery_has_the_body_of_its_chat():
    delivery = Delivery(
        pk=7, webhook=Webhook(url="https://discord.com/api/webhooks/1/t"), event="test", content=EVENT
    )

    assert orjson.loads(sending._body(delivery))["content"] == EVENT["text"]
