"""Bodies for chats whose incoming webhooks have their own JSON; recognised by the host of the address."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from .kinds import SENT

LONGEST_DISCORD = 2_000  # characters of a description
LONGEST_SLACK = 2_900  # characters of a section
CARD = "application/vnd.microsoft.card.adaptive"
HARMLESS = str.maketrans({"<": "‹", ">": "›", "@": "@\u200b"})
RED, BLUE = 0xC0392B, 0x2F6FDE


class Message(NamedTuple):
    """What a chat shows: a title, a sentence whose names format nothing and mention nobody, and a link."""

    title: str
    sentence: str
    link: str
    is_bad: bool


def shaped(address: str, event: Mapping[str, Any]) -> Mapping[str, Any]:
    """The body to send: the event itself, or its message in the format of the chat at this address."""
    host = f".{urlsplit(address).hostname}"
    shape = next((shape for domain, shape in _SHAPES.items() if host.endswith(domain)), None)
    if shape is None:
        return event
    kind = SENT[event["event"]]
    return shape(Message(kind.title, event["sentence"].translate(HARMLESS), event["link"], kind.is_bad))


def _discord(message: Message) -> dict[str, Any]:
    embed = {
        "title": message.title,
        "description": message.sentence[:LONGEST_DISCORD],
        "url": message.link,
        "color": RED if message.is_bad else BLUE,
    }
    return {"embeds": [embed], "allowed_mentions": {"parse": []}}


def _teams(message: Message) -> dict[str, Any]:
    """An adaptive card, the only body that Teams workflows post."""
    color = "Attention" if message.is_bad else "Default"
    title = {"type": "TextBlock", "text": message.title, "weight": "Bolder", "size": "Medium", "color": color}
    body = [title, {"type": "TextBlock", "text": message.sentence, "wrap": True}]
    actions = [{"type": "Action.OpenUrl", "title": "Open", "url": message.link}]
    card = {"type": "AdaptiveCard", "version": "1.4", "body": body, "actions": actions}
    return {"type": "message", "attachments": [{"contentType": CARD, "content": card}]}


def _google_chat(message: Message) -> dict[str, Any]:
    return {"text": f"*{message.title}*\n{message.sentence}\n{message.link}"}


def _slack(message: Message) -> dict[str, Any]:
    """Blocks; their plain texts format nothing. `text` is what a notification shows."""
    text = {"type": "plain_text", "text": message.sentence[:LONGEST_SLACK], "emoji": False}
    link = {"type": "mrkdwn", "text": f"<{message.link}|Open>"}
    return {
        "text": f"{message.title}: {message.sentence}",
        "blocks": [
            {"type": "header", "text": {"type": "plain_text", "text": message.title, "emoji": False}},
            {"type": "section", "text": text},
            {"type": "section", "text": link},
        ],
    }


_SHAPES: dict[str, Callable[[Message], dict[str, Any]]] = {
    ".discord.com": _discord,
    ".discordapp.com": _discord,
    ".webhook.office.com": _teams,
    ".logic.azure.com": _teams,
    ".api.powerplatform.com": _teams,
    ".chat.googleapis.com": _google_chat,
    ".hooks.slack.com": _slack,
}
