"""Bodies for chats that have a form of their own."""

import json

import orjson
import pytest

from evaluations.models import Delivery, Webhook
from evaluations.webhooks import chats, kinds, sending

LINK = "https://e.test/gates/3/"
EVENT = {
    "id": 7,
    "event": "gate.failed",
    "sentence": "Gate ship failed.",
    "link": LINK,
    "text": f"Gate ship failed. {LINK}",
}
HOSTS = {
    "Slack": "https://hooks.slack.com/services/T/B/x",
    "Discord": "https://discord.com/api/webhooks/1/t",
    "Google Chat": "https://chat.googleapis.com/v1/spaces/A/messages?key=k",
    "Teams": "https://t.webhook.office.com/workflows/1",
}


@pytest.mark.parametrize("chat", HOSTS)
@pytest.mark.parametrize("event", [*kinds.SENT])
def test_every_event_has_a_title_a_sentence_and_a_link_in_every_chat(chat, event):
    body = json.dumps(chats.shaped(HOSTS[chat], EVENT | {"event": event}))

    assert all(part in body for part in (kinds.SENT[event].title, "Gate ship failed.", LINK))


@pytest.mark.parametrize("chat", HOSTS)
def test_names_mention_nobody_and_open_nothing(chat):
    sentence = "Gate <!channel> <@U1|x> @everyone <https://evil.test|here> failed."

    body = json.dumps(chats.shaped(HOSTS[chat], EVENT | {"sentence": sentence}), ensure_ascii=False)

    assert not [mark for mark in ("<!", "<@", "@everyone", "<https://evil") if mark in body]


@pytest.mark.parametrize(
    "address",
    [
        "https://notdiscord.com/hook",
        "https://example.com/?x=.discord.com",
        "https://mattermost.e.test/hooks/1",
    ],
)
def test_others_get_the_event(address):
    assert chats.shaped(address, EVENT) == EVENT


def test_slack_shows_blocks_and_a_line_in_the_notification():
    body = chats.shaped(HOSTS["Slack"], EVENT)

    assert body["text"] == "Gate failed: Gate ship failed."
    assert [block["type"] for block in body["blocks"]] == ["header", "section", "section"]
    assert body["blocks"][2]["text"]["text"] == f"<{LINK}|Open>"


def test_discord_shows_a_red_embed_and_mentions_nobody():
    body = chats.shaped(HOSTS["Discord"], EVENT)

    assert body["allowed_mentions"] == {"parse": []}
    assert [(embed["title"], embed["url"], embed["color"]) for embed in body["embeds"]] == [
        ("Gate failed", LINK, chats.RED)
    ]


@pytest.mark.parametrize(
    "host", ["prod-7.westeurope.logic.azure.com", "a.b.api.powerplatform.com", "t.webhook.office.com"]
)
def test_teams_gets_an_adaptive_card_with_a_button(host):
    [attachment] = chats.shaped(f"https://{host}:443/workflows/1", EVENT)["attachments"]

    assert attachment["contentType"] == "application/vnd.microsoft.card.adaptive"
    assert [block["text"] for block in attachment["content"]["body"]] == ["Gate failed", "Gate ship failed."]
    assert attachment["content"]["actions"] == [{"type": "Action.OpenUrl", "title": "Open", "url": LINK}]


def test_a_long_sentence_is_cut_to_the_limits_of_chats():
    long = EVENT | {"sentence": "x" * 5_000}

    assert len(chats.shaped(HOSTS["Discord"], long)["embeds"][0]["description"]) == 2_000
    assert len(chats.shaped(HOSTS["Slack"], long)["blocks"][1]["text"]["text"]) < 3_000


def test_a_delivery_has_the_body_of_its_chat():
    delivery = Delivery(pk=7, webhook=Webhook(url=HOSTS["Discord"]), event="gate.failed", content=EVENT)

    assert orjson.loads(sending.body_of(delivery))["embeds"][0]["title"] == "Gate failed"
