"""Evaluators, and why one gives an example no score."""

CODES = {
    "no_labels": (
        "No answer that this evaluator scored is labelled by people.",
        "Ask people about runs that it scored (ask-people.md), then ask again.",
    ),
    "judge_not_held": (
        "A gate takes a judge that is not checked against people only if it says so.",
        "Open its passport (judges.md), or send `unchecked` with the criterion.",
    ),
    "labels_unsealed": (
        "The sealed labels of this set were unsealed, so they measure no further version.",
        "Ask people about other answers, in another label set.",
    ),
    "reason_required": (
        "Labels are unsealed with a reason, which every passport shows.",
        "Send `reason`: why everybody must read the sealed labels.",
    ),
    "too_few_labels": (
        "An evaluator is checked against at least 30 sealed labels; there are fewer.",
        "Label more of the answers that it scored: about half of them are sealed.",
    ),
    "blank": (
        "An empty text has no embedding.",
        "Optional: give the example a text.",
    ),
    "budget_required": (
        "This evaluator is paid for each call, and no money was named.",
        "Send `budget`, or `max_calls` for a model without a price.",
    ),
    "evaluator_is_asked": (
        "A judge is asked and paid; a request does not compute its verdicts.",
        "Try a rubric by POST judgings/.",
    ),
    "evaluator_is_computed": (
        "Scores were sent for an evaluator that is computed here.",
        "Send them under another name.",
    ),
    "evaluator_is_sent": (
        "The scores of this evaluator are sent to runs; nothing here can compute them.",
        "Send scores to POST runs/{id}/scores/, or leave the evaluator out.",
    ),
    "invalid_config": (
        "The configuration does not fit the evaluator kind.",
        "Correct the settings that `fields` names; evaluators.md explains each.",
    ),
    "invalid_judging": (
        "A judge cannot be asked in this way.",
        "Correct the field that the message names.",
    ),
    "invalid_empty": (
        "What stands for an empty value of a side is no text, an empty one or too long.",
        "Send a text of 1 to 200 characters, such as unanswerable.",
    ),
    "invalid_literal": (
        "A literal in a mapping has the wrong type.",
        "Give the literal the type that the message names.",
    ),
    "invalid_path": (
        "The path is not JSONPath (RFC 9535), or exceeds its limits.",
        "Correct the path where the message says, or use a plain path such as $.output.answer.",
    ),
    "invalid_regex": (
        "The pattern is not a valid RE2 regular expression.",
        "Write the pattern for RE2, which has no look-ahead and no back-references.",
    ),
    "judging_not_running": (
        "The judge has ended; there is nothing to stop.",
        "Optional: read its verdicts.",
    ),
    "judging_running": (
        "This judge is reading the run now, or its last calls have not ended.",
        "Wait until it has ended, or stop it and try again in a minute.",
    ),
    "many_matches": (
        "A path matches several values in this example, but the evaluator needs exactly one.",
        "Make the path narrower, or choose in the mapping how to use them: first or join.",
    ),
    "mapping_required": (
        "A parameter needs a path or a literal.",
        "Give the parameter a path or a literal.",
    ),
    "missing_variable": (
        "The rubric does not show the judge what it should judge.",
        "Write {{ output }} where the answer belongs; for pairs, {{ first }} and {{ second }}.",
    ),
    "outside_scale": (
        "The expected number of this example lies outside the scale of the evaluator.",
        "Correct the reference, or widen `lowest` and `highest`.",
    ),
    "no_number": (
        "The expected value of this example contains no number.",
        "Correct the reference, or set `extract` to say where the number is.",
    ),
    "no_verdict": (
        "The judge answered without a verdict: it refused, was unsure, or could not be read.",
        "Read its answer under “why”, and mend the rubric. This is never counted as zero.",
    ),
    "not_scores": (
        "A formula was given something else than a JSON object of numbers by name.",
        'Send an object such as {"exact_match": 1, "rouge_l": 0.5}; in runs it reads the scores itself.',
    ),
    "source_error": (
        "An evaluator whose score a formula reads had an error.",
        "Correct that evaluator or its values, and retry the errors.",
    ),
    "not_a_number": (
        "The outside score of this example is neither a number nor a known label.",
        "Correct the value, or give its label a number in the evaluator's `labels`.",
    ),
    "not_a_score": (
        "A sent score is no number, no known label or outside the bounds of its evaluator, or it has an error as well.",
        "Correct the score that the message names, or send it with an `error` instead. Nothing was stored.",
    ),
    "not_paid": (
        "The vector of this text is not stored, and nobody named money for it.",
        "Name `budget` or `max_calls`; the pages of the run and its experiment say what waits, and what it would cost.",
    ),
    "other_opponent": (
        "This judge of pairs compares with another variant in this experiment.",
        "Save a new version of it to compare with another variant.",
    ),
    "out_of_bounds": (
        "The outside score of this example lies outside the bounds of its evaluator.",
        "Correct the value, or widen `minimum` and `maximum` of the evaluator.",
    ),
    "path_limit": (
        "The path was stopped in this example because it visited too many values or took too long (2 seconds in "
        "an example, 10 in a chunk of 4 000).",
        "Use a simpler path, without .. and without filters over long lists.",
    ),
    "pattern_limit": (
        "The pattern takes too long for the text of this example, or earlier examples of the chunk used up its time.",
        "Use a simpler pattern, without large counts such as {1000}.",
    ),
    "no_answer": (
        "The reading steps of the evaluator find no answer in this output; it counts as the worst one.",
        "Look at the output: if it has an answer, change the steps; the message says what they looked for.",
    ),
    "empty_reference": (
        "The expected text has no words, so there is no rate of errors.",
        "Correct the reference, or leave the example out.",
    ),
    "unknown_label": (
        "The expected text is none of the evaluator's labels.",
        "Correct the reference, or add the label to the evaluator.",
    ),
    "not_calls": (
        "The expected value is no list of tool calls with names.",
        "Write a list of objects with name and arguments; an empty list expects no call.",
    ),
    "invalid_check": (
        "A check that an example brings along cannot be used.",
        "The message says why; evaluators.md lists the types and their values.",
    ),
    "no_model": (
        "The built-in model is not installed on this machine.",
        "Install the extra `meaning`, or create the evaluator with a connection.",
    ),
    "no_phrases": (
        "There is no phrase to look for.",
        "Write phrases in the evaluator's settings, or map them to a column of the examples.",
    ),
    "too_many_calls": (
        "An answer has more tool calls than can be compared.",
        "Leave the example out, or score a part of its calls by a path.",
    ),
    "too_many_evaluators": (
        "The project already has the maximum number of evaluators.",
        "Delete those that nothing uses any longer, or use the next version of one.",
    ),
    "invalid_grades": (
        "The expected grades of a ranked list are no numbers from 0 to 100.",
        "Write a list of relevant ids, or an object with a number for each id.",
    ),
    "invalid_step": (
        "A reading step does not exist, or a setting of it is not valid.",
        "Use one of the steps that the message lists, as docs/evaluators.md describes them.",
    ),
    "too_long": (
        "A text of this example is longer than the evaluator accepts.",
        "Set max_characters if the kind has it, or shorten the texts.",
    ),
    "unknown_evaluator": (
        "The run has no scores by this evaluator.",
        "Use one of the names that the message lists, or score the run with this evaluator.",
    ),
    "unknown_check": (
        "A check that an example brings along has a type that does not exist.",
        "Use one of the types in the message; evaluators.md explains them.",
    ),
    "unknown_version": (
        "The kind has no such version of its formula.",
        "Use the version that GET /api/v1/evaluator-kinds/ lists, or leave kind_version out.",
    ),
    "unknown_kind": (
        "Unknown evaluator kind.",
        "Use one of the kinds of GET /api/v1/evaluator-kinds/.",
    ),
    "unmapped": (
        "A path of the mapping matches nothing in this example.",
        "Correct the path; the message lists what exists. Then score the run with the new version.",
    ),
    "structured_values": (
        "Warning: references or outputs are lists or objects, and a text evaluator compares their JSON text.",
        "Give the evaluator a path to one value, as in `$.expected[0]`, and score the runs again. BLEU and chrF "
        "can use each value of a list as a separate reference (`many` in the mapping).",
    ),
    "whole_reference": (
        "Warning: a text evaluator compares outputs with all reference columns as one JSON object.",
        "Give the evaluator a path to one column, as in `$.expected.answer`, and score the runs again. BLEU "
        "and chrF can use each column as a separate reference (`many` in the mapping).",
    ),
    "zero_vector": (
        "A vector from the server of a connection is all zeros.",
        "Check the text of this example; then retry the run's errors.",
    ),
}
