"""Descriptions of the actions in the audit log, for its page. Programs read the action itself."""

from typing import Any

WORDS = {
    "account-password": "changed their password",
    "compare-align": "scored compared runs with the newest evaluator versions",
    "ask-create": "asked people about",
    "comment-change": "marked as {state} the comment",
    "comment-create": "wrote comment",
    "comment-delete": "deleted comment",
    "comment-done": "marked as {state} the comment",
    "comment-restore": "restored comment",
    "connection-change": "changed connection",
    "connection-create": "created connection",
    "connection-default": "set the default connection",
    "connection-delete": "deleted connection",
    "connection-prices": "set price",
    "connection-restore": "restored connection",
    "dataset-append": "uploaded a file for",
    "dataset-change": "changed dataset",
    "dataset-trends": "declared the comparisons of dataset",
    "dataset-create": "created dataset",
    "dataset-delete": "deleted dataset",
    "dataset-import-apply": "applied a previewed change",
    "dataset-rename": "renamed dataset",
    "dataset-reopen": "changed the mapping of a failed import",
    "dataset-rescore": "scored older runs on dataset",
    "dataset-restore": "restored dataset",
    "dataset-retry": "imported the valid rows of a failed import",
    "dataset-schema": "set the schema of {columns} columns",
    "dataset-splits": "created split",
    "dataset-splits-usual": "split at random the dataset",
    "dataset-upload": "uploaded file",
    "dataset-version": "described version {version}",
    "dataset-version-describe": "described version {version}",
    "dataset-version-restore": "restored an older version",
    "evaluator-change": "changed evaluator",
    "evaluator-create": "created evaluator",
    "evaluator-delete": "deleted evaluator",
    "evaluator-restore": "restored evaluator",
    "example-bulk": "changed {examples} of the examples",
    "example-change": "edited example {position}",
    "example-comment": "commented on example {position}",
    "example-create": "added examples",
    "example-delete": "removed example {position}",
    "example-edit": "edited example {position}",
    "example-restore": "restored example {position}",
    "dataset-variants": "made variants of columns",
    "experiment-ask": "asked the examples of a newer dataset version",
    "experiment-baseline": "set the default baseline",
    "experiment-change": "changed experiment",
    "experiment-create": "created experiment",
    "experiment-dataset": "moved experiment to another dataset version",
    "experiment-delete": "deleted experiment",
    "experiment-evaluators": "added evaluators to experiment",
    "experiment-margin": "set which differences matter",
    "experiment-money": "set the money for each run",
    "experiment-primary": "set the primary evaluator",
    "experiment-raters": "let the mean of several evaluators decide",
    "experiment-reading": "let evaluators read answers by a step",
    "experiment-reading-undo": "took a reading step back",
    "experiment-review": "reviewed examples of experiment",
    "experiment-rename": "renamed experiment",
    "experiment-restore": "restored experiment",
    "factor-app": "added an authenticator app",
    "factor-codes": "made new recovery codes",
    "factor-passkey": "added passkey",
    "factor-remove": "removed second factor",
    "gate-change": "changed gate",
    "gate-check": "checked a run against gate",
    "gate-create": "created gate",
    "gate-delete": "deleted gate",
    "gate-lock": "locked gate",
    "gate-restore": "restored gate",
    "gate-undo": "undid a change of gate",
    "invitation-accept": "accepted the invitation as",
    "invitation-create": "made an invitation as",
    "invitation-delete": "withdrew the invitation as",
    "invitation-withdraw": "withdrew the invitation as",
    "key-create": "created API key",
    "key-delete": "revoked API key",
    "key-revoke": "revoked API key",
    "key-revoke-any": "revoked API key",
    "local-allow": "allowed connections to call {server} on this machine",
    "local-withdraw": "withdrew calls of {server} on this machine",
    "mapping-change": "changed saved mapping",
    "mapping-create": "saved mapping",
    "mapping-delete": "deleted saved mapping",
    "mapping-rename": "renamed saved mapping",
    "mapping-restore": "restored saved mapping",
    "member-change": "changed role from {before} to {role}",
    "member-delete": "removed member",
    "member-remove": "removed member",
    "person-disable": "disabled account",
    "person-enable": "enabled account",
    "person-factors": "removed the second factors of account",
    "person-link": "created sign-in link",
    "price-delete": "deleted price",
    "project-change": "changed project",
    "project-create": "created project",
    "project-delete": "deleted project",
    "project-rename": "renamed project",
    "project-restore": "restored project",
    "project-rules": "changed the settings of project",
    "project-retention": "set retention of project",
    "judging-cancel": "stopped a judge",
    "judging-create": "let a judge read answers",
    "evaluator-again": "asked again judge",
    "evaluator-passport-open": "opened the sealed labels for evaluator",
    "labelset-change": "changed label set",
    "labelset-create": "created label set",
    "labelset-adjudication-remove": "took back a decision about labels of",
    "labelset-adjudications": "decided where raters differ in",
    "labelset-labels": "added labels to",
    "labelset-unseal": "unsealed the labels of label set",
    "labeltask-close": "ended label task",
    "labeltask-forget": "forgot the name of a rater in",
    "labeltask-link-remove": "withdrew the link of a rater in",
    "labeltask-links": "made the link of a rater in",
    "labeltask-rater-remove": "deleted the labels of a rater in",
    "labeltask-raters": "asked an annotator in",
    "labeltask-create": "asked people to label",
    "launch-cancel": "cancelled launch",
    "launch-continue": "continued launch",
    "launch-create": "started launch",
    "launch-retry": "retried failed answers",
    "prompt-bench": "saved versions from the bench of prompt",
    "prompt-change": "changed prompt",
    "prompt-create": "created prompt",
    "prompt-delete": "deleted prompt",
    "prompt-duplicate": "duplicated prompt",
    "prompt-import": "imported a prompt from a file",
    "prompt-label": "moved label {label} of prompt",
    "prompt-label-remove": "took label {label} from prompt",
    "prompt-restore": "restored prompt",
    "prompt-try": "ran trial",
    "prompt-versions": "saved a version of prompt",
    "experiment-references": "added right answers from an uploaded file",
    "run-about": "described variant",
    "run-for-gate": "chose whether to count among the variants run",
    "run-ask": "retried failed answers",
    "run-cancel": "cancelled run",
    "run-comment": "commented on example {position} of run",
    "run-change": "described variant",
    "run-create": "created run",
    "run-delete": "deleted run",
    "run-outputs": "added outputs",
    "run-restore": "restored run",
    "run-repetitions": "added repetitions of run",
    "run-resume": "resumed run",
    "run-retry": "retried failed scores",
    "run-review": "reviewed rows of run",
    "run-score": "added evaluators to run",
    "run-scorings": "added evaluators to run",
    "run-start": "started run",
    "run-thresholds": "saved a threshold as a new evaluator version",
    "sample-load": "loaded the sample data",
    "sample-remove": "removed the sample data",
    "scores-create": "sent scores to run",
    "scores-delete": "removed sent scores of run",
    "scores-restore": "brought back sent scores of run",
    "session-end": "ended {sessions}",
    "share-create": "made link",
    "share-delete": "ended link",
    "share-open": "opened, for the first time today, link",
    "share-restore": "brought back link",
    "signin": "signed in",
    "signin-failed": "failed to sign in",
    "signout": "signed out",
    "split-change": "changed split",
    "split-delete": "deleted split",
    "split-rename": "renamed split",
    "split-restore": "restored split",
    "split-undo": "undid a change to split",
    "trial-again": "retried failed answers of a trial",
    "trial-stop": "stopped trial",
    "upload-columns": "chose the columns of file",
    "upload-confirm": "started an import",
    "upload-tool": "imported an export of another tool",
    "variant-create": "added variant",
    "variant-match": "matched a file of outputs",
    "variant-adopt": "took an uploaded file for a variant",
    "view-change": "renamed view",
    "view-create": "saved view",
    "view-delete": "deleted view",
    "view-rename": "renamed view",
    "view-restore": "restored view",
    "webhook-create": "created webhook",
    "webhook-delete": "deleted webhook",
}


OF_CODE = {"do"}
# what people call an object whose type is named otherwise in the code
NOUNS = {"upload": "file", "share link": "link", "api key": "API key", "label task": "task"}


# the words before and after the name of a run whose place among the variants was chosen, by `for_gate`
APART = {True: ("kept run", "apart, as sent for a gate"), False: ("counted run", "among the variants")}
SAID = {"run-for-gate": ("for_gate", "before")}  # details that the words say in their own way


def around(action: str, details: dict[str, Any]) -> tuple[str, str]:
    """The words before and after the name of what an action is about; after most there are none.

    An appended `file` is named, and its dataset is what the action is about.

    >>> around("run-for-gate", {"for_gate": True, "before": False})
    ('kept run', 'apart, as sent for a gate')
    """
    if action == "dataset-append" and "file" in details:
        return f"uploaded {details['file']} for dataset", ""
    is_apart = details.get("for_gate") if action == "run-for-gate" else None
    return APART[is_apart] if isinstance(is_apart, bool) else (words(action, details), "")


def words(action: str, details: dict[str, Any]) -> str:
    """The description of an action; unknown ones, such as those of older versions, stay as they are.

    >>> words("example-edit", {"position": 371}), words("example-edit", {}), words("old-action", {})
    ('edited example 371', 'edited example', 'old-action')
    """
    try:
        return WORDS.get(action, action).format_map(details)
    except KeyError:
        return WORDS[action].partition(" {")[0]


def besides(action: str, details: dict[str, Any]) -> dict[str, Any]:
    """The details that the words of the action do not say, that are more than a name of the code, and not empty.

    >>> besides("example-edit", {"position": 371, "key": "k9", "margins": {}, "ties": {"1": 0.1}})
    {'key': 'k9', 'ties': {'1': 0.1}}
    """
    said = WORDS.get(action, "")
    return {
        name: value
        for name, value in details.items()
        if name not in OF_CODE
        and name not in SAID.get(action, ())
        and f"{{{name}}}" not in said
        and value not in ({}, [], "")
    }


# differences that matter, of each evaluator by its id
WITHIN = {"margins": "differences up to {limit} on {of} do not matter", "ties": "tied within {limit} on {of}"}


def in_sentences(details: dict[str, Any], evaluators: dict[str, str]) -> list[str]:
    """What the details say; `evaluators` are names by id, as texts.

    >>> in_sentences({"key": "k9", "ties": {"1": 0.1, "7": 2}}, {"1": "ROUGE"})
    ['key k9', 'tied within 0.1 on ROUGE', 'tied within 2 on a deleted evaluator']
    """
    return [sentence for name, value in details.items() for sentence in _sentences(name, value, evaluators)]


def _sentences(name: str, value: Any, evaluators: dict[str, str]) -> list[str]:
    if not isinstance(value, dict):
        return [f"{name} {value}"]
    words = WITHIN.get(name, "{of}: {limit}")
    return [
        words.format(limit=limit, of=evaluators.get(one, "a deleted evaluator" if name in WITHIN else one))
        for one, limit in value.items()
    ]


def before_noun(said: str) -> str:
    """The words of an action in front of the noun of its object, with what joins them.

    >>> before_noun("edited example 2"), before_noun("made the link of a rater in")
    ('edited example 2,', 'made the link of a rater in')
    """
    return said if said.rpartition(" ")[2] in ("about", "in", "of", "to") else f"{said},"


def noun(object_type: str, said: str = "") -> str:
    """What people call an object of this type; empty if the words of the action have said it.

    >>> noun("share link"), noun("upload", "created dataset"), noun("upload", "uploaded file")
    ('link', 'file', '')
    """
    name = NOUNS.get(object_type, object_type)
    return "" if name in said else name
