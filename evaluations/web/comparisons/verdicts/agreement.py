"""Agreement of evaluators: a matrix over all of them, and two of them in detail."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.db.models.functions import Left
from django.utils.safestring import SafeString

from evaluations import charts
from evaluations.comparisons import evaluator_agreement
from evaluations.comparisons.comparison import Comparison
from evaluations.comparisons.evaluator_agreement import Disagreement, Matrix, PairAgreement
from evaluations.models import Evaluator, Output
from evaluations.statistics.correlation import Coefficient, Correlations

from ...page_tools.paging import RESET, address
from ...page_tools.request import HttpRequest
from ...page_tools.texts import cell

MOST_SHOWN = 90  # characters of an output
MOST_READ = 2 * MOST_SHOWN  # of which some may be marks of a table or a list
FIRST_SHOWN = 5  # outputs on which they disagree, before all are asked for
COEFFICIENTS = {"pearson": "Pearson r", "spearman": "Spearman ρ", "kendall": "Kendall τb"}


@dataclass(frozen=True)
class Cell:
    """A correlation in the matrix, in the column of `across`, with the address that shows both evaluators in detail."""

    value: float | None
    across: str
    name: str
    address: str
    is_current: bool


@dataclass(frozen=True)
class Line:
    """One coefficient of the pair: of scores, and with several variants also of differences from the baseline."""

    name: str
    scores: Coefficient
    differences: Coefficient | None


@dataclass(frozen=True)
class DisagreementRow:
    """`text` is how the output begins; `alike` are more outputs of the variant with the same beginning and scores."""

    disagreement: Disagreement
    example: str
    text: str
    variant: str
    address: str
    alike: int = 0


@dataclass(frozen=True)
class Agreement:
    """`rows` are the lower half of the matrix of Spearman's coefficients, below the names in `across`.

    `left_out` are the evaluators whose scores have no correlation with any other's. `turned` are those of the pair of
    which lower is better, where the drawing so falls with a positive coefficient.
    """

    matrix: Matrix
    across: list[Evaluator]
    rows: list[tuple[Evaluator, list[Cell]]]
    left_out: list[Evaluator]
    pair: tuple[Evaluator, Evaluator]
    words: list[str]
    n: int
    drawing: SafeString
    turned: str
    lines: list[Line]
    disagreements: list[DisagreementRow]
    close_address: str
    all_address: str
    shows_all: bool

    @property
    def shown(self) -> list[DisagreementRow]:
        return self.disagreements if self.shows_all else self.disagreements[:FIRST_SHOWN]

    @property
    def has_more(self) -> bool:
        return len(self.shown) < len(self.disagreements)


def agreement(request: HttpRequest, comparison: Comparison) -> Agreement | None:
    """The agreement requested by `?agreement=`; None with fewer than two evaluators."""
    if "agreement" not in request.GET or len(comparison.evaluators) < 2:
        return None
    first, second = _chosen(request, comparison)
    pair = evaluator_agreement.pair(comparison, first, second)
    matrix = evaluator_agreement.matrix(comparison)
    known = {
        pk for *ids, correlations in matrix.pairs if correlations.spearman.value is not None for pk in ids
    }
    shown = [one for one in comparison.evaluators if one.pk in known or one in (first, second)]
    return Agreement(
        matrix=matrix,
        across=shown[:-1],
        rows=[
            (
                evaluator,
                [_cell(request, matrix, (first, second), across, evaluator) for across in shown[:index]],
            )
            for index, evaluator in enumerate(shown)
            if index
        ],
        left_out=[one for one in comparison.evaluators if one not in shown],
        pair=(first, second),
        words=_words(first, second, pair),
        n=pair.scores.n,
        drawing=charts.pair(
            *evaluator_agreement.scores_of(comparison, first, second), (first.name, second.name)
        ),
        turned=_turned(comparison, first, second),
        lines=[_line(name, pair.scores, pair.differences) for name in COEFFICIENTS],
        disagreements=_disagreements(request, comparison, (first, second), pair),
        close_address=address(request, agreement=None, disagreements=None),
        all_address=f"{address(request, disagreements='all')}#agreement",
        shows_all=request.GET.get("disagreements") == "all",
    )


def _turned(comparison: Comparison, first: Evaluator, second: Evaluator) -> str:
    """The name of the one of two evaluators of which lower is better; "" if it is both or neither."""
    turned = [one.name for one in (first, second) if comparison.evaluators.sign(one.pk) < 0]
    return turned[0] if len(turned) == 1 else ""


def _chosen(request: HttpRequest, comparison: Comparison) -> tuple[Evaluator, Evaluator]:
    """The evaluators in `?agreement=3-5`, by id; else the first two."""
    evaluators_by_id = {str(evaluator.pk): evaluator for evaluator in comparison.evaluators}
    first, _, second = request.GET["agreement"].partition("-")
    if first in evaluators_by_id and second in evaluators_by_id and first != second:
        return evaluators_by_id[first], evaluators_by_id[second]
    return comparison.evaluators.every[0], comparison.evaluators.every[1]


def _cell(
    request: HttpRequest,
    matrix: Matrix,
    pair: tuple[Evaluator, Evaluator],
    first: Evaluator,
    second: Evaluator,
) -> Cell:
    correlations = matrix.of_pair(first.pk, second.pk)
    return Cell(
        correlations.spearman.value if correlations else None,
        first.name,
        f"{first.name} and {second.name}",
        f"{address(request, agreement=f'{first.pk}-{second.pk}', disagreements=None)}#agreement",
        {first, second} == set(pair),
    )


def _words(first: Evaluator, second: Evaluator, pair: PairAgreement) -> list[str]:
    on_scores = evaluator_agreement.words(first.name, second.name, pair.scores)
    on_differences = evaluator_agreement.words_on_differences(first.name, second.name, pair)
    return [on_scores] + ([on_differences] if on_differences else [])


def _line(name: str, scores: Correlations, differences: Correlations | None) -> Line:
    of_differences = getattr(differences, name) if differences else None
    return Line(COEFFICIENTS[name], getattr(scores, name), of_differences)


def _disagreements(
    request: HttpRequest, comparison: Comparison, both: tuple[Evaluator, Evaluator], pair: PairAgreement
) -> list[DisagreementRow]:
    positions = {disagreement.position for disagreement in pair.disagreements}
    shown = comparison.sides.baseline.run.experiment.dataset.examples.filter(position__in=positions).defer(
        "inputs", "reference", "metadata"
    )
    names = {example.position: example.name for example in shown}
    texts = _beginnings(comparison, pair.disagreements)
    rows = [
        _row(request, comparison, both, disagreement, names[disagreement.position], texts)
        for disagreement in pair.disagreements
    ]
    alike = Counter(map(_seen, rows))
    first = {_seen(row): row for row in reversed(rows)}
    return [replace(row, alike=alike[_seen(row)] - 1) for row in rows if first[_seen(row)] is row]


def _seen(row: DisagreementRow) -> tuple[str, str, str]:
    """What a reader sees of a row besides the name of its example; the table writes three decimals."""
    return row.text, row.variant, " ".join(f"{score:.3f}" for score in row.disagreement.scores)


def _beginnings(comparison: Comparison, disagreements: Sequence[Disagreement]) -> dict[tuple[int, int], str]:
    """How the outputs begin, by run and position."""
    runs = {comparison.sides[one.side_index].run.pk for one in disagreements}
    positions = {one.position for one in disagreements}
    outputs = Output.objects.filter(run__in=runs, position__in=positions, text__isnull=False)
    begun = outputs.annotate(begin=Left("text", MOST_READ)).values_list("run_id", "position", "begin")
    return {(run, position): _cut(begin) for run, position, begin in begun}


def _cut(begin: str) -> str:
    """The beginning on one line, with dots where the text goes on."""
    shown = cell(begin, MOST_SHOWN)
    return f"{shown} …" if len(begin) == MOST_READ and not shown.endswith("…") else shown


def _row(
    request: HttpRequest,
    comparison: Comparison,
    pair: tuple[Evaluator, Evaluator],
    disagreement: Disagreement,
    example: str,
    texts: dict[tuple[int, int], str],
) -> DisagreementRow:
    run = comparison.sides[disagreement.side_index].run
    shown = RESET | {"open": disagreement.position, "evaluator": pair[0].pk, "show": None, "q": None}
    return DisagreementRow(
        disagreement,
        example,
        texts.get((run.pk, disagreement.position), ""),
        comparison.sides.label(run),
        f"{address(request, **shown)}#examples",
    )
