"""Collects the cases of a pytest session in the controlling process, and records them at the end, a run for each test
and repetition.

Every case is written to a file as it ends. A session that was killed, or that did not reach the site, leaves the file;
`--evalsite-resume` takes its cases and runs the others.
"""

import json
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import pytest

from .errors import EvalsiteError, Mistaken, NotConfigured
from .journal import Journal
from .settings import load

Record = dict[str, Any]
DONE = "evalsite_done"  # what xdist tells its workers: the code of each case that is there already
RESUME = "`--evalsite-resume` goes on from there"


class Recorder:
    """The cases of this session and, if it resumes, of one that was stopped."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.records: dict[str, Record] = {}
        self.partial: set[str] = set()
        self.lines: list[str] = []
        self.left = 0
        self.has_old_failures = self.has_begun = False
        self.journal: Journal | None = None

    def pytest_sessionstart(self) -> None:
        """Find what a stopped session left."""
        if (about := self._about()) and Journal.path_of(*about).exists():
            self._begin()

    def _about(self) -> tuple[Any, ...]:
        """What the file is about: folder and variant. Nothing without a site."""
        try:
            url = load().url
        except NotConfigured:
            return ()
        return "pytest", url, self.config.rootpath, self.config.getoption("evalsite_variant")

    def _begin(self) -> None:
        """Open the file, before the first case at the latest, and read what it has."""
        self.has_begun = True
        if not (about := self._about()):
            return
        try:
            self.journal = Journal(*about)
        except Mistaken:
            self.lines.append(
                "Another session of these tests is running, so this one keeps nothing if it is stopped."
            )
            return
        left = {entry["case"]: entry["record"] for entry in self.journal.entries() if "case" in entry}
        self.journal.begin()
        if self.config.getoption("evalsite_resume"):
            self.records = left
            self.has_old_failures = any(record["has_failed"] for record in left.values())
        else:
            self.left = len(left)

    def pytest_report_header(self) -> str | None:
        if self.records:
            return f"evalsite: going on from a stopped session, with its {len(self.records)} cases"
        return f"evalsite: a stopped session left {self.left} cases; {RESUME}" if self.left else None

    @property
    def done(self) -> dict[str, str]:
        """The code of the test, by the case."""
        return {case: record["code"] for case, record in self.records.items()}

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        node.workerinput[DONE] = self.done

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not (kept := getattr(report, "evalsite", None)):
            return
        record = json.loads(kept)
        self.records[report.nodeid] = record
        if not self.has_begun:
            self._begin()
        if self.journal is not None:
            if self.left:
                self.journal.clear()
                self.lines.append(
                    f"The {self.left} cases that a stopped session left are replaced by this one's."
                )
                self.left = 0
            self.journal.append({"case": report.nodeid, "record": record})

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        self.partial |= {item.nodeid.partition("[")[0] for item in items}

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        is_recorded = False
        if self.left:
            self.lines.append(f"A stopped session left {self.left} cases; {RESUME}.")
        if self.records and exitstatus == pytest.ExitCode.INTERRUPTED:
            self.lines.append(
                f"Interrupted, so no run is recorded yet. {len(self.records)} cases are kept; {RESUME}."
            )
        elif self.records:
            is_recorded = self._is_recorded(session)
        if self.journal is not None:
            self.journal.close(remove=is_recorded or not (self.records or self.left))

    def _is_recorded(self, session: pytest.Session) -> bool:
        try:
            self._record_all()
        except NotConfigured:
            self.lines.append("Nothing is recorded: set EVALSITE_URL and EVALSITE_KEY to record these tests.")
        except EvalsiteError as error:
            self.lines.append(f"Not recorded: {error}")
            if self.journal is not None:
                self.lines.append(f"The cases are kept; {RESUME}.")
            session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED
        else:
            self._count_old_failures(session)
            return True
        return False

    def _count_old_failures(self, session: pytest.Session) -> None:
        """A case that failed before the session was stopped fails this one, too."""
        if session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and self.records:
            session.exitstatus = pytest.ExitCode.OK
        if self.has_old_failures and session.exitstatus == pytest.ExitCode.OK:
            self.lines.append("Cases of the stopped session had failed.")
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _record_all(self) -> None:
        recording = import_module(f"{__package__}.recording")
        about = json.loads(self.config.getoption("evalsite_about"))
        variant = self.config.getoption("evalsite_variant")
        for_gate = self.config.getoption("evalsite_for_gate")
        with import_module(f"{__package__}.client").Client() as site:
            for test, records in self._by_test().items():
                if test in self.partial or any(
                    "::" in argument and "[" in argument for argument in self.config.args
                ):
                    self.lines.append(f"{test}: not recorded, because only some of its cases ran.")
                    continue
                name = variant or records[0]["options"]["variant"]
                for run in recording.record(site, name, records, about, for_gate=for_gate):
                    address = site.address("run", run["id"])
                    self.lines.append(f"{test}: run {run['id']} {run['variant']}, {address}")

    def _by_test(self) -> Mapping[str, list[Record]]:
        tests: dict[str, list[Record]] = {}
        for record in self.records.values():
            tests.setdefault(record["test"], []).append(record)
        return tests

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.lines:
            terminalreporter.section("evalsite")
            for line in self.lines:
                terminalreporter.line(line)
