"""Texts of users and models stay texts on every page: payloads in every field, opened in a real browser."""

import re
from typing import Any
from urllib.parse import quote

import pytest
from django.core.files.base import ContentFile
from playwright.sync_api import Page

from evaluations.access import projects
from evaluations.datasets import datasets
from evaluations.evaluators import evaluators
from evaluations.experiments import experiments, runs
from evaluations.imports import imports
from evaluations.imports.uploads import uploads
from evaluations.models import Import, Project
from evaluations.scoring import scoring
from tests.authorization.calls import PAGES, filled
from tests.authorization.world import NOWHERE, things_of

pytestmark = pytest.mark.django_db(transaction=True)

# Each calls `trap()`, adds an element `x-trap`, or is blocked by the policy: all three are detected.
PAYLOADS = [
    "<script>trap()</script>",
    "</script><script>trap()</script>",
    "<img src=x onerror=trap()>",
    '"><img src=x onerror=trap()>',
    "'><img src=x onerror=trap()>",
    "<svg onload=trap()>",
    "<svg><script>trap()</script></svg>",
    "<body onload=trap()>",
    "<iframe src=javascript:trap()></iframe>",
    "<iframe srcdoc='<script>parent.trap()</script>'></iframe>",
    "<a href=javascript:trap()><x-trap>a</x-trap></a>",
    '" onmouseover="trap()" x="',
    "' autofocus onfocus='trap()",
    "<input autofocus onfocus=trap()>",
    "<details open ontoggle=trap()>",
    "<math><mtext></mtext><x-trap></math>",
    "</title><x-trap>",
    "</textarea><x-trap>",
    "</pre></code><x-trap>",
    "--><x-trap>",
    "]]><x-trap>",
    "&lt;x-trap&gt;<x-trap>",
    "<div hx-get=/ hx-trigger=load><x-trap></div>",
    "<style>*{background:url(//evil.example/)}</style>",
    "<base href=//evil.example/><x-trap>",
]
WATCH = """
window.seen = [];
for (const name of ["trap", "alert", "confirm", "prompt"]) window[name] = () => { seen.push(name + " was called"); };
addEventListener("securitypolicyviolation", e => seen.push(`policy: ${e.violatedDirective} ${e.blockedURI}`));
"""
EMBEDDED = """[...page.querySelectorAll(
    "x-trap, iframe, object, embed, base, [onerror], [onload], [onfocus], [ontoggle], [onmouseover]," +
    "a[href^='javascript:']"
)].map(found => found.outerHTML)"""
LOOK = f"() => {{ const page = document; return [...seen, ...{EMBEDDED}]; }}"
PARSED = f"""html => {{
    const page = new DOMParser().parseFromString(html, "text/html");
    return [...{EMBEDDED}, ...[...page.scripts].filter(one => one.text.includes("trap()")).map(one => one.outerHTML)];
}}"""
NO_PAGES = {
    "audit-export",
    "audit-site-export",
    "compare-export",
    "dataset-download",
    "dataset-import-refused",
    "dataset-refused",
    "upload-refused",
    "variant-repeated",
    "experiment-export",
    "passport-export",
    "prompt-export",
    "run-export",
    "healthz",
    "readyz",
    "manual-image",
    "signed-in",
}


def groups(maximum: int = 160) -> list[str]:
    """The payloads grouped in texts that are short enough for a name."""
    texts = [""]
    for payload in PAYLOADS:
        if len(texts[-1]) + len(payload) >= maximum:
            texts.append("")
        texts[-1] += f" {payload}"
    return [group.strip() for group in texts]


def hostile(project: Project, alice: Any, mark: str) -> dict[str, Any]:
    """Ids of objects whose texts all contain the payload: names, columns, keys, cells, outputs, errors, settings."""
    ids = things_of(project, alice, mark)
    all_payloads = " ".join(PAYLOADS)
    cells = {f"{mark} {n}": all_payloads for n in range(2)}
    rows = [
        {"key": f"{mark} {n}", "inputs": cells, "reference": {mark: all_payloads}, "metadata": cells}
        for n in range(2)
    ]
    dataset = datasets.create(project, alice, f"{mark} cells", rows)
    evaluator = evaluators.create(
        project, alice, f"{mark} says", "regex_match", {"pattern": re.escape(mark)}, {}
    )
    experiment = experiments.create(project, alice, f"{mark} hostile", dataset, [evaluator])
    for n in range(2):
        outputs = [
            {"position": 1, "output": all_payloads},
            {"position": 2, "output": {mark: all_payloads}, "error": all_payloads},
        ]
        run = runs.create(experiment, alice, f"{mark} {n}", outputs)
    while scoring.work(seconds=10):
        pass
    quoted = mark.replace('"', '""')
    file = f'key,"{quoted}"\n1,a,b\n2\n'.encode()
    failed = imports.begin(
        uploads.park(project, alice, ContentFile(file, name=f"{mark}.csv")), f"{mark} failed", None
    )
    imports.run_import(Import.objects.get(dataset=failed).pk)
    hostile_ids = {
        "dataset": dataset.pk,
        "evaluator": evaluator.pk,
        "experiment": experiment.pk,
        "run": run.pk,
    }
    return ids | hostile_ids | {"failed": failed.pk}


@pytest.fixture
def alices(alice, alices_page: Page, settings) -> Page:
    """A browser that traps scripts, signed in as Alice, who is also an administrator of the site."""
    settings.PROVIDER_ALLOWED_HOSTS = [NOWHERE.split("/")[2]]
    alice.is_superuser = True
    alice.save()
    alices_page.add_init_script(WATCH)
    return alices_page


def test_no_page_executes_a_payload(alices, alice, live_server):
    """Every page in a real browser, with all payloads in texts; the slow test has the other payloads in names."""
    faults = []
    for address in hostile_addresses(alice, groups()[0]):
        alices.goto(f"{live_server.url}{address}")
        faults += [f"{address}: {trace}" for trace in alices.evaluate(LOOK)]

    assert "\n".join(faults) == ""


@pytest.mark.slow
@pytest.mark.parametrize("mark", groups()[1:], ids=lambda mark: mark[:20])
def test_no_page_embeds_a_payload(alices, alice, as_user, mark):
    """The parser of a browser sees no element or attribute of a payload, before any script runs."""
    client, faults = as_user(alice), []
    for address in hostile_addresses(alice, mark):
        html = client.get(address).content.decode()
        faults += [f"{address}: {trace}" for trace in alices.evaluate(PARSED, html)]

    assert "\n".join(faults) == ""


def hostile_addresses(alice: Any, mark: str) -> list[str]:
    """All pages of a project of hostile texts."""
    project = projects.create(f"{mark} project", alice)
    ids = hostile(project, alice, mark)
    addresses = [filled(path, ids) for name, path in PAGES.items() if name not in NO_PAGES]
    addresses += [f"/datasets/{ids['failed']}/", *searches(ids, mark)]
    assert len(addresses) > 40
    return addresses


def searches(ids: dict[str, Any], mark: str) -> list[str]:
    """Pages that show a text from their address."""
    paths = (
        "/p/{slug}/datasets/?q=",
        "/p/{slug}/search/?q=",
        "/p/{slug}/audit/?who=",
        "/datasets/{dataset}/?q=",
        "/experiments/{experiment}/?q=",
        "/runs/{run}/?q=",
        "/signin/?next=",
        "/no/such/page/",
    )
    return [filled(path, ids) + quote(mark, safe="") for path in paths]


CAUGHT = {
    "<script>trap()</script>": "trap was called",
    "<img src=x onerror=trap()>": "onerror=",
    "<x-trap>": "<x-trap>",
}


@pytest.mark.parametrize(("payload", "trace_text"), CAUGHT.items())
def test_a_page_that_embeds_a_payload_is_noticed(alices, live_server, payload, trace_text):
    """Proves that the test above can fail: the page is that of a site that escapes nothing."""
    html = f"<!doctype html><title>unsafe</title>{payload}"
    alices.route("**/unsafe/", lambda route: route.fulfill(content_type="text/html", body=html))

    alices.goto(f"{live_server.url}/unsafe/")

    assert any(trace_text in trace for trace in alices.evaluate(LOOK))
    assert any(payload.split(" ")[0] in trace for trace in alices.evaluate(PARSED, html))


def test_a_script_that_the_policy_refuses_is_noticed_too(alices, live_server):
    """The site's own page and policy, with an added script."""

    def unsafe(route):
        answer = route.fetch()
        body = answer.text().replace("</body>", "<script>trap()</script></body>")
        assert "trap()" in body
        route.fulfill(response=answer, body=body)

    alices.route("**/account/", unsafe)

    alices.goto(f"{live_server.url}/account/")

    assert any(trace.startswith("policy: script-src") for trace in alices.evaluate(LOOK))
