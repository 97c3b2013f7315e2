"""Who may do what: every address times every principal; what belongs to another project does not exist.

The table says what each method of a route takes; a test walks the URL resolver, so that a route without a row
fails. `{…}` are ids of Alice's things.
"""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.urls import get_resolver
from django.urls.resolvers import RoutePattern, URLPattern, URLResolver
from django.utils import timezone

from evaluations import projects
from evaluations.models import ApiKey, Membership, Role, Scope

from .conftest import Program, program
from .test_bodies import error

READ, RUN, WRITE = "read", "run", "write"
TABLE = {
    "api-project-detail": {"GET": READ},
    "api-dataset-list": {"GET": READ, "POST": WRITE},
    "api-dataset-detail": {"GET": READ, "PATCH": WRITE, "DELETE": WRITE},
    "api-dataset-restore": {"POST": WRITE},
    "api-dataset-versions": {"GET": READ},
    "api-dataset-export": {"GET": READ},
    "api-dataset-refused": {"GET": READ},
    "api-example-list": {"GET": READ, "POST": WRITE},
    "api-example-detail": {"GET": READ, "PATCH": WRITE, "DELETE": WRITE},
    "api-kind-list": {"GET": READ},
    "api-kind-detail": {"GET": READ},
    "api-evaluator-list": {"GET": READ, "POST": WRITE},
    "api-evaluator-detail": {"GET": READ, "PATCH": WRITE, "DELETE": WRITE},
    "api-evaluator-restore": {"POST": WRITE},
    "api-evaluator-versions": {"GET": READ},
    "api-connection-list": {"GET": READ, "POST": WRITE},
    "api-connection-detail": {"GET": READ, "PATCH": WRITE, "DELETE": WRITE},
    "api-connection-restore": {"POST": WRITE},
    "api-connection-test": {"POST": WRITE},
    "api-score": {"POST": READ},
    "api-experiment-list": {"GET": READ, "POST": WRITE},
    "api-experiment-detail": {"GET": READ, "PATCH": WRITE, "DELETE": WRITE},
    "api-experiment-restore": {"POST": WRITE},
    "api-experiment-evaluators": {"POST": WRITE},
    "api-experiment-preview": {"GET": READ},
    "api-run-list": {"GET": READ, "POST": RUN},
    "api-run-detail": {"GET": READ, "DELETE": WRITE},
    "api-run-restore": {"POST": WRITE},
    "api-run-outputs": {"POST": RUN},
    "api-run-start": {"POST": RUN},
    "api-run-cancel": {"POST": RUN},
    "api-run-scorings": {"POST": RUN},
    "api-result-list": {"GET": READ},
    "api-result-detail": {"GET": READ},
    "api-run-export": {"GET": READ},
    "api-run-thresholds": {"GET": READ},
    "api-comparison": {"GET": READ},
}
OPEN_TO_PEOPLE = {"api-schema", "api-docs", "error-codes"}
NOT_OURS = {"api-missing"}
MAY = {"reader": {READ}, "runner": {READ, RUN}, "writer": {READ, RUN, WRITE}}
CALLS = [(route, method) for route, methods in TABLE.items() for method in methods]


def patterns(resolver: URLResolver, prefix: str = "") -> Iterator[tuple[str, str, URLPattern]]:
    """Every named address with its template."""
    for each in resolver.url_patterns:
        route = each.pattern._route if isinstance(each.pattern, RoutePattern) else str(each.pattern)
        if isinstance(each, URLResolver):
            yield from patterns(each, prefix + route)
        else:
            yield each.name, prefix + route, each


ROUTES = {
    name: (template, each) for name, template, each in patterns(get_resolver()) if template.startswith("api/")
}


@pytest.fixture
def ids(writer, dataset, evaluator, experiment, completed) -> dict[str, int]:
    """Of Alice's things."""
    sent = {"name": "Server", "base_url": "https://8.8.8.8/v1", "api_key": "sk-0123456789abcdef"}
    return {
        "dataset": dataset["id"],
        "example": dataset["id"],
        "evaluator": evaluator["id"],
        "connection": writer.made("connections/", sent)["id"],
        "experiment": experiment["id"],
        "run": completed["id"],
        "result": completed["id"],
    }


def address(route: str, ids: dict[str, int]) -> str:
    template = ROUTES[route][0]
    noun = route.split("-")[1]
    filled = template.replace("<id:pk>", str(ids.get(noun, ""))).replace("<id:position>", "1")
    query = f"?runs={ids['run']}" if route == "api-comparison" else ""
    return f"/{filled.replace('<slug:key>', 'exact_match')}{query}"


def names_a_thing(route: str) -> bool:
    return "<id:pk>" in ROUTES[route][0] or route == "api-comparison"


def test_every_address_is_in_the_table():
    assert set(ROUTES) == set(TABLE) | OPEN_TO_PEOPLE | NOT_OURS


@pytest.mark.parametrize("route", TABLE)
def test_every_method_of_an_address_is_in_the_table(route):
    view = ROUTES[route][1].callback.view_class
    offered = {name.upper() for name in view.http_method_names if hasattr(view, name)} - {"HEAD", "OPTIONS"}

    assert offered == set(TABLE[route])
    assert offered <= set(view.needs)


def test_without_a_key_nothing_is_answered(nobody, ids):
    for route, method in CALLS:
        response = nobody.send(method, address(route, ids), {} if method != "GET" else None)

        assert (response.status_code, error(response)["code"]) == (401, "unauthorized"), (route, method)
        assert response.headers["WWW-Authenticate"].startswith("Bearer"), (route, method)


@pytest.mark.parametrize("who", MAY)
def test_a_key_may_what_its_scope_says_and_no_more(who, ids, request):
    caller = request.getfixturevalue(who)
    for route, method in CALLS:
        body = {"unknown": 1} if method in ("POST", "PATCH") else None  # Refused, but only by who may try.
        if method == "DELETE" and TABLE[route][method] in MAY[who]:
            continue  # It would be gone for the next; other tests delete.
        response = caller.send(method, address(route, ids), body)

        may = TABLE[route][method] in MAY[who]
        assert response.status_code == (403 if not may else 400 if body else 200), (route, method)
        if not may:
            assert error(response)["code"] == "forbidden"


def test_what_belongs_to_another_project_does_not_exist(stranger, writer, ids):
    gone = dict.fromkeys(ids, 424242)
    for route, method in CALLS:
        if not names_a_thing(route):
            continue
        body = {} if method in ("POST", "PATCH") else None
        hidden = stranger.send(method, address(route, ids), body)
        missing = stranger.send(method, address(route, gone), body)

        assert hidden.status_code == missing.status_code, (route, method)
        if hidden.status_code != 400:  # What does not fit is refused before anything is looked for.
            assert hidden.status_code == 404, (route, method)
        as_missing = {k: v for k, v in error(missing).items() if k != "request_id"}
        as_hidden = {k: v for k, v in error(hidden).items() if k != "request_id"}
        assert str(as_hidden).replace(str(ids["run"]), "") == str(as_missing).replace("424242", ""), (
            route,
            method,
        )


BODIES = {
    "api-dataset-detail": {"name": "Mine now"},
    "api-example-detail": {"inputs": {"question": "Mine?"}},
    "api-example-list": {"examples": [{"key": "mine"}]},
    "api-evaluator-detail": {"name": "Mine now"},
    "api-connection-detail": {"name": "Mine now"},
    "api-connection-test": {"model": "m"},
    "api-experiment-detail": {"name": "Mine now"},
    "api-experiment-evaluators": {"evaluators": [1]},
    "api-run-outputs": {"outputs": [{"key": "a", "output": "mine"}]},
    "api-run-scorings": {"evaluators": [1]},
}


@pytest.mark.parametrize(
    ("route", "method"), [call for call in CALLS if call[1] != "GET" and names_a_thing(call[0])]
)
def test_a_stranger_changes_nothing_even_with_a_good_body(stranger, writer, ids, route, method):
    before = [
        writer.get(f"{noun}/").json()
        for noun in ("datasets", "evaluators", "connections", "experiments", "runs")
    ]

    response = stranger.send(method, address(route, ids), BODIES.get(route) if method != "DELETE" else None)

    assert response.status_code == 404
    after = [
        writer.get(f"{noun}/").json()
        for noun in ("datasets", "evaluators", "connections", "experiments", "runs")
    ]
    assert after == before


def test_lists_show_nothing_of_others(stranger, ids):
    for route, template in ROUTES.items():
        if route.endswith("-list") and "<id:pk>" not in template[0] and route != "api-kind-list":
            assert stranger.get(f"/{template[0]}").json()["results"] == [], route


def test_anothers_things_cannot_be_used(stranger, writer, ids):
    own = stranger.made("datasets/", {"name": "Mine", "examples": [{"inputs": "x"}]})
    experiment = stranger.made("experiments/", {"name": "Mine", "dataset": own["id"]})
    run = stranger.made("runs/", {"experiment": experiment["id"], "variant": "x"})

    attempts = [
        ("experiments/", {"name": "Theft", "dataset": ids["dataset"]}),
        ("experiments/", {"name": "Theft", "dataset": own["id"], "evaluators": [ids["evaluator"]]}),
        (f"experiments/{experiment['id']}/evaluators/", {"evaluators": [ids["evaluator"]]}),
        ("runs/", {"experiment": ids["experiment"], "variant": "x"}),
        (f"runs/{run['id']}/scorings/", {"evaluators": [ids["evaluator"]]}),
    ]

    assert {stranger.post(path, body).status_code for path, body in attempts} == {404}
    assert stranger.get(f"comparisons/?runs={run['id']},{ids['run']}").status_code == 404


@pytest.mark.parametrize("path", ["evaluators/", "score/"])
def test_anothers_connection_cannot_be_used(stranger, ids, path):
    rest = {"evaluators/": {"name": "Theft"}, "score/": {"items": [{"actual": "a", "expected": "b"}]}}[path]
    sent = {"kind": "semantic_similarity", "config": {"connection": ids["connection"]}}

    response = stranger.post(path, sent | rest)

    assert response.status_code in (400, 404)
    assert error(response)["code"] in ("unknown_connection", "not_found")


# ---- keys ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "header",
    [
        "",
        "Bearer",
        "Bearer ",
        "Basic YWxpY2U6eA==",
        "Token {key}",
        "{key}",
        "Bearer {cut}",
        "Bearer {key}x",
        "Bearer evk_",
        "Bearer \xff",
    ],
)
def test_anything_but_the_whole_key_is_refused(project, header):
    _, key = projects.create_key(project, None, "x", Scope.READ)
    caller = Program()
    caller.headers = {"Authorization": header.format(key=key, cut=key[:-1])}

    assert caller.get("projects/current/").status_code == 401


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_the_scheme_is_spelt_anyhow(project, scheme):
    _, key = projects.create_key(project, None, "x", Scope.READ)
    caller = Program()
    caller.headers = {"Authorization": f"{scheme} {key}"}

    assert caller.get("projects/current/").status_code == 200


def test_a_key_in_the_query_opens_nothing(project, nobody):
    _, key = projects.create_key(project, None, "x", Scope.READ)

    assert nobody.get(f"projects/current/?key={key}").status_code == 401


def test_a_session_opens_nothing(client, alice, project):
    client.force_login(alice)

    assert client.get("/api/v1/projects/current/").status_code == 401


@pytest.mark.parametrize("field", ["revoked_at", "expires_at"])
def test_a_revoked_or_expired_key_is_refused(writer, field):
    ApiKey.objects.update(**{field: timezone.now() - timedelta(seconds=1)})

    assert writer.get("projects/current/").status_code == 401


def test_a_key_ends_with_the_membership_of_its_owner(project, bob):
    caller = program(project, Scope.WRITE, bob)
    assert caller.get("projects/current/").status_code == 200

    Membership.objects.filter(user=bob).delete()

    assert caller.get("projects/current/").status_code == 401


def test_a_key_of_a_disabled_user_is_refused(project, bob):
    caller = program(project, Scope.WRITE, bob)
    bob.is_active = False
    bob.save()

    assert caller.get("projects/current/").status_code == 401


def test_a_key_may_no_more_than_its_owner(project, bob):
    Membership.objects.filter(user=bob).update(role=Role.VIEWER)
    caller = program(project, Scope.WRITE, bob)

    assert caller.get("datasets/").status_code == 200
    assert caller.post("datasets/", {"name": "x", "examples": []}).status_code == 403


def test_calling_a_server_takes_the_right_to_run(reader):
    response = reader.post("score/", {"kind": "semantic_similarity", "items": []})

    assert response.status_code == 403
