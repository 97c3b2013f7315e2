"""URL patterns below /api/: of every module with views, and those beside the versions of the API."""

from importlib import import_module
from pkgutil import iter_modules

from django.urls import include, path, re_path

from . import document, routes, views
from .views import missing, pages

for module in iter_modules(views.__path__):
    import_module(f"{views.__name__}.{module.name}")  # its views name their addresses

urlpatterns = [
    path("v1/", include([*routes.ROUTER.urls, *routes.V1])),
    path("schema/", document.Document.as_view(), name="api-schema"),
    path("docs/", pages.reference, name="api-docs"),
    path("send/<str:operation>/", pages.send, name="send-call"),
    path("codes/", pages.codes, name="error-codes"),
    re_path("", missing.Missing.as_view(), name="api-missing"),
]
