"""Runs side by side: their figures, sentences and warnings.

Pages, the API and exports all take their numbers and words from here.
"""

from dataclasses import replace
from functools import cached_property

from evaluations.scoring import counted
from evaluations.statistics import sentences
from evaluations.statistics.few_groups import FewGroups
from evaluations.statistics.sentence_facts import Page
from evaluations.statistics.sentences import Part
from evaluations.statistics.wording import joined, text

from . import sentence_page, subsets, warnings
from .alignment.alignment import Missing
from .figures.entries import Entry
from .figures.figures import ComparisonFigures
from .subsets import Search


class Comparison(ComparisonFigures):
    """Runs against a baseline; every figure is computed when it is first read."""

    @cached_property
    def other_missing(self) -> "Comparison":
        """The same comparison with the other treatment of unanswered examples."""
        opposite: Missing = "exclude" if self.missing == "worst" else "worst"
        return Comparison(
            self.runs,
            self.baseline.run,
            self._scorings,
            cluster=self.cluster,
            repeats=self.repeats,
            missing=opposite,
            example_filter=self.example_filter,
        )

    @property
    def depends_on_missing(self) -> bool:
        """Whether the ranking depends on the treatment of unanswered examples."""
        if not self.has_unanswered or self.stops:
            return False
        ranks, other_ranks = ({r.side.run.pk: r.rank for r in c.ranking} for c in (self, self.other_missing))
        return ranks != other_ranks

    @property
    def sentence(self) -> str:
        """The verdict, the clusters of examples, and the variants that stopped early, as one text."""
        return text(joined([self.parts, self.shared, self.stopped]))

    @cached_property
    def parts(self) -> list[Part]:
        """The verdict as parts, each with a role and a text."""
        return sentences.verdict(self._page) if self._page else []

    @cached_property
    def shared(self) -> list[Part]:
        """The column that clusters examples, and how much it widens the intervals."""
        return sentences.clusters(self._page) if self._page else []

    @property
    def few_groups(self) -> FewGroups | None:
        """The column of few values under which the verdict of the sentence would not survive."""
        page = self._page
        return page.few_groups.get(page.leading) if page and page.leading else None

    @cached_property
    def besides(self) -> list[Part]:
        """Remarks on secondary evaluators and missing outputs."""
        return joined([sentences.besides(self._page), self.online, self.stopped]) if self._page else []

    @cached_property
    def online(self) -> list[Part]:
        """Whether "better" is confirmed, given all comparisons ever made on this dataset."""
        page = self._page
        if page is None or page.primary is None or page.leading is None:
            return []
        if page.primary.comparison(*page.leading).verdict != "better":  # the history is read for nothing else
            return []
        shown = sentence_page.shown(self)
        numbers = [self.comparisons_made.get(self.sides[index].run.pk) for index in shown]
        return sentences.online(page, numbers)

    @property
    def numbered_entries(self) -> list[Entry]:
        """The entries, each with the number of its comparison."""
        numbers = self.comparisons_made
        return [replace(entry, comparisons_made=numbers.get(entry.run.pk)) for entry in self.entries]

    @cached_property
    def comparisons_made(self) -> dict[int, int]:
        """By run, the number of its comparison among all ever made on the dataset."""
        return counted.numbers(self.dataset.pk)

    @property
    def remarks(self) -> str:
        """What the sentence leaves out: secondary evaluators, subsets that differ, unanswered examples."""
        return text(joined([sentences.besides(self._page), self.online])) if self._page else ""

    @cached_property
    def brief(self) -> list[Part]:
        """The verdict for a row of a list."""
        if not self.primary or not self.other_sides:
            return []
        return sentences.brief(sentence_page.primary_facts(self, self._known_subsets))

    @property
    def named_subsets(self) -> dict[str, tuple[str, str]]:
        """By label, the column and value of each subset that sentences may name."""
        return self._known_subsets.named if self._known_subsets else {}

    @cached_property
    def _known_subsets(self) -> Search | None:
        return subsets.cached_search(self)

    @cached_property
    def _page(self) -> Page | None:
        return sentence_page.page(self, self._known_subsets) if self.primary and self.other_sides else None

    @cached_property
    def warnings(self) -> list[warnings.Warning]:
        """Warnings about differences between the runs, and about examples that do not count."""
        return warnings.collect(self)
