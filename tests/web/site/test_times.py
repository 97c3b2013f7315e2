"""The title of a time says the moment in UTC, and on the clock of the browser once somebody points at it."""

import pytest

from tests import factories

pytestmark = pytest.mark.django_db(transaction=True)


def test_pointing_at_a_time_tells_it_on_the_clock_of_the_browser(live_server, alices_page, project):
    factories.dataset(project)
    alices_page.context.new_cdp_session(alices_page).send(
        "Emulation.setTimezoneOverride", {"timezoneId": "Asia/Tokyo"}
    )
    alices_page.goto(f"{live_server.url}/p/default/datasets/")
    time = alices_page.locator("time[datetime]").first
    in_utc = time.get_attribute("title")

    time.hover()

    assert in_utc.endswith("UTC")
    title = time.get_attribute("title")
    assert "GMT+9" in title
    assert title.endswith(f"({in_utc})")
