"""Collection of static files."""

from django.templatetags.static import static

from evalsite import staticfiles


def test_static_files_are_collected_again_only_when_one_has_changed(settings, tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    (source / "page.css").write_text("body { color: black }")
    settings.STATICFILES_DIRS = [source]
    settings.STATIC_ROOT = tmp_path / "static"

    staticfiles.collect()
    (settings.STATIC_ROOT / "page.css").unlink()
    staticfiles.collect()
    unchanged = (settings.STATIC_ROOT / "page.css").exists()
    (source / "page.css").write_text("body { color: blue }")
    staticfiles.collect()

    assert not unchanged
    assert "blue" in (settings.STATIC_ROOT / "page.css").read_text()


def test_the_icon_that_browsers_ask_for_by_themselves_is_that_of_all_pages(client):
    """A report links nothing, so a browser asks for this name."""
    answer = client.get("/favicon.ico")

    assert (answer.status_code, answer["Location"]) == (302, static("favicon.svg"))
