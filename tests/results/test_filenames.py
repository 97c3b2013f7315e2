"""Names of downloads."""

import pytest

from evaluations.results.filenames import attachment


@pytest.mark.parametrize(
    "name", ["../../x", "a/b", "a\\b", "a\u202egpj", "a\u2066b", 'a"b', "a\r\nb", "..", ""]
)
def test_the_name_of_a_download_has_no_path_and_no_hidden_direction(name):
    header = attachment(name, "csv")

    assert not set(header) & set("/\\\r\n\u202e\u2066")
    assert "%2F" not in header
    assert "%E2%80%AE" not in header
    assert ".." not in header
    assert header.endswith(('.csv"', ".csv"))
