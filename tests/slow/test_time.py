"""No input of any route holds a neighbour: a fuzz with long, repetitive and deep inputs, measured in processor time.

Every address of the site is called as in the authorization table, with each of its texts replaced in turn. A request
may take `MOST` seconds, and hold the interpreter for `HOLD` at once: so long others wait, /healthz too.
`TIME_FUZZ` chooses routes by a part of their name. The slowest answers are printed.
"""

import gc
import itertools
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, urlencode

import pytest
from django.core.cache import cache
from django.db import transaction

from evaluations import kinds
from evaluations.evaluators import apart
from evaluations.models import Example, Output, PromptVersion
from tests.authorization.calls import CALLS, Call
from tests.authorization.conftest import World, made, world
from tests.authorization.world import Principal

from .watching import Watch, watched

pytestmark = [pytest.mark.slow, pytest.mark.django_db]
MOST, HOLD = 2.0, 0.2  # seconds of processor time
LONGEST_QUERY = 8_000  # characters; the server refuses longer addresses
ROUTES = os.environ.get("TIME_FUZZ", "")
HOSTILE = {
    "long": "a" * 200_000,
    "blanks": " " * 100_000 + "x",
    "open variable": "{{" + " " * 100_000,
    "digits": "1" * 100_000 + "x",
    "grouped digits": "1," * 50_000 + "x",
    "words": "a b " * 50_000,
    "lines": "\n" * 100_000,
    "quotes": '"' * 100_000,
    "commas": "," * 100_000,
    "brackets": "[" * 100_000,
    "deep JSON": '{"a":' * 5_000 + "1" + "}" * 5_000,
    "wildcards": "$" + "..*" * 3_000,
    "alternatives": "(a|aa)+" * 5_000 + "$",
    "markup": "<a<" * 30_000,
    "fences": "```\n" * 25_000,
    "thoughts": "<think>" * 15_000,
    "marks": "e" + "\u0301" * 100_000,
    "directions": "\u202e\u05d0" * 50_000,
    "no words between": "漢" * 100_000,
}
CONFIGS: dict[str, Any] = {
    "regex_match": {"pattern": "(a|b)+c"},
    "json_schema": {"schema": {"type": "object"}},
    "json_fields": {"rules": {"$.a": {"rule": "exact"}}},
    "check": {"must": "contain"},
}
EXTRA = {"q": "e", "search": "e", "sort": "e", "cluster": "e", "metadata[a]": "e"}  # of pages

__all__ = ["made", "world"]


@pytest.fixture(autouse=True)
def frozen(world: World) -> None:
    """As in a web process, garbage collection skips what was there before."""
    gc.collect()
    gc.freeze()


def say(line: str) -> None:
    """Print at once: the test takes long."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all texts and numbers in a body."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from leaves(inner, (*path, name))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from leaves(inner, (*path, number))
    elif value is not None:
        yield path


def replaced(value: Any, path: tuple[Any, ...], text: str) -> Any:
    if not path:
        return text
    copy = value.copy()
    copy[path[0]] = replaced(value[path[0]], path[1:], text)
    return copy


def variants(call: Call, text: str) -> Iterator[tuple[str, Call]]:
    """The call with each of its texts replaced in turn, and which; braces are doubled, because calls are templates."""
    braced = text.replace("{", "{{").replace("}", "}}")
    for path in leaves(call.body):
        yield str(path), replace(call, body=replaced(call.body, path, braced))
    address, _, query = call.path.partition("?")
    known = dict(parse_qsl(query)) | ({} if call.method != "GET" else EXTRA)
    short = braced[:LONGEST_QUERY].rstrip("{}")
    for name in known:
        yield f"?{name}", replace(call, path=f"{address}?{urlencode(known | {name: short}, safe='{}')}")


def asker(world: World, call: Call) -> Principal:
    name = "admin key" if call.is_api else "project admin"
    return next(principal for principal in world.everybody if principal.name == name)


def measured(world: World, call: Call) -> Watch:
    """The time and the status of a call whose changes are rolled back."""
    cache.clear()
    principal = asker(world, call)
    client = principal.client()
    with transaction.atomic():
        with watched() as watch:
            answer = call.send(client, world.of_alice, principal.headers)
        transaction.set_rollback(True)
    watch.status = answer.status_code
    return watch


class Slowest:
    """The slowest calls, those beyond the bounds, and faults of the site."""

    def __init__(self) -> None:
        self.all: list[tuple[float, float, str]] = []
        self.faults: list[str] = []

    def note(self, watch: Watch, name: str) -> None:
        self.all.append((watch.spent, watch.worst, name))
        if watch.status == 500:
            self.faults.append(f"500: {name}")

    def check(self) -> None:
        for spent, held, name in sorted(self.all, reverse=True)[:10]:
            say(f"{spent:6.2f} s, held {held:4.2f} s: {name}")
        beyond = [name for spent, held, name in self.all if spent > MOST or held > HOLD]
        assert not beyond + self.faults, "\n".join(beyond + self.faults)


@pytest.mark.parametrize("kind", HOSTILE)
def test_no_input_of_any_route_takes_long(world, kind):
    slowest = Slowest()
    for call in (call for call in CALLS if ROUTES in call.route):
        for changed, variant in variants(call, HOSTILE[kind]):
            slowest.note(measured(world, variant), f"{call.name} {changed}")
    slowest.check()


@pytest.mark.parametrize("kind", HOSTILE)
def test_no_formula_holds_the_interpreter(world, kind):
    """Texts a little shorter than those that are scored in a child."""
    text = HOSTILE[kind][: apart.LONG - 1].replace("{", "{{").replace("}", "}}")
    items = [{"actual": text, "expected": other} for other in (text, text[::-1], f"{text[:-3]} x ")]
    slowest = Slowest()
    for formula in itertools.chain(*kinds.by_family().values()):
        config = CONFIGS.get(formula.key, {})
        body = {"kind": formula.key, "config": config, "items": items}
        slowest.note(measured(world, Call("api-score", "POST", "score/", body)), formula.key)
    slowest.check()


@pytest.mark.parametrize("kind", HOSTILE)
def test_no_stored_text_makes_an_answer_slow(world, kind):
    text = HOSTILE[kind][:100_000]
    Example.objects.update(inputs=json.dumps({"question": text}), reference=json.dumps(text))
    Output.objects.filter(error=None).update(text=text)
    PromptVersion.objects.update(messages=[{"role": "user", "content": text}])
    slowest = Slowest()
    for call in (call for call in CALLS if call.method == "GET" and ROUTES in call.route):
        slowest.note(measured(world, call), call.name)
    slowest.check()
