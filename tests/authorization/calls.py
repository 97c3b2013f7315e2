"""Every address of the site with a valid request; `{…}` refers to an object of a `World`.

A test walks the URL resolver, so that an address or a method that is missing here fails the suite.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.urls import get_resolver
from django.urls.resolvers import RoutePattern, URLPattern, URLResolver

from tests.web.evaluators.test_evaluators import form_with

FILE = "question,answer\nwhat,this\n"
NEW_PERSON = {"username": "erin", "password1": "brand new words", "password2": "brand new words"}
PASSWORDS = {
    "old_password": "alice's long password",
    "new_password1": "brand new words",
    "new_password2": "brand new words",
}
EVALUATOR = form_with(name="Same")
SERVER = {"name": "Another", "base_url": "https://8.8.8.8/v1", "api_key": "sk-0123456789abcdef"}
WEBHOOK = {"url": "https://8.8.8.8/hook", "events": ["run.completed"]}
PROMPT_FILE = "name: Asked again\nmessages:\n- role: user\n  content: hello\n"
PROMPT = {
    "name": "Asked",
    "role": "user",
    "as": "text",
    "content": "{{{{ question }}}}",
    "connection": "{connection}",
    "do": "save",
}
COLUMN = {
    "column": "c0",
    "c0-base": "1",
    "c0-model": "m",
    "c0-connection": "{connection}",
    "c0-role": "user",
    "c0-as": "text",
    "c0-content": "{{{{ question }}}}",
}
GATE = {"baseline": "{run}", "0-rule": "examples", "0-number": "1", "missing": "worst"}
LAUNCH = {
    "experiment": "{experiment}",
    "row": "{prompt_version}",
    "model": "m",
    "variants": "{prompt_version}:m",
    "repetitions": "1",
    "tolerated": "5",
    "do": "start",
}
COLUMNS = {"column-0": "question", "role-0": "input", "column-1": "answer", "role-1": "reference"}

PAGES = {
    "account": "/account/",
    "factor-app": "/account/app/",
    "factor-passkey": "/account/passkey/",
    "signin-second": "/signin/second/",
    "api-docs": "/api/docs/",
    "audit": "/p/{slug}/audit/",
    "audit-export": "/p/{slug}/audit/export/",
    "audit-site": "/audit/",
    "audit-site-export": "/audit/export/",
    "compare": "/compare/?runs={run},{other_run}",
    "compare-report": "/compare/report/?runs={run},{other_run}",
    "compare-export": "/compare/export/?runs={run},{other_run}",
    "connection-detail": "/connections/{connection}/",
    "connection-list": "/p/{slug}/connections/",
    "dataset-append": "/datasets/{dataset}/append/",
    "dataset-detail": "/datasets/{dataset}/?row=1",
    "dataset-import": "/datasets/{tried_dataset}/imports/{dry_run}/",
    "dataset-schema": "/datasets/{dataset}/schema/",
    "dataset-splits": "/datasets/{dataset}/splits/",
    "dataset-variants": "/datasets/{tagged_dataset}/variants/",
    "dataset-versions": "/datasets/{dataset}/versions/",
    "dataset-diff": "/datasets/{pruned_dataset}/diff/?from=1&to=2",
    "dataset-import-refused": "/datasets/{tried_dataset}/imports/{dry_run}/refused/",
    "dataset-download": "/datasets/{dataset}/download/",
    "dataset-refused": "/datasets/{dataset}/refused/",
    "dataset-list": "/p/{slug}/datasets/?q=e",
    "dataset-trends": "/datasets/{dataset}/trends/",
    "dataset-upload": "/p/{slug}/datasets/upload/",
    "error-codes": "/api/codes/",
    "launch-create": "/p/{slug}/launches/new/?prompt={prompt}&experiment={experiment}",
    "launch-detail": "/launches/{launch}/",
    "manual": "/docs/?q=key",
    "manual-image": "/docs/experiment.png",
    "manual-page": "/docs/api/",
    "evaluator-create": "/p/{slug}/evaluators/new/",
    "evaluator-detail": "/evaluators/{evaluator}/",
    "evaluator-list": "/p/{slug}/evaluators/",
    "example-bulk": "/datasets/{dataset}/examples/bulk/?position=1",
    "example-create": "/datasets/{dataset}/examples/new/",
    "example-edit": "/datasets/{dataset}/examples/1/edit/",
    "experiment-create": "/p/{slug}/experiments/new/",
    "experiment-detail": "/experiments/{experiment}/",
    "experiment-evaluators": "/experiments/{experiment}/evaluators/",
    "experiment-list": "/p/{slug}/experiments/",
    "experiment-source": "/experiments/{experiment}/source/",
    "experiment-preview": "/experiments/{experiment}/preview/?evaluators={used_evaluator}",
    "healthz": "/healthz",
    "home": "/",
    "invitation-accept": "/invite/{token}/",
    "palette": "/p/{slug}/search/?q=e",
    "person-list": "/people/",
    "project-create": "/p/new/",
    "project-detail": "/p/{slug}/settings/",
    "project-home": "/p/{slug}/",
    "project-list": "/p/?q=e",
    "project-retention": "/p/{slug}/retention/?delete_runs_after_days=1&delete_datasets_after_days=1",
    "gate-create": "/p/{slug}/gates/new/?experiment={experiment}",
    "gate-change": "/gates/{gate}/change/",
    "gate-detail": "/gates/{gate}/?check={gate_check}",
    "gate-list": "/p/{slug}/gates/",
    "mapping-list": "/p/{slug}/mappings/",
    "prompt-create": "/p/{slug}/prompts/new/",
    "prompt-detail": "/prompts/{prompt}/",
    "prompt-bench": "/prompts/{prompt}/bench/",
    "prompt-export": "/prompts/{prompt}/export/",
    "prompt-import": "/p/{slug}/prompts/import/",
    "prompt-labels": "/prompts/{prompt}/labels/",
    "prompt-list": "/p/{slug}/prompts/",
    "metrics": "/metrics",
    "readyz": "/readyz",
    "trial-detail": "/trials/{trial}/",
    "run-detail": "/runs/{run}/?row=1",
    "run-export": "/runs/{run}/export/",
    "experiment-export": "/experiments/{experiment}/export/",
    "run-about": "/runs/{run}/about/",
    "run-score": "/runs/{run}/score/",
    "run-start": "/runs/{draft}/start/",
    "ask-create": "/experiments/{experiment}/people/",
    "judging-tried": "/judgings/{judging}/tried/",
    "labeltask-detail": "/labels/{label_task}/",
    "labeltask-list": "/p/{slug}/tasks/",
    "labeltask-rate": "/labels/{label_task}/rate/",
    "evaluator-passport": "/evaluators/{evaluator}/passport/",
    "passport-export": "/evaluators/{evaluator}/passport/export/",
    "labelset-labels": "/evaluators/{label_set}/labels/",
    "labelset-adjudications": "/evaluators/{label_set}/adjudications/",
    "asked-list": "/rate/",
    "rater-join": "/rate/{rater_token}/",
    "comment-list": "/p/{slug}/comments/",
    "share-create": "/compare/share/?runs={run},{other_run}",
    "share-list": "/p/{slug}/shares/",
    "share-read": "/s/{share_token}/",
    "scores-create": "/runs/{run}/scores/",
    "run-thresholds": "/runs/{run}/thresholds/",
    "run-statistics": "/runs/{run}/statistics/",
    "run-people": "/runs/{run}/people/",
    "run-repetitions": "/runs/{run}/repetitions/",
    "signin": "/signin/",
    "signin-link": "/signin/link/{signin_token}/",
    "upload-columns": "/uploads/{upload}/columns/",
    "upload-confirm": "/uploads/{upload}/confirm/",
    "upload-waiting": "/uploads/{upload}/waiting/",
    "upload-tool": "/uploads/{tool_upload}/tool/",
    "variant-create": "/experiments/{experiment}/variants/new/",
    "variant-match": "/experiments/{experiment}/variants/{variant_upload}/",
    "webhook-detail": "/webhooks/{webhook}/",
    "webhook-list": "/p/{slug}/webhooks/",
    "workers": "/workers/",
}
PAGE_WRITES: dict[str, tuple[str, dict[str, Any]]] = {
    "account-password": ("/account/password/", PASSWORDS),
    "factor-app": ("/account/app/", {}),
    "factor-passkey": ("/account/passkey/", {}),
    "factor-codes": ("/account/codes/", {}),
    "factor-remove": ("/account/factors/{factor}/remove/", {}),
    "session-end": ("/account/sessions/end/", {}),
    "signin-second": ("/signin/second/", {}),
    "connection-default": ("/connections/{connection}/default/", {}),
    "connection-delete": ("/connections/{connection}/delete/", {}),
    "connection-detail": ("/connections/{connection}/", SERVER | {"name": "Other"}),
    "connection-list": ("/p/{slug}/connections/", SERVER),
    "connection-prices": (
        "/connections/{connection}/prices/",
        {"model": "m", "input": "0.10", "output": "1", "valid_from": "2026-11-22"},
    ),
    "connection-restore": ("/connections/{gone_connection}/restore/", {}),
    "connection-test": ("/connections/{connection}/test/", {}),
    "local-withdraw": ("/p/{slug}/connections/local/{local_server}/withdraw/", {}),
    "dataset-append": ("/datasets/{dataset}/append/", {"text": FILE}),
    "dataset-delete": ("/datasets/{dataset}/delete/", {}),
    "dataset-import-apply": ("/datasets/{tried_dataset}/imports/{dry_run}/apply/", {}),
    "dataset-splits": ("/datasets/{dataset}/splits/", {"name": "Half", "share": "50"}),
    "mapping-rename": ("/mappings/{mapping}/rename/", {"name": "Other"}),
    "mapping-delete": ("/mappings/{mapping}/delete/", {}),
    "mapping-restore": ("/mappings/{gone_mapping}/restore/", {}),
    "split-rename": ("/splits/{split}/rename/", {"name": "Other"}),
    "split-delete": ("/splits/{split}/delete/", {}),
    "split-restore": ("/splits/{gone_split}/restore/", {}),
    "split-undo": ("/splits/{split}/undo/?digest={split_digest}", {}),
    "dataset-schema": ("/datasets/{dataset}/schema/", {"schema": ""}),
    "dataset-trends": ("/datasets/{dataset}/trends/", {"most_comparisons": ""}),
    "dataset-version-describe": ("/datasets/{dataset}/versions/1/describe/", {"tag": "first"}),
    "dataset-version-restore": ("/datasets/{pruned_dataset}/versions/1/restore/", {}),
    "dataset-rename": ("/datasets/{dataset}/rename/", {"name": "Towns"}),
    "dataset-restore": ("/datasets/{gone_dataset}/restore/", {}),
    "dataset-variants": ("/datasets/{tagged_dataset}/variants/", {"columns": "topic"}),
    "dataset-reopen": ("/datasets/{failed_dataset}/reopen/", {}),
    "dataset-retry": ("/datasets/{failed_dataset}/retry/", {}),
    "dataset-upload": ("/p/{slug}/datasets/upload/", {"text": FILE}),
    "evaluator-create": ("/p/{slug}/evaluators/new/?kind=levenshtein_similarity", EVALUATOR),
    "evaluator-delete": ("/evaluators/{evaluator}/delete/", {}),
    "evaluator-detail": ("/evaluators/{evaluator}/", EVALUATOR),
    "run-thresholds": ("/runs/{run}/thresholds/", {"threshold": "0.5"}),
    "evaluator-restore": ("/evaluators/{gone_evaluator}/restore/", {}),
    "example-bulk": (
        "/datasets/{dataset}/examples/bulk/?all=yes",
        {"do": "split", "split": "{split}", "action": "remove"},
    ),
    "example-create": ("/datasets/{dataset}/examples/new/", {"field-0": "a", "field-1": "b"}),
    "example-delete": ("/datasets/{dataset}/examples/1/delete/", {}),
    "example-restore": ("/datasets/{pruned_dataset}/examples/2/restore/", {}),
    "example-edit": ("/datasets/{dataset}/examples/1/edit/", {"field-0": "a", "field-1": "b"}),
    "experiment-ask": ("/experiments/{waiting_experiment}/ask/", {}),
    "experiment-baseline": ("/experiments/{experiment}/baseline/", {"variant": "{variant}"}),
    "experiment-primary": ("/experiments/{experiment}/primary/", {"evaluator": "{used_evaluator}"}),
    "experiment-margin": (
        "/experiments/{experiment}/margin/",
        {"evaluator": "{used_evaluator}", "margin": "0.02"},
    ),
    "experiment-create": (
        "/p/{slug}/experiments/new/",
        {"name": "Why?", "dataset": "{dataset}", "evaluators": "evaluator:{evaluator}"},
    ),
    "experiment-reading": ("/experiments/{experiment}/reading/", {"step": "reasoning"}),
    "experiment-reading-undo": (
        "/experiments/{experiment}/reading/undo/",
        {"versions": "{used_evaluator}:1"},
    ),
    "experiment-dataset": ("/experiments/{experiment}/dataset/", {}),
    "experiment-delete": ("/experiments/{experiment}/delete/", {}),
    "experiment-evaluators": (
        "/experiments/{experiment}/evaluators/",
        {"evaluators": "evaluator:{evaluator}"},
    ),
    "experiment-rename": ("/experiments/{experiment}/rename/", {"name": "How?"}),
    "experiment-restore": ("/experiments/{gone_experiment}/restore/", {}),
    "invitation-accept": ("/invite/{token}/", NEW_PERSON),
    "invitation-create": ("/p/{slug}/invitations/", {"role": "viewer"}),
    "invitation-withdraw": ("/p/{slug}/invitations/{invitation}/", {}),
    "key-create": ("/account/keys/", {"name": "nightly", "project": "{project}", "scope": "read"}),
    "key-revoke": ("/account/keys/{key}/revoke/", {}),
    "key-revoke-any": ("/p/{slug}/keys/{key}/revoke/", {}),
    "member-change": ("/p/{slug}/members/{member}/", {"role": "viewer"}),
    "member-remove": ("/p/{slug}/members/{member}/remove/", {}),
    "person-disable": ("/people/{person}/disable/", {}),
    "person-enable": ("/people/{person}/enable/", {}),
    "person-factors": ("/people/{person}/factors/", {}),
    "person-link": ("/people/{person}/link/", {}),
    "project-create": ("/p/new/", {"name": "Second"}),
    "project-delete": ("/p/{slug}/delete/", {"typed": "{project_name}"}),
    "webhook-list": ("/p/{slug}/webhooks/", WEBHOOK),
    "webhook-test": ("/webhooks/{webhook}/test/", {}),
    "webhook-delete": ("/webhooks/{webhook}/delete/", {}),
    "project-retention": ("/p/{slug}/retention/", {"delete_runs_after_days": "90"}),
    "project-labels": ("/p/{slug}/labels/", {"protected_labels": "production, live"}),
    "project-money": ("/p/{slug}/money/", {"currency": "EUR"}),
    "price-delete": ("/prices/{price}/delete/", {}),
    "project-rename": ("/p/{slug}/rename/", {"name": "First"}),
    "project-restore": ("/p/{gone_slug}/restore/", {}),
    "launch-cancel": ("/launches/{launch}/cancel/", {}),
    "launch-continue": ("/launches/{stopped_launch}/continue/", {}),
    "launch-create": ("/p/{slug}/launches/new/", LAUNCH),
    "launch-retry": ("/launches/{complete_launch}/retry/", {}),
    "gate-check": ("/gates/{gate}/check/", {"run": "{other_run}"}),
    "gate-create": (
        "/p/{slug}/gates/new/?experiment={experiment}",
        GATE | {"name": "Held"},
    ),
    "gate-change": ("/gates/{gate}/change/", GATE | {"name": "Changed"}),
    "gate-delete": ("/gates/{gate}/delete/", {}),
    "gate-lock": ("/gates/{gate}/lock/", {}),
    "gate-undo": ("/gates/{gate}/undo/", {}),
    "gate-restore": ("/gates/{gone_gate}/restore/", {}),
    "prompt-create": ("/p/{slug}/prompts/new/", PROMPT),
    "prompt-delete": ("/prompts/{prompt}/delete/", {}),
    "prompt-detail": ("/prompts/{prompt}/", PROMPT | {"name": "Again"}),
    "prompt-duplicate": ("/prompts/{prompt}/duplicate/", {}),
    "prompt-import": ("/p/{slug}/prompts/import/", {"file": PROMPT_FILE}),
    "prompt-label": ("/prompts/{prompt}/label/", {"label": "staging", "version": "1"}),
    "prompt-label-remove": ("/prompts/{prompt}/labels/tried/remove/", {}),
    "prompt-discard": ("/prompts/{prompt}/discard/", {}),
    "prompt-bench": ("/prompts/{prompt}/bench/", COLUMN | {"do": "save-0"}),
    "prompt-try": (
        "/prompts/{prompt}/try/",
        COLUMN | {"dataset": "{dataset}", "try_from": "named", "try_names": "1"},
    ),
    "trial-again": ("/trials/{stopped_trial}/again/", {}),
    "trial-stop": ("/trials/{trial}/stop/", {}),
    "prompt-restore": ("/prompts/{gone_prompt}/restore/", {}),
    "run-ask": ("/runs/{answered_run}/ask/", {}),
    "run-repetitions": ("/runs/{answered_run}/repetitions/", {"add": "1"}),
    "run-cancel": ("/runs/{open_run}/cancel/", {}),
    "run-resume": ("/runs/{cancelled_run}/resume/", {}),
    "run-delete": ("/runs/{run}/delete/", {}),
    "run-restore": ("/runs/{gone_run}/restore/", {}),
    "run-retry": ("/runs/{run}/retry/", {}),
    "compare-align": ("/compare/align/?runs={run},{other_run}", {}),
    "dataset-rescore": ("/datasets/{dataset}/trends/score/", {}),
    "run-about": ("/runs/{run}/about/", {"model": "m", "prompt": "{prompt}"}),
    "run-score": ("/runs/{run}/score/", {"evaluators": "evaluator:{evaluator}"}),
    "scores-create": ("/runs/{run}/scores/", {"name": "Sent", "text": "position,value\n1,1\n"}),
    "scores-delete": ("/runs/{run}/scores/{sent_evaluator}/remove/", {}),
    "scores-restore": ("/runs/{run}/scores/{unsent_evaluator}/restore/", {}),
    "run-start": ("/runs/{draft}/start/", {}),
    "ask-create": (
        "/experiments/{experiment}/people/",
        {
            "runs": "{run}",
            "name": "Asked",
            "answers": "pass_fail",
            "question": "Is it right?",
            "size": "10",
            "raters": "1",
            "overlap": "0",
        },
    ),
    "evaluator-again": ("/evaluators/{evaluator}/again/", {"purpose": "repeats", "max_calls": "5"}),
    "evaluator-passport-open": ("/evaluators/{evaluator}/passport/open/", {}),
    "labelset-unseal": ("/evaluators/{label_set}/unseal/", {"reason": "We read them."}),
    "judging-cancel": ("/judgings/{judging}/cancel/", {}),
    "labeltask-begin": ("/labels/{label_task}/begin/", {}),
    "labeltask-undo": ("/labels/{label_task}/undo/", {}),
    "labeltask-close": ("/labels/{label_task}/close/", {}),
    "label-create": (
        "/labels/{label_task}/store/",
        {"item": "{label_item}", "lease": "lost", "value": "pass"},
    ),
    "labeltask-links": ("/labels/{label_task}/links/", {"days": "30"}),
    "labeltask-link-remove": ("/labels/{label_task}/links/{rater_link}/withdraw/", {}),
    "labeltask-raters": ("/labels/{label_task}/raters/", {"person": "{annotator}"}),
    "labeltask-forget": ("/labels/{label_task}/raters/{rater}/forget/", {}),
    "labeltask-rater-remove": ("/labels/{label_task}/raters/{rater}/delete/", {}),
    "labelset-labels": (
        "/evaluators/{label_set}/labels/",
        {"run": "{run}", "text": "position,label,rater\n1,pass,a\n1,fail,b\n", "random": "on"},
    ),
    "labelset-adjudications": (
        "/evaluators/{label_set}/adjudications/",
        {"item": "{differing_item}", "value": "pass"},
    ),
    "labelset-adjudication-remove": (
        "/evaluators/{label_set}/adjudications/undo/",
        {"item": "{differing_item}"},
    ),
    "rater-join": ("/rate/{rater_token}/", {"name": "Ann"}),
    "run-review": ("/runs/{run}/review/", {}),
    "experiment-review": ("/experiments/{experiment}/review/", {}),
    "run-comment": ("/runs/{run}/rows/1/comments/", {"text": "Odd."}),
    "example-comment": ("/datasets/{dataset}/examples/1/comments/", {"text": "Odd."}),
    "share-create": (
        "/compare/share/?runs={run},{other_run}",
        {"kind": "comparison", "texts": "figures", "days": "7"},
    ),
    "share-delete": ("/shares/{share_link}/delete/", {}),
    "share-restore": ("/shares/{gone_share_link}/restore/", {}),
    "view-create": ("/p/{slug}/views/", {"name": "Mine", "path": "/runs/{run}/"}),
    "view-delete": ("/views/{view}/delete/", {}),
    "view-restore": ("/views/{gone_view}/restore/", {}),
    "project-links": ("/p/{slug}/links/", {"share_links": "on"}),
    "comment-delete": ("/comments/{comment}/delete/", {}),
    "comment-restore": ("/comments/{gone_comment}/restore/", {}),
    "sample-load": ("/p/{slug}/sample/", {}),
    "sample-remove": ("/p/{slug}/sample/remove/", {}),
    "signin": ("/signin/", {"username": "alice", "password": "alice's long password"}),
    "signin-link": ("/signin/link/{signin_token}/", {}),
    "signout": ("/signout/", {}),
    "theme": ("/theme/", {"theme": "dark"}),
    "upload-columns": ("/uploads/{upload}/columns/", COLUMNS | {"continue": "1"}),
    "upload-waiting": ("/uploads/{upload}/waiting/", {}),
    "upload-confirm": ("/uploads/{upload}/confirm/", {"name": "Uploaded", "on_error": "reject"}),
    "upload-tool": ("/uploads/{tool_upload}/tool/", {"name": "Moved"}),
    "variant-create": ("/experiments/{experiment}/variants/new/", {"variant": "v9", "text": "output\na\n"}),
    "variant-match": (
        "/experiments/{experiment}/variants/{variant_upload}/",
        {"output": "output", "match": "order", "start": "1"},
    ),
}
API: dict[tuple[str, str], tuple[str, Any]] = {
    ("api-schema", "GET"): ("/api/schema/", None),
    ("api-project-detail", "GET"): ("projects/current/", None),
    ("api-project-detail", "PATCH"): ("projects/current/", {"name": "First"}),
    ("api-project-detail", "DELETE"): ("projects/current/", None),
    ("api-project-retention", "GET"): ("projects/current/retention/?delete_runs_after_days=1", None),
    ("api-project-retention", "PATCH"): ("projects/current/retention/", {"delete_runs_after_days": 90}),
    ("api-member-list", "GET"): ("members/", None),
    ("api-member-detail", "GET"): ("members/{member}/", None),
    ("api-member-detail", "PATCH"): ("members/{member}/", {"role": "viewer"}),
    ("api-member-detail", "DELETE"): ("members/{member}/", None),
    ("api-invitation-list", "GET"): ("invitations/", None),
    ("api-invitation-list", "POST"): ("invitations/", {"role": "viewer"}),
    ("api-invitation-detail", "GET"): ("invitations/{invitation}/", None),
    ("api-invitation-detail", "DELETE"): ("invitations/{invitation}/", None),
    ("api-webhook-list", "GET"): ("webhooks/", None),
    ("api-webhook-list", "POST"): ("webhooks/", WEBHOOK),
    ("api-webhook-detail", "GET"): ("webhooks/{webhook}/", None),
    ("api-webhook-detail", "DELETE"): ("webhooks/{webhook}/", None),
    ("api-webhook-test", "POST"): ("webhooks/{webhook}/test/", None),
    ("api-webhook-deliveries", "GET"): ("webhooks/{webhook}/deliveries/", None),
    ("api-key-list", "GET"): ("keys/", None),
    ("api-key-detail", "GET"): ("keys/{key}/", None),
    ("api-key-detail", "DELETE"): ("keys/{key}/", None),
    ("api-audit-list", "GET"): ("audit/", None),
    ("api-audit-export", "GET"): ("audit/export/", None),
    ("api-dataset-list", "GET"): ("datasets/", None),
    ("api-dataset-list", "POST"): ("datasets/", {"name": "Made", "examples": [{"inputs": "a"}]}),
    ("api-dataset-preview", "POST"): ("datasets/preview/", {"file": FILE}),
    ("api-run-preview", "POST"): ("runs/preview/", {"file": "output\na\n", "experiment": "{experiment}"}),
    ("api-search", "GET"): ("search/?q=e", None),
    ("api-dataset-detail", "GET"): ("datasets/{dataset}/", None),
    ("api-dataset-detail", "PATCH"): ("datasets/{dataset}/", {"name": "Towns"}),
    ("api-dataset-detail", "DELETE"): ("datasets/{dataset}/", None),
    ("api-dataset-restore", "POST"): ("datasets/{gone_dataset}/restore/", None),
    ("api-dataset-upload", "POST"): ("datasets/{dataset}/upload/", {"file": FILE, "mode": "append"}),
    ("api-dataset-imports", "GET"): ("datasets/{dataset}/imports/", None),
    ("api-dataset-import", "GET"): ("datasets/{tried_dataset}/imports/{dry_run}/", None),
    ("api-dataset-import-refused", "GET"): ("datasets/{tried_dataset}/imports/{dry_run}/refused/", None),
    ("api-dataset-import-apply", "POST"): ("datasets/{tried_dataset}/imports/{dry_run}/apply/", None),
    ("api-dataset-retry", "POST"): ("datasets/{failed_dataset}/retry/", None),
    ("api-dataset-splits", "GET"): ("datasets/{dataset}/splits/", None),
    ("api-dataset-splits", "POST"): ("datasets/{dataset}/splits/", {"name": "Half", "share": 0.5, "seed": 1}),
    ("api-mapping-list", "GET"): ("mappings/", None),
    ("api-mapping-list", "POST"): ("mappings/", {"name": "Weekly", "mapping": {"inputs": ["question"]}}),
    ("api-mapping-detail", "GET"): ("mappings/{mapping}/", None),
    ("api-mapping-detail", "PATCH"): ("mappings/{mapping}/", {"name": "Other"}),
    ("api-mapping-detail", "DELETE"): ("mappings/{mapping}/", None),
    ("api-mapping-restore", "POST"): ("mappings/{gone_mapping}/restore/", None),
    ("api-split-detail", "GET"): ("splits/{split}/", None),
    ("api-split-detail", "PATCH"): ("splits/{split}/", {"name": "Other"}),
    ("api-split-detail", "DELETE"): ("splits/{split}/", None),
    ("api-split-restore", "POST"): ("splits/{gone_split}/restore/", None),
    ("api-dataset-versions", "GET"): ("datasets/{dataset}/versions/", None),
    ("api-dataset-schema", "GET"): ("datasets/{dataset}/schema/", None),
    ("api-dataset-schema", "POST"): ("datasets/{dataset}/schema/", {"schema": {}}),
    ("api-dataset-version", "GET"): ("datasets/{dataset}/versions/1/", None),
    ("api-dataset-version", "PATCH"): ("datasets/{dataset}/versions/1/", {"tag": "first"}),
    ("api-dataset-version-restore", "POST"): ("datasets/{pruned_dataset}/versions/1/restore/", None),
    ("api-dataset-diff", "GET"): ("datasets/{pruned_dataset}/diff/?from=1&to=2", None),
    ("api-dataset-export", "GET"): ("datasets/{dataset}/export/", None),
    ("api-dataset-refused", "GET"): ("datasets/{dataset}/refused/", None),
    ("api-example-list", "GET"): ("datasets/{dataset}/examples/", None),
    ("api-example-list", "POST"): (
        "datasets/{dataset}/examples/",
        {"examples": [{"inputs": {"question": "a"}}]},
    ),
    ("api-example-bulk", "POST"): (
        "datasets/{dataset}/examples/bulk/",
        {"select": {"all": True}, "do": "split", "split": "{split}", "action": "add"},
    ),
    ("api-example-restore", "POST"): ("datasets/{pruned_dataset}/examples/2/restore/", None),
    ("api-example-detail", "GET"): ("datasets/{dataset}/examples/1/", None),
    ("api-example-detail", "PATCH"): ("datasets/{dataset}/examples/1/", {"inputs": {"question": "a"}}),
    ("api-example-detail", "DELETE"): ("datasets/{dataset}/examples/1/", None),
    ("api-kind-list", "GET"): ("evaluator-kinds/", None),
    ("api-kind-detail", "GET"): ("evaluator-kinds/exact_match/", None),
    ("api-evaluator-list", "GET"): ("evaluators/", None),
    ("api-evaluator-list", "POST"): (
        "evaluators/",
        {
            "name": "Same",
            "kind": "semantic_similarity",
            "config": {"connection": "{connection}", "model": "m"},
        },
    ),
    ("api-evaluator-detail", "GET"): ("evaluators/{evaluator}/", None),
    ("api-evaluator-detail", "PATCH"): ("evaluators/{evaluator}/", {"name": "Same"}),
    ("api-evaluator-detail", "DELETE"): ("evaluators/{evaluator}/", None),
    ("api-evaluator-restore", "POST"): ("evaluators/{gone_evaluator}/restore/", None),
    ("api-evaluator-versions", "GET"): ("evaluators/{evaluator}/versions/", None),
    ("api-connection-list", "GET"): ("connections/", None),
    ("api-connection-list", "POST"): ("connections/", SERVER),
    ("api-connection-detail", "GET"): ("connections/{connection}/", None),
    ("api-connection-detail", "PATCH"): ("connections/{connection}/", {"name": "Other"}),
    ("api-connection-detail", "DELETE"): ("connections/{connection}/", None),
    ("api-connection-restore", "POST"): ("connections/{gone_connection}/restore/", None),
    ("api-connection-test", "POST"): ("connections/{connection}/test/", {"model": "m"}),
    ("api-connection-prices", "GET"): ("connections/{connection}/prices/", None),
    ("api-connection-prices", "POST"): (
        "connections/{connection}/prices/",
        {"model": "m", "input": "0.10", "output": "1"},
    ),
    ("api-price-detail", "GET"): ("prices/{price}/", None),
    ("api-price-detail", "DELETE"): ("prices/{price}/", None),
    ("api-prompt-list", "GET"): ("prompts/", None),
    ("api-prompt-list", "POST"): (
        "prompts/",
        {"name": "Ask anew", "messages": [{"role": "user", "content": "a"}], "connection": "{connection}"},
    ),
    ("api-prompt-detail", "GET"): ("prompts/{prompt}/", None),
    ("api-prompt-detail", "PATCH"): ("prompts/{prompt}/", {"name": "Ask"}),
    ("api-prompt-detail", "DELETE"): ("prompts/{prompt}/", None),
    ("api-prompt-restore", "POST"): ("prompts/{gone_prompt}/restore/", None),
    ("api-prompt-duplicate", "POST"): ("prompts/{prompt}/duplicate/", {}),
    ("api-prompt-import", "POST"): ("prompts/import/", {"file": PROMPT_FILE}),
    ("api-prompt-by-name", "GET"): ("prompts/by-name/{prompt_name}/?version=1", None),
    ("api-prompt-labels", "GET"): ("prompts/{prompt}/labels/", None),
    ("api-prompt-label", "GET"): ("prompts/{prompt}/labels/tried/", None),
    ("api-prompt-label", "PUT"): ("prompts/{prompt}/labels/staging/", {"version": 1}),
    ("api-prompt-label", "DELETE"): ("prompts/{prompt}/labels/tried/", None),
    ("api-prompt-export", "GET"): ("prompts/{prompt}/export/", None),
    ("api-prompt-code", "GET"): ("prompts/{prompt}/code/", None),
    ("api-prompt-versions", "GET"): ("prompts/{prompt}/versions/", None),
    ("api-prompt-versions", "POST"): ("prompts/{prompt}/versions/", {"model": "m"}),
    ("api-prompt-diff", "GET"): ("prompts/{prompt}/diff/?from=1&to=1", None),
    ("api-prompt-render", "POST"): ("prompts/{prompt}/render/", {"dataset": "{dataset}", "positions": [1]}),
    ("api-prompt-try", "POST"): (
        "prompts/{prompt}/try/",
        {
            "variants": [{"model": "m"}],
            "dataset": "{dataset}",
            "positions": [1],
            "evaluators": ["{evaluator}"],
        },
    ),
    ("api-trial-detail", "GET"): ("trials/{trial}/", None),
    ("api-trial-stop", "POST"): ("trials/{trial}/stop/", None),
    ("api-trial-again", "POST"): ("trials/{stopped_trial}/again/", None),
    ("api-launch-list", "GET"): ("launches/", None),
    ("api-launch-list", "POST"): (
        "launches/",
        {
            "experiment": "{experiment}",
            "variants": [{"prompt": "{prompt}", "model": "m", "name": "new"}],
            "sample": {"size": 1, "seed": 1},  # a random seed could look like the id of a stranger's object
        },
    ),
    ("api-launch-detail", "GET"): ("launches/{launch}/", None),
    ("api-launch-cancel", "POST"): ("launches/{launch}/cancel/", None),
    ("api-launch-continue", "POST"): ("launches/{stopped_launch}/continue/", {}),
    ("api-score", "POST"): ("score/", {"kind": "exact_match", "items": [{"actual": "a", "expected": "a"}]}),
    ("api-experiment-list", "GET"): ("experiments/", None),
    ("api-experiment-list", "POST"): (
        "experiments/",
        {"name": "Why?", "dataset": "{dataset}", "evaluators": ["{evaluator}"]},
    ),
    ("api-experiment-detail", "GET"): ("experiments/{experiment}/", None),
    ("api-experiment-detail", "PATCH"): ("experiments/{experiment}/", {"name": "How?"}),
    ("api-experiment-detail", "DELETE"): ("experiments/{experiment}/", None),
    ("api-experiment-restore", "POST"): ("experiments/{gone_experiment}/restore/", None),
    ("api-experiment-reading", "GET"): ("experiments/{experiment}/reading-steps/", None),
    ("api-experiment-reading", "POST"): ("experiments/{experiment}/reading-steps/", {"step": "reasoning"}),
    ("api-experiment-reading-undo", "POST"): (
        "experiments/{experiment}/reading-steps/undo/",
        {"versions": [{"evaluator": "{used_evaluator}", "version": 1}]},
    ),
    ("api-experiment-ask", "POST"): ("experiments/{waiting_experiment}/ask/", None),
    ("api-experiment-dataset", "POST"): ("experiments/{experiment}/dataset/", None),
    ("api-experiment-evaluators", "POST"): (
        "experiments/{experiment}/evaluators/",
        {"evaluators": ["{evaluator}"]},
    ),
    ("api-experiment-source", "GET"): ("experiments/{experiment}/source/", None),
    ("api-experiment-preview", "GET"): (
        "experiments/{experiment}/preview/?evaluators={used_evaluator}",
        None,
    ),
    ("api-gate-list", "GET"): ("gates/", None),
    ("api-gate-list", "POST"): (
        "gates/",
        {
            "name": "Held",
            "dataset": "{experiment_dataset}",
            "baseline": "{run}",
            "criteria": [{"rule": "examples", "value": 1}],
        },
    ),
    ("api-gate-detail", "GET"): ("gates/{gate}/", None),
    ("api-gate-detail", "PATCH"): ("gates/{gate}/", {"baseline": "{other_run}"}),
    ("api-gate-detail", "DELETE"): ("gates/{gate}/", None),
    ("api-gate-restore", "POST"): ("gates/{gone_gate}/restore/", None),
    ("api-gate-check", "GET"): ("gates/{gate}/check/?run={other_run}", None),
    ("api-gate-check", "POST"): ("gates/{gate}/check/", {"run": "{other_run}"}),
    ("api-gate-checks", "GET"): ("gates/{gate}/checks/", None),
    ("api-gate-checked", "GET"): ("gates/{gate}/checks/{gate_check}/", None),
    ("api-gate-junit", "GET"): ("gates/{gate}/checks/{gate_check}/junit/", None),
    ("api-gate-markdown", "GET"): ("gates/{gate}/checks/{gate_check}/markdown/", None),
    ("api-run-list", "GET"): ("runs/?experiment={experiment}", None),
    ("api-run-list", "POST"): ("runs/", {"experiment": "{experiment}", "variant": "v9"}),
    ("api-run-detail", "PATCH"): ("runs/{run}/", {"about": {"prompt": "{prompt}"}}),
    ("api-run-detail", "GET"): ("runs/{run}/", None),
    ("api-run-detail", "DELETE"): ("runs/{run}/", None),
    ("api-run-restore", "POST"): ("runs/{gone_run}/restore/", None),
    ("api-run-outputs", "POST"): ("runs/{draft}/outputs/", {"outputs": [{"position": 2, "output": "a"}]}),
    ("api-scores-list", "POST"): (
        "runs/{run}/scores/",
        {"evaluator": {"name": "Sent"}, "scores": [{"position": 1, "value": 1}]},
    ),
    ("api-scores-detail", "DELETE"): ("runs/{run}/scores/{sent_evaluator}/", None),
    ("api-scores-restore", "POST"): ("runs/{run}/scores/{unsent_evaluator}/restore/", None),
    ("api-labelset-list", "GET"): ("label-sets/", None),
    ("api-labelset-list", "POST"): ("label-sets/", {"name": "Asked"}),
    ("api-labelset-detail", "GET"): ("label-sets/{label_set}/", None),
    ("api-labelset-detail", "PATCH"): ("label-sets/{label_set}/", {"guideline": "Facts."}),
    ("api-labelset-export", "GET"): ("label-sets/{label_set}/export/", None),
    ("api-labelset-unseal", "POST"): ("label-sets/{label_set}/unseal/", {"reason": "We read them."}),
    ("api-labelset-agreement", "GET"): ("label-sets/{label_set}/agreement/", None),
    ("api-evaluator-passport", "GET"): ("evaluators/{evaluator}/passport/?label_set={label_set}", None),
    ("api-evaluator-passport-open", "POST"): (
        "evaluators/{evaluator}/passport/open/",
        {"label_set": "{label_set}"},
    ),
    ("api-labeltask-list", "GET"): ("label-tasks/", None),
    ("api-labeltask-list", "POST"): (
        "label-tasks/",
        {"label_set": "{label_set}", "runs": ["{run}"], "sample": {"size": 1}},
    ),
    ("api-labeltask-detail", "GET"): ("label-tasks/{label_task}/", None),
    ("api-labeltask-begin", "POST"): ("label-tasks/{label_task}/begin/", None),
    ("api-labeltask-next", "GET"): ("label-tasks/{label_task}/next/", None),
    ("api-labeltask-undo", "POST"): ("label-tasks/{label_task}/undo/", None),
    ("api-labeltask-close", "POST"): ("label-tasks/{label_task}/close/", None),
    ("api-labelset-labels", "POST"): (
        "label-sets/{label_set}/labels/",
        {"run": "{run}", "labels": [{"position": 1, "value": "pass"}], "random": True},
    ),
    ("api-labelset-adjudications", "GET"): ("label-sets/{label_set}/adjudications/", None),
    ("api-labelset-adjudications", "POST"): (
        "label-sets/{label_set}/adjudications/",
        {"item": "{differing_item}", "value": "pass"},
    ),
    ("api-labelset-adjudication", "DELETE"): (
        "label-sets/{label_set}/adjudications/{differing_item}/",
        None,
    ),
    ("api-labeltask-winrate", "GET"): ("label-tasks/{label_task}/win-rate/", None),
    ("api-labeltask-items", "GET"): ("label-tasks/{label_task}/items/", None),
    ("api-labeltask-raters", "GET"): ("label-tasks/{label_task}/raters/", None),
    ("api-labeltask-raters", "POST"): ("label-tasks/{label_task}/raters/", {"person": "{annotator}"}),
    ("api-labeltask-rater", "DELETE"): ("label-tasks/{label_task}/raters/{rater}/", None),
    ("api-labeltask-forget", "POST"): ("label-tasks/{label_task}/raters/{rater}/forget/", None),
    ("api-labeltask-links", "GET"): ("label-tasks/{label_task}/links/", None),
    ("api-labeltask-links", "POST"): ("label-tasks/{label_task}/links/", {"days": 7}),
    ("api-labeltask-link", "DELETE"): ("label-tasks/{label_task}/links/{rater_link}/", None),
    ("api-share-list", "GET"): ("share-links/", None),
    ("api-share-list", "POST"): ("share-links/", {"object": "experiment", "id": "{experiment}"}),
    ("api-share-detail", "GET"): ("share-links/{share_link}/", None),
    ("api-share-detail", "DELETE"): ("share-links/{share_link}/", None),
    ("api-share-restore", "POST"): ("share-links/{gone_share_link}/restore/", None),
    ("api-view-list", "GET"): ("views/", None),
    ("api-view-list", "POST"): ("views/", {"name": "Mine", "path": "/runs/{run}/"}),
    ("api-view-detail", "GET"): ("views/{view}/", None),
    ("api-view-detail", "DELETE"): ("views/{view}/", None),
    ("api-view-restore", "POST"): ("views/{gone_view}/restore/", None),
    ("api-comment-list", "GET"): ("comments/", None),
    ("api-comment-list", "POST"): ("comments/", {"run": "{run}", "example": 1, "text": "Odd."}),
    ("api-comment-detail", "GET"): ("comments/{comment}/", None),
    ("api-comment-detail", "DELETE"): ("comments/{comment}/", None),
    ("api-comment-restore", "POST"): ("comments/{gone_comment}/restore/", None),
    ("api-label-list", "POST"): (
        "labels/",
        {"item": "{label_item}", "lease": "lost", "value": "pass"},
    ),
    ("api-judging-list", "GET"): ("judgings/", None),
    ("api-judging-list", "POST"): (
        "judgings/",
        {"purpose": "try", "run": "{run}", "positions": [1], "evaluator": "{judge}", "max_calls": 1},
    ),
    ("api-judging-detail", "GET"): ("judgings/{judging}/", None),
    ("api-judging-verdicts", "GET"): ("judgings/{judging}/verdicts/", None),
    ("api-judging-cancel", "POST"): ("judgings/{judging}/cancel/", None),
    ("api-run-verdicts", "GET"): ("runs/{run}/verdicts/?evaluator={judge}", None),
    ("api-evaluator-checks", "GET"): ("evaluators/{judge}/checks/", None),
    ("api-run-start", "POST"): ("runs/{draft}/start/", None),
    ("api-run-cancel", "POST"): ("runs/{open_run}/cancel/", None),
    ("api-run-resume", "POST"): ("runs/{cancelled_run}/resume/", None),
    ("api-run-ask", "POST"): ("runs/{answered_run}/retry/", None),
    ("api-run-scorings", "POST"): ("runs/{run}/scorings/", {"evaluators": ["{evaluator}"]}),
    ("api-run-thresholds", "GET"): ("runs/{run}/thresholds/", None),
    ("api-run-statistics", "GET"): ("runs/{run}/statistics/", None),
    ("api-run-people", "GET"): ("runs/{run}/people/", None),
    ("api-run-repetitions", "GET"): ("runs/{run}/repetitions/", None),
    ("api-run-repetitions", "POST"): ("runs/{answered_run}/repetitions/", {"add": 1}),
    ("api-experiment-export", "GET"): ("experiments/{experiment}/export/?format=jsonl", None),
    ("api-run-export", "GET"): ("runs/{run}/export/?format=jsonl", None),
    ("api-result-list", "GET"): ("runs/{run}/results/", None),
    ("api-result-detail", "GET"): ("runs/{run}/results/1/", None),
    ("api-dataset-trend", "GET"): ("datasets/{dataset}/trend/", None),
    ("api-dataset-items", "GET"): ("datasets/{dataset}/items/", None),
    ("api-dataset-systems", "GET"): ("datasets/{dataset}/systems/", None),
    ("api-dataset-leaderboard", "GET"): ("datasets/{dataset}/leaderboard/", None),
    ("api-comparison", "GET"): ("comparisons/?runs={run},{other_run}", None),
    ("api-comparison-agreement", "GET"): ("comparisons/agreement/?runs={run},{other_run}", None),
    ("api-comparison-corpus", "GET"): ("comparisons/corpus/?runs={run},{other_run}", None),
    ("api-comparison-slices", "GET"): ("comparisons/slices/?runs={run},{other_run}", None),
    ("api-comparison-examples", "GET"): ("comparisons/examples/?runs={run},{other_run}", None),
    ("api-comparison-scatter", "GET"): ("comparisons/scatter/?runs={run},{other_run}", None),
    ("api-run-verify", "POST"): ("runs/{run}/verify/", {}),
    ("api-comparison-report", "GET"): ("comparisons/report/?runs={run},{other_run}", None),
    ("api-comparison-export", "GET"): ("comparisons/export/?runs={run},{other_run}", None),
}


@dataclass(frozen=True)
class Call:
    """A route and a method, with an address and a body that may refer to objects of a world."""

    route: str
    method: str
    path: str
    body: Any = None

    @property
    def name(self) -> str:
        return f"{self.method} {self.route}"

    @property
    def is_api(self) -> bool:
        return self.route.startswith("api-") and self.route != "api-docs"

    def known_texts(self, objects: dict[str, Any]) -> list[str]:
        """Texts that the caller sent, which an answer may repeat: the address, ids and names."""
        path = filled(self.path, objects).partition("?")[0]
        names_sent = [
            str(objects[name]) for name in re.findall(r"\{(\w+)\}", f"{self.path} {json.dumps(self.body)}")
        ]
        return [path, *sorted(names_sent, key=len, reverse=True)]

    def send(self, client: Client, objects: dict[str, Any], headers: dict[str, str]) -> HttpResponse:
        path, body = filled(self.path, objects), filled(self.body, objects)
        if not self.is_api:
            method = client.get if self.method == "GET" else client.post
            if isinstance(body, dict) and "file" in body:
                body = body | {"file": SimpleUploadedFile("rows.csv", body["file"].encode())}
            return method(path, body, headers=headers)
        content = b"" if body is None else json.dumps(body).encode()
        address = path if path.startswith("/") else f"/api/v1/{path}"
        if isinstance(body, dict) and "file" in body:
            form = body | {"file": SimpleUploadedFile("rows.csv", body["file"].encode())}
            return client.post(address, form, headers=headers)
        return client.generic(self.method, address, content, "application/json", headers=headers)


CALLS = [
    *(Call(route, "GET", path) for route, path in PAGES.items()),
    *(Call(route, "POST", path, body) for route, (path, body) in PAGE_WRITES.items()),
    *(Call(route, method, path, body) for (route, method), (path, body) in API.items()),
]


def filled(template: Any, objects: dict[str, Any]) -> Any:
    """The template with ids filled in: `{run}` alone becomes a number, inside a text its digits."""
    if isinstance(template, dict):
        return {name: filled(value, objects) for name, value in template.items()}
    if isinstance(template, list):
        return [filled(value, objects) for value in template]
    if not isinstance(template, str):
        return template
    placeholder = re.fullmatch(r"\{(\w+)\}", template)
    return objects[placeholder[1]] if placeholder else template.format(**objects)


def patterns(resolver: URLResolver, prefix: str = "") -> Iterator[tuple[str, str, URLPattern]]:
    """Every named URL pattern with its template."""
    for pattern in resolver.url_patterns:
        route = pattern.pattern._route if isinstance(pattern.pattern, RoutePattern) else str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from patterns(pattern, prefix + route)
        else:
            yield pattern.name, prefix + route, pattern


def routes() -> dict[str, tuple[str, URLPattern]]:
    """Template and pattern of every route of the site, by name."""
    return {name: (template, view) for name, template, view in patterns(get_resolver())}
