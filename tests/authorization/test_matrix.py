"""Every address, every method, every principal: the table of permissions holds, and no other project shows."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import unquote

import pytest
from django.apps import apps
from django.core.cache import cache
from django.db import transaction
from django.http import HttpResponse
from django.test import Client
from drf_spectacular.generators import SchemaGenerator
from rest_framework.views import APIView

from .calls import CALLS, Call, routes
from .table import COLUMNS, EXPECTED
from .world import Principal

ELSEWHERE = "api-missing"  # unknown addresses, which answer everybody with a key alike


# ---- completeness --------------------------------------------------------------------------------------------


def offered() -> Iterator[str]:
    """Every method of every address; a page lists its methods in the answer to an unknown method."""
    client = Client()
    for name, (template, pattern) in routes().items():
        view = getattr(pattern.callback, "view_class", None)
        if actions := getattr(pattern.callback, "actions", None):  # of a viewset
            methods = [method.upper() for method in actions]
        elif view is not None and issubclass(view, APIView):
            methods = [name.upper() for name in view.http_method_names if hasattr(view, name)]
        else:
            address = re.sub(r"<int:\w+>", "1", template).replace("<slug:slug>", "quagga-plans")
            answer = client.generic("BREW", "/" + address.replace("<str:token>", "x"))
            methods = answer.get("Allow", "GET").split(", ")
        yield from (f"{method} {name}" for method in methods if method not in ("HEAD", "OPTIONS"))


def test_every_method_of_every_address_is_in_the_table(world, monkeypatch):
    monkeypatch.setattr(
        "django.contrib.auth.middleware.LoginRequiredMiddleware.process_view", lambda *_: None
    )

    calls = {call for call in offered() if not call.endswith(f" {ELSEWHERE}")}

    assert calls == set(EXPECTED)
    assert calls == {call.name for call in CALLS}


def test_no_two_views_share_an_address():
    """The second of two such views would never be called, and the first would answer for both."""
    shapes = Counter(re.sub("<[^>]+>", "{}", template) for template, _ in routes().values())

    assert [shape for shape, times in shapes.items() if times > 1] == []


def test_every_operation_of_the_schema_is_in_the_table():
    schema = SchemaGenerator().get_schema(request=None, public=True)
    by_path = {f"/{re.sub('<[^>]+>', '{}', template)}": name for name, (template, _) in routes().items()}
    described = {
        f"{method.upper()} {by_path[re.sub('{[^}]+}', '{}', path)]}"
        for path, operations in schema["paths"].items()
        for method in operations
    }

    assert described == {call for call in EXPECTED if " api-" in call} - {"GET api-schema", "GET api-docs"}


# ---- calls ---------------------------------------------------------------------------------------------------


OF_THE_MOMENT = ("X-Request-ID", "Content-Length", "Expires")
TOKENS = re.compile(r"\b(?:[0-9a-f]{16}|[A-Za-z0-9]{64})\b")  # request ids and CSRF tokens


class Answer:
    """Everything of an answer that could reveal something: status, body, headers.

    `lasting` is its text without the parts that differ between requests.
    """

    def __init__(self, response: HttpResponse, known_texts: list[str]) -> None:
        self.status = response.status_code
        body = b"".join(response.streaming_content) if response.streaming else response.content
        headers = {k: v for k, v in response.headers.items() if k not in OF_THE_MOMENT}
        text = unquote(f"{body.decode('utf-8', 'replace')}\n{headers}")
        self.lasting = TOKENS.sub("", text)  # tokens first, because a known text may be a part of one
        for known_text in known_texts:
            self.lasting = self.lasting.replace(known_text, "")
        self.asks_to_sign_in = self.status == 302 and response["Location"].startswith("/signin/?next=")

    @property
    def code(self) -> str:
        return "401" if self.asks_to_sign_in else "ok" if self.status < 400 else str(self.status)


def answer(principal: Principal, call: Call, objects: dict[str, Any]) -> Answer:
    """Make the call and roll its changes back."""
    cache.clear()
    with transaction.atomic():
        result = Answer(call.send(principal.client(), objects, principal.headers), call.known_texts(objects))
        transaction.set_rollback(True)
    return result


def expected(principal: Principal, call: Call, *, made_it: bool = False) -> str:
    """The status in the table; a key on a page or a session at the API counts as nobody, except for the schema."""
    column = principal.column
    if principal.has_key is not call.is_api and call.name != "GET api-schema":
        column = "none"
    code = EXPECTED[call.name][column]
    if column == "none" and not call.is_api and "file" in (call.body or {}):
        return "413"  # a stranger's form of parts is refused before it is read
    if code in ("own", "mine"):
        return "ok" if made_it else "403" if code == "own" else "404"
    return code


def principals_of(world: Any, *columns: str) -> list[Principal]:
    return [principal for principal in world.everybody if principal.column in columns]


# Pages look at no key and the API at no session, whoever has it: these try every call, others those of their kind.
STRONGEST = {"anonymous", "site admin", "project admin", "admin key"}


def fits(principal: Principal, call: Call) -> bool:
    """Whether the principal makes this call."""
    is_of_its_kind = principal.has_key is call.is_api or call.name == "GET api-schema"
    return is_of_its_kind or principal.name in STRONGEST


def differ(call: Call) -> bool:
    """Whether the answer to a call depends on who created the object."""
    return bool({"own", "mine"} & set(EXPECTED[call.name].values()))


def least(principal: Principal, call: Call) -> bool:
    """Whether the call is refused to everybody with fewer rights."""
    weaker = COLUMNS[: COLUMNS.index(principal.column)]
    return principal.column == "annotator" or "ok" not in {EXPECTED[call.name][column] for column in weaker}


@pytest.mark.long
@pytest.mark.parametrize("column", COLUMNS)
def test_a_call_is_refused_up_to_the_least_that_may_make_it(world, column):
    """Every refusal of the table, and each permission once; the slow test below makes the other calls."""
    check(world, column, lambda principal, call: expected(principal, call) != "ok" or least(principal, call))


@pytest.mark.slow
@pytest.mark.parametrize("column", COLUMNS)
def test_every_principal_gets_the_codes_of_the_table(world, column):
    check(world, column, lambda _principal, _call: True)


def check(world: Any, column: str, chosen: Callable[[Principal, Call], bool]) -> None:
    """Make the chosen ones of a column's calls, and compare what is answered with the table."""
    faults = []
    for principal in principals_of(world, column):
        for maker, objects, calls in (
            (world.alice, world.of_alice, CALLS),
            (world.bob, world.of_bob, [call for call in CALLS if differ(call)]),
        ):
            for call in (one for one in calls if fits(principal, one) and chosen(principal, one)):
                result = answer(principal, call, objects)
                expected_code = expected(principal, call, made_it=principal.user == maker)
                if result.code != expected_code:
                    faults.append(f"{call.name} · {principal.name}: {result.code}, not {expected_code}")
                faults += [
                    f"{call.name} · {principal.name} shows {t}" for t in traces(result, principal, call)
                ]

    assert not faults, "\n".join(faults)


SHOWS_PROJECT = {
    "GET invitation-accept",
    "POST invitation-accept",
    "POST signin",
    "GET share-read",
}  # Their secret shows them the name.
ZEBRA = r"(?i)\b\w*zebra\w*|(?<![\w.])88\d{7}(?!\w)"
QUAGGA = r"(?i)\b\w*quagga\w*"


def traces(result: Answer, principal: Principal, call: Call) -> list[str]:
    """Names and ids in the answer of a project to which the principal has no access."""
    if principal.column == "site" or call.name in SHOWS_PROJECT:
        return []
    is_outside = principal.column in ("none", "outside", "annotator")
    strange, sign = (QUAGGA, r"(?i)quagga") if is_outside else (ZEBRA, r"(?i)zebra|88\d{7}")
    # most answers have no sign of it, and to look for one takes a fifth of the time
    return re.findall(strange, result.lasting) if re.search(sign, result.lasting) else []


# ---- objects of another project ------------------------------------------------------------------------------


NAMES_NOTHING = {
    "slug",
    "project_name",
    "variant",
    "signin_token",
    "token",
    "person",
    "gone_slug",
    "split_digest",
}
# What is hidden is looked up before any right is; the weakest, a key and the strongest show it.
INSIDE = (
    "viewer",
    pytest.param("runner", marks=pytest.mark.slow),
    pytest.param("editor", marks=pytest.mark.slow),
    "operator",
    "admin",
)


def names_in(call: Call) -> set[str]:
    """The objects of a project to which a call refers, in its address or body."""
    return set(re.findall(r"\{(\w+)\}", f"{call.path} {json.dumps(call.body)}"))


@pytest.mark.long
@pytest.mark.parametrize("column", INSIDE)
def test_a_foreign_object_is_answered_like_a_missing_one(world, column):
    absent_ids = {
        name: 4_000_000_000 + n if isinstance(value, int) else "nowhere"
        for n, (name, value) in enumerate(world.foreign.items())
    } | {"rater": world.foreign["rater"]}  # a number inside its task, which is absent
    faults = []
    for principal in principals_of(world, column):
        for call in CALLS:
            outside = EXPECTED[call.name]["outside"]
            if not names_in(call) - {"variant", "project_name"} or outside != "404":
                continue
            if principal.has_key is not call.is_api:
                continue
            foreign, absent = (answer(principal, call, objects) for objects in (world.foreign, absent_ids))
            # a key with too small a scope is refused before any look-up
            by_scope = (
                call.is_api
                and EXPECTED[call.name][column] == "403"
                and not (column == "operator" and differ(call))
            )
            expected_code = "403" if by_scope else "404"
            if foreign.code != expected_code:
                faults.append(f"{call.name} · {principal.name}: {foreign.code}, not {expected_code}")
            if digitless(foreign.lasting) != digitless(absent.lasting):
                faults.append(f"{call.name} · {principal.name}: differs from one that is not there")
            faults += [f"{call.name} · {principal.name} shows {t}" for t in traces(foreign, principal, call)]

    assert not faults, "\n".join(faults)


def digitless(text: str) -> str:
    return re.sub(r"(?<![\d.])(88\d{7}|40000000\d\d)(?!\d)", "", text)


@pytest.mark.parametrize("column", ["viewer", "editor", "admin"])
def test_a_foreign_thing_below_an_own_one_is_not_found(world, column):
    """Addresses such as `/p/<own>/members/<foreign>/`: one's own project or experiment, and everything else foreign."""
    faults = []
    for principal in principals_of(world, column):
        for call in (call for call in CALLS if not call.is_api and not principal.has_key):
            owned_names = {name: world.of_alice[name] for name in ("slug", "experiment")}
            names = named_in_path(call)
            if len(names) < 2 or names <= owned_names.keys() or call.route == "compare":
                continue
            result = answer(principal, call, world.foreign | owned_names)
            if result.code not in ("404", EXPECTED[call.name][column].replace("ok", "404")):
                faults.append(f"{call.name} · {principal.name}: {result.code}, not 404")

    assert not faults, "\n".join(faults)


def named_in_path(call: Call) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", call.path))


def beside_the_path(call: Call) -> set[str]:
    """The objects to which a call refers in its body or query."""
    query = call.path.partition("?")[2]
    return set(re.findall(r"\{(\w+)\}", f"{query} {json.dumps(call.body)}")) - NAMES_NOTHING


@pytest.mark.long
@pytest.mark.parametrize("principal_name", ["project admin", "admin key"])
def test_a_foreign_thing_in_a_body_or_query_is_404(world, principal_name):
    [principal] = [candidate for candidate in world.everybody if candidate.name == principal_name]
    faults, count, before = [], 0, all_rows()
    for call in (call for call in CALLS if call.is_api is principal.has_key):
        for name in beside_the_path(call):
            cache.clear()
            objects = world.of_alice | {name: world.foreign[name]}
            result = Answer(
                call.send(principal.client(), objects, principal.headers), call.known_texts(objects)
            )
            count += 1
            if result.code != "404" and call.name not in EMPTY_INSTEAD:
                faults.append(f"{call.name} with a foreign {name}: {result.code}")
            faults += [f"{call.name} shows {trace}" for trace in traces(result, principal, call)]
            before, rows = all_rows(), before
            if before != rows:
                faults.append(f"{call.name} with a foreign {name} changed something")

    assert count > 3
    assert not faults, "\n".join(faults)


# a list filtered by an unknown object is empty
EMPTY_INSTEAD = {"GET api-run-list"}
MOVES_ON = {"ApiKey", "Pulse", "Session"}  # times such as the last use of a key


def all_rows() -> dict[str, list[Any]]:
    """All rows of all our tables."""
    return {
        model.__name__: sorted(map(repr, model.objects.values_list()))
        for model in apps.get_app_config("evaluations").get_models()
        if model.__name__ not in MOVES_ON
    }
