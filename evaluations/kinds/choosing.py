"""Which kind to take: when, when not, and what instead; one entry for every kind of the catalogue."""

from typing import NamedTuple


class Advice(NamedTuple):
    """`when` and `unless` are sentences; `see` are keys of kinds for the other cases."""

    when: str
    unless: str
    see: tuple[str, ...]


ADVICE: dict[str, Advice] = {
    "levenshtein_similarity": Advice(
        "Short texts that should be nearly the same: names, codes, corrected sentences.",
        "The wording is free, or the texts are long: edits then say little about meaning.",
        ("exact_match", "rouge_l", "semantic_similarity"),
    ),
    "levenshtein_distance": Advice(
        "The number of wrong characters matters, as in spell checking.",
        "Texts differ much in length: long ones dominate the mean.",
        ("levenshtein_similarity", "error_rate"),
    ),
    "similarity_match": Advice(
        "The same words should occur, in any order.",
        "Order or number of words matters.",
        ("token_f1", "rouge_l"),
    ),
    "semantic_similarity": Advice(
        "The meaning should be the same, in any words.",
        "A single word decides, such as a number or a negation: embeddings hardly see it.",
        ("numeric_match", "token_f1", "label"),
    ),
    "content_similarity": Advice(
        "Two versions of one text, with case and blanks put aside.",
        "The wording is free.",
        ("levenshtein_similarity", "semantic_similarity"),
    ),
    "exact_match": Advice(
        "There is one right form: a code, an identifier, one word.",
        "The answer stands inside a sentence: read it by a step first, or look whether it is contained.",
        ("contains", "label", "numeric_match"),
    ),
    "label": Advice(
        "The answer is one of a few labels, and you want precision and recall for each.",
        "The labels have an order, or several can be right at once.",
        ("exact_match", "value"),
    ),
    "contains": Advice(
        "The expected phrase must occur somewhere in a longer answer.",
        "The answer could name several candidates and still contain the right one.",
        ("exact_match", "check"),
    ),
    "check": Advice(
        "A rule without a reference: words that must not occur, a pattern, a length.",
        "Each example has a right answer of its own.",
        ("contains", "regex_match"),
    ),
    "checks": Advice(
        "Every example has requirements of its own: this phrase, not that one, valid JSON, at most 50 words.",
        "All examples have the same rule.",
        ("check", "json_schema"),
    ),
    "regex_match": Advice(
        "The answer has a form that a pattern describes: a date, an order number.",
        "The value matters, not the form.",
        ("check", "numeric_match"),
    ),
    "indel_similarity": Advice(
        "As Levenshtein similarity, where other products count a replacement twice.",
        "You do not need their numbers.",
        ("levenshtein_similarity",),
    ),
    "jaro_winkler": Advice(
        "Short names that share their beginning.",
        "Sentences or longer texts.",
        ("levenshtein_similarity",),
    ),
    "error_rate": Advice(
        "Transcripts of speech or recognised text: errors by the length of the reference.",
        "The wording is free.",
        ("levenshtein_distance", "rouge_l"),
    ),
    "sentence_bleu": Advice(
        "Translations, sentence by sentence, to compare with published numbers.",
        "One sentence decides: BLEU is unstable on single sentences; use its corpus score.",
        ("chrf", "semantic_similarity"),
    ),
    "chrf": Advice(
        "Translations, also into languages with rich endings or without blanks.",
        "The meaning may be said in other words.",
        ("sentence_bleu", "semantic_similarity"),
    ),
    "rouge_l": Advice(
        "Summaries that should follow the reference's words, in order or, as ROUGE-1 and ROUGE-2, anywhere.",
        "Facts decide: a summary with one wrong number scores high.",
        ("token_f1", "numeric_match", "semantic_similarity"),
    ),
    "token_f1": Advice(
        "Short free answers to questions, perhaps with several right answers.",
        "The order of words matters, or answers are long.",
        ("exact_match", "rouge_l"),
    ),
    "json_match": Advice(
        "The answer is JSON and must be right as a whole.",
        "A part of it may be wrong and the rest still be worth something.",
        ("json_fields", "json_distance"),
    ),
    "json_distance": Advice(
        "The number of differing values matters, and types must be the same.",
        "Records differ much in size: large ones dominate the mean.",
        ("json_fields", "json_match"),
    ),
    "json_fields": Advice(
        "Values are extracted from texts, and each field counts.",
        "Only the whole record is of use.",
        ("json_match", "tool_calls"),
    ),
    "json_schema": Advice(
        "The answer must be JSON of a form that a program reads; what the values say is another question.",
        "The values must be right.",
        ("json_fields", "json_match"),
    ),
    "tool_calls": Advice(
        "An agent should call the right tools with the right arguments.",
        "Only its final answer matters.",
        ("json_fields", "exact_match"),
    ),
    "retrieval": Advice(
        "A search returns ranked ids, and you know which are relevant.",
        "The answer made from them is to be scored.",
        ("token_f1", "semantic_similarity"),
    ),
    "numeric_match": Advice(
        "The answer ends in a number, as in calculations.",
        "Several numbers must be right: extract them as JSON.",
        ("json_fields", "exact_match", "number_closeness"),
    ),
    "number_closeness": Advice(
        "The answer is a grade, a rating or an estimate, and a near one is nearly right.",
        "A number is right or wrong, as in calculations.",
        ("numeric_match", "value"),
    ),
    "value": Advice(
        "The score comes from elsewhere: another tool, a person, your own code.",
        "A formula here can compute it, and recompute it later.",
        ("exact_match",),
    ),
    "formula": Advice(
        "One number should weigh several scores, or a score counts only where another passes.",
        "One score says it: a sum hides which part changed.",
        ("checks", "value", "json_fields"),
    ),
}
