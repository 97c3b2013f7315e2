"""What the actions of the audit log are called on its page. Programs read the action itself."""

from typing import Any

WORDS = {
    "account-password": "changed their password",
    "compare-align": "scored compared runs alike",
    "connection-change": "changed connection",
    "connection-create": "created connection",
    "connection-default": "made connection the default",
    "connection-delete": "deleted connection",
    "connection-restore": "restored connection",
    "dataset-append": "added examples",
    "dataset-change": "renamed dataset",
    "dataset-create": "created dataset",
    "dataset-delete": "deleted dataset",
    "dataset-rename": "renamed dataset",
    "dataset-reopen": "changed the mapping of a failed import",
    "dataset-restore": "restored dataset",
    "dataset-retry": "imported the good rows of a failed import",
    "dataset-upload": "uploaded file",
    "evaluator-change": "changed evaluator",
    "evaluator-create": "created evaluator",
    "evaluator-delete": "deleted evaluator",
    "evaluator-restore": "restored evaluator",
    "example-change": "edited example {position}",
    "example-create": "added examples",
    "example-delete": "removed example {position}",
    "example-edit": "edited example {position}",
    "example-restore": "restored example {position}",
    "experiment-baseline": "set the default baseline",
    "experiment-change": "changed experiment",
    "experiment-create": "created experiment",
    "experiment-dataset": "moved experiment to another dataset version",
    "experiment-delete": "deleted experiment",
    "experiment-evaluators": "added evaluators",
    "experiment-primary": "set the primary evaluator",
    "experiment-rename": "renamed experiment",
    "experiment-restore": "restored experiment",
    "invitation-accept": "accepted invitation",
    "invitation-create": "created invitation",
    "invitation-delete": "withdrew invitation",
    "invitation-withdraw": "withdrew invitation",
    "key-create": "created API key",
    "key-delete": "revoked API key",
    "key-revoke": "revoked API key",
    "key-revoke-any": "revoked API key",
    "member-change": "changed role from {before} to {role}",
    "member-delete": "removed member",
    "member-remove": "removed member",
    "person-disable": "disabled account",
    "person-enable": "enabled account",
    "person-link": "created sign-in link",
    "project-change": "renamed project",
    "project-create": "created project",
    "project-delete": "deleted project",
    "project-rename": "renamed project",
    "project-restore": "restored project",
    "run-cancel": "cancelled run",
    "run-create": "created run",
    "run-delete": "deleted run",
    "run-outputs": "added outputs",
    "run-restore": "restored run",
    "run-resume": "resumed run",
    "run-retry": "retried failed scores",
    "run-score": "scored run by more evaluators",
    "run-scorings": "scored run by more evaluators",
    "run-start": "started run",
    "run-thresholds": "saved a threshold as a new evaluator version",
    "sample-load": "loaded the sample data",
    "sample-remove": "removed the sample data",
    "signin": "signed in",
    "signin-failed": "failed to sign in",
    "signout": "signed out",
    "upload-columns": "chose the columns of a file",
    "upload-confirm": "started an import",
    "variant-create": "added variant",
    "variant-match": "matched a file of outputs",
}


def words(action: str, details: dict[str, Any]) -> str:
    """The action in words; an action that is no longer known stays as it is.

    >>> words("example-edit", {"position": 371}), words("example-edit", {}), words("old-action", {})
    ('edited example 371', 'edited example', 'old-action')
    """
    try:
        return WORDS.get(action, action).format_map(details)
    except KeyError:
        return WORDS[action].partition(" {")[0]
