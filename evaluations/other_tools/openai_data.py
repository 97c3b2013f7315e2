"""OpenAI Evals: the lines of a data source, `{"item": …}`, with or without the `sample` of a model."""

from typing import Any

from evaluations.ingest import suggest
from evaluations.values import JSON

from .evaluation import Answer, Evaluation, Item, Variant, as_object, as_objects, whole

TOOL = "OpenAI Evals"
SETTINGS = ("temperature", "top_p", "seed", "max_completion_tokens")


def evaluation(lines: list[dict[str, Any]]) -> Evaluation:
    """A dataset, and a variant if lines have a sample."""
    samples = {
        index: line["sample"] for index, line in enumerate(lines) if isinstance(line.get("sample"), dict)
    }
    variants = []
    if samples:
        first = next(iter(samples.values()))
        answers = {index: answer(sample) for index, sample in samples.items()}
        variants = [Variant(str(first.get("model") or "sample"), about(first), [answers])]
    note = (
        "The file is a data source: it has no graders and no verdicts. Choose evaluators on the experiment."
    )
    items = [_item(line["item"]) for line in lines]
    return Evaluation(TOOL, "data source", "OpenAI data source", items, variants, notes=[note])


def about(sample: dict[str, Any]) -> dict[str, Any]:
    parameters = {name: sample[name] for name in SETTINGS if sample.get(name) is not None}
    facts = {"model": sample.get("model"), "parameters": parameters}
    return {name: value for name, value in facts.items() if value}


def answer(sample: dict[str, Any]) -> Answer:
    """The output of a sample, or its error."""
    output, error = output_of(sample), as_object(sample.get("error")).get("message")
    tokens = whole(as_object(sample.get("usage")).get("completion_tokens"))
    return Answer(output, str(error) if error and output is None else None, None, tokens)


def output_of(sample: dict[str, Any]) -> JSON:
    """The text of a sample, or its tool calls if it has no text."""
    text = output_text(sample)
    return text if text else _tool_calls(sample) or text


def _messages(sample: dict[str, Any]) -> list[dict[str, Any]]:
    choices = [as_object(choice.get("message")) for choice in as_objects(sample.get("choices"))]
    return as_objects(sample.get("output")) or choices


def _tool_calls(sample: dict[str, Any]) -> list[JSON]:
    """The tool calls inside messages (chat completions), or beside messages (responses)."""
    calls: list[JSON] = []
    for message in _messages(sample):
        calls += as_objects(message.get("tool_calls"))
        calls += [message] if message.get("type") == "function_call" else []
    return calls


def output_text(sample: dict[str, Any]) -> str | None:
    """The texts of a sample's messages; some exports have only `output_text`, or the choices of a completion."""
    texts = [_text(message.get("content")) for message in _messages(sample)]
    non_empty = [text for text in texts if text is not None]
    if non_empty:
        return "\n".join(non_empty)
    text = sample.get("output_text")
    return text if isinstance(text, str) else None


def _text(content: Any) -> str | None:
    """The text of a message, which may be a list of parts."""
    if isinstance(content, str):
        return content
    texts = [part["text"] for part in as_objects(content) if isinstance(part.get("text"), str)]
    return "\n".join(texts) if texts else None


def _item(source: dict[str, JSON]) -> Item:
    roles = suggest.roles(source)
    inputs = {name: value for name, value in source.items() if roles[name] != "reference"}
    return Item(inputs, {name: value for name, value in source.items() if name not in inputs})
