"""The verdict of a comparison in words, written from its figures."""

from dataclasses import dataclass
from functools import cached_property

from evaluations.models import Run
from evaluations.statistics import confirmation_sentences, sentences
from evaluations.statistics.few_groups import FewGroups
from evaluations.statistics.online import Confirmation, confirmation, needs_more_draws
from evaluations.statistics.ranking_sentences import rank_of
from evaluations.statistics.secondary_sentences import disagreement
from evaluations.statistics.sentence_facts import Facts
from evaluations.statistics.sentences import Part
from evaluations.statistics.wording import joined, text

from . import facts, other_writing, same_scale, shapes, subsets, unseen, whole_answers
from .figures import sequences
from .figures.figures import Figures
from .subsets import Search


@dataclass(frozen=True, eq=False)
class Sentence:
    """The sentences about figures, as parts with a role and a text, or as one text."""

    figures: Figures

    @property
    def text(self) -> str:
        """The verdict, the clusters of examples, and the variants that stopped early, as one text."""
        return text(self.every_part)

    @property
    def every_part(self) -> list[Part]:
        """The parts of `text`."""
        return joined([self.parts, self.shared, self.stopped])

    @cached_property
    def parts(self) -> list[Part]:
        """The verdict, without reading the secondary evaluators."""
        if not self._compares:
            return []
        return sentences.verdict(facts.first(self.figures, self._known_subsets))

    def of_variant(self, variant: Run) -> list[Part]:
        """The sentence of one of several variants against the baseline; empty if the first line says it."""
        found, indices = facts.first(self.figures, self._known_subsets), list(facts.shown(self.figures))
        numbers = {self.figures.sides[index].run.pk: number for number, index in enumerate(indices)}
        number = numbers.get(variant.pk)
        if number in (None, found.baseline) or len(indices) < 3 or found.leading == (found.baseline, number):
            return []
        return joined([sentences.of_pair(found, found.baseline, number), rank_of(found, number)])

    def of_pair(self, baseline: Run, variant: Run) -> list[Part]:
        """The sentence of two of several variants; empty if it is the first line, or one of them is not ranked."""
        found, indices = facts.first(self.figures, None), list(facts.shown(self.figures))
        numbers = {self.figures.sides[index].run.pk: number for number, index in enumerate(indices)}
        one, other = numbers.get(baseline.pk), numbers.get(variant.pk)
        if one is None or other is None or len(indices) < 3 or found.leading in ((one, other), (other, one)):
            return []
        return sentences.of_pair(found, one, other)

    @cached_property
    def shared(self) -> list[Part]:
        """The column that clusters examples, and how much it widens the intervals."""
        return sentences.clusters(self.all_facts) if self.all_facts else []

    @cached_property
    def stopped(self) -> list[Part]:
        """Which variants stopped early."""
        return sequences.told(self.figures.sides, self.figures.stops)

    @property
    def few_groups(self) -> FewGroups | None:
        """The column of few values under which the verdict would not survive."""
        leading = self.all_facts.leading if self.all_facts else None
        return self.all_facts.few_groups.get(leading) if self.all_facts and leading else None

    @property
    def left_out(self) -> str:
        """What "exclude" leaves out; "" if the sentences tell of nothing that it could."""
        return sentences.left_out(self.all_facts) if self.all_facts and self.figures.has_unanswered else ""

    @cached_property
    def likeness(self) -> list[Part]:
        """That the primary measures how alike texts are, where it does."""
        return shapes.likeness(self.figures)

    @cached_property
    def same_scale(self) -> list[Part]:
        """That others score on the scale of the primary, such as further raters, and what their mean says."""
        return same_scale.told(self.figures) if self._compares else []

    @cached_property
    def whole(self) -> list[Part]:
        """How many answers are right in all parts, where the primary says the share of parts."""
        return whole_answers.told(self.figures, *self._sides) if self._sides else []

    @cached_property
    def writing(self) -> list[Part]:
        """How many answers write a label otherwise than the reference, which the primary forgives."""
        return other_writing.told(self.figures) if self._compares else []

    @cached_property
    def form(self) -> list[Part]:
        """How the answers behind the verdict differ in form, such as their length."""
        return shapes.told(self.figures, *self._sides) if self._sides else []

    @cached_property
    def unseen(self) -> list[Part]:
        """What the primary may not see of answers, above all of those behind the verdict."""
        if not self._compares:
            return []
        return joined(
            [unseen.none_right(self.figures), unseen.told(self.figures, *self._sides) if self._sides else []]
        )

    @property
    def _sides(self) -> tuple[int, int] | None:
        """The two sides behind the verdict, baseline first."""
        leading = self.all_facts.leading if self.all_facts else None
        if leading is None:
            return None
        baseline, leader = (facts.shown(self.figures)[number] for number in leading)
        return baseline, leader

    @cached_property
    def confirmation(self) -> Confirmation | None:
        """Whether the lead of the best variant is confirmed; None if it has none, or nothing is to be confirmed.

        Reads no secondary evaluators: lists say the same as the page.
        """
        if not self._compares or (found := self._brief_facts).leading is None:
            return None
        lead = found.lead
        if lead is None or lead.verdict != "better":
            return None  # the history is read for nothing else
        figures = self.figures
        baseline, leader = (facts.shown(figures)[number] for number in found.leading)
        number = figures.comparisons_made.get(figures.sides[leader].run.pk)
        most = figures.sides.dataset.most_comparisons
        is_fine = needs_more_draws(lead.p_corrected, number, most)
        fine_p = figures.fine_p(baseline, leader) if is_fine else None
        over = found.variants[found.leading[0]] if len(found.variants) > 2 else ""
        at_once = self._at_once(figures.sides[leader].run)
        return confirmation(lead, number, most, fine_p, at_once=at_once, over=over)

    def _at_once(self, leader: Run) -> int:
        """How many candidates at hand are the first comparisons of the dataset, made before any of them had ended.

        0 if the leader is none of them, or if it is the only one.
        """
        made = self.figures.comparisons_made
        counted = [side.run for side in self.figures.sides if side.run.pk in made]
        ends = [run.finished_at for run in counted if run.finished_at]
        together = [run for run in counted if not ends or run.created_at < min(ends)]
        numbers = {made[run.pk] for run in together}
        is_first = numbers == set(range(1, len(numbers) + 1))
        return len(numbers) if leader in together and is_first and len(numbers) > 1 else 0

    @cached_property
    def online(self) -> list[Part]:
        """Whether "better" is confirmed, given all comparisons ever made on this dataset."""
        return confirmation_sentences.online(self.confirmation)

    @property
    def why_online(self) -> list[Part]:
        """The reason of `online`, below a line that says the result."""
        return confirmation_sentences.why_online(self.confirmation)

    @cached_property
    def brief(self) -> list[Part]:
        """The verdict for a row of a list, and the other one that it is without answers that have no score."""
        if not self._compares:
            return []
        return [*sentences.brief(self._short_facts, self.confirmation), *self._brief_otherwise]

    @property
    def _brief_otherwise(self) -> list[Part]:
        figures = self.figures
        if not facts.is_quick(figures) or not figures.depends_on_missing:
            return []
        is_without = figures.aligner.missing == "worst"
        return sentences.brief_otherwise(facts.brief(figures.other_missing, None), is_without=is_without)

    @cached_property
    def opposed(self) -> list[Part]:
        """The other evaluators that say the opposite of a clear verdict."""
        return disagreement(self._short_facts) if self._compares else []

    @cached_property
    def otherwise(self) -> list[Part]:
        """The verdict under the other treatment of unanswered examples, where that is another one."""
        if not self._compares or not self.figures.depends_on_missing:
            return []
        what, is_worst = self.left_out or "unanswered examples", self.figures.aligner.missing == "worst"
        if is_worst and self.figures.other_missing.no_ranking:
            return [("", f"Without {what} there is no verdict.")]
        opening = f"Without {what}: " if is_worst else f"With {what} as worst: "
        return [("", opening), *self.other_missing.parts]

    @cached_property
    def other_missing(self) -> "Sentence":
        """The sentences with the other treatment of unanswered examples."""
        return Sentence(self.figures.other_missing)

    @property
    def named_subsets(self) -> dict[str, tuple[str, str]]:
        """By label, the column and value of each subset that sentences may name."""
        return self._known_subsets.named if self._known_subsets else {}

    @property
    def named_sides(self) -> dict[str, int]:
        """By label, the index of the side that deviates most on this subset."""
        return self._known_subsets.named_sides if self._known_subsets else {}

    @property
    def _compares(self) -> bool:
        return bool(self.figures.evaluators and self.figures.sides.others)

    @cached_property
    def _known_subsets(self) -> Search | None:
        return subsets.cached_search(self.figures)

    @cached_property
    def _brief_facts(self) -> Facts:
        return facts.brief(self.figures, self._known_subsets)

    @cached_property
    def _short_facts(self) -> Facts:
        return facts.short(self.figures, self._known_subsets)

    @cached_property
    def all_facts(self) -> Facts | None:
        """What all sentences are about; None without variants to compare."""
        return facts.every(self.figures, self._known_subsets) if self._compares else None
