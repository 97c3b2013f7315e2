"""One value, or two compared, as a page shows them: tree, rendered blocks or passages, the same for every page."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from evaluations.conversations.changes import Stretch, between
from evaluations.conversations.messages import Message, conversation, readable
from evaluations.metrics.diff import CAP, Change
from evaluations.short_texts import going_on
from evaluations.values import JSON

from . import markup, passages, trees
from .forms import Form, Kind, form_of
from .markup import Block
from .passages import Passage
from .trees import Line

MOST_LINES = 24  # of a tree where there is little room
LITTLE_CAP = 10_000  # characters that are compared where there is little room


@dataclass(frozen=True)
class View:
    """How texts are read. `room` is about how many characters are shown of each; None for all.

    `raw` shows texts as they were sent; `whole` folds no equal passages; `transcripts` shows conversations as texts;
    `characters` compares texts by characters instead of words. With `keeps`, what there is no room for is folded
    instead of left out, for pages that lead to no other one.
    """

    raw: bool = False
    whole: bool = False
    transcripts: bool = False
    room: int | None = None
    ignore_case: bool = False
    ignore_space: bool = False
    characters: bool = False
    keeps: bool = False


@dataclass(frozen=True)
class Reading:
    """What is shown of a value: one of `messages`, `stretches`, `lines`, `blocks` and `passages`.

    `summary` says how it differs from what it is compared with, and `characters_left` how much is not shown.
    """

    form: Form
    passages: list[Passage] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)
    stretches: list[Stretch] = field(default_factory=list)
    summary: str = ""
    is_unlike: bool = False
    has_changes: bool = False
    characters_left: int = 0

    @property
    def hint(self) -> str:
        """The summary, where the reading itself does not show as much: one change in a short text does."""
        if self.is_unlike:
            return "too different to mark"
        is_plain = self.summary in ("1 change", "no difference") and len(self.form.text) <= SHORT
        return "" if is_plain and not self.lines else self.summary

    @property
    def is_same(self) -> bool:
        """Whether it is compared and nothing in it differs, apart from how it is written."""
        return self.summary.startswith(("no difference", "the same"))


SHORT = 80  # characters of a text in which one change is seen at once
WHOLE = View()


def read(value: JSON, view: View = WHOLE) -> Reading:
    """A value alone."""
    messages = conversation(value)
    if messages is not None and not view.transcripts and not view.raw:
        return Reading(form_of(readable(value), raw=True), messages=messages)
    form = form_of(value if messages is None or view.raw else readable(value), raw=view.raw)
    if form.kind == "json" and isinstance(form.value, dict | list):
        return _of_lines(form, trees.tree(form.value), view)
    if form.kind == "markdown":
        return _of_blocks(form, view)
    return _of_text(form, view)


def _of_lines(form: Form, lines: Sequence[Line], view: View) -> Reading:
    shown = lines if view.room is None else lines[:MOST_LINES]
    left = sum(len(change[2]) for line in lines[len(shown) :] for change in line.changes)
    return Reading(form, lines=[*shown], characters_left=left)


def _of_blocks(form: Form, view: View) -> Reading:
    """Whole blocks, as many as there is room for; a first block that is longer than that is a text."""
    sources = markup.sources(form.text)
    if view.room is None or len(form.text) <= view.room:
        return Reading(form, blocks=markup.blocks(form.text))
    shown, used = [], 0
    for source in sources:
        used += len(source)
        if used > view.room:
            break
        shown.append(Block(markup.html_of(source)))
    if not shown:
        return _of_text(form, view)
    return Reading(form, blocks=shown, characters_left=sum(map(len, sources[len(shown) :])))


def _of_text(form: Form, view: View) -> Reading:
    text = form.content
    shown = text if view.room is None else _beginning(text, view.room)
    change: Change = ("equal", shown, shown, None)
    left = 0 if shown == text else len(text) - len(shown) + 1
    return Reading(form, passages=[Passage([change])], characters_left=left)


def _beginning(text: str, room: int, lines: int = 12) -> str:
    """About `room` characters, cut at the end of a word; a text up to a fifth longer is not cut."""
    if len(text) <= room + room // 5 and text.count("\n") < lines:
        return text
    start = "\n".join(text[:room].split("\n")[:lines])
    if len(start) == room and (blank := start.rfind(" ", room - 30)) > 0:
        start = start[:blank]
    return going_on(start)


# ---- two values ---------------------------------------------------------------------------------------------


def compare(before: JSON, after: JSON, view: View = WHOLE) -> tuple[Reading, Reading]:
    """The older value alone, and the newer one with the changes from it; equal passages are folded in both alike."""
    stretches = None if view.transcripts or view.raw else between(before, after)
    if stretches:
        new = Reading(form_of(readable(after), raw=True), stretches=stretches, has_changes=True)
        return read(before, view), new
    if not view.raw:
        before, after = _spoken(before), _spoken(after)
    forms = _alike(form_of(before, raw=view.raw), form_of(after, raw=view.raw))
    kinds = {form.kind for form in forms}
    if kinds == {"json"}:
        return _trees(*forms, view)
    if kinds == {"markdown"} and not (view.ignore_case or view.ignore_space or view.characters):
        return _rendered(*forms, view)
    return _texts(*forms, view)


def _alike(before: Form, after: Form) -> tuple[Form, Form]:
    """Code and what stands beside it as two of a kind: as code, or as markdown where words stand around a fence."""
    kinds = {before.kind, after.kind}
    if "code" not in kinds or "json" in kinds or before.kind == after.kind:
        return before, after
    other = before if after.kind == "code" else after
    kind: Kind = "markdown" if other.kind == "markdown" and other.has_fence else "code"
    return replace(before, kind=kind), replace(after, kind=kind)


def _spoken(value: JSON) -> JSON:
    """A conversation as its transcript, any other value as it is."""
    return value if conversation(value) is None else readable(value)


def _trees(before: Form, after: Form, view: View) -> tuple[Reading, Reading]:
    lines = trees.tree_between(before.value, after.value)
    summary = _about_fences(before, after, trees.summary(lines, before.value, after.value))
    shown = lines if view.whole else trees.folded(lines)
    cut = shown if view.room is None else _cut(shown, view)
    left = 0 if view.keeps else sum(len(change[2]) for line in shown[len(cut) :] for change in line.changes)
    alone = Reading(before, lines=trees.side_of(cut, 1), characters_left=left)
    return alone, Reading(after, lines=[*cut], summary=summary, has_changes=True, characters_left=left)


def _about_fences(before: Form, after: Form, summary: str) -> str:
    is_wrapped_alike = (before.is_fenced, before.around) == (after.is_fenced, after.around)
    same = "the same code" if after.kind == "code" else "the same data"
    found = same if summary.startswith("no difference") and not is_wrapped_alike else summary
    if before.is_fenced == after.is_fenced:
        return found
    return f"{found}, {'in' if after.is_fenced else 'not in'} a fence"


def _cut(lines: Sequence[Line], view: View) -> list[Line]:
    """The lines for which there is room, and those behind them in a fold if the view keeps them."""
    count = _with_first_change(lines)
    if not view.keeps:
        return [replace(line, lines=()) for line in lines[:count]]
    return [*lines[:count], *trees.fold(lines[count:], "more value")]


def _with_first_change(lines: Sequence[Line]) -> int:
    first = next((index for index, line in enumerate(lines) if line.tag != "equal"), 0)
    return max(MOST_LINES, first + MOST_LINES // 2)


def _rendered(before: Form, after: Form, view: View) -> tuple[Reading, Reading]:
    """Markdown with its changes; where there is little room only texts that fit are rendered."""
    if view.room is not None and max(len(before.text), len(after.text)) > 2 * view.room:
        return _texts(before, after, view)
    found = markup.blocks_between(before.text, after.text)
    shown = found if view.whole else markup.folded(found)
    new = Reading(after, blocks=shown, summary=markup.summary(found), has_changes=True)
    return Reading(before, blocks=markup.blocks(before.text)), new


def _texts(before: Form, after: Form, view: View) -> tuple[Reading, Reading]:
    changes, is_unlike = passages.changes_between(
        before.content,
        after.content,
        most=LITTLE_CAP if view.characters or view.room is not None else CAP,
        level="character" if view.characters else "word",
        ignore_case=view.ignore_case,
        ignore_whitespace=view.ignore_space,
    )
    if is_unlike:
        plain = View(raw=view.raw, room=view.room)
        old, new = (read(form.text, plain) for form in (before, after))
        return old, replace(new, is_unlike=True)
    shown = [Passage(changes)] if view.whole else passages.passages(changes, room=view.room, keeps=view.keeps)
    old_shown = [passage.of(1) for passage in shown if passage.folded or any(c[1] for c in passage.changes)]
    summary = passages.summary(changes)
    if before.kind == after.kind == "code":
        summary = _about_fences(before, after, summary)
    return Reading(before, old_shown), Reading(after, shown, summary=summary, has_changes=True)
