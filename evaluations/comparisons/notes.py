"""What else matters about a verdict, as lines: the weightiest are shown, the others are folded.

Whatever hands a verdict on takes its company from here: the page, the report, shared links, the first sheet of a
workbook, the API and so the command line, and the sentence that is copied.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Literal

from evaluations.numerals import plural
from evaluations.statistics import confirmation_sentences, sentences
from evaluations.statistics.answer_sentences import unanswered
from evaluations.statistics.interval_sentences import shapes
from evaluations.statistics.ranking_sentences import pairs_of_many
from evaluations.statistics.secondary_sentences import agreement, blind_spot, disagreement
from evaluations.statistics.sentence_facts import Facts
from evaluations.statistics.wording import Part, joined, text

from . import costs_said, labels_alike
from .comparison import Comparison
from .sentence import Sentence
from .warnings import Warning, besides_notes, is_aside

MOST_SHOWN = 2  # lines; the figures follow them
Topic = Literal[
    "evaluators",
    "raters",
    "chance",
    "groups",
    "answers",
    "clusters",
    "measure",
    "range",
    "fit",
    "whole",
    "form",
    "stopped",
    "part",
    "costs",
    "",
]


@dataclass(frozen=True)
class Note:
    """One line; `topic` says which link belongs to it.

    `is_caution` if it takes something from the verdict, `is_folded` if its figures would compete with the verdict's.
    """

    parts: list[Part]
    topic: Topic = ""
    is_caution: bool = False
    is_folded: bool = False


@dataclass(frozen=True)
class Notes:
    """The lines below the verdict, and those that are folded; `warnings` say what is not fully comparable, and
    `asides` concern secondary evaluators alone."""

    shown: list[Note]
    folded: list[Note]
    warnings: list[Warning]
    asides: list[Warning]

    @property
    def every(self) -> list[Note]:
        return [*self.shown, *self.folded]

    @property
    def links_evaluators(self) -> bool:
        """Whether a line in sight is about evaluators, and so has the links to what else they say."""
        return any(note.topic == "evaluators" for note in self.shown)

    @property
    def cautions_folded(self) -> int:
        return sum(note.is_caution for note in self.folded)


def of(comparison: Comparison, elsewhere: Collection[Topic] = (), without: Collection[str] = ()) -> Notes:
    """Every remark on the verdict once; of one that is shown in short, the folded lines hold the reason.

    Topics of which the page says more `elsewhere` are folded; those of which it says the same are left out (`without`).
    """
    sentence, told = comparison.sentence, besides_notes(comparison.figures, comparison.warnings)
    asides = [one for one in told if is_aside(comparison.figures, one)]
    warnings = [one for one in told if one not in asides]
    if sentence.all_facts is None:
        return Notes([], [], warnings, asides)
    every = [note for note in _by_weight(comparison, sentence, sentence.all_facts) if note.parts]
    every = [note for note in every if note.topic not in without]
    every = [replace(note, is_folded=True) if note.topic in elsewhere else note for note in every]
    found = [note for note in every if not note.is_folded]
    shown = found[:MOST_SHOWN]
    folded = [*found[MOST_SHOWN:], *(note for note in every if note.is_folded)]
    if any(note.topic == "chance" for note in shown):
        folded = [Note(sentence.why_online), *folded]
    return Notes(shown, folded, warnings, asides)


def _by_weight(comparison: Comparison, sentence: Sentence, facts: Facts) -> Iterable[Note]:
    """What goes against the verdict comes first."""
    part = comparison.part
    against = disagreement(facts)
    found = None if part else sentence.confirmation  # what counts among all says whether it is confirmed
    otherwise, answers = sentence.otherwise, joined(unanswered(facts))
    yield Note(joined([part.told, comparison.among_all]) if part else [], "part", is_caution=True)
    yield Note(sentences.none_right(facts), "fit", is_caution=True)
    yield Note(labels_alike.sentence(comparison), is_caution=True)
    if otherwise:
        yield Note(joined([answers, otherwise]), "answers", is_caution=True)
    yield Note(joined([against, blind_spot(facts)]), "evaluators" if against else "", is_caution=True)
    yield Note(sentence.same_scale, "raters", is_caution=True)
    if found:
        is_lucky = not found.is_confirmed
        # of a first upload that is confirmed, nothing is taken from the verdict
        is_folded = bool(found.at_once) and not is_lucky
        told = confirmation_sentences.online_in_short(found)
        yield Note(told, "chance", is_caution=is_lucky, is_folded=is_folded)
    few = sentence.few_groups
    sampled = few is not None and few.looks_sampled
    yield Note(sentences.few_groups(facts), "groups", is_caution=sampled, is_folded=not sampled)
    if not otherwise:
        yield Note(answers, "answers")
    unseen, fragile = sentences.unseen(facts), sentences.fragile(facts)
    lacks_range = fragile[:1] == [("", sentences.NO_RANGE)]
    topic: Topic = "measure" if unseen else "range" if lacks_range else ""
    yield Note(joined([unseen, fragile]), topic, is_caution=True)
    yield Note(sentence.stopped, "stopped")
    yield Note(costs_said.sentence(comparison), "costs")
    if not against:
        yield Note(agreement(facts), "evaluators")
    yield Note(sentence.unseen, is_caution=True)
    yield Note(sentence.writing, is_caution=True)
    yield Note(sentence.likeness)
    yield Note(sentence.whole, "whole")
    yield Note(sentence.form, "form")
    yield Note(shapes(facts), is_folded=True)
    yield Note(pairs_of_many(facts), is_folded=True)
    yield Note(sentences.fresh(facts), is_folded=True)
    yield Note(sentence.shared, "clusters")


def remarks(comparison: Comparison) -> str:
    """All lines as one text for programs, without what `Sentence.text` says already."""
    sentence = comparison.sentence
    said = [
        sentence.online if note.topic == "chance" else note.parts
        for note in (_by_weight(comparison, sentence, sentence.all_facts) if sentence.all_facts else [])
        if note.topic not in ("stopped", "clusters")
    ]
    return text(joined(said))


def quotation(comparison: Comparison) -> str:
    """The verdict as a mail quotes it: the sentence, what takes something from it, which answers were counted
    without being read, and the number of examples."""
    sentence, found = comparison.sentence, of(comparison)
    facts = sentence.all_facts
    if facts is None:
        return ""
    taking = [note.parts for note in found.every if note.is_caution or note.topic == "answers"]
    warnings: list[list[Part]] = [[("", one["message"])] for one in found.warnings]
    is_uncounted = facts.has_verdict and not facts.filtered_by
    counted: list[Part] = [("", f"{plural(facts.pairs.n, 'example')}.")]
    return text(joined([sentence.every_part, *taking, *warnings, *([counted] if is_uncounted else [])]))
