"""Collection of static files."""

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
