"""Evaluators that a form offers, as rows that can be selected: what each is for, what it costs, and what it scores."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import NamedTuple

from django.db.models import F

from evaluations import kinds
from evaluations.kinds.choosing import ADVICE
from evaluations.kinds.evidence import Evidence, Line
from evaluations.models import EvaluatorVersion
from evaluations.numerals import whole
from evaluations.scoring.paid_scores import Estimate
from evaluations.values import MINIMIZE

from ..page_tools.texts import cell

Groups = list[tuple[str, list[tuple[str, str]]]]  # by heading, values and labels
EVALUATOR = "evaluator:"
LONGEST_EXCERPT = 2_000  # characters that are looked at to find where texts differ
STARTS = 28  # characters of a text that begins as its reference does, from which it is cut before the first difference
KEPT = 12  # characters that all texts share which stay beside the difference
NOTHING = "None of these finds anything here"
MOST_OPEN = 9  # choices of a group that stand before a fold


class About(NamedTuple):
    """What is known of an evaluator: its use, and whether it calls a server."""

    use: str
    is_paid: bool = False
    kind: str = ""


class Choice(NamedTuple):
    """An evaluator that can be selected, and made the primary one; without a `value` it is only shown."""

    value: str
    name: str
    use: str = ""
    is_selected: bool = False
    is_primary: bool = False
    is_advised: bool = False
    is_used: bool = False  # scores the runs already
    used_as: str = ""  # the name of an evaluator with the same settings that does
    is_paid: bool = False
    estimate: Estimate | None = None
    cells: Sequence[tuple[float | None, str]] = ()  # what it scores the rows of the evidence, with a remark
    finds_nothing: bool = False  # in any of these rows
    is_low: bool = False  # in these rows a lower score is better


@dataclass(frozen=True)
class Group:
    heading: str
    choices: list[Choice]
    is_folded: bool = True  # below its heading
    is_open: bool = False

    @property
    def can_be_selected(self) -> bool:
        return any(choice.value for choice in self.choices)

    @property
    def has_cells(self) -> bool:
        return any(choice.cells for choice in self.choices)


def id_of(value: str) -> int | None:
    """The id of the evaluator that a value names."""
    return whole(value.removeprefix(EVALUATOR)) if value.startswith(EVALUATOR) else None


def described(values: Iterable[str]) -> dict[str, About]:
    """What the evaluators among these values are for."""
    wanted = {pk for value in values if (pk := id_of(value)) is not None}
    newest = EvaluatorVersion.objects.filter(evaluator__in=wanted, number=F("evaluator__version"))
    return {
        f"{EVALUATOR}{evaluator}": About(
            _use_of(kind), kind in kinds.JUDGES or kinds.get(kind).needs_connection, kind
        )
        for evaluator, kind in newest.values_list("evaluator", "kind")
    }


def _use_of(kind: str) -> str:
    title = kinds.get(kind).title
    return f"{title}. {ADVICE[kind].when}" if kind in ADVICE else f"{title}."


def named(value: str, label: str, known: Mapping[str, About]) -> tuple[str, About]:
    """The name and the use of a choice; a label of what the project does not have yet is "name: use"."""
    if value.startswith(EVALUATOR):
        about = known.get(value, About(""))
        return label, about._replace(use=about.use.removeprefix(f"{label}.").lstrip())
    name, _, use = label.partition(": ")
    return name, About(f"{use.rstrip('.')}." if use else "")


def estimate_of(estimates: Collection[Estimate], value: str) -> Estimate | None:
    """What this evaluator would cost, if it calls for a text that it has not seen."""
    pk = id_of(value)
    return next((one for one in estimates if one.evaluator.pk == pk and one.texts), None)


@dataclass(frozen=True)
class Chooser:
    """What a form offers, with what is known of it: all of it by value.

    `lines` are those of the evidence, and the first is what the advice recommends. An evaluator of a line that is not
    offered scores the runs already.
    """

    offered: Groups
    labels: Mapping[str, str]
    selected: Sequence[str] = ()
    lines: Mapping[str, Line] = field(default_factory=dict)
    recommended: str = ""
    scored_by: Collection[int] = ()
    estimates: Collection[Estimate] = ()
    used_as: Mapping[int, str] = field(default_factory=dict)
    kinds_here: Collection[str] = ()  # whose evaluators score the runs already

    def groups(self) -> list[Group]:
        """What is selected, in its order, and what the advice names; then the others under their headings.

        What finds nothing in the rows comes last, unless it is selected. The first group that has a choice is open, as
        far as its choices are few; in each group those of kinds that score the runs already come last.
        """
        selected = [value for value in self.selected if value in self.labels]
        first = dict.fromkeys([*selected, *self.lines, *filter(None, [self.recommended])])
        known = described({*self.labels, *first})
        named_first = [choice for value in first if (choice := self._choice(value, known))]
        rows = [choice for choice in named_first if not choice.finds_nothing]
        nothing = [choice._replace(cells=()) for choice in named_first if choice.finds_nothing]
        others = [
            Group(heading, self._others([value for value, _ in group if value not in first], known))
            for heading, group in self.offered
        ]
        every = [
            Group("Selected" if selected else "Suggested", rows, is_folded=False),
            *others,
            Group(NOTHING, nothing),
        ]
        shown = [group for group in every if group.choices]
        opened = next((group for group in shown if group.can_be_selected), None)
        return [part for group in shown for part in (_opened(group) if group is opened else [group])]

    def _others(self, values: Sequence[str], known: Mapping[str, About]) -> list[Choice]:
        adding_first = sorted(values, key=lambda value: known.get(value, About("")).kind in self.kinds_here)
        return [choice for value in adding_first if (choice := self._choice(value, known))]

    def _choice(self, value: str, known: Mapping[str, About]) -> Choice | None:
        line = self.lines.get(value)
        is_used = id_of(value) in self.scored_by
        is_offered = value in self.labels
        if not is_offered and not (line and is_used):
            return None
        name, about = named(value, self.labels[value] if is_offered or not line else line.title, known)
        return Choice(
            value if is_offered else "",
            name,
            about.use or (ADVICE[line.kind].when if line and line.kind in ADVICE else ""),
            is_selected=value in self.selected,
            is_primary=value == next(iter(self.selected), None),
            is_advised=value == self.recommended,
            is_used=is_used,
            used_as=self.used_as.get(id_of(value) or 0, ""),
            is_paid=about.is_paid,
            estimate=estimate_of(self.estimates, value),
            cells=line.cells if line else (),
            is_low=line is not None and kinds.get(line.kind).direction == MINIMIZE,
            finds_nothing=bool(line and line.finds_nothing) and not is_used and value not in self.selected,
        )


def _opened(group: Group) -> list[Group]:
    """The group open, in two parts if it has many choices."""
    if not group.is_folded or len(group.choices) <= MOST_OPEN:
        return [replace(group, is_open=True)]
    first, rest = group.choices[:MOST_OPEN], group.choices[MOST_OPEN:]
    return [replace(group, choices=first, is_open=True), Group("More of these", rest)]


class Row(NamedTuple):
    """A row of the evidence: the output and its reference where they differ from the others.

    `near` says in what little the output of a wrong one differs from the reference.
    """

    output: str
    reference: str
    is_right: bool | None
    near: str


def rows_of(evidence: Evidence) -> list[Row]:
    outputs = differing([output for output, _ in evidence.rows])
    references = differing([reference for _, reference in evidence.rows])
    verdicts = evidence.verdicts or [None] * len(outputs)
    sides = [
        from_difference(*row) or shown
        for row, shown in zip(evidence.rows, zip(outputs, references, strict=True), strict=True)
    ]
    return [
        Row(*row, verdict, near) for row, verdict, near in zip(sides, verdicts, evidence.near, strict=True)
    ]


def from_difference(output: str, reference: str) -> tuple[str, str] | None:
    r"""Two long texts from a little before where they first differ; None if they do so near their beginning.

    >>> from_difference("We thank you for writing to us on Monday.", "We thank you for writing to us on Friday.")
    ('…\xa0writing to us on Monday.', '…\xa0writing to us on Friday.')
    >>> from_difference("We thank you", "We are sorry"), from_difference("yes", "yes")
    (None, None)
    """
    texts = [cell(text, LONGEST_EXCERPT) for text in (output, reference)]
    alike = _alike(texts)
    start = texts[0].rfind(" ", 0, max(alike - KEPT, 0)) + 1
    if alike < STARTS or texts[0] == texts[1] or not start:
        return None
    return f"…\N{NO-BREAK SPACE}{texts[0][start:]}", f"…\N{NO-BREAK SPACE}{texts[1][start:]}"


def differing(texts: Sequence[str]) -> list[str]:
    r"""Texts on one line without the words with which all of them begin, and those with which all end.

    >>> differing(["The price of the first item is 5 euros", "The price of the first item is 7 euros"])
    ['…\xa0first item is 5 euros', '…\xa0first item is 7 euros']
    >>> differing(["yes", "yes"]), differing(["A: 5", "A: 7"])
    (['yes', 'yes'], ['A: 5', 'A: 7'])
    """
    shown = [cell(text, LONGEST_EXCERPT) for text in texts]
    if len(set(shown)) < 2:
        return shown
    start = shown[0].rfind(" ", 0, max(_alike(shown) - KEPT, 0)) + 1
    without_start = [text[start:] for text in shown]
    last = without_start[0]
    kept = len(last) - max(_alike([text[::-1] for text in without_start]) - KEPT, 0)
    end = last.find(" ", kept) - len(last) if kept < len(last) and " " in last[kept:] else None
    before, after = "…\N{NO-BREAK SPACE}" if start else "", "\N{NO-BREAK SPACE}…" if end else ""
    return [f"{before}{text[:end]}{after}" for text in without_start]


def _alike(texts: Sequence[str]) -> int:
    """How many characters all texts begin with."""
    return sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, zip(*texts, strict=False)))
