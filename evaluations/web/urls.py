"""All pages: every noun's module brings its own addresses."""

from django.urls import include, path

from . import account, datasets, home, lists, palette, signin, theme, uploads

NOUNS = (
    account,
    datasets,
    home,
    lists,
    palette,
    signin,
    theme,
    uploads,
)

urlpatterns = [path("", include(noun)) for noun in NOUNS]
