"""Keeps what a model thought before it answered apart from its answer."""

from dataclasses import replace

from evaluations.clients.chat_client import Answer
from evaluations.mapping.reasoning import split_reasoning

ONLY_REASONING = "empty: The answer is empty: the model wrote only its reasoning."


def separated(answer: Answer, *, splits: bool = True) -> Answer:
    """The answer without the block of reasoning at the beginning of its text; unchanged if the version keeps it there.

    The reasoning that a server sends beside the text is apart already.
    """
    if not splits or not answer.text:
        return answer
    thought, text = split_reasoning(answer.text)
    if text == answer.text:
        return answer
    reasoning = "\n\n".join(filter(None, (answer.reasoning, thought))) or None
    is_empty = not text and not answer.tool_calls and not answer.failure
    failure = ONLY_REASONING if is_empty else answer.failure
    return replace(answer, text=text, reasoning=reasoning, failure=failure)
