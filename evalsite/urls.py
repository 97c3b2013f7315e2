"""The root URL configuration."""

from django.urls import include, path

from evaluations.web.site import health, metrics

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", metrics.metrics, name="metrics"),
    path("api/", include("evaluations.api.urls")),
    path("", include("evaluations.web.urls")),
]

handler500 = "evaluations.web.site.server_errors.server_error"
