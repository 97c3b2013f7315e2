"""Renders values of examples and outputs: lists of messages as conversations, others as texts (docs/pages.md)."""

from collections.abc import Sequence

from django import template
from django.template.loader import render_to_string

from evaluations.conversations.messages import Message, conversation, summary
from evaluations.values import JSON, written

register = template.Library()

MOST_SHOWN = 40  # messages; further ones are folded


@register.filter
def in_short(value: JSON) -> str:
    """A conversation in one line, any other value as text."""
    messages = conversation(value)
    return written(value) if messages is None else summary(messages)


@register.filter
def drawn(messages: Sequence[Message]) -> str:
    context = {"messages": messages[:MOST_SHOWN], "more": messages[MOST_SHOWN:]}
    return render_to_string("kit/_conversation.html", context)
