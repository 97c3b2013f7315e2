"""URL patterns of all pages, joined from the modules of the nouns."""

from types import ModuleType

from django.conf import settings
from django.urls import include, path

from . import (
    account,
    audit,
    bulk_edits,
    comparisons,
    connections,
    dataset_imports,
    dataset_schema,
    dataset_versions,
    datasets,
    evaluators,
    examples,
    experiments,
    gates,
    home,
    invitations,
    launches,
    manual,
    mappings,
    other_tools,
    palette,
    people,
    previews,
    projects,
    prompts,
    retention,
    runs,
    signin,
    splits,
    theme,
    thresholds,
    trends,
    trial_page,
    upload_columns,
    upload_confirm,
    uploads,
    variants,
    webhooks,
    workers,
)

NOUNS: tuple[ModuleType, ...] = (
    projects,  # first, because /p/new/ is not a project
    account,
    audit,
    bulk_edits,
    comparisons,
    connections,
    dataset_imports,
    dataset_schema,
    dataset_versions,
    datasets,
    evaluators,
    examples,
    experiments,
    gates,
    home,
    invitations,
    launches,
    manual,
    mappings,
    other_tools,
    palette,
    people,
    previews,
    prompts,
    retention,
    runs,
    signin,
    splits,
    theme,
    thresholds,
    trends,
    trial_page,
    upload_columns,
    upload_confirm,
    uploads,
    variants,
    webhooks,
    workers,
)

if settings.OIDC:
    from . import oidc

    NOUNS += (oidc,)

urlpatterns = [path("", include(noun)) for noun in NOUNS]
