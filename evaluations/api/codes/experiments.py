"""Runs, comparisons and gates."""

CODES = {
    "link_gone": (
        "The link of a rater or a reader was ended, or it has expired.",
        "Ask for a new link.",
    ),
    "links_off": (
        "An administrator switched links without an account off in this project.",
        "Send the report as a file, or ask an administrator (Settings, or PATCH projects/current/).",
    ),
    "nothing_to_share": (
        "The experiment has nothing to compare yet: fewer than two variants have scores.",
        "Wait until a second variant is scored.",
    ),
    "too_many_views": (
        "The project has as many saved views as the limit allows.",
        "Delete some that nobody opens.",
    ),
    "task_ended": (
        "The label task has ended.",
        "Ask people again with a new task.",
    ),
    "too_many_links": (
        "The label task or the project has as many links as the limit allows.",
        "End links that nobody needs, or ask further people in a second task.",
    ),
    "nothing_to_label": (
        "A label is for an example that the run did not answer.",
        "Send labels of answered examples only.",
    ),
    "invalid_task": (
        "The label task cannot be drawn as it was asked.",
        "Correct the fields listed in `fields`.",
    ),
    "lease_lost": (
        "The item is no longer yours: it was given to somebody else or is rated, or the task has ended.",
        "Take the next item with begin/; send your note again with it if it still fits.",
    ),
    "about_too_large": (
        "The description of a variant is larger than the limit.",
        "Keep long texts elsewhere, and give a link to them.",
    ),
    "added_examples": (
        "Warning: a newer dataset version added or rewrote examples that compared runs were not asked.",
        "Answer them by experiments/{id}/ask/, or send outputs to runs/{id}/outputs/; until then they do not count.",
    ),
    "dataset_versions": (
        "Warning: the compared runs use different versions of the dataset.",
        "If the shared examples are not enough, move the experiments to one version.",
    ),
    "evaluator_errors": (
        "Warning: an evaluator could not score some examples; they are excluded from all variants.",
        "Filter the results of the run by status to see why. Correct the evaluator or the values, and score again.",
    ),
    "evaluator_versions": (
        "Warning: the compared runs were scored by different versions of an evaluator.",
        "Score the older runs with the newest version.",
    ),
    "few_clusters": (
        "Warning: the column that groups the examples has fewer than 10 values.",
        "If the examples are independent, use cluster=none.",
    ),
    "few_groups": (
        "Warning: a verdict would not survive if the three to nine values of a column are a sample.",
        "If the values stand for others, such as talks or customers, use cluster with this column.",
    ),
    "invalid_gate": (
        "A field of the gate is not valid.",
        "Correct the fields listed in `fields`; gate.md explains each rule.",
    ),
    "missing_outputs": (
        "Warning: some examples of a compared run have no output.",
        "Send the missing outputs, or choose how a comparison counts them.",
    ),
    "missing_references": (
        "Warning: some examples have no reference that the evaluator can use; they are excluded from all variants.",
        "Optional: filter the results of a run by status to see them, add or correct the references, and score again.",
    ),
    "missing_scores": (
        "Warning: some outputs lack an outside score; their examples are excluded from all variants.",
        "Optional: send the outputs with their scores.",
    ),
    "no_runs": (
        "The address names no runs to compare.",
        "Select two or more runs on the page of an experiment.",
    ),
    "not_comparable": (
        "The runs belong to different projects, or the run and the gate belong to different datasets.",
        "Compare runs of one project, and check a gate with runs of its dataset.",
    ),
    "not_ranked": (
        "Warning: a compared run has no score by the primary evaluator.",
        "Score the run with the primary evaluator.",
    ),
    "not_scored": (
        "Warning: a compared run lacks scores of an evaluator.",
        "Score the run with this evaluator too.",
    ),
    "other_datasets": (
        "Warning: the compared runs use different datasets; their examples were matched.",
        "If too few examples match, give both datasets the same keys.",
    ),
    "nothing_to_ask": (
        "No run of a prompt waits for examples that a newer dataset version added.",
        "Send the outputs of other runs to runs/{id}/outputs/. A launch that stops early is started anew.",
    ),
    "outputs_importing": (
        "A file of outputs is being imported into this run.",
        "Wait until the import has ended.",
    ),
    "primary_replaced": (
        "Warning: another evaluator is used as primary; the primary one was deleted or did not score all runs.",
        "Score all runs with the primary evaluator, or choose another one.",
    ),
    "run_not_cancelled": (
        "Only a cancelled run can be resumed.",
        "Add evaluators to the run, or score it again for errors only.",
    ),
    "run_not_completed": (
        "The run is not completed. Gates and retries of failed answers need a completed run.",
        "Wait for it to end, or continue its launch.",
    ),
    "run_not_draft": (
        "Only a draft accepts outputs and can be started.",
        'Create a new run with "start": false, and add outputs before you start it. A completed run takes outputs of '
        "examples that a newer dataset version added.",
    ),
    "run_not_ended": (
        "A run of the experiment is still being scored.",
        "Wait until all runs are ready, then send the call again.",
    ),
    "run_not_generated": (
        "A run that lacks answers cannot be scored further.",
        "Continue the launch that generates its answers.",
    ),
    "run_not_repeatable": (
        "The variant of this run cannot be repeated in its launch, which stops early.",
        "Start a new launch with the repetitions that you want.",
    ),
    "run_not_running": (
        "Only a queued or running run can be cancelled.",
        "No action needed: the run has ended.",
    ),
    "run_not_scorable": (
        "A draft or failed run cannot be scored, and a run that is being generated takes no scores.",
        "Start the draft, wait for the answers, or create a new run.",
    ),
    "scores_exist": (
        "Scores cannot be brought back while newer scores of the same evaluator are there.",
        "Remove the newer ones first; both can be brought back.",
    ),
    "sent_error": (
        "Whoever scored this example sent an error instead of a score.",
        "Look at the text after the colon; send the score again once it can be computed.",
    ),
    "no_verdicts": (
        "The evaluator gives the answers of the run no pass or fail, so none can be right in k attempts.",
        "Give the evaluator a pass threshold, then score the runs again.",
    ),
    "no_statistics": (
        "The scores of the run have no label table: they are older than it, or the references have too many labels.",
        "Score the run again, or name the labels in the evaluator.",
    ),
    "step_not_needed": (
        "All evaluators of the experiment read by this step already, or do not read the output.",
        "Nothing is to be done; `GET experiments/{id}/reading-steps/` says what the answers need.",
    ),
    "too_many_runs": (
        "The comparison has more runs, or the file more variants, than the limit.",
        "Compare fewer runs at once. For a file, check the column that names the variants.",
    ),
    "too_many_labels": (
        "A body or file has more labels than the limit.",
        "Send them in batches.",
    ),
    "too_many_scores": (
        "A body or file has more scores than the limit.",
        "Send them in batches.",
    ),
    "unfinished": (
        "Warning: a compared run is still being scored; its figures are preliminary.",
        "Wait until the run is completed.",
    ),
    "unknown_variant": (
        "The experiment does not have this variant.",
        "Use one of the experiment's variants.",
    ),
    "unknown_verdict": (
        "The run has no labels under this name, from a metadata column or an evaluator.",
        "Use one of the `verdicts` in the answer of thresholds/.",
    ),
}
