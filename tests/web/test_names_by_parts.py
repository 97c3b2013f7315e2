"""Long names break behind their underscores, wherever a page has them, and not inside a word."""

import pytest
from django.core.files.base import ContentFile

from evaluations.imports.uploads import uploads
from tests import factories

pytestmark = pytest.mark.django_db
LONG = "claude_haiku_prompt_final_v7_really_final"
BROKEN = LONG.replace("_", "_<wbr>")


def test_names_of_variants_break_in_the_verdict_the_report_and_the_list(alices, project):
    experiment = factories.experiment(project)
    runs = [factories.scored_run(experiment, variant=name) for name in ("old", LONG)]
    shown = f"?runs={runs[0].pk}&runs={runs[1].pk}&baseline={runs[0].pk}"

    for address in (f"/compare/{shown}", f"/compare/report/{shown}"):
        assert BROKEN in alices.get(address).content.decode()


def test_names_of_columns_break_in_both_steps_of_an_upload(alices, alice, project):
    content = f"id,question_{LONG},answer,{LONG}\n1,2+2?,4,4\n2,3+3?,6,5\n".encode()
    upload = uploads.park(project, alice, ContentFile(content, name="sums.csv"))

    for step in ("columns", "confirm"):
        assert BROKEN in alices.get(f"/uploads/{upload.pk}/{step}/").content.decode()


def test_names_of_datasets_break_in_their_list(alices, project):
    factories.dataset(project, ["Paris"], name=LONG)

    assert BROKEN in alices.get(f"/p/{project.slug}/datasets/").content.decode()


def test_the_menu_of_exports_has_each_variant_once(alices, project):
    experiment = factories.experiment(project)
    for name in ("old", LONG):
        factories.scored_run(experiment, variant=name)

    page = alices.get(f"/experiments/{experiment.pk}/").content.decode()

    assert page.count(f"<span>{BROKEN}</span>") == 1
    assert f'aria-label="{LONG}, JSON Lines"' in page
