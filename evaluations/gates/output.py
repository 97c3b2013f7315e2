"""A gate check for other programs: JUnit XML, and Markdown for a comment that a bot keeps up to date."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

from evaluations.models import GateCheck

JUNIT, MARKDOWN = "application/xml; charset=utf-8", "text/markdown; charset=utf-8"
ICONS = {"pass": "✅", "fail": "❌", "inconclusive": "❔", "changed": "⚠️"}
# XML 1.0 forbids these characters even when escaped.
UNFIT = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 65534, 65535), " ")
LONGEST = 500


def junit(check: GateCheck, address: str = "") -> bytes:
    """A test suite with one case per criterion. An open criterion is an error, or skipped if the gate accepts it.

    Its time is the time that the run took, in seconds, shared equally among the cases; its properties say which run
    and which gate. `address`: the page of the gate.
    """
    suite = Element("testsuite", name=_fit(check.gate.name), timestamp=check.created_at.isoformat())
    _properties(suite, check, address)
    for result in check.results:
        _case(suite, result["title"], result["verdict"], result["words"], check)
    for change in check.changes:
        _case(suite, "unchanged", "changed", change, check)
    counts = {tag: str(len(suite.findall(f"./testcase/{tag}"))) for tag in ("failure", "error", "skipped")}
    cases = suite.findall("./testcase")
    seconds = (check.run.took or timedelta()).total_seconds()
    for element, share in ((suite, seconds), *((case, seconds / len(cases)) for case in cases)):
        element.set("time", f"{share:.3f}")
    suite.set("tests", str(len(cases)))
    for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(name, counts[tag])
    suites = Element("testsuites", name="evalsite")
    suites.append(suite)
    return bytes(tostring(suites, encoding="utf-8", xml_declaration=True))


def _properties(suite: Element, check: GateCheck, address: str) -> None:
    facts = {
        "verdict": check.verdict,
        "run": str(check.run_id),
        "variant": check.run.variant,
        "gate": str(check.gate_id),
        "hash": check.hash,
        "link": address,
    }
    properties = SubElement(suite, "properties")
    for name, value in facts.items():
        if value:
            SubElement(properties, "property", name=name, value=_fit(value))


def _case(suite: Element, title: str, verdict: str, words: str, check: GateCheck) -> None:
    case = SubElement(suite, "testcase", classname=_fit(check.gate.name), name=_fit(title))
    if verdict == "pass":
        return
    if verdict == "inconclusive":
        tag = "skipped" if check.gate.accepts_inconclusive else "error"
    else:
        tag = "failure" if verdict == "fail" else "error"
    SubElement(case, tag, message=_fit(f"{verdict.upper()}: {words}"))


def _fit(text: str) -> str:
    return text.translate(UNFIT)[:LONGEST]


def markdown(check: GateCheck, address: str = "") -> str:
    """The check as Markdown; an invisible marker at its start is the same for every check of the gate."""
    gate = check.gate
    name = f"[{_plain(gate.name)}]({address})" if address else _plain(gate.name)
    lines = [
        f"<!-- evalsite-gate:{gate.pk} -->",
        f"### {ICONS[check.verdict]} {check.verdict.upper()}: {name}",
        "",
        _plain(check.sentence, 2_000),
    ]
    if check.results:
        lines += ["", "| Criterion | Measured | Verdict |", "| --- | --- | --- |"]
        lines += [_row(result) for result in check.results]
    lines += ["", f"Run {check.run_id}, gate `{check.hash[:12]}`."]
    return "\n".join(lines) + "\n"


def _row(result: Mapping[str, Any]) -> str:
    n = f", n = {result['n']}" if result["n"] is not None else ""
    verdict = f"{ICONS[result['verdict']]} {result['verdict'].upper()}"
    return f"| {_plain(result['title'])} | {_plain(result['words'])}{n} | {verdict} |"


def _plain(text: str, longest: int = LONGEST) -> str:
    """The text with Markdown escaped: nothing in it formats, links or mentions anybody."""
    line = " ".join(text.split())
    short = line if len(line) <= longest else f"{line[: longest - 1]}…"
    return "".join(ESCAPES.get(character, character) for character in short).replace("://", ":&#8203;//")


ESCAPES = {c: f"\\{c}" for c in "\\`*_{}[]()#|!~"} | {"<": "&lt;", ">": "&gt;", "&": "&amp;", "@": "@&#8203;"}
