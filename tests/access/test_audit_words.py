"""Every recorded action of the audit log has a description."""

import re

from django.db.models import Model

from evaluations.access import audit
from evaluations.access.audit import action_of
from evaluations.access.audit_words import WORDS
from evaluations.models import Upload
from evaluations.web.site.audited import UNRECORDED
from tests.authorization.table import TABLE


def test_every_recorded_action_has_words():
    routes = re.findall(r"(POST|PATCH|DELETE)\s+([a-z][a-z-]+)", TABLE)
    actions = {action_of(route, method) for method, route in routes if route not in UNRECORDED}

    assert actions - WORDS.keys() == set()


def test_there_are_no_words_for_former_actions():
    routes = re.findall(r"(POST|PATCH|DELETE)\s+([a-z][a-z-]+)", TABLE)
    beside_routes = {"signin", "signout", "signin-failed", "local-allow", "share-open"}  # recorded by hand

    assert WORDS.keys() - {action_of(route, method) for method, route in routes} - beside_routes == set()


def test_every_object_that_the_log_names_has_words_of_its_own():
    unnamed = {model for model in audit.RECORDED if model.__str__ is Model.__str__}

    assert unnamed == {Upload}  # which the log calls by its file
