"""The rows of a run: one page of the selected ones, and the open one in full."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple

from evaluations import kinds
from evaluations.access.addresses import public_address
from evaluations.evaluators.recipe import Recipe
from evaluations.kinds.people import people
from evaluations.labelling import comments
from evaluations.models import Comment, EvaluatorVersion, Run, Scoring
from evaluations.reading.reading import Reading, View, compare
from evaluations.results import results
from evaluations.results.results import Order, Page
from evaluations.results.rows import Row, Score, as_counted, explanations, rows_at
from evaluations.results.taken import taken
from evaluations.statistics.ordering import Part
from evaluations.templatetags.evalsite import number as figure
from evaluations.templatetags.scores import WORDS, ShownScore
from evaluations.values import JSON, by_column

from ..page_tools import searches, url_values
from ..page_tools.frame import Context
from ..page_tools.paging import RESET, address, extended, number
from ..page_tools.request import HttpRequest
from ..page_tools.texts import MOST_LINES, cell, key_width, short_words
from .selection import RunSelection

SIZE = 50
SPLIT = "split"  # a label of pass or fail on which several people do not agree
BRIEF = 20  # characters
MOST_BESIDE = 3  # score columns beside an open row


class _ScoreColumn(NamedTuple):
    """The data shared by the cells of an evaluator's column."""

    name: str
    decimals: int
    is_chosen: bool
    word: Callable[[float], str | None]


@dataclass(frozen=True)
class ShownRow:
    """A row of the table."""

    row: Row
    name: str
    address: str
    input: str
    expected: str
    output: str
    scores: list[ShownScore]
    failed: bool = False  # by the chosen evaluator
    taken: str = ""  # what the chosen evaluator read out of the output, where it does not compare all of it


@dataclass(frozen=True)
class Column:
    """The head of an evaluator's column, which sorts by it; `sort` is the present direction, or "".

    `source` is "people" or "judge" where no formula computed the scores and the name does not say so. A narrow page
    shows only the chosen evaluator's column.
    """

    name: str
    short: str
    source: str
    address: str
    sort: str
    is_chosen: bool


@dataclass(frozen=True)
class Explained:
    """A score with its explanation; `figure` is empty where the outcome beside it says it all."""

    name: str
    score: Score | None
    figure: str
    detail: dict[str, Any]


@dataclass(frozen=True)
class OpenRow:
    """The row of `?row=`; `row` is None if the run lacks the example, `rank` if it is not selected."""

    position: int
    close: str
    row: Row | None = None
    name: str = ""
    link: str = ""
    rank: int | None = None
    previous: str | None = None
    next: str | None = None
    inputs: list[tuple[str, JSON]] = field(default_factory=list)
    expected: list[tuple[str, JSON]] = field(default_factory=list)
    metadata: list[tuple[str, JSON]] = field(default_factory=list)
    difference: Reading | None = None
    scores: list[Explained] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)

    @property
    def is_right(self) -> bool:
        """Whether the output writes out the reference, which then is not read twice."""
        output = self.row.output if self.row else None
        is_long = isinstance(output, str) and len(output) > BRIEF
        return is_long and [value for _, value in self.expected] == [output]

    @property
    def stored(self) -> JSON:
        """All that is known of the row, without what it lacks."""
        known = asdict(self.row) if self.row else {}
        return {name: value for name, value in known.items() if value is not None}


def rows(request: HttpRequest, selection: RunSelection) -> Context:
    run, scorings = selection.run, selection.scorings
    order = Order.from_query(run, selection.query())
    position = number(request, "row")
    page = results.page_at(run, order, _part(request, order, position), scorings)
    in_columns = _beside_open_row(scorings, selection) if position else scorings
    previous, following = url_values.neighbour_pages(request, page.before, page.after)
    closed = extended(address(request))
    shown = [_score_column(scoring, selection) for scoring in in_columns]
    chosen = selection.recipe
    taken_of = taken(chosen, page.rows) if chosen and not position else [""] * len(page.rows)
    rows = [
        replace(_shown_row(closed, as_counted(row, in_columns), shown), taken=read)
        for row, read in zip(page.rows, taken_of, strict=True)
    ]
    return {
        "rows": rows,
        "brief": _brief_columns(rows),
        "key_width": key_width(row.name for row in rows),
        "columns": [
            _column(
                request, scoring.evaluator_version, selection, has_room=bool(position) and len(shown) == 1
            )
            for scoring in in_columns
        ],
        "has_taken": any(row.taken for row in rows),
        "has_latency": any(row.latency_ms is not None for row in page.rows),
        "total": page.total,
        "first": page.first,
        "last": page.first + len(page.rows) - 1,
        "previous": previous,
        "next": following,
        "searched": searches.told(request, selection.filters.searched),
        "opened": _Opening(request, run, scorings, selection, order).row(position, page)
        if position
        else None,
    }


def _brief_columns(rows: Sequence[ShownRow]) -> set[str]:
    """The columns of texts that need little width, if another one can take the rest."""
    columns = {name: [getattr(row, name) for row in rows] for name in ("input", "expected", "output")}
    found = {name for name, texts in columns.items() if max(map(len, texts), default=0) <= BRIEF}
    return found if len(found) < len(columns) else set()


def _beside_open_row(scorings: Sequence[Scoring], selection: RunSelection) -> Sequence[Scoring]:
    """The scorings shown as columns: only the chosen one if more would not fit beside the open row."""
    return scorings if len(scorings) <= MOST_BESIDE else [s for s in scorings if s is selection.scoring]


def _part(request: HttpRequest, order: Order, position: int | None) -> Part:
    return order.rows.part_with(
        order.positions.slot(position) if position else None,
        SIZE,
        after=url_values.cursor(request, "after"),
        before=url_values.cursor(request, "before"),
    )


def _shown_row(closed: str, row: Row, columns: Sequence[_ScoreColumn]) -> ShownRow:
    scores = [_shown_score(row.scores.get(column.name), column) for column in columns]
    return ShownRow(
        row=row,
        name=row.name,
        address=f"{closed}row={row.position}",
        input=brief("inputs", row.inputs),
        expected=brief("reference", row.reference),
        output=brief("output", row.output),
        scores=scores,
        failed=any(score.is_chosen and score.passed is False for score in scores),
    )


def _score_column(scoring: Scoring, selection: RunSelection) -> _ScoreColumn:
    name = scoring.evaluator_version.evaluator.name
    word = _worded(scoring.evaluator_version)
    return _ScoreColumn(name, decimals(scoring.evaluator_version), scoring is selection.scoring, word)


def _worded(version: EvaluatorVersion) -> Callable[[float], str | None]:
    """What a score is called, as in comparisons: "fail" and "pass" where scores are only 0 and 1."""
    recipe = Recipe.from_version(version)
    words = WORDS if recipe.share else {}
    between = SPLIT if words and version.kind == people.key else None
    return lambda value: recipe.word(value) or words.get(value) or (between if 0 < value < 1 else None)


def _shown_score(score: Score | None, column: _ScoreColumn) -> ShownScore:
    if score is None:
        return ShownScore(is_chosen=column.is_chosen)
    if score.value is None:
        return ShownScore(is_chosen=column.is_chosen, status=score.status, message=score.message)
    word = column.word(score.value)
    shown = word or figure(score.value, column.decimals)
    return ShownScore(shown, f"{score.value}", score.passed, word is not None, column.is_chosen)


def shown_alone(score: Score, version: EvaluatorVersion) -> ShownScore:
    """A score as the table shows it, where the run has no scoring by this version yet."""
    return _shown_score(
        score, _ScoreColumn(version.evaluator.name, decimals(version), True, _worded(version))
    )


def decimals(version: EvaluatorVersion) -> int:
    """The decimals of a score; 0 for counts, such as edits, and for scores that are only 0 and 1."""
    kind = kinds.get(version.kind)
    return 0 if kind.unit or kind.binary else 2


def source_of(version: EvaluatorVersion) -> str:
    """ "people" or "judge", whose scores no formula computes, unless the evaluator's name says so; else ""."""
    word = "judge" if version.kind in kinds.JUDGES else "people" if version.kind == people.key else ""
    return "" if word in version.evaluator.name.casefold() else word


def _column(
    request: HttpRequest, version_shown: EvaluatorVersion, selection: RunSelection, *, has_room: bool
) -> Column:
    evaluator = version_shown.evaluator
    is_chosen = evaluator.pk == selection.evaluator_id
    is_sorted = is_chosen and selection.order != "file"
    turned = "best" if is_sorted and selection.order == "worst" else None
    version = selection.version if is_chosen else None
    source = source_of(version_shown)
    lines = MOST_LINES - 1 if source else MOST_LINES
    return Column(
        name=evaluator.name,
        short=evaluator.name if has_room else short_words(evaluator.name, lines),
        source=source,
        address=address(request, evaluator=evaluator.pk, order=turned, version=version, **RESET),
        sort=("descending" if selection.descending else "ascending") if is_sorted else "",
        is_chosen=is_chosen,
    )


def brief(part: str, value: JSON, maximum: int = 200) -> str:
    """A part of an example on one line: its text, or each column with its name."""
    if value is None:
        return ""
    columns = by_column(part, value) if part != "output" else {part: value}
    if len(columns) == 1:
        return cell(next(iter(columns.values())), maximum)
    return " · ".join(f"{name}: {cell(value, maximum)}" for name, value in columns.items())[:maximum]


# ---- the open row ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Opening:
    """Finds the open row and its neighbours among the selected rows."""

    request: HttpRequest
    run: Run
    scorings: Sequence[Scoring]
    selection: RunSelection
    order: Order

    def row(self, position: int, page: Page) -> OpenRow:
        close = address(self.request)
        row = self._read(position, page.rows)
        if row is None:
            return OpenRow(position, close)
        rank, previous, following = self._neighbours(position, page)
        return OpenRow(
            position,
            close,
            row,
            name=row.name,
            link=public_address(self.request, self._address(position)),
            rank=rank,
            previous=None if previous is None else self._address(previous),
            next=None if following is None else self._address(following),
            inputs=list(by_column("inputs", row.inputs).items()),
            expected=list(by_column("reference", row.reference).items()),
            metadata=list(by_column("metadata", row.metadata).items()),
            difference=_difference(row, self._view),
            scores=self._explained(row),
            comments=list(comments.at_position(self.run.experiment.dataset_id, position, self.run)),
        )

    @property
    def _view(self) -> View:
        return View(raw="raw" in self.request.GET, characters="characters" in self.request.GET)

    def _read(self, position: int, page: Sequence[Row]) -> Row | None:
        on_page = [row for row in page if row.position == position]
        return next(iter(on_page or rows_at(self.run, [position], self.scorings)), None)

    def _address(self, position: int) -> str:
        return address(self.request, row=position)

    def _neighbours(self, position: int, page: Page) -> tuple[int | None, int | None, int | None]:
        """The rank of a row and the positions of its neighbours, if it is selected; then it is on the page."""
        if position not in page.positions:
            return None, None, None
        shown, index = page.positions, page.positions.index(position)
        previous = shown[index - 1] if index else self.order.neighbour(before=page.before)
        is_last = index + 1 == len(shown)
        following = self.order.neighbour(after=page.after) if is_last else shown[index + 1]
        return page.first + index, previous, following

    def _explained(self, row: Row) -> list[Explained]:
        """Each score with its explanation, the chosen evaluator's first."""
        details = explanations(self.run, row.position, self.scorings)
        row = as_counted(row, self.scorings)
        chosen_first = sorted(self.scorings, key=lambda scoring: scoring is not self.selection.scoring)
        return [
            Explained(
                name=scoring.evaluator_version.evaluator.name,
                score=row.scores.get(scoring.evaluator_version.evaluator.name),
                figure=_figure(scoring, row),
                detail=details[scoring.pk],
            )
            for scoring in chosen_first
        ]


def _difference(row: Row, view: View) -> Reading | None:
    """How the output differs from the only reference, if both exist and a diff helps; equal texts are seen to be."""
    references = list(by_column("reference", row.reference).values())
    if len(references) != 1 or references[0] is None or row.output is None:
        return None
    if isinstance(row.output, str) and row.output == references[0]:
        return None
    difference = compare(references[0], row.output, view)[1]
    return None if difference.is_unlike else difference


def _figure(scoring: Scoring, row: Row) -> str:
    """A score as a number or a word, but for "pass" and "fail", which stand beside it with their icons."""
    score = row.scores.get(scoring.evaluator_version.evaluator.name)
    if score is None or score.value is None:
        return ""
    word = _worded(scoring.evaluator_version)(score.value)
    if word in WORDS.values() and score.passed is not None:
        return ""
    return word or figure(score.value, decimals(scoring.evaluator_version))
