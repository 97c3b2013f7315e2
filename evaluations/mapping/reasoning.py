"""Reasoning that a model wrote before its answer, told apart from the answer by the marks that models use."""

from evaluations import linear

# The marks of a reasoning block in lower case, in pairs; a block counts at the beginning of a text only.
BLOCKS = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<reflection>", "</reflection>"),
    ("<scratchpad>", "</scratchpad>"),
    ("<seed:think>", "</seed:think>"),
    ("<longcat_think>", "</longcat_think>"),
    ("[think]", "[/think]"),
    ("◁think▷", "◁/think▷"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|start_thinking|>", "<|end_thinking|>"),
    ("<|channel>thought", "<channel|>"),
    ("<|channel|>analysis<|message|>", "<|end|>"),
)
FINAL_CHANNEL = ("<|start|>assistant<|channel|>final<|message|>", "<|channel|>final<|message|>")
# What models set around the whole answer behind their reasoning.
WRAPPERS = (
    ("<answer>", "</answer>"),
    ("<response>", "</response>"),
    ("<output>", "</output>"),
    ("<|start_response|>", "<|end_response|>"),
    ("<|begin_of_solution|>", "<|end_of_solution|>"),
    ("<|begin_of_box|>", "<|end_of_box|>"),
)


def after_one_block(text: str) -> str:
    """What follows the only block of the usual kind, if no other mark is near: the usual case, quickly."""
    if not text.startswith("<think>"):
        return ""
    thought, _, rest = text.partition("</think>")
    answer = rest.strip()
    return answer if thought.rfind("<") == 0 and answer[:1] not in FIRST_SIGNS else ""


FIRST_SIGNS = ("<", "[", "◁")


def split_reasoning(text: str) -> tuple[str, str]:
    """The reasoning at the beginning of a text, and the answer after it, both stripped.

    An unclosed block is all reasoning. A text without a block is all answer, and is not stripped.

    >>> split_reasoning("<think>Rome? No.</think> Paris")
    ('Rome? No.', 'Paris')
    >>> split_reasoning("4"), split_reasoning("<think>I am still")
    (('', '4'), ('I am still', ''))
    """
    rest, thoughts = text, list[str]()
    while block := _block_at_start(rest.lstrip()):
        thought, rest = block
        thoughts.append(thought.strip())
    if not thoughts and (end := text.find("</think>")) >= 0 and "<think>" not in text[:end]:
        # The opening mark was a part of the prompt.
        thoughts, rest = [text[:end].strip()], text[end + len("</think>") :]
    if not thoughts:
        return "", text
    rest = rest.strip()
    for mark in FINAL_CHANNEL:
        rest = rest.removeprefix(mark)
    return "\n\n".join(filter(None, thoughts)), _unwrapped(rest.strip())


def _unwrapped(answer: str) -> str:
    """The answer without marks around the whole of it; the second one may be missing."""
    folded = linear.folded(answer)
    for opening, closing in WRAPPERS:
        if folded.startswith(opening):
            end = folded.find(closing, len(opening))
            if end < 0 or end + len(closing) == len(answer):
                return answer[len(opening) : end if end >= 0 else None].strip()
    return answer


def _block_at_start(text: str) -> tuple[str, str] | None:
    """The content of the block with which a text begins, and the text behind it; the case of its marks is ignored."""
    folded = linear.folded(text)
    for opening, closing in BLOCKS:
        if folded.startswith(opening):
            end = _closing(folded, opening, closing)
            content = text[len(opening) :] if end < 0 else text[len(opening) : end]
            return content, "" if end < 0 else text[end + len(closing) :]
    return None


def _closing(text: str, opening: str, closing: str) -> int:
    """Where the block at the start of the text is closed, with blocks inside it counted; -1 if it is not."""
    depth, at = 1, len(opening)
    while True:
        end = text.find(closing, at)
        if end < 0:
            return -1
        depth += text.count(opening, at, end) - 1
        if depth == 0:
            return end
        at = end + len(closing)
