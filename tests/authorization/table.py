"""Who may do what, as a table.

`ok` allowed · 401 who are you (a page leads to signing in) · 403 seen, but not for you · 404 there is no such
thing · `own` ok for the creator, else 403 · `mine` ok for the creator, else 404 · - does not occur.

The columns: nobody, or a key or session that is dead · people and keys of other projects · viewers and read keys
· run-only keys · editors and their keys · write keys of nobody, from the command line · administrators and their
admin keys · administrators of the site, whose sessions see all projects.
A ninth code is that of annotators, who see nothing but their tasks: without it they are people of other projects.
A key on a page is nobody, and so is a session at the API.

Where it says something else than the matrix of the design:
- A write key writes connections if its owner may, or has none: programs rely on `POST connections/` with a key from
  `manage.py apikey create --scope write`. Keys of editors may not.
- A program makes no project and no key: the API has no such methods (405 for all). It lists and ends the keys of the
  project with an admin key; a key that made keys could not be ended.
- Members see each other, as part of reading the project; the rest of the settings is for administrators.
"""

import re

COLUMNS = ("none", "outside", "viewer", "runner", "editor", "operator", "admin", "site", "annotator")

#   resource · verb                     none outs view run  edit oper adm  site
TABLE = """
    signing in and out, looks, health  | ok   ok   ok   -    ok   -    ok   ok   |
        GET signin, POST signin, GET signin-link, POST signin-link, GET signin-second,
        POST signin-second, POST theme, GET healthz, GET readyz, GET error-codes, GET invitation-accept,
        GET favicon
    invitation, accept                 | ok   ok   409  -    409  -    409  ok   409  |
        POST invitation-accept
    figures for operators, by a token    | 404  404  404  404  404  404  404  404  |
        GET metrics
    description of the API             | 401  ok   ok   ok   ok   ok   ok   ok   |
        GET api-schema
    catalogue of kinds, stateless score | 401  ok   ok   ok   ok   ok   ok   -    |
        GET api-kind-list, GET api-kind-detail, POST api-score
    signing out                        | 401  ok   ok   -    ok   -    ok   ok   |
        POST signout
    own account                        | 401  ok   ok   -    ok   -    ok   ok   |
        GET account, GET signed-in, POST account-password, GET factor-app, POST factor-app, POST session-end,
        GET home, GET project-list, GET api-docs, GET send-call, POST send-call, GET manual, GET manual-page, GET
        manual-image
    own passkeys, without https        | 401  409  409  -    409  -    409  409  |
        GET factor-passkey, POST factor-passkey, POST factor-codes
    own second factor, remove          | 401  404  404  -    404  -    404  404  |
        POST factor-remove
    own keys, make                     | 401  404  ok   -    ok   -    ok   ok   |
        POST key-create
    own keys, end                      | 401  404  404  -    mine -    mine 404  |
        POST key-revoke
    keys of the project, read and end  | 401  404  403  403  403  403  ok   ok   |
        POST key-revoke-any, GET api-key-detail, DELETE api-key-detail
    keys of the project, list          | 401  ok   403  403  403  403  ok   -    |
        GET api-key-list
    project, make                      | 401  ok   ok   -    ok   -    ok   ok   |
        GET project-create, POST project-create
    project, read                      | 401  404  ok   ok   ok   ok   ok   ok   |
        GET project-home, GET project-detail, GET palette, GET api-member-detail
    project of the key, read           | 401  ok   ok   ok   ok   ok   ok   -    |
        GET api-project-detail, GET api-project-retention, GET api-member-list, GET api-search
    project, change and delete         | 401  404  403  -    403  -    ok   ok   |
        POST project-rename, POST project-rules,
        GET project-retention, POST project-retention
    project, delete while a run goes on | 401  404  403  -    403  -    409  409  |
        POST project-delete
    project of the key, change         | 401  ok   403  403  403  403  ok   -    |
        PATCH api-project-detail, PATCH api-project-retention
    project of the key, delete, the same | 401  409  403  403  403  403  409  -    |
        DELETE api-project-detail
    project, restore                   | 401  404  404  -    mine -    mine ok   |
        POST project-restore
    members, change and remove         | 401  404  403  403  403  403  ok   ok   |
        POST member-change, POST member-remove, PATCH api-member-detail, DELETE api-member-detail
    invitations of the project         | 401  404  403  403  403  403  ok   ok   |
        POST invitation-create, POST invitation-withdraw, GET api-invitation-detail, DELETE
        api-invitation-detail
    invitations, list and make         | 401  ok   403  403  403  403  ok   -    |
        GET api-invitation-list, POST api-invitation-list
    servers on this machine, withdraw  | 401  404  403  -    403  -    403  ok   |
        POST local-withdraw
    webhooks, pages                    | 401  404  403  -    403  -    ok   ok   |
        GET webhook-list, POST webhook-list, GET webhook-detail
    webhook, read, test and delete     | 401  404  403  403  403  403  ok   ok   |
        POST webhook-test, POST webhook-delete, GET api-webhook-detail, DELETE api-webhook-detail,
        POST api-webhook-test, GET api-webhook-deliveries
    webhooks, list and make            | 401  ok   403  403  403  403  ok   -    |
        GET api-webhook-list, POST api-webhook-list
    audit log                          | 401  404  403  -    403  -    ok   ok   |
        GET audit, GET audit-export
    audit log of the key's project     | 401  ok   403  403  403  403  ok   -    |
        GET api-audit-list, GET api-audit-export
    people, workers, log of the site   | 401  403  403  -    403  -    403  ok   |
        GET person-list, POST person-disable, POST person-enable, POST person-link, POST person-factors,
        GET workers, GET
        audit-site, GET audit-site-export
    datasets, list on a page           | 401  404  ok   -    ok   -    ok   ok   |
        GET dataset-list
    datasets, list                     | 401  ok   ok   ok   ok   ok   ok   -    |
        GET api-dataset-list
    dataset, read, rows, download      | 401  404  ok   ok   ok   ok   ok   ok   |
        GET dataset-detail, GET dataset-refused, GET api-dataset-refused, GET dataset-download, GET
        api-dataset-detail, GET api-dataset-imports, GET api-dataset-import, GET api-dataset-import-refused,
        GET dataset-schema, GET api-dataset-schema,
        GET dataset-import, GET dataset-import-refused, GET dataset-versions, GET dataset-diff,
        GET api-dataset-version, GET api-dataset-diff, GET api-dataset-versions, GET api-dataset-export,
        GET api-example-list, GET api-example-detail, GET dataset-splits, GET api-dataset-splits, GET api-split-detail
    dataset, upload                    | 401  404  403  -    ok   -    ok   ok   |
        GET dataset-upload, POST dataset-upload, POST sample-load, POST sample-remove, GET
        dataset-variants, POST dataset-variants
    dataset, make                      | 401  ok   403  403  ok   ok   ok   -    |
        POST api-dataset-list, POST api-dataset-preview
    upload, choose columns and confirm | 401  404  404  -    mine -    mine 404  |
        GET upload-columns, POST upload-columns, GET upload-confirm, POST upload-confirm, GET upload-tool,
        GET upload-refused,
        GET upload-waiting, POST upload-waiting, POST upload-discard,
        POST upload-tool
    dataset, edit                      | 401  404  403  403  ok   ok   ok   ok   |
        GET dataset-append, POST dataset-append, POST dataset-rename, GET example-bulk, POST example-bulk,
        POST api-example-bulk, GET example-create, POST
        example-create, GET example-edit, POST example-edit, POST example-delete, POST example-restore,
        PATCH api-dataset-detail, POST api-example-list, PATCH api-example-detail, DELETE
        api-example-detail, POST api-example-restore, POST dataset-retry,
        POST dataset-reopen, POST api-dataset-retry, POST api-dataset-upload, POST api-dataset-import-apply,
        POST dataset-import-apply, PATCH api-dataset-version, POST api-dataset-version-restore,
        POST dataset-schema, POST dataset-trends, POST api-dataset-schema,
        POST dataset-version-describe, POST dataset-version-restore, POST dataset-splits,
        POST dataset-splits-usual, POST split-rename,
        POST split-undo, POST api-dataset-splits, PATCH api-split-detail
    dataset, delete and restore        | 401  404  403  403  own  403  ok   ok   |
        POST dataset-delete, POST dataset-restore, DELETE api-dataset-detail, POST
        api-dataset-restore, POST split-delete, POST split-restore, DELETE api-split-detail, POST api-split-restore
    saved mappings, list on a page     | 401  404  ok   -    ok   -    ok   ok   |
        GET mapping-list
    saved mappings, list               | 401  ok   ok   ok   ok   ok   ok   -    |
        GET api-mapping-list
    saved mapping, read                | 401  404  ok   ok   ok   ok   ok   -    |
        GET api-mapping-detail
    saved mapping, make                | 401  ok   403  403  ok   ok   ok   -    |
        POST api-mapping-list
    saved mapping, edit                | 401  404  403  403  ok   ok   ok   ok   |
        POST mapping-rename, PATCH api-mapping-detail
    saved mapping, delete and restore  | 401  404  403  403  own  403  ok   ok   |
        POST mapping-delete, POST mapping-restore, DELETE api-mapping-detail, POST api-mapping-restore
    evaluators, list on a page         | 401  404  ok   -    ok   -    ok   ok   |
        GET evaluator-list
    evaluators, list                   | 401  ok   ok   ok   ok   ok   ok   -    |
        GET api-evaluator-list
    evaluator, read                    | 401  404  ok   ok   ok   ok   ok   ok   |
        GET evaluator-detail, GET api-evaluator-detail, GET api-evaluator-versions
    evaluator, make on a page          | 401  404  403  -    ok   -    ok   ok   |
        GET evaluator-create, POST evaluator-create
    evaluator, make                    | 401  404  403  403  ok   ok   ok   -    |
        POST api-evaluator-list
    evaluator, edit, delete, restore   | 401  404  403  403  ok   ok   ok   ok   |
        POST evaluator-detail, POST run-thresholds, POST evaluator-delete, POST evaluator-restore, PATCH
        api-evaluator-detail, DELETE api-evaluator-detail, POST api-evaluator-restore
    connections, names                 | 401  ok   ok   ok   ok   ok   ok   -    |
        GET api-connection-list
    connection, name, prices           | 401  404  ok   ok   ok   ok   ok   -    |
        GET api-connection-detail, GET api-connection-prices, GET api-price-detail
    connections, pages                 | 401  404  403  -    403  -    ok   ok   |
        GET connection-list, POST connection-list, GET connection-detail
    connection, make                   | 401  ok   403  403  403  ok   ok   -    |
        POST api-connection-list
    connection, edit, test, delete     | 401  404  403  403  403  ok   ok   ok   |
        POST connection-prices, POST price-delete, POST api-connection-prices, DELETE api-price-detail,
        POST connection-detail, POST connection-test, POST connection-default, POST
        connection-delete, POST connection-restore, PATCH api-connection-detail, DELETE
        api-connection-detail, POST api-connection-test, POST api-connection-restore
    prompts, list on a page            | 401  404  ok   -    ok   -    ok   ok   |
        GET prompt-list
    prompt, make on a page             | 401  404  403  -    ok   -    ok   ok   |
        GET prompt-create, POST prompt-create, GET prompt-import, POST prompt-import
    prompts, list                      | 401  ok   ok   ok   ok   ok   ok   -    |
        GET api-prompt-list
    prompt, read                       | 401  404  ok   ok   ok   ok   ok   ok   |
        GET prompt-detail, GET prompt-bench, GET api-prompt-detail, GET api-prompt-versions, GET api-prompt-diff,
        GET prompt-labels, GET prompt-export, GET api-prompt-labels, GET api-prompt-label,
        GET api-prompt-by-name, GET api-prompt-export, GET api-prompt-code
    prompt, make                       | 401  404  403  403  ok   ok   ok   -    |
        POST api-prompt-list
    prompt, make from a file           | 401  ok   403  403  ok   ok   ok   -    |
        POST api-prompt-import
    prompt, edit                       | 401  404  403  403  ok   ok   ok   ok   |
        POST prompt-detail, POST prompt-duplicate, PATCH api-prompt-detail, POST api-prompt-versions, POST
        api-prompt-duplicate, POST prompt-label, POST prompt-label-remove, PUT api-prompt-label, DELETE
        api-prompt-label
    prompt, show with rows             | 401  404  ok   ok   ok   ok   ok   ok   |
        POST api-prompt-render
    prompt, try; trial, stop, ask again | 401  404  403  403  ok   ok   ok   ok   |
        POST prompt-bench, POST prompt-try, POST prompt-discard, POST trial-stop, POST trial-again, POST
        api-prompt-try, POST api-trial-stop, POST api-trial-again
    trial, read                        | 401  404  ok   ok   ok   ok   ok   ok   |
        GET trial-detail, GET api-trial-detail
    prompt, delete and restore         | 401  404  403  403  own  403  ok   ok   |
        POST prompt-delete, POST prompt-restore, DELETE api-prompt-detail, POST api-prompt-restore
    experiments, list on a page        | 401  404  ok   -    ok   -    ok   ok   |
        GET experiment-list
    experiments, list                  | 401  ok   ok   ok   ok   ok   ok   -    |
        GET api-experiment-list
    experiment, read                   | 401  404  ok   ok   ok   ok   ok   ok   |
        GET api-experiment-reading, GET experiment-detail, GET experiment-preview, GET api-experiment-detail, GET
        api-experiment-preview, GET experiment-source, GET api-experiment-source
    experiment, make on a page         | 401  404  403  -    ok   -    ok   ok   |
        GET experiment-create, POST experiment-create
    experiment, make                   | 401  404  403  ok   ok   ok   ok   -    |
        POST api-experiment-list
    experiment, edit                   | 401  404  403  403  ok   ok   ok   ok   |
        POST experiment-reading, POST experiment-reading-undo, POST api-experiment-reading,
        POST api-experiment-reading-undo, POST experiment-baseline, POST experiment-primary, POST experiment-raters,
        POST experiment-margin, POST experiment-dataset, POST
        experiment-rename, PATCH api-experiment-detail, POST api-experiment-dataset
    experiment, delete and restore     | 401  404  403  403  own  403  ok   ok   |
        POST experiment-delete, POST experiment-restore, DELETE api-experiment-detail, POST
        api-experiment-restore
    experiment, score by more on a page | 401  404  403  -    ok   -    ok   ok   |
        GET experiment-evaluators, POST experiment-evaluators, GET experiment-money, POST experiment-money
    experiment, score by more          | 401  404  403  ok   ok   ok   ok   ok   |
        POST api-experiment-evaluators
    launches, list                     | 401  ok   ok   ok   ok   ok   ok   -    |
        GET api-launch-list
    launch, read                       | 401  404  ok   ok   ok   ok   ok   ok   |
        GET launch-detail, GET api-launch-detail
    launch, make on a page             | 401  404  403  -    ok   -    ok   ok   |
        GET launch-create, POST launch-create
    launch, make, cancel, continue     | 401  404  403  ok   ok   ok   ok   ok   |
        POST api-launch-list, POST api-launch-cancel, POST api-launch-continue, POST launch-cancel,
        POST launch-continue, POST launch-retry, POST run-ask, POST api-run-ask, POST experiment-ask, POST
        api-experiment-ask, POST run-repetitions, POST api-run-repetitions
    gates, list on a page              | 401  404  ok   -    ok   -    ok   ok   |
        GET gate-list
    gates, list                        | 401  ok   ok   ok   ok   ok   ok   -    |
        GET api-gate-list
    gate, read                         | 401  404  ok   ok   ok   ok   ok   ok   |
        GET gate-detail, GET api-gate-detail, GET api-gate-check, GET api-gate-checks, GET
        api-gate-checked, GET api-gate-junit, GET api-gate-markdown
    gate, make on a page               | 401  404  403  -    ok   -    ok   ok   |
        GET gate-create, POST gate-create
    gate, make                         | 401  404  403  403  ok   ok   ok   -    |
        POST api-gate-list
    gate, check a run                  | 401  404  403  ok   ok   ok   ok   ok   |
        POST gate-check, POST api-gate-check
    gate, edit                         | 401  404  403  403  ok   ok   ok   ok   |
        POST gate-lock, POST gate-undo, PATCH api-gate-detail
    gate, change on a page             | 401  404  403  -    ok   -    ok   ok   |
        GET gate-change, POST gate-change
    gate, delete and restore           | 401  404  403  403  own  403  ok   ok   |
        POST gate-delete, POST gate-restore, DELETE api-gate-detail, POST api-gate-restore
    label sets and tasks, list         | 401  ok   ok   ok   ok   ok   ok   -    |
        GET api-labelset-list, GET api-labeltask-list
    label set and task, read           | 401  404  ok   ok   ok   ok   ok   ok   |
        GET api-labeltask-items, GET api-labeltask-raters, GET api-labeltask-winrate, GET labelset-adjudications,
        GET api-labelset-adjudications,
        GET labeltask-detail, GET api-labelset-detail, GET api-labelset-export, GET api-labeltask-detail,
        GET api-labelset-agreement
    labels, unseal                     | 401  404  403  403  403  403  ok   ok   |
        POST labelset-unseal, POST api-labelset-unseal
    passport of an evaluator, read      | 401  404  ok   ok   ok   ok   ok   ok   |
        GET evaluator-passport, GET passport-export, GET api-evaluator-passport
    passport, open on a page           | 401  404  403  -    ok   -    ok   ok   |
        POST evaluator-passport-open
    passport, open with too few labels | 401  404  403  403  409  409  409  -    |
        POST api-evaluator-passport-open
    label tasks of a project, page     | 401  404  ok   -    ok   -    ok   ok   |
        GET labeltask-list
    tasks that somebody is asked to label | 401  ok   ok   -    ok   -    ok   ok   |
        GET asked-list
    link of a rater, open and join     | ok   ok   ok   -    ok   -    ok   ok   |
        GET rater-join, POST rater-join
    label set, make                    | 401  ok   403  403  ok   ok   ok   -    |
        POST api-labelset-list
    label set and task, make and change | 401  404  403  403  ok   ok   ok   ok   |
        GET ask-create, POST ask-create, PATCH api-labelset-detail, POST api-labeltask-list,
        POST labeltask-close, POST api-labeltask-close, GET labelset-labels, POST labelset-labels,
        POST api-labelset-labels, POST labeltask-links, POST labeltask-link-remove, GET api-labeltask-links,
        POST api-labeltask-links, DELETE api-labeltask-link, POST labeltask-raters, POST api-labeltask-raters,
        POST labelset-adjudications, POST labelset-adjudication-remove, DELETE api-labelset-adjudication,
        POST run-review, POST experiment-review
    decision about labels, by people   | 401  404  403  403  ok   403  ok   -    |
        POST api-labelset-adjudications
    raters, forget and delete their labels | 401  404  403  403  403  403  ok   ok   |
        POST labeltask-forget, POST labeltask-rater-remove, DELETE api-labeltask-rater, POST api-labeltask-forget
    a link, read without an account    | ok   ok   ok   -    ok   -    ok   ok   ok   |
        GET share-read
    links, list                        | 401  ok   403  403  ok   ok   ok   -    |
        GET api-share-list
    links, page, make and end          | 401  404  403  403  ok   ok   ok   ok   |
        GET share-create, POST share-create, GET share-list, POST share-delete,
        POST api-share-list, GET api-share-detail, DELETE api-share-detail
    link, restore                      | 401  404  403  403  own  403  ok   ok   |
        POST share-restore, POST api-share-restore
    saved views, list                  | 401  ok   ok   ok   ok   ok   ok   -    |
        GET api-view-list
    saved view, read and make          | 401  404  ok   ok   ok   ok   ok   ok   |
        POST view-create, GET api-view-detail, POST api-view-list
    saved view, change and restore     | 401  404  own  own  own  403  ok   ok   |
        POST view-rename, POST view-delete, POST view-restore,
        PATCH api-view-detail, DELETE api-view-detail, POST api-view-restore
    comments, list                     | 401  ok   ok   ok   ok   ok   ok   -    |
        GET api-comment-list
    comments, page                     | 401  404  ok   -    ok   -    ok   ok   |
        GET comment-list, POST run-comment, POST example-comment,
        POST comment-done
    comment, read and write            | 401  404  ok   ok   ok   ok   ok   -    |
        GET api-comment-detail, PATCH api-comment-detail, POST api-comment-list
    comment, delete and restore        | 401  404  own  own  own  403  ok   ok   |
        POST comment-delete, POST comment-restore, DELETE api-comment-detail, POST api-comment-restore
    labels, by people                  | 401  404  403  403  ok   403  ok   ok   ok   |
        GET labeltask-rate, POST labeltask-begin, POST labeltask-undo, POST label-create,
        POST api-labeltask-begin, GET api-labeltask-next, POST api-labeltask-undo
    label, without a lease             | 401  404  403  403  409  403  409  -    |
        POST api-label-list
    judgings, list                     | 401  ok   ok   ok   ok   ok   ok   -    |
        GET api-judging-list
    judging, read                      | 401  404  ok   ok   ok   ok   ok   ok   |
        GET judging-tried, GET api-judging-detail, GET api-judging-verdicts, GET api-run-verdicts,
        GET api-evaluator-checks
    judge, ask and stop                | 401  404  403  ok   ok   ok   ok   ok   |
        POST judging-cancel, POST api-judging-list, POST api-judging-cancel
    judge, ask again before it read anything | 401  404  403  -    400  -    400  400  |
        POST evaluator-again
    runs, list                         | 401  ok   ok   ok   ok   ok   ok   -    |
        GET api-run-list
    run, read, export, compare         | 401  404  ok   ok   ok   ok   ok   ok   |
        GET run-detail, GET run-export, GET experiment-export, GET run-thresholds, GET run-statistics, GET run-people,
        GET run-repetitions, GET compare,
        GET compare-export, GET compare-report, GET api-comparison-report,
        GET api-run-detail, GET api-experiment-export, GET api-result-list, GET api-result-detail,
        GET api-run-thresholds, GET api-run-statistics, GET api-run-people, GET api-run-repetitions, GET api-run-export,
        GET api-comparison, GET api-comparison-export,
        GET api-comparison-slices, GET api-comparison-agreement, GET api-comparison-corpus,
        GET api-comparison-examples, GET api-comparison-scatter,
        GET dataset-trends, GET api-dataset-trend, GET api-dataset-leaderboard,
        GET api-dataset-systems, GET api-dataset-items
    run, make, start, cancel, resume   | 401  404  403  ok   ok   ok   ok   ok   |
        GET run-about, POST run-about, POST run-for-gate, PATCH api-run-detail,
        GET scores-create, POST scores-create,
        GET variant-create, POST variant-create, GET run-score, POST run-score, GET run-start, POST run-start, POST
        run-retry, POST compare-align, POST dataset-rescore, POST run-cancel, POST run-resume, POST api-run-list,
        POST api-run-outputs, POST api-scores-list, POST api-run-start, POST api-run-cancel, POST api-run-resume,
        POST api-run-scorings, POST api-run-verify, POST api-run-preview
    variant, choose columns            | 401  404  403  -    mine -    mine 404  |
        GET variant-match, GET variant-repeated, POST variant-match, POST variant-adopt, POST experiment-references
    run, delete and restore            | 401  404  403  403  own  403  ok   ok   |
        POST run-delete, POST run-restore, DELETE api-run-detail, POST api-run-restore,
        DELETE api-scores-detail, POST api-scores-restore, POST scores-delete, POST scores-restore
"""


def rows() -> dict[str, dict[str, str]]:
    """The codes by column, for each call such as "GET run-detail"."""
    codes_by_call: dict[str, dict[str, str]] = {}
    for row in re.findall(r"([^|]+)\|([^|]+)\|((?:\n {8}.*)+)", TABLE):
        of_columns = row[1].split()
        if len(of_columns) == len(COLUMNS) - 1:
            of_columns.append(of_columns[COLUMNS.index("outside")])
        codes = dict(zip(COLUMNS, of_columns, strict=True))
        for call in " ".join(row[2].split()).split(", "):
            name = call.rstrip(",")
            assert name not in codes_by_call, f"{name} is there twice"
            codes_by_call[name] = codes
    return codes_by_call


EXPECTED = rows()
