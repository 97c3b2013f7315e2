"""What else matters about a verdict, as lines of a page: the weightiest are shown, the others are folded.

The remarks of `Sentence` say the same in one text, for files and programs.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Literal

from evaluations.numerals import plural
from evaluations.statistics import confirmation_sentences, sentences
from evaluations.statistics.answer_sentences import unanswered
from evaluations.statistics.ranking_sentences import pairs_of_many
from evaluations.statistics.secondary_sentences import agreement, blind_spot, disagreement
from evaluations.statistics.sentence_facts import Facts
from evaluations.statistics.wording import Part, joined, text

from .sentence import Sentence

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
    """The lines below the verdict, and those that are folded."""

    shown: list[Note]
    folded: list[Note]

    @property
    def links_evaluators(self) -> bool:
        """Whether a line in sight is about evaluators, and so has the links to what else they say."""
        return any(note.topic == "evaluators" for note in self.shown)

    @property
    def cautions_folded(self) -> int:
        return sum(note.is_caution for note in self.folded)


def of(sentence: Sentence, elsewhere: Collection[Topic] = ()) -> Notes:
    """Every remark on the verdict once; of one that is shown in short, the folded lines hold the reason.

    Topics of which the page says more `elsewhere` are folded.
    """
    if sentence.all_facts is None:
        return Notes([], [])
    every = [note for note in _by_weight(sentence, sentence.all_facts) if note.parts]
    every = [replace(note, is_folded=True) if note.topic in elsewhere else note for note in every]
    found = [note for note in every if not note.is_folded]
    shown = found[:MOST_SHOWN]
    folded = [*found[MOST_SHOWN:], *(note for note in every if note.is_folded)]
    if any(note.topic == "chance" for note in shown):
        folded = [Note(sentence.why_online), *folded]
    return Notes(shown, folded)


def _by_weight(sentence: Sentence, facts: Facts) -> Iterable[Note]:
    """What goes against the verdict comes first."""
    found, against = sentence.confirmation, disagreement(facts)
    yield Note(sentences.none_right(facts), "fit", is_caution=True)
    yield Note(joined([against, blind_spot(facts)]), "evaluators" if against else "", is_caution=True)
    yield Note(sentence.same_scale, "raters", is_caution=True)
    if found:
        yield Note(confirmation_sentences.online_in_short(found), "chance", is_caution=not found.is_confirmed)
    yield Note(sentences.few_groups(facts), "groups", is_caution=True)
    yield Note(joined(unanswered(facts)), "answers")
    unseen, fragile = sentences.unseen(facts), sentences.fragile(facts)
    lacks_range = fragile[:1] == [("", sentences.NO_RANGE)]
    topic: Topic = "measure" if unseen else "range" if lacks_range else ""
    yield Note(joined([unseen, fragile]), topic, is_caution=True)
    yield Note(sentence.stopped)
    if not against:
        yield Note(agreement(facts), "evaluators")
    yield Note(sentence.unseen, is_caution=True)
    yield Note(sentence.likeness)
    yield Note(sentence.whole, "whole")
    yield Note(sentence.form, "form")
    yield Note(pairs_of_many(facts), is_folded=True)
    yield Note(sentences.fresh(facts), is_folded=True)
    yield Note(sentence.shared, "clusters")


def quotation(sentence: Sentence, found: Notes) -> str:
    """The verdict as a mail quotes it: the sentence, what takes something from it, and the number of examples."""
    facts = sentence.all_facts
    if facts is None:
        return ""
    cautions = [note.parts for note in (*found.shown, *found.folded) if note.is_caution]
    is_uncounted = facts.has_verdict and not facts.filtered_by
    counted: list[Part] = [("", f"{plural(facts.pairs.n, 'example')}.")]
    return text(joined([sentence.every_part, *cautions, *([counted] if is_uncounted else [])]))
