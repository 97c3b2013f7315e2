"""The sentences below a verdict that statistics alone can say, in one list of parts."""

from evaluations.statistics.answer_sentences import unanswered
from evaluations.statistics.ranking_sentences import pairs_of_many
from evaluations.statistics.secondary_sentences import agreement, blind_spot, disagreement
from evaluations.statistics.sentence_facts import Facts
from evaluations.statistics.sentences import few_groups, fragile, none_right, unseen
from evaluations.statistics.wording import Part, joined


def besides(facts: Facts) -> list[Part]:
    others = [disagreement(facts) or agreement(facts), blind_spot(facts)]
    leading = [few_groups(facts), fragile(facts), unseen(facts)]
    return joined([none_right(facts), *others, *leading, *unanswered(facts), pairs_of_many(facts)])
