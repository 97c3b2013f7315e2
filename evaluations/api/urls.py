"""URL patterns below /api/. Tests and the permissions table refer to them by name."""

from types import ModuleType

from django.urls import URLPattern, include, path, re_path, register_converter

from . import document
from .fields import LARGEST_ID
from .views import (
    audit,
    bulk,
    codes,
    comments,
    compared,
    comparisons,
    connections,
    dataset_imports,
    dataset_schema,
    dataset_versions,
    datasets,
    evaluators,
    experiment_export,
    experiments,
    file_previews,
    gates,
    invitations,
    judgings,
    keys,
    labels,
    launches,
    mappings,
    missing,
    opinions,
    passports,
    previews,
    prices,
    projects,
    prompt_labels,
    prompts,
    raters,
    reference,
    results,
    retention,
    runs,
    search,
    sent_scores,
    shares,
    splits,
    statistics,
    trends,
    trials,
    verification,
    webhooks,
    win_rates,
)


class IdConverter:
    """Accepts ids that the database can hold; any other text matches no pattern."""

    regex = "[1-9][0-9]{0,18}"

    def to_python(self, value: str) -> int:
        if int(value) > LARGEST_ID:
            raise ValueError
        return int(value)

    def to_url(self, value: int) -> str:
        return str(value)


register_converter(IdConverter, "id")


def named(noun: str, module: ModuleType, prefix: str) -> list[URLPattern]:
    """The patterns that every named object has: list, detail, restore."""
    item = f"{noun}s/<id:pk>/"
    return [
        path(f"{noun}s/", getattr(module, f"{prefix}List").as_view(), name=f"api-{noun}-list"),
        path(item, getattr(module, f"{prefix}Detail").as_view(), name=f"api-{noun}-detail"),
        path(f"{item}restore/", getattr(module, f"{prefix}Restore").as_view(), name=f"api-{noun}-restore"),
    ]


v1 = [
    path("projects/current/", projects.CurrentProject.as_view(), name="api-project-detail"),
    path("projects/current/retention/", retention.ProjectRetention.as_view(), name="api-project-retention"),
    path("members/", projects.MemberList.as_view(), name="api-member-list"),
    path("members/<id:pk>/", projects.MemberDetail.as_view(), name="api-member-detail"),
    path("invitations/", invitations.InvitationList.as_view(), name="api-invitation-list"),
    path("invitations/<id:pk>/", invitations.InvitationDetail.as_view(), name="api-invitation-detail"),
    path("keys/", keys.KeyList.as_view(), name="api-key-list"),
    path("keys/<id:pk>/", keys.KeyDetail.as_view(), name="api-key-detail"),
    path("audit/", audit.AuditList.as_view(), name="api-audit-list"),
    path("audit/export/", audit.AuditExport.as_view(), name="api-audit-export"),
    *named("dataset", datasets, "Dataset"),
    path("datasets/preview/", file_previews.DatasetPreview.as_view(), name="api-dataset-preview"),
    path("datasets/<id:pk>/retry/", datasets.DatasetRetry.as_view(), name="api-dataset-retry"),
    path("datasets/<id:pk>/versions/", datasets.DatasetVersions.as_view(), name="api-dataset-versions"),
    path(
        "datasets/<id:pk>/versions/<id:number>/",
        dataset_versions.DatasetVersionDetail.as_view(),
        name="api-dataset-version",
    ),
    path(
        "datasets/<id:pk>/versions/<id:number>/restore/",
        dataset_versions.DatasetVersionRestore.as_view(),
        name="api-dataset-version-restore",
    ),
    path("datasets/<id:pk>/schema/", dataset_schema.DatasetSchema.as_view(), name="api-dataset-schema"),
    path("datasets/<id:pk>/diff/", dataset_versions.DatasetDiff.as_view(), name="api-dataset-diff"),
    path("datasets/<id:pk>/export/", results.DatasetExport.as_view(), name="api-dataset-export"),
    path("datasets/<id:pk>/refused/", results.RefusedRows.as_view(), name="api-dataset-refused"),
    path("datasets/<id:pk>/upload/", dataset_imports.DatasetUpload.as_view(), name="api-dataset-upload"),
    path("datasets/<id:pk>/imports/", dataset_imports.DatasetImports.as_view(), name="api-dataset-imports"),
    path(
        "datasets/<id:pk>/imports/<id:change>/",
        dataset_imports.DatasetImportDetail.as_view(),
        name="api-dataset-import",
    ),
    path(
        "datasets/<id:pk>/imports/<id:change>/apply/",
        dataset_imports.DatasetImportApply.as_view(),
        name="api-dataset-import-apply",
    ),
    path(
        "datasets/<id:pk>/imports/<id:change>/refused/",
        dataset_imports.DatasetImportRefused.as_view(),
        name="api-dataset-import-refused",
    ),
    path("datasets/<id:pk>/splits/", splits.DatasetSplits.as_view(), name="api-dataset-splits"),
    path("splits/<id:pk>/", splits.SplitDetail.as_view(), name="api-split-detail"),
    path("splits/<id:pk>/restore/", splits.SplitRestore.as_view(), name="api-split-restore"),
    *named("mapping", mappings, "Mapping"),
    path("datasets/<id:pk>/items/", trends.DatasetItems.as_view(), name="api-dataset-items"),
    path("datasets/<id:pk>/systems/", trends.DatasetSystems.as_view(), name="api-dataset-systems"),
    path("datasets/<id:pk>/trend/", trends.DatasetTrend.as_view(), name="api-dataset-trend"),
    path(
        "datasets/<id:pk>/leaderboard/", trends.DatasetLeaderboard.as_view(), name="api-dataset-leaderboard"
    ),
    path("datasets/<id:pk>/examples/", datasets.Examples.as_view(), name="api-example-list"),
    path("datasets/<id:pk>/examples/bulk/", bulk.ExampleBulk.as_view(), name="api-example-bulk"),
    path(
        "datasets/<id:pk>/examples/<id:position>/",
        datasets.ExampleDetail.as_view(),
        name="api-example-detail",
    ),
    path(
        "datasets/<id:pk>/examples/<id:position>/restore/",
        datasets.ExampleRestore.as_view(),
        name="api-example-restore",
    ),
    path("evaluator-kinds/", evaluators.KindList.as_view(), name="api-kind-list"),
    path("evaluator-kinds/<slug:key>/", evaluators.KindDetail.as_view(), name="api-kind-detail"),
    *named("evaluator", evaluators, "Evaluator"),
    path(
        "evaluators/<id:pk>/versions/", evaluators.EvaluatorVersions.as_view(), name="api-evaluator-versions"
    ),
    *named("connection", connections, "Connection"),
    path("connections/<id:pk>/test/", connections.ConnectionTest.as_view(), name="api-connection-test"),
    path("connections/<id:pk>/prices/", prices.ConnectionPrices.as_view(), name="api-connection-prices"),
    path("prices/<id:pk>/", prices.PriceDetail.as_view(), name="api-price-detail"),
    *named("prompt", prompts, "Prompt"),
    path("prompts/import/", prompt_labels.PromptImport.as_view(), name="api-prompt-import"),
    path("prompts/by-name/<path:name>/", prompt_labels.PromptByName.as_view(), name="api-prompt-by-name"),
    path("prompts/<id:pk>/labels/", prompt_labels.PromptLabels.as_view(), name="api-prompt-labels"),
    path(
        "prompts/<id:pk>/labels/<str:label>/",
        prompt_labels.PromptLabelDetail.as_view(),
        name="api-prompt-label",
    ),
    path("prompts/<id:pk>/export/", prompt_labels.PromptExport.as_view(), name="api-prompt-export"),
    path("prompts/<id:pk>/code/", prompt_labels.PromptCode.as_view(), name="api-prompt-code"),
    path("prompts/<id:pk>/versions/", prompts.PromptVersions.as_view(), name="api-prompt-versions"),
    path("prompts/<id:pk>/diff/", prompts.PromptDiff.as_view(), name="api-prompt-diff"),
    path("prompts/<id:pk>/render/", prompts.PromptRender.as_view(), name="api-prompt-render"),
    path("prompts/<id:pk>/duplicate/", prompts.PromptDuplicate.as_view(), name="api-prompt-duplicate"),
    path("prompts/<id:pk>/try/", trials.PromptTry.as_view(), name="api-prompt-try"),
    path("trials/<id:pk>/", trials.TrialDetail.as_view(), name="api-trial-detail"),
    path("trials/<id:pk>/stop/", trials.TrialStop.as_view(), name="api-trial-stop"),
    path("trials/<id:pk>/again/", trials.TrialAgain.as_view(), name="api-trial-again"),
    path("search/", search.Search.as_view(), name="api-search"),
    path("score/", evaluators.Score.as_view(), name="api-score"),
    *named("experiment", experiments, "Experiment"),
    path(
        "experiments/<id:pk>/evaluators/",
        experiments.ExperimentEvaluators.as_view(),
        name="api-experiment-evaluators",
    ),
    path(
        "experiments/<id:pk>/reading-steps/",
        experiments.ExperimentReading.as_view(),
        name="api-experiment-reading",
    ),
    path(
        "experiments/<id:pk>/reading-steps/undo/",
        experiments.ExperimentReadingUndo.as_view(),
        name="api-experiment-reading-undo",
    ),
    path(
        "experiments/<id:pk>/dataset/", experiments.ExperimentDataset.as_view(), name="api-experiment-dataset"
    ),
    path("experiments/<id:pk>/ask/", experiments.ExperimentAsk.as_view(), name="api-experiment-ask"),
    path("experiments/<id:pk>/source/", experiments.ExperimentSource.as_view(), name="api-experiment-source"),
    path(
        "experiments/<id:pk>/export/",
        experiment_export.ExperimentExport.as_view(),
        name="api-experiment-export",
    ),
    path(
        "experiments/<id:pk>/preview/",
        previews.ExperimentPreview.as_view(),
        name="api-experiment-preview",
    ),
    *named("run", runs, "Run"),
    path("runs/preview/", file_previews.RunPreview.as_view(), name="api-run-preview"),
    path("runs/<id:pk>/outputs/", runs.RunOutputs.as_view(), name="api-run-outputs"),
    path("launches/", launches.LaunchList.as_view(), name="api-launch-list"),
    path("launches/<id:pk>/", launches.LaunchDetail.as_view(), name="api-launch-detail"),
    path("launches/<id:pk>/cancel/", launches.LaunchCancel.as_view(), name="api-launch-cancel"),
    path("launches/<id:pk>/continue/", launches.LaunchContinue.as_view(), name="api-launch-continue"),
    path("runs/<id:pk>/start/", runs.RunStart.as_view(), name="api-run-start"),
    path("runs/<id:pk>/cancel/", runs.RunCancel.as_view(), name="api-run-cancel"),
    path("runs/<id:pk>/retry/", runs.RunRetry.as_view(), name="api-run-ask"),
    path("runs/<id:pk>/resume/", runs.RunResume.as_view(), name="api-run-resume"),
    path("runs/<id:pk>/scorings/", runs.RunScorings.as_view(), name="api-run-scorings"),
    path("judgings/", judgings.JudgingList.as_view(), name="api-judging-list"),
    path("judgings/<id:pk>/", judgings.JudgingDetail.as_view(), name="api-judging-detail"),
    path("judgings/<id:pk>/cancel/", judgings.JudgingCancel.as_view(), name="api-judging-cancel"),
    path("judgings/<id:pk>/verdicts/", judgings.JudgingVerdicts.as_view(), name="api-judging-verdicts"),
    path("runs/<id:pk>/verdicts/", judgings.RunVerdicts.as_view(), name="api-run-verdicts"),
    path("evaluators/<id:pk>/checks/", judgings.EvaluatorChecks.as_view(), name="api-evaluator-checks"),
    path("label-sets/", labels.LabelSetList.as_view(), name="api-labelset-list"),
    path("label-sets/<id:pk>/", labels.LabelSetDetail.as_view(), name="api-labelset-detail"),
    path("label-sets/<id:pk>/export/", labels.LabelSetExport.as_view(), name="api-labelset-export"),
    path("label-sets/<id:pk>/agreement/", passports.LabelAgreement.as_view(), name="api-labelset-agreement"),
    path("evaluators/<id:pk>/passport/", passports.Passport.as_view(), name="api-evaluator-passport"),
    path(
        "evaluators/<id:pk>/passport/open/",
        passports.PassportOpen.as_view(),
        name="api-evaluator-passport-open",
    ),
    path("label-sets/<id:pk>/unseal/", passports.LabelSetUnseal.as_view(), name="api-labelset-unseal"),
    path("label-sets/<id:pk>/labels/", labels.LabelSetLabels.as_view(), name="api-labelset-labels"),
    path(
        "label-sets/<id:pk>/adjudications/",
        raters.Adjudications.as_view(),
        name="api-labelset-adjudications",
    ),
    path(
        "label-sets/<id:pk>/adjudications/<str:item>/",
        raters.Adjudication.as_view(),
        name="api-labelset-adjudication",
    ),
    path("label-tasks/", labels.LabelTaskList.as_view(), name="api-labeltask-list"),
    path("label-tasks/<id:pk>/", labels.LabelTaskDetail.as_view(), name="api-labeltask-detail"),
    path("label-tasks/<id:pk>/begin/", labels.LabelTaskBegin.as_view(), name="api-labeltask-begin"),
    path("label-tasks/<id:pk>/next/", labels.LabelTaskNext.as_view(), name="api-labeltask-next"),
    path("label-tasks/<id:pk>/undo/", labels.LabelTaskUndo.as_view(), name="api-labeltask-undo"),
    path("label-tasks/<id:pk>/close/", labels.LabelTaskClose.as_view(), name="api-labeltask-close"),
    path("label-tasks/<id:pk>/items/", raters.LabelTaskItems.as_view(), name="api-labeltask-items"),
    path("label-tasks/<id:pk>/win-rate/", win_rates.LabelTaskWinRate.as_view(), name="api-labeltask-winrate"),
    path("label-tasks/<id:pk>/raters/", raters.LabelTaskRaters.as_view(), name="api-labeltask-raters"),
    path(
        "label-tasks/<id:pk>/raters/<id:number>/",
        raters.LabelTaskRater.as_view(),
        name="api-labeltask-rater",
    ),
    path(
        "label-tasks/<id:pk>/raters/<id:number>/forget/",
        raters.LabelTaskRaterForget.as_view(),
        name="api-labeltask-forget",
    ),
    path("label-tasks/<id:pk>/links/", raters.LabelTaskLinks.as_view(), name="api-labeltask-links"),
    path("label-tasks/<id:pk>/links/<id:link>/", raters.LabelTaskLink.as_view(), name="api-labeltask-link"),
    path("share-links/", shares.ShareLinkList.as_view(), name="api-share-list"),
    path("share-links/<id:pk>/", shares.ShareLinkDetail.as_view(), name="api-share-detail"),
    path("share-links/<id:pk>/restore/", shares.ShareLinkRestore.as_view(), name="api-share-restore"),
    path("views/", shares.SavedViewList.as_view(), name="api-view-list"),
    path("views/<id:pk>/", shares.SavedViewDetail.as_view(), name="api-view-detail"),
    path("views/<id:pk>/restore/", shares.SavedViewRestore.as_view(), name="api-view-restore"),
    path("comments/", comments.CommentList.as_view(), name="api-comment-list"),
    path("comments/<id:pk>/", comments.CommentDetail.as_view(), name="api-comment-detail"),
    path("comments/<id:pk>/restore/", comments.CommentRestore.as_view(), name="api-comment-restore"),
    path("labels/", labels.LabelList.as_view(), name="api-label-list"),
    path("runs/<id:pk>/scores/", sent_scores.RunScores.as_view(), name="api-scores-list"),
    path(
        "runs/<id:pk>/scores/<id:evaluator>/",
        sent_scores.RunScoresDetail.as_view(),
        name="api-scores-detail",
    ),
    path(
        "runs/<id:pk>/scores/<id:evaluator>/restore/",
        sent_scores.RunScoresRestore.as_view(),
        name="api-scores-restore",
    ),
    path("runs/<id:pk>/results/", results.Results.as_view(), name="api-result-list"),
    path("runs/<id:pk>/results/<id:position>/", results.ResultDetail.as_view(), name="api-result-detail"),
    path("runs/<id:pk>/verify/", verification.RunVerify.as_view(), name="api-run-verify"),
    path("runs/<id:pk>/repetitions/", statistics.RunRepetitions.as_view(), name="api-run-repetitions"),
    path("runs/<id:pk>/people/", opinions.RunPeople.as_view(), name="api-run-people"),
    path("runs/<id:pk>/statistics/", statistics.RunStatistics.as_view(), name="api-run-statistics"),
    path("runs/<id:pk>/thresholds/", results.RunThresholds.as_view(), name="api-run-thresholds"),
    path("runs/<id:pk>/export/", results.RunExport.as_view(), name="api-run-export"),
    *named("gate", gates, "Gate"),
    path("gates/<id:pk>/check/", gates.GateCheckView.as_view(), name="api-gate-check"),
    path("gates/<id:pk>/checks/", gates.GateChecks.as_view(), name="api-gate-checks"),
    path("gates/<id:pk>/checks/<id:check>/", gates.GateCheckDetail.as_view(), name="api-gate-checked"),
    path("gates/<id:pk>/checks/<id:check>/junit/", gates.GateCheckJunit.as_view(), name="api-gate-junit"),
    path(
        "gates/<id:pk>/checks/<id:check>/markdown/",
        gates.GateCheckMarkdown.as_view(),
        name="api-gate-markdown",
    ),
    path("webhooks/", webhooks.WebhookList.as_view(), name="api-webhook-list"),
    path("webhooks/<id:pk>/", webhooks.WebhookDetail.as_view(), name="api-webhook-detail"),
    path("webhooks/<id:pk>/test/", webhooks.WebhookTest.as_view(), name="api-webhook-test"),
    path("webhooks/<id:pk>/deliveries/", webhooks.WebhookDeliveries.as_view(), name="api-webhook-deliveries"),
    path("comparisons/", comparisons.Comparisons.as_view(), name="api-comparison"),
    path(
        "comparisons/agreement/", comparisons.ComparisonAgreement.as_view(), name="api-comparison-agreement"
    ),
    path("comparisons/corpus/", comparisons.ComparisonCorpus.as_view(), name="api-comparison-corpus"),
    path("comparisons/slices/", comparisons.ComparisonSlices.as_view(), name="api-comparison-slices"),
    path("comparisons/examples/", compared.ComparedExamples.as_view(), name="api-comparison-examples"),
    path("comparisons/scatter/", compared.Scatter.as_view(), name="api-comparison-scatter"),
    path("comparisons/report/", comparisons.ComparisonReport.as_view(), name="api-comparison-report"),
    path("comparisons/export/", comparisons.ComparisonExport.as_view(), name="api-comparison-export"),
]

urlpatterns = [
    path("v1/", include(v1)),
    path("schema/", document.Document.as_view(), name="api-schema"),
    path("docs/", reference.reference, name="api-docs"),
    path("codes/", codes.codes, name="error-codes"),
    re_path("", missing.Missing.as_view(), name="api-missing"),
]
