"""URL patterns of all pages, joined from the modules that have views."""

from types import ModuleType

from django.conf import settings
from django.urls import include, path

from .accounts import account, factors, invitations, people, proving, signin
from .comparisons import comparisons, gates, sharing
from .datasets import (
    bulk_edits,
    column_variants,
    datasets,
    examples,
    imports,
    schema,
    splits,
    trends,
    versions,
)
from .evaluators import connections, evaluators, judges, label_sets, local_servers, passports
from .experiments import experiments, money, previews, variants
from .labelling import asking, comments, deciding, from_file, rating, task_pages
from .projects import audit, home, projects, retention, views, webhooks
from .prompts import labels, launches, prompts, trial_page
from .runs import opinions, repetitions, runs, sent_scores, statistics, thresholds
from .site import manual, palette, theme, workers
from .uploads import columns, confirm, mappings, other_tools, uploads

WITH_VIEWS: tuple[ModuleType, ...] = (
    *(projects, audit, home, retention, views, webhooks),  # projects first, because /p/new/ is not a project
    *(account, factors, invitations, people, proving, signin),
    *(comparisons, gates, sharing),
    *(bulk_edits, column_variants, datasets, examples, imports, schema, splits, trends, versions),
    *(connections, evaluators, judges, label_sets, local_servers, passports),
    *(experiments, money, previews, variants),
    *(asking, comments, deciding, from_file, rating, task_pages),
    *(labels, launches, prompts, trial_page),
    *(opinions, repetitions, runs, sent_scores, statistics, thresholds),
    *(manual, palette, theme, workers),
    *(columns, confirm, mappings, other_tools, uploads),
)

if settings.OIDC:
    from .accounts import oidc

    WITH_VIEWS += (oidc,)

urlpatterns = [path("", include(module)) for module in WITH_VIEWS]
