"""Sentences agree with the entries: tests assert codes and numbers, and a verdict behind every claim."""

from dataclasses import replace

import pytest

from evaluations.numerals import SPACE
from evaluations.statistics.clusters import Clusters
from evaluations.statistics.confirmation_sentences import online, online_in_short
from evaluations.statistics.inference import NOTHING, AllPairs
from evaluations.statistics.online import confirmation
from evaluations.statistics.ranking_sentences import means_and_size
from evaluations.statistics.sentence_facts import NO_REFERENCE, Facts
from evaluations.statistics.sentences import (
    brief,
    clusters,
    fragile,
    left_out,
    none_right,
    text,
    verdict,
)
from evaluations.statistics.terms import Difference
from evaluations.statistics.wording import means, names, number
from tests.statistics.lines import besides


def compared(word, difference=0.1, **more):
    return Difference(
        "maximize",
        n=100,
        mean=0.5 + difference,
        baseline_mean=0.5,
        difference=difference,
        interval=(difference - 0.05, difference + 0.05),
        verdict=word,
        **more,
    )


def pairs(means, better):
    """All pairs of variants with these means; (a, b) of `better`: a is significantly better than b."""
    comparisons = {}
    for i in range(len(means)):
        for j in range(i + 1, len(means)):
            word = "better" if (j, i) in better else "worse" if (i, j) in better else "cannot_tell"
            difference = compared(word, means[j] - means[i])
            comparisons[i, j] = replace(difference, mean=means[j], baseline_mean=means[i])
    return AllPairs(len(means), 100, comparisons)


def page(means, better, **more):
    names_of = [chr(ord("a") + k) for k in range(len(means))]
    return Facts(names_of, 0, "Numeric match", pairs(means, better), **more)


def roles(parts):
    return [role for role, _ in parts]


@pytest.mark.parametrize(
    ("better", "sentence"),
    [
        (
            {(1, 0)},
            "b is better than a on Numeric match: 0.390 against 0.347, +0.043 (95 % interval −0.007 to +0.093).",
        ),
        (
            {(0, 1)},
            "b is worse than a on Numeric match: 0.390 against 0.347, +0.043 (95 % interval −0.007 to +0.093).",
        ),
        (
            set(),
            "No clear difference between b and a on Numeric match: 0.390 against 0.347, "
            "+0.043 (95 % interval −0.007 to +0.093).",
        ),
    ],
)
def test_two_variants(better, sentence):
    assert text(verdict(page([0.347, 0.390], better))) == sentence


def test_the_best_of_many_its_lead_and_the_baseline():
    sentence = text(verdict(page([0.3, 0.5, 0.6], {(2, 1), (2, 0), (1, 0)})))

    assert sentence.startswith(
        "c is best of 3 on Numeric match: 0.600 against 0.500 for b, +0.100 (95 % interval +0.050 to +0.150), "
    )
    assert sentence.endswith("and 0.300 for the baseline a, +0.300 (+0.250 to +0.350).")


def test_several_are_tied_for_best_and_lead_the_next():
    two_leaders = page([0.3, 0.59, 0.6], {(2, 0), (1, 0)})

    sentence = text(verdict(two_leaders))

    assert sentence.startswith(
        "c and b are tied for best on Numeric match: no clear difference between them."
    )
    assert sentence.endswith(
        "Both are better than the baseline a: 0.600 and 0.590 against 0.300, "
        "+0.300 (95 % interval +0.250 to +0.350) and +0.290 (+0.240 to +0.340)."
    )
    assert text(brief(two_leaders)) == "c and b tied for best of 3"


def test_of_those_tied_for_best_one_that_is_worse_on_a_subset_or_no_clear_gain_is_told():
    reversed_on_de = replace(
        page([0.3, 0.59, 0.6], {(2, 0), (1, 0)}), subsets={1: [("better", "en"), ("worse", "de")]}
    )
    no_gain = page([0.3, 0.4, 0.6], {(1, 0)})

    assert text(brief(reversed_on_de)) == "c and b tied for best of 3, but b worse on de"
    assert text(brief(no_gain)) == "c and b tied for best of 3, but c not clearly better than the baseline"


def test_one_that_does_not_beat_the_baseline_is_not_tied_with_those_that_do():
    one = page([0.3, 0.4, 0.6], {(2, 0)})
    two = page([0.3, 0.4, 0.59, 0.6], {(2, 0), (3, 0)})

    assert text(verdict(one)).startswith(
        "c leads on Numeric match, with no clear difference from b. It is better"
    )
    assert text(brief(one)) == "c leads, no clear difference from b"
    assert text(verdict(two)).startswith(
        "d and c lead on Numeric match, with no clear difference between them or from b. Both are better than"
    )
    assert text(brief(two)) == "d and c lead, no clear difference from b"


@pytest.mark.parametrize(("count", "told"), [(14, False), (500, True)])
def test_hardly_any_changes_of_few_examples_give_no_interval_in_words(count, told):
    bound = compared("cannot_tell", 0.1, interval_method="bound", reason="Fewer than six pairs differ.")
    two = AllPairs(2, count, {(0, 1): replace(bound, n=count)})

    sentence = text(verdict(Facts(["a", "b"], 0, "Numeric match", two)))

    assert ("interval" in sentence) == told
    assert sentence.endswith("Fewer than six pairs differ.")


@pytest.mark.parametrize(
    ("means", "better"), [([0.3, 0.4], {(1, 0)}), ([0.3, 0.4, 0.5], {(2, 0), (2, 1), (1, 0)})]
)
def test_the_headline_says_the_scale_and_the_filter(means, better):
    shown = page(means, better, scale="1 to 5", filtered_by="language de")

    sentence = text(verdict(shown))

    assert sentence.startswith("Only language de, 100 examples: ")
    assert " on Numeric match (1 to 5): " in sentence


def test_three_that_are_tied_and_better_than_the_next_show_the_smallest_lead():
    sentence = text(verdict(page([0.3, 0.58, 0.59, 0.6], {(3, 0), (2, 0), (1, 0)})))

    assert sentence.endswith(
        "All 3 are better than the baseline a: 0.580 to 0.600 against 0.300, "
        "at least +0.280 (95 % interval +0.230 to +0.330)."
    )


def test_of_many_variants_without_a_clear_difference_the_ends_are_told():
    sentence = text(verdict(page([0.3, 0.4, 0.5, 0.6, 0.7], set(), share="answers right")))

    assert sentence.replace("\N{NARROW NO-BREAK SPACE}", " ").endswith(
        "on Numeric match: means from 30.0 % to 70.0 % of answers right."
    )


def test_a_lead_that_not_all_of_them_have_is_not_claimed():
    # b is behind c only; d is behind both but d - b is open.
    sentence = text(verdict(page([0.1, 0.5, 0.6, 0.4], {(2, 0), (1, 0), (2, 3), (3, 0)})))

    assert "than d" not in sentence
    assert "Both are better than the baseline a: 0.600 and 0.500 against 0.100, " in sentence


def test_a_third_variant_does_not_hide_that_one_is_better_than_the_baseline():
    # c is better than a, b is not; nothing tells c from b
    facts = page([0.55, 0.71, 0.74], {(2, 0)}, share="answers right")

    sentence = text(verdict(facts)).replace("\N{NARROW NO-BREAK SPACE}", " ")
    assert sentence.startswith("c leads on Numeric match, with no clear difference from b. ")
    assert "It is better than the baseline a: 74.0 % of answers right against 55.0 %" in sentence
    assert sentence.endswith("; b is not clearly better.")
    assert facts.leading == (0, 2)  # so that lead is to be confirmed
    told = confirmation(facts.lead, 2, None, 0.04, at_once=2)
    assert text(brief(facts, told)).startswith("c leads, not confirmed")


def test_nobody_is_best_where_nothing_differs():
    undecided = page([0.3, 0.4, 0.5], set())

    assert text(verdict(undecided)) == (
        "No clear difference between the 3 variants on Numeric match: c 0.500, b 0.400 and a 0.300."
    )
    assert text(brief(undecided)) == "No clear difference"


def test_a_leader_that_is_not_better_than_all_is_not_called_best():
    # c is better than b and b better than a, yet c and a do not differ clearly
    leader = page([0.3, 0.4, 0.5], {(2, 1), (1, 0)})

    assert "better" not in roles(verdict(leader))
    assert text(verdict(leader)).startswith("c leads on Numeric match, with no clear difference from a")


def test_a_leader_that_shares_no_examples_with_those_it_does_not_beat_is_level_with_nobody():
    leader = page([0.5, 0.3, 0.7], {(2, 0), (0, 1)})
    apart = leader.pairs.comparisons | {(1, 2): Difference("maximize")}
    told = replace(leader, pairs=AllPairs(3, 100, apart))

    assert text(verdict(told)) == "c leads on Numeric match."


@pytest.mark.parametrize("compared", [NOTHING, pairs([0.1, 0.2], {(1, 0)})])
def test_missing_references_give_no_verdict_but_a_reason(compared):
    without_references = Facts(["a", "b"], 0, "Levenshtein", compared, no_verdict=NO_REFERENCE)

    assert text(verdict(without_references)) == "No verdict on Levenshtein: no example has a reference."
    assert text(brief(without_references)) == "No verdict"
    assert not {"better", "worse", "cannot_tell"} & set(
        roles(verdict(without_references) + besides(without_references))
    )


def test_no_row_in_common_is_no_verdict():
    without_rows = Facts(["a", "b"], 0, "X", AllPairs(2, 0, {(0, 1): Difference("maximize")}))

    assert text(verdict(without_rows)).startswith("No verdict on X: no example has a score")


def test_secondary_evaluators_that_disagree_are_named():
    secondary = {"chrF": [None, compared("worse")], "BLEU": [None, compared("cannot_tell")]}

    sentence = text(besides(page([0.3, 0.4], {(1, 0)}, secondary=secondary)))

    assert sentence == "Secondary evaluators disagree: b is worse than a on chrF."


def test_secondary_evaluators_that_disagree_with_a_tie_for_best_are_named():
    secondary = {"chrF": [None, compared("better"), compared("worse")]}

    sentence = text(besides(page([0.3, 0.59, 0.6], {(2, 0), (1, 0)}, secondary=secondary)))

    assert sentence == "Secondary evaluators disagree: c is worse than a on chrF."


@pytest.mark.parametrize(
    ("share", "words"),
    [
        ("answers right", "34.4 % of answers right against 38.7 %, −4.3 points (95 % interval −9.3 to +0.7)"),
        (
            "answers passing",
            "34.4 % of answers passing against 38.7 %, −4.3 points (95 % interval −9.3 to +0.7)",
        ),
        ("fields right", "34.4 % of fields right against 38.7 %, −4.3 points (95 % interval −9.3 to +0.7)"),
    ],
)
def test_means_of_shares_are_per_cent_and_their_differences_points(share, words):
    sentence = text(verdict(page([0.387, 0.344], {(0, 1)}, share=share)))

    assert sentence.replace("\u202f", " ") == f"b is worse than a on Numeric match: {words}."


def test_close_shares_keep_a_decimal():
    sentence = text(verdict(page([0.341, 0.344], set(), share="answers right"))).replace("\u202f", " ")

    assert "34.4 % of answers right against 34.1 %, +0.3 points" in sentence


def test_one_mean_of_both_is_written_once():
    same = replace(compared("cannot_tell", 0.0), mean=1.0, baseline_mean=1.0, interval=None)

    assert text(means(same)) == "1.000 in both"
    assert text(means_and_size(Facts(["a", "b"], 0, "X", AllPairs(2, 9, {(0, 1): same})), same)) == (
        ": 1.000 in both"
    )


def test_means_have_the_decimals_that_tables_have():
    """0.8490 in the sentence beside 0.849 in the table looks like another figure."""
    of_two = text(verdict(page([0.30648, 0.84901], {(1, 0)})))
    of_three = text(verdict(page([0.30648, 0.49952, 0.84901], {(2, 0), (2, 1), (1, 0)})))

    assert ": 0.849 against 0.306, +0.543 (" in of_two
    assert ": 0.849 against 0.500 for b" in of_three
    assert "0.306 for the baseline a" in of_three


def test_leads_of_shares_are_points():
    two_leaders = page([0.3, 0.59, 0.6], {(2, 0), (1, 0)}, share="answers right")

    assert "60.0 % and 59.0 % of answers right against 30.0 %, +30.0 points (" in text(
        verdict(two_leaders)
    ).replace("\N{NARROW NO-BREAK SPACE}", " ")


@pytest.mark.parametrize(
    ("means", "share", "caution"),
    [
        ([0.0, 0.0], "answers right", "Numeric match finds none of 200 answers right: look whether it fits."),
        (
            [0.0] * 3,
            "answers passing",
            "Numeric match finds none of 300 answers passing: look whether it fits.",
        ),
        ([0.0, 0.1], "answers right", ""),
        ([0.0, 0.0], "", ""),
    ],
)
def test_a_measure_by_which_nothing_is_right_is_questioned(means, share, caution):
    told = text(none_right(page(means, set(), share=share)))

    assert told == caution


def test_every_secondary_evaluator_is_named_with_its_verdict():
    words = ["better", "better", "cannot_tell", None]
    secondary = {"abcd"[k]: [None, word and compared(word)] for k, word in enumerate(words)}

    sentence = text(besides(page([0.3, 0.4], {(1, 0)}, secondary=secondary)))

    assert sentence == "Secondary evaluators: better on a and b, no clear difference on c, no verdict on d."


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("better", "The secondary evaluator agrees."),
        ("cannot_tell", "Secondary evaluator: no clear difference on chrF."),
        (None, "Secondary evaluator: no verdict on chrF."),
    ],
)
def test_one_secondary_evaluator_is_not_counted(word, sentence):
    secondary = {"chrF": [None, word and compared(word)]}

    assert text(besides(page([0.3, 0.4], {(1, 0)}, secondary=secondary))) == sentence


def test_a_judge_beside_people_says_why_it_gives_no_verdict():
    secondary = {"Judge": [None, None], "chrF": [None, compared("better")]}

    sentence = text(besides(page([0.3, 0.4], {(1, 0)}, secondary=secondary, judges=["Judge"])))

    why = "a judge gives none before it is checked against people"
    assert sentence == f"Secondary evaluators: better on chrF, no verdict on Judge ({why})."


@pytest.mark.parametrize(("count", "start"), [(2, "Both"), (3, "All 3")])
def test_secondary_evaluators_that_agree_are_one_sentence(count, start):
    secondary = {f"e{k}": [None, compared("better")] for k in range(count)}

    sentence = text(besides(page([0.3, 0.4], {(1, 0)}, secondary=secondary)))

    assert sentence == f"{start} secondary evaluators agree."


def test_secondary_evaluators_that_are_not_clear_either_agree_on_nothing():
    """+0.400 and 0.000 are the same word only because neither is clear."""
    ben, cara = compared("cannot_tell", 0.4), compared("cannot_tell", 0.0)

    two = text(besides(page([0.3, 0.4], set(), secondary={"Ben": [None, ben], "Cara": [None, cara]})))
    one = text(besides(page([0.3, 0.4], set(), secondary={"Ben": [None, ben]})))

    assert two == "No secondary evaluator has a clear difference either: Ben +0.400, Cara 0.000."
    assert one == "The secondary evaluator has no clear difference either: Ben +0.400."


def test_a_secondary_evaluator_has_the_unit_that_its_table_has():
    row = {"Helpful?": [None, compared("cannot_tell", 0.07)]}

    told = text(besides(page([0.3, 0.4], set(), secondary=row, in_points=["Helpful?"])))

    assert told == "The secondary evaluator has no clear difference either: Helpful? +7.0 points."


def test_variants_tied_for_best_have_their_means_and_whom_only_one_of_them_beats():
    told = text(verdict(page([0.72, 0.61, 0.78], {(2, 1)}))).replace(SPACE, " ")

    assert told == (
        "c and a are tied for best on Numeric match: no clear difference between them. Means: c 0.780, a 0.720 "
        "and b 0.610. c is better than b: +0.170 (95 % interval +0.120 to +0.220)."
    )


def test_of_many_variants_two_clauses_say_who_is_best_and_who_is_worse_than_the_baseline():
    """Which of the best beats which other one is a list of its own, below the verdict."""
    means = [0.95, 0.96, 0.94, 0.8, 0.7, 0.6]
    worse = {(best, other) for best in (0, 1, 2) for other in (3, 4, 5)}
    facts = page(means, worse - {(2, 3), (1, 3), (2, 5)})

    told = text(verdict(facts))

    assert told == "b, a and c are tied for best on Numeric match; the other 3 are worse than the baseline a."
    beaten = (
        "b is better than e and f. a is better than d, e and f. c is better than e: +0.240 (95 % interval"
    )
    assert beaten.replace(" %", f"{SPACE}%") in text(besides(facts))


def test_variants_worse_than_the_baseline_are_named_where_others_are_not():
    """Never by the ends of their row: nobody knows what lies between two names."""
    worse = {(0, other) for other in (2, 3, 4)} | {(1, other) for other in (3, 4, 5)}

    told = text(verdict(page([0.95, 0.96, 0.8, 0.7, 0.6, 0.9], worse)))

    assert told.endswith("tied for best on Numeric match; c, d and e are worse than the baseline a.")


def test_a_baseline_that_nobody_chose_is_not_called_so():
    worse = {(best, other) for best in (0, 1, 2) for other in (3, 4, 5)} - {(2, 3), (1, 3), (2, 5)}
    pages = [
        page([0.95, 0.96, 0.94, 0.8, 0.7, 0.6], worse),
        page([0.5, 0.4, 0.7], {(2, 0), (2, 1)}),
        page([0.3, 0.6, 0.59], {(1, 0), (2, 0)}),
        page([0.55, 0.71, 0.74], {(2, 0)}),
    ]

    for facts in pages:
        told, unchosen = (text(verdict(replace(facts, is_baseline_chosen=one))) for one in (True, False))
        assert "the baseline a" in told
        assert unchosen == told.replace("the baseline a", "a")


def test_two_evaluators_that_disagree_are_both():
    secondary = {name: [None, compared("worse")] for name in ("BLEU", "chrF")}

    sentence = text(besides(page([0.3, 0.4], {(1, 0)}, secondary=secondary)))

    assert sentence == "Secondary evaluators disagree: b is worse than a on both."


@pytest.mark.parametrize(("missing", "end"), [("worst", "count as worst."), ("exclude", "are excluded.")])
def test_the_sentence_counts_unanswered_examples(missing, end):
    sentence = text(besides(page([0.3, 0.4], set(), answered=[(1300, 1300), (1298, 1300)], missing=missing)))

    assert sentence.startswith("b left 2 of 1\u202f300 examples unanswered.")
    assert sentence.endswith(end)


def test_a_variant_whose_answers_are_right_more_often_is_named_if_the_primary_sees_no_difference():
    secondary = {"Right?": [None, compared("better"), compared("better")]}

    shown = page([0.3, 0.28, 0.6], {(2, 0), (2, 1)}, secondary=secondary, shares=["Right?"])

    assert text(besides(shown)).endswith(" On Right?, b is better than a; Numeric match does not see that.")
    assert "see" not in text(besides(replace(shown, shares=[])))


@pytest.mark.parametrize(
    ("estimated", "end"),
    [
        (["edits"], "count as worst; on edits as at least as bad as the worst answer."),
        (["Numeric match"], "count as at least as bad as the worst answer; on edits and chrF as worst."),
        (["Numeric match", "edits", "chrF"], "count as at least as bad as the worst answer."),
    ],
)
def test_how_unanswered_examples_count_on_other_evaluators_is_named(estimated, end):
    secondary = {"edits": [None, compared("better")], "chrF": [None, compared("better")]}

    sentence = text(
        besides(page([0.3, 0.4], set(), answered=[(9, 9), (8, 9)], secondary=secondary, estimated=estimated))
    )

    assert sentence.endswith(end)


def test_the_sentence_names_too_few_clusters_with_the_width_of_intervals():
    few, enough = (
        text(clusters(page([0.3, 0.4], set(), clusters=Clusters("topic", 1.6, is_few=few))))
        for few in (True, False)
    )

    assert few.startswith(enough)
    assert "fewer than 10" in few.removeprefix(enough)


@pytest.mark.parametrize("widening", [1.0, 1.04])
def test_groups_in_use_are_named_although_they_hardly_widen_intervals(widening):
    shown = page([0.3, 0.4], set(), clusters=Clusters("inputs", widening))

    assert text(clusters(shown)) == (
        "Rows with the same inputs resemble each other and so say less: intervals allow for that."
    )


def test_the_sentence_names_the_variant_that_answers_less():
    measures = {"answers": [None, compared("worse", -0.4)]}
    shown = page([0.3, 0.4], {(1, 0)}, measures=measures, answered=[(9, 9), (5, 9)], share="answers right")

    assert text(besides(shown)) == (
        "b left 4 of 9 examples unanswered, clearly more than a. Unanswered examples count as wrong."
    )


def test_what_both_variants_left_unanswered_is_said_once():
    shown = page([0.3, 0.4], {(1, 0)}, answered=[(1314, 1319), (1314, 1319)])

    assert text(besides(shown)).startswith("Both variants left 5 of 1\u202f319 examples unanswered. ")


EXCEPT_LAW = {1: [("worse", "law"), ("worse", "steps 3"), ("better", "travel")]}


def test_a_verdict_on_two_names_the_subsets_that_go_against_it():
    parts = verdict(page([0.347, 0.390], {(1, 0)}, subsets=EXCEPT_LAW))

    assert text(parts).endswith(", but worse on law and steps 3 and better on travel.")
    assert [words for role, words in parts if role == "subset"] == ["law", "steps 3", "travel"]
    assert "worse" in roles(parts)


def test_a_subset_without_a_clear_difference_is_not_called_worse():
    unclear = {1: [("cannot_tell", "law")]}

    assert text(verdict(page([0.347, 0.390], {(1, 0)}, subsets=unclear))).endswith(
        ", but shows no clear difference on law."
    )
    assert "Against the baseline a, b shows no clear difference on law." in text(
        verdict(page([0.3, 0.6, 0.4], {(1, 0), (1, 2), (2, 0)}, subsets=unclear))
    )


def test_the_best_of_many_is_called_worse_on_subsets():
    shown = page([0.3, 0.6, 0.4], {(1, 0), (1, 2), (2, 0)}, subsets={1: [("worse", "law")]})

    assert text(verdict(shown)).endswith(" Against the baseline a, b is worse on law.")
    assert text(brief(shown)).endswith("best of 3, but worse on law")


def test_subsets_of_a_variant_that_does_not_lead_are_not_named():
    shown = page([0.3, 0.6, 0.4], {(1, 0), (1, 2), (2, 0)}, subsets={2: [("worse", "law")]})

    assert "law" not in text(besides(shown)) + text(verdict(shown)) + text(brief(shown))


def test_the_sentence_names_equivalence_within_the_margin():
    equivalent = AllPairs(
        2, 100, {(0, 1): compared("cannot_tell", 0.0, margin=0.06, interval_90=(-0.04, 0.04))}
    )
    not_worse = AllPairs(
        2, 100, {(0, 1): compared("cannot_tell", 0.0, margin=0.03, interval_90=(-0.02, 0.04))}
    )

    assert "equivalent" in roles(verdict(Facts(["a", "b"], 0, "X", equivalent)))
    assert "not_worse" in roles(verdict(Facts(["a", "b"], 0, "X", not_worse)))


def test_a_preliminary_result_says_so():
    assert text(verdict(page([0.3, 0.4], set(), preliminary=True))).startswith("Preliminary: ")


def test_one_variant_has_no_sentence():
    assert verdict(Facts(["a"], 0, "X", AllPairs(1, 9, {}))) == []


def test_names_written_by_users_are_parts_of_their_own():
    parts = verdict(page([0.3, 0.4], {(1, 0)}))

    assert [part for part in parts if part[0] == "name"] == [("name", "b"), ("name", "a")]


def test_many_names_are_shortened():
    assert text(names(list("abcdef"))) == "a, b, c and 3 more"


def test_a_number_that_is_not_zero_is_not_shown_as_zero():
    assert (number(0.00042), number(-0.0000031, signed=True), number(0)) == ("0.0004", "−0.000003", "0.000")


@pytest.mark.parametrize(("n", "is_said"), [(49, True), (50, False)])
def test_without_a_range_a_verdict_on_few_examples_says_that_one_case_could_change_it(n, is_said):
    lead = replace(compared("better"), n=n, interval_method="studentised", overturned_by=None)

    told = fragile(Facts(["a", "b"], 0, "X", AllPairs(2, n, {(0, 1): lead})))

    assert ("one large case could change this verdict" in "".join(text for _, text in told)) == is_said


def test_a_primary_that_hardly_sees_the_difference_says_so():
    same = AllPairs(2, 100, {(0, 1): compared("cannot_tell", 0.0, changed=2)})
    secondary = {"Numeric match": [None, compared("worse", -0.2, changed=40)]}

    sentence = text(besides(Facts(["a", "b"], 0, "Levenshtein", same, secondary=secondary)))

    assert sentence.endswith(
        "Levenshtein gives 98 of 100 examples the same score in both, so it hardly sees the difference that "
        "Numeric match finds."
    )


def test_a_measure_of_wording_that_contradicts_rightness_says_so():
    secondary = {"Numeric match": [None, compared("worse")]}
    shown = page([0.3, 0.4], {(1, 0)}, secondary=secondary, shares=["Numeric match"])

    assert text(besides(replace(shown, evaluator="ROUGE-L"))).endswith(
        "b is worse than a on Numeric match, which says whether an answer is right: ROUGE-L cannot see that."
    )


@pytest.mark.parametrize(
    ("unread", "sentence"),
    [
        ([0, 12], "No label was found in 12 of 71 answers of b. "),
        ([3, 12], "No label was found in 3 of 72 answers of a and 12 of 71 answers of b. "),
    ],
)
def test_the_sentence_counts_unreadable_answers_apart_from_unanswered_examples(unread, sentence):
    of = {"answered": [(72, 72), (71, 72)], "unread": unread, "unread_as": "No label was found in"}

    assert text(besides(page([0.3, 0.4], set(), share="answers right", **of))) == (
        f"b left 1 of 72 examples unanswered. {sentence}"
        "Unanswered examples and unreadable answers count as wrong."
    )


def test_of_many_variants_with_unreadable_answers_some_are_counted():
    shown = page([0.3] * 5, set(), answered=[(9, 9)] * 5, unread=[1, 2, 3, 4, 5])

    assert text(besides(shown)).startswith(
        "Nothing could be read from 1 of 9 answers of a, 2 of 9 answers of b, 3 of 9 answers of c "
        "and answers of 2 more."
    )


@pytest.mark.parametrize(
    ("answered", "unread", "named"),
    [
        ([(9, 9), (9, 9)], [0, 0], ""),
        ([(9, 9), (8, 9)], [0, 0], "unanswered examples"),
        ([(9, 9), (9, 9)], [0, 2], "unreadable answers"),
        ([(9, 9), (8, 9)], [0, 2], "unanswered examples and unreadable answers"),
    ],
)
def test_what_the_other_treatment_leaves_out_is_named(answered, unread, named):
    assert left_out(page([0.3, 0.4], set(), answered=answered, unread=unread)) == named


@pytest.mark.parametrize(
    ("number_made", "at_once", "said"),
    [
        (1, 0, ""),
        (1, 2, "This is one of 2 variants compared with the baseline at once."),
        (2, 0, "This is comparison number 2 on this dataset."),
        (2, 2, "This is one of 2 variants compared with the baseline at once."),
    ],
)
def test_from_the_second_comparison_on_a_lead_is_said_to_be_confirmed(number_made, at_once, said):
    shown = page([0.3, 0.4, 0.6], {(2, 0), (2, 1), (1, 0)})

    told = text(online(confirmation(shown.lead, number_made, fine_p=0.0001, at_once=at_once)))

    assert told.startswith(said)
    assert bool(told) is bool(said)


@pytest.mark.parametrize(
    ("over", "brief_start", "long_end"),
    [
        ("", "Not confirmed: this is comparison number 9", "and this lead is not clear enough"),
        (
            "b",
            "Not confirmed is the lead over b: this is comparison",
            "and the lead over b is not clear enough",
        ),
    ],
)
def test_of_several_variants_what_is_not_confirmed_is_named(over, brief_start, long_end):
    lead = page([0.3, 0.4], {(1, 0)}).lead

    found = confirmation(lead, 9, None, 0.04, over=over)

    assert text(online_in_short(found)).startswith(brief_start)
    assert long_end in text(online(found))


def as_close(facts):
    """The facts where one more case would undo each verdict."""
    pairs = {key: replace(one, overturned_by=1) for key, one in facts.pairs.comparisons.items()}
    return replace(facts, pairs=replace(facts.pairs, comparisons=pairs))


def test_of_several_variants_the_lead_that_is_close_is_named():
    two, three = page([0.3, 0.4], {(1, 0)}), page([0.3, 0.4, 0.6], {(2, 0), (2, 1), (1, 0)})

    told = [text(fragile(as_close(shown))) for shown in (two, three)]

    assert told[0].startswith("This is close: ")
    assert told[1].startswith("The lead over b is close: ")


def test_of_many_long_names_that_are_tied_few_stand_in_the_sentence_and_each_once():
    # all of them beat a; one of them more is tied for best with them, and does not
    means = [0.1, *(0.80 + 0.01 * n for n in range(6)), 0.12]
    names_of = ["base", *(f"a variant with a rather long name {n}" for n in range(6)), "bad"]
    better = {(n, 0) for n in range(1, 7)}
    facts = replace(page(means, better), variants=names_of)
    of_all = replace(page(means[:7], better), variants=names_of[:7])

    sentence, whole = text(verdict(facts)), text(verdict(of_all))

    assert sentence.count("rather long name") == whole.count("rather long name") == 1
    assert "a variant with a rather long name 5 and 5 more lead on Numeric match" in sentence
    assert "All 6 are better than the baseline base: " in sentence
    assert "All 6 are better than the baseline base: " in whole
