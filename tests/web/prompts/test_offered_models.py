"""The models that a launch offers as columns."""

import pytest

from evaluations.evaluators import evaluators
from evaluations.prompts import prompts
from evaluations.prompts.content import Content
from evaluations.web.page_tools import offered_models

pytestmark = pytest.mark.django_db

ASKED = [{"role": "user", "content": "{{ output }}"}]


def test_a_model_that_only_judges_is_no_variant(project):
    for model in ("judge-1", "both"):
        evaluators.create(project, None, model, "judge", {"messages": ASKED, "model": model}, {})
    content = Content(messages=[{"role": "user", "content": "{{ question }}"}], model="both")
    prompts.create(project, None, "Plain", content)

    assert offered_models.only_judging(project) == {"judge-1"}
