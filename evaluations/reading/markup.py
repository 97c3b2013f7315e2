"""Markdown as HTML of an allowed list, block by block. Nothing in it is loaded, and nothing is a link.

The library escapes every text; raw HTML, links, images and references are switched off, so that they stay what was
written, with their addresses in sight. Changes are marked inside the rendered text by characters of Unicode's private
use area, which are removed from texts before.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from itertools import zip_longest
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from rapidfuzz.distance import Indel, Levenshtein

from evaluations.linear import Pattern
from evaluations.metrics.diff import WORD, Change, are_unlike, diff
from evaluations.numerals import plural

INSERTED, DELETED, END = "\ue000", "\ue001", "\ue002"
OWN_MARKS = Pattern("[\ue000-\ue003]")
DEEPEST = 20
ITEM = Pattern(r"(\s*(?:[-*+]|\d{1,9}[.)])\s+)(.*)")
Item = tuple[str, str]  # its mark, with the blanks around it, and its text
LISTS = ("bullet_list_open", "ordered_list_open")
LEAST_FOLDED = 3  # blocks
BESIDE = 1
MOST_PAIRS = 400  # of blocks that are looked at for the likest
# what can be marked without touching the markup around it
PLAIN = Pattern(r"[^\n|#*_`<>\[\]~\\=+-]+")
NUMBER = Pattern(r"[-+$€£]?\d[\d.,]*%?")  # behind "####", where data sets of sums put the answer
OFF = ["link", "image", "autolink", "reference", "html_block", "html_inline", "entity", "lheading"]


@dataclass(frozen=True)
class Block:
    """A block of markdown: as `html`, which is safe, or as the words that differ in its source.

    A fold has its words in `folded`, and its blocks.
    """

    html: str = ""
    changes: list[Change] | None = None
    tag: str = "equal"
    folded: str = ""
    blocks: "tuple[Block, ...]" = ()


class _Renderer(RendererHTML):
    """Headings are paragraphs, so that they take no place in the outline of the page; no attributes are written."""

    def heading_open(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        mark = f"{tokens[idx].markup} " if NUMBER.fullmatch(tokens[idx + 1].content) else ""
        return f'<p class="rendered-head">{mark}'

    def heading_close(self, *_: Any) -> str:
        return "</p>\n"

    def fence(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return super().code_block(tokens, idx, options, env)

    @staticmethod
    def renderAttrs(token: Token) -> str:
        return ""


def _times(state: StateInline, silent: bool) -> bool:
    """An asterisk inside a word or a sum is one, as in 71*2 and 397*12, and begins no emphasis."""
    around = state.src[max(state.pos - 1, 0) : state.pos + 2]
    before, after = around[:1], around[2:]
    sign = state.src[state.pos]
    if sign != "*" or not (before.isalnum() or before == ")") or not (after.isalnum() or after == "("):
        return False
    if not silent:
        state.pending += sign
    state.pos += 1
    return True


@cache
def _reader() -> MarkdownIt:
    options = {"html": False, "maxNesting": DEEPEST}
    reader = MarkdownIt("commonmark", options, renderer_cls=_Renderer).enable(["table", "strikethrough"])
    reader.inline.ruler.before("emphasis", "times", _times)
    return reader.disable(OFF)


def html_of(source: str) -> str:
    """The HTML of a source, in which marks are <ins> and <del>."""
    return _tagged(_reader().render(source))


def _tagged(html: str) -> str:
    for mark, tag in ((INSERTED, "<ins>"), (DELETED, "<del>")):
        pieces = html.split(mark)
        html = pieces[0] + "".join(tag + piece.replace(END, f"</{tag[1:]}", 1) for piece in pieces[1:])
    return html


def sources(text: str) -> list[str]:
    """The sources of the blocks of a text, without the empty lines between them."""
    clean = OWN_MARKS.sub("\ufffd", text)
    lines = clean.split("\n")
    starts = [token.map for token in _reader().parse(clean) if token.level == 0 and token.map]
    return ["\n".join(lines[start:end]).strip("\n") for start, end in starts]


def words(text: str) -> str:
    """The text of markdown on one line, without its marks."""
    inline = (token for token in _reader().parse(text) if token.type in ("inline", "fence", "code_block"))
    texts = ("".join(map(_words, token.children or [token])) for token in inline)
    return " ".join(" ".join(texts).split())


def _words(token: Token) -> str:
    return " " if token.type in ("softbreak", "hardbreak") else token.content


def blocks(text: str) -> list[Block]:
    return [Block(html_of(source)) for source in sources(text)]


def blocks_between(before: str, after: str) -> list[Block]:
    """The blocks of the newer text with the changes from the older one."""
    old, new = sources(before), sources(after)
    found: list[Block] = []
    deleted: list[str] = []
    inserted: list[str] = []
    for step in (*Levenshtein.opcodes(old, new), None):
        if step is None or step.tag == "equal":
            for pair in _paired(deleted, inserted):
                found += _between(*pair)
            deleted, inserted = [], []
        if step is None:
            break
        if step.tag == "equal":
            found += [Block(html_of(source)) for source in new[step.dest_start : step.dest_end]]
        else:
            deleted += old[step.src_start : step.src_end]
            inserted += new[step.dest_start : step.dest_end]
    return found


def _paired(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str | None, str | None]]:
    """Blocks in their order, each beside the one it replaces: of more blocks than the others, the likest."""
    if len(old) == len(new) or len(old) * len(new) > MOST_PAIRS:
        yield from zip_longest(old, new)
        return
    (few, many), is_turned = ((old, new), False) if len(old) < len(new) else ((new, old), True)
    places = _likest_places(few, many)
    for place, other in enumerate(many):
        pair = few[places.index(place)] if place in places else None, other
        yield (pair[1], pair[0]) if is_turned else pair


def _likest_places(few: Sequence[str], many: Sequence[str]) -> list[int]:
    """For each of the few blocks the place of its own among the many, in order, so that all are most alike."""
    texts, others = ([WORD.findall(source) for source in sources] for sources in (few, many))
    best: list[tuple[float, list[int]]] = [(0, [])] * (len(many) + 1)  # by how many of the many may be taken
    for row, text in enumerate(texts):
        previous, best = best, [(-1, [])] * (len(many) + 1)
        for place in range(row, len(many)):
            likeness, places = previous[place]
            found = likeness + Indel.normalized_similarity(text, others[place]), [*places, place]
            best[place + 1] = max(best[place], found, key=lambda one: one[0])
    return best[-1][1]


def _between(old: str | None, new: str | None) -> list[Block]:
    if old is not None and new is not None:
        return _replaced(old, new)
    return [Block(html_of(new or old or ""), tag="delete" if new is None else "insert")]


def _replaced(old: str, new: str) -> list[Block]:
    items = _items(old), _items(new)
    if all(items):
        return [Block(html_of("\n".join(_items_between(*items))), tag="replace")]
    before, after = _code(old), _code(new)
    is_code = before is not None or after is not None
    is_same = before is not None and before == after  # only what stands behind a fence differs
    texts = (old, new) if is_same else (old if before is None else before, new if after is None else after)
    changes = diff(*texts)
    if are_unlike(changes):
        return [Block(html_of(old), tag="delete"), Block(html_of(new), tag="insert")]
    if is_code:
        code = escape("".join(map(_marked, changes)))
        return [Block(_tagged(f"<pre><code>{code}</code></pre>"), tag="replace")]
    if not all(map(_can_be_marked, changes)) and "**" in old + new:
        if (bare := old.replace("**", "")) == new.replace("**", ""):
            return [Block(html_of(old), tag="delete"), Block(html_of(new), tag="insert")]
        changes = diff(bare, new.replace("**", ""))  # what is bold would cut the words in two
    if not all(map(_can_be_marked, changes)):
        return [Block(changes=changes, tag="replace")]
    return [Block(html_of("".join(map(_marked, changes))), tag="replace")]


def _code(source: str) -> str | None:
    """What stands in a source that is one block of code."""
    tokens = _reader().parse(source)
    return tokens[0].content if [token.type for token in tokens] in (["fence"], ["code_block"]) else None


def _items(source: str) -> list[Item]:
    """The items of a list, if each of them is one line; empty for any other block."""
    first, *_ = _reader().parse(source)
    found = [ITEM.fullmatch(line) for line in source.split("\n")]
    return [(item[1], item[2]) for item in found if item] if first.type in LISTS and all(found) else []


def _items_between(old: Sequence[Item], new: Sequence[Item]) -> Iterator[str]:
    """The lines of a list with the changes from the older one: in an item, or of whole items; numbers do not count."""
    deleted: list[Item] = []
    inserted: list[Item] = []
    for step in (*Indel.opcodes([text for _, text in old], [text for _, text in new]), None):
        if step is None or step.tag == "equal":
            for pair in zip_longest(deleted, inserted):
                yield from _item_between(*pair)
            deleted, inserted = [], []
        if step is None:
            return
        if step.tag == "equal":
            yield from ("".join(item) for item in new[step.dest_start : step.dest_end])
        else:
            deleted += old[step.src_start : step.src_end]
            inserted += new[step.dest_start : step.dest_end]


def _item_between(before: Item | None, after: Item | None) -> Iterator[str]:
    if before and after:
        changes = diff(before[1], after[1])
        if not are_unlike(changes) and all(map(_can_be_marked, changes)):
            yield after[0] + "".join(map(_marked, changes))
            return
    for item, mark in ((before, DELETED), (after, INSERTED)):
        if item:
            yield f"{item[0]}{mark}{item[1]}{END}"


def _can_be_marked(change: Change) -> bool:
    texts = [text for text in change[1:3] if text]
    return change[0] == "equal" or all(PLAIN.fullmatch(text) for text in texts)


def _marked(change: Change) -> str:
    tag, old, new, _ = change
    if tag == "equal":
        return new
    return (f"{DELETED}{old}{END}" if old else "") + (f"{INSERTED}{new}{END}" if new else "")


def folded(found: Sequence[Block]) -> list[Block]:
    """The blocks with those far from every change folded; all blocks if nothing differs."""
    changed = [index for index, block in enumerate(found) if block.tag != "equal"]
    if not changed:
        return [*found]
    near = {index for at in changed for index in range(at - BESIDE, at + BESIDE + 1)} | {0}
    shown: list[Block] = []
    hidden: list[Block] = []
    for index, block in enumerate(found):
        if index not in near:
            hidden.append(block)
            continue
        shown += [*_fold(hidden), block]
        hidden = []
    return shown + _fold(hidden)


def _fold(hidden: Sequence[Block]) -> list[Block]:
    if len(hidden) < LEAST_FOLDED:
        return [*hidden]
    return [Block(folded=plural(len(hidden), "equal block"), blocks=tuple(hidden))]


def summary(found: Sequence[Block]) -> str:
    """How many blocks differ, in words."""
    tags = [block.tag for block in found]
    words = {"replace": "changed", "delete": "removed", "insert": "added"}
    said = [(tags.count(tag), word) for tag, word in words.items() if tag in tags]
    if not said:
        return "no difference"
    (count, word), *others = said
    if word == "changed" and not others:
        return f"changes in {count} of {plural(len(tags), 'block')}"
    return ", ".join([f"{plural(count, 'block')} {word}", *(f"{more} {other}" for more, other in others)])
