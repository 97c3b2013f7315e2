"""Runs a function of the user's own over the examples of a dataset, and scores what it returns.

Every answer is written to a journal on disk as it arrives, and sent in batches. A restart finds the journal and the
draft runs, and asks only for what is missing.
"""

import asyncio
import contextlib
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .errors import EvalsiteError, TimedOut
from .examples import Example
from .journal import Journal
from .plan import Evaluation, Plan
from .progress import Progress
from .rescoring import score_command, versions_of
from .scorers import Scorer
from .sending import OUTAGE, Sender
from .targets import examples_of, experiment_on
from .transport import Query
from .working import Calls, Crew, answered, crew_of, scored

if TYPE_CHECKING:
    from .uploader import Uploader

SHOWN_ERRORS = 3  # kinds of exceptions that are named while it works


@dataclass
class Draft:
    """A run of the evaluation: its outputs on the server and in the journal by position, and the positions that each
    scorer has scored, which only the journal knows: a draft does not show its scores.
    """

    run: int
    outputs: dict[int, dict[str, Any]] = field(default_factory=dict)
    scores: dict[str, set[int]] = field(default_factory=dict)
    is_started: bool = False


class Evaluator:
    """Carries out one plan."""

    def __init__(self, client: "Uploader", plan: Plan, loop: asyncio.AbstractEventLoop | None = None) -> None:
        self.client, self.plan, self.transport = client, plan, client.transport
        self.calls = Calls(loop)
        self.lock = threading.Lock()
        self.seen: set[str] = set()
        self.done = self.errors = 0

    def evaluate(self) -> Evaluation:
        """Answer and score every example, start the runs, and wait for the server's evaluators."""
        plan = self.plan
        experiment = experiment_on(self.client, plan.dataset, plan.experiment, plan.named)
        self.journal = Journal(
            self.client.settings.url,
            experiment["id"],
            self.plan.variant,
            self.plan.described,
            self.plan.split,
        )
        try:
            if not self.plan.resume:
                self.journal.clear()
            self.journal.begin()
            drafts = self._drafts(experiment)
            examples = examples_of(self.client, experiment, plan.split)
            self._work(examples, [draft for draft in drafts if not draft.is_started])
            for draft in drafts:
                self._start(draft)
        except BaseException:
            self.journal.close()
            raise
        self.journal.close(remove=True)
        return self._result(experiment["id"], drafts)

    # ---- what there is ----

    def _drafts(self, experiment: Mapping[str, Any]) -> list[Draft]:
        """One draft for each repetition: those of the journal, then those that a stopped evaluation left, then new."""
        kept = {entry["run"]: Draft(entry["run"]) for entry in self.journal.entries() if "run" in entry}
        drafts = list(kept.values())
        if self.plan.resume and len(drafts) < self.plan.repetitions:
            drafts += [Draft(run) for run in self._left(experiment["id"]) if run not in kept]
        drafts = drafts[: self.plan.repetitions]
        while len(drafts) < self.plan.repetitions:
            drafts.append(Draft(self._new_run(experiment["id"])))
        for draft in drafts:
            if draft.run not in kept:
                self.journal.append({"run": draft.run})
            self._read(draft)
        self._resend(drafts)
        return drafts

    def _left(self, experiment: int) -> list[int]:
        """Draft runs of this variant with the same description, oldest first."""
        query: Query = {"experiment": experiment, "variant": self.plan.variant, "status": "draft"}
        drafts = [run for run in self.transport.rows("runs/", query) if run["about"] == self.plan.described]
        return sorted(run["id"] for run in drafts)

    def _new_run(self, experiment: int) -> int:
        fields: dict[str, Any] = {"experiment": experiment, "variant": self.plan.variant, "start": False}
        fields |= {"about": self.plan.described} | ({"split": self.plan.split} if self.plan.split else {})
        fields |= {"for_gate": True} if self.plan.for_gate else {}
        return int(self.transport.post("runs/", fields)["id"])

    def _read(self, draft: Draft) -> None:
        """What the server already has of a run."""
        draft.is_started = self.client.read_run(draft.run)["status"] != "draft"
        if draft.is_started:
            return
        for row in self.client.results(draft.run):
            if row["output"] is not None or row["output_error"]:
                draft.outputs[row["position"]] = {"output": row["output"], "error": row["output_error"]}

    def _resend(self, drafts: list[Draft]) -> None:
        """Send what the journal has and the server has not, because a process was killed before its batch left."""
        by_run = {draft.run: draft for draft in drafts if not draft.is_started}
        by_name = {scorer.name: scorer for scorer in self.plan.own}
        sender = Sender(self.transport, self._note_sent)
        for entry in self.journal.entries():
            draft, scorer = by_run.get(entry.get("of", 0)), by_name.get(entry.get("by", ""))
            if "sent" in entry and draft and scorer and entry["code"] == scorer.sha256:
                draft.scores.setdefault(scorer.name, set()).update(entry["sent"])
        for entry in list(self.journal.entries()):
            draft = by_run.get(entry.get("of", 0))
            if draft and "output" in entry and entry["output"]["position"] not in draft.outputs:
                draft.outputs[entry["output"]["position"]] = entry["output"]
                sender.output(draft.run, entry["output"])
            if draft and "score" in entry and (scorer := by_name.get(entry["by"])):
                self._resend_score(sender, draft, scorer, entry)
        sender.start()
        sender.close()

    def _resend_score(self, sender: Sender, draft: Draft, scorer: Scorer, entry: Mapping[str, Any]) -> None:
        position, row = entry["position"], entry["score"]
        has = draft.scores.setdefault(scorer.name, set())
        if position not in has and entry["code"] == scorer.sha256:
            has.add(position)
            if row is not None:
                sender.score(draft.run, scorer, row)

    def _note_sent(self, run: int, scorer: Scorer, rows: Sequence[Mapping[str, Any]]) -> None:
        """Write down that scores have arrived."""
        with self.lock:
            sent = [row["position"] for row in rows]
            self.journal.append({"of": run, "by": scorer.name, "code": scorer.sha256, "sent": sent})

    # ---- the work ----

    def _work(self, examples: list[Example], drafts: list[Draft]) -> None:
        jobs = [(draft, example) for draft in drafts for example in examples if self._lacks(draft, example)]
        total = len(examples) * len(drafts)
        self.done = total - len(jobs)
        if self.done and jobs:
            self.plan.note(f"Resuming: {self.done} of {total} answers are there.")
        shown = Progress(self.plan.variant, sys.stderr)
        self.sender = Sender(self.transport, self._note_sent)
        self.sender.start()
        crew = crew_of(min(self.plan.concurrency, max(1, len(jobs))), iter(jobs), self._do)
        try:
            crew.finish(lambda: self._check(shown, total))
        except BaseException as stopped:
            self._keep_rest(crew, is_interrupted=isinstance(stopped, KeyboardInterrupt))
            raise
        finally:
            self._show(shown, total)
            shown.close()
            self.calls.close()
        self.sender.close()

    def _keep_rest(self, crew: Crew, *, is_interrupted: bool) -> None:
        """Wait for the calls under way, and send what there is; it is in the journal if that fails."""
        if is_interrupted:
            self.plan.note(
                "Stopping after the answers under way, which are kept. Ctrl-C again leaves at once."
            )
        crew.let_finish()
        with contextlib.suppress(EvalsiteError):
            self.sender.close()
        if is_interrupted:
            self.plan.note("Run the same again to go on from here.")

    def _lacks(self, draft: Draft, example: Example) -> bool:
        output = draft.outputs.get(example.position)
        return output is None or (not output.get("error") and any(self._lacking(draft, example.position)))

    def _lacking(self, draft: Draft, position: int) -> Iterator[Scorer]:
        return (scorer for scorer in self.plan.own if position not in draft.scores.get(scorer.name, ()))

    def _check(self, shown: Progress, total: int) -> None:
        if self.sender.failure:
            raise self.sender.failure
        self._show(shown, total)

    def _show(self, shown: Progress, total: int) -> None:
        if self.plan.on_progress:
            self.plan.on_progress(self.done, total)
        else:
            shown.update(self.done, total, f"{self.errors} errors" if self.errors else "")

    def _do(self, job: tuple[Draft, Example]) -> None:
        """One example of one run: the answer, unless it is there, then the scores that are missing."""
        draft, example = job
        row = draft.outputs.get(example.position)
        if row is None:
            row = answered(self.calls, self.plan.task, example)
            with self.lock:
                self.journal.append({"of": draft.run, "output": row})
            self.sender.output(draft.run, row)
            self._note_error(row.get("error"), "answers")
        if not row.get("error"):
            for scorer in self._lacking(draft, example.position):
                self._score(draft, scorer, example, row["output"])
        with self.lock:
            self.done += 1

    def _score(self, draft: Draft, scorer: Scorer, example: Example, output: Any) -> None:
        row = scored(self.calls, scorer, example, output)
        entry = {"of": draft.run, "by": scorer.name, "code": scorer.sha256, "position": example.position}
        with self.lock:
            self.journal.append(entry | {"score": row})
        if row is not None:
            self.sender.score(draft.run, scorer, row)
            self._note_error(row.get("error"), f"scores of {scorer.name}")

    def _note_error(self, error: str | None, what: str) -> None:
        """Count a failure, and name the first ones, so that a mistake in the code is seen at once."""
        if error is None:
            return
        with self.lock:
            self.errors += 1
            kind = f"{what} {error.partition(':')[0]}"
            is_new = kind not in self.seen and len(self.seen) < SHOWN_ERRORS
            self.seen.add(kind)
        if is_new:
            self.plan.note(f"Failed {what}, so far {self.errors}: {error[:300]}")

    # ---- the end ----

    def _start(self, draft: Draft) -> None:
        if not draft.is_started:
            self.transport.post(f"runs/{draft.run}/start/", patience=OUTAGE)

    def _result(self, experiment: int, drafts: Iterable[Draft]) -> Evaluation:
        runs = [self._ended(draft.run) for draft in drafts]
        self._note_other_code(experiment, runs[0])
        return Evaluation(self.client, experiment, self.plan.variant, runs, self.errors)

    def _note_other_code(self, experiment: int, run: Mapping[str, Any]) -> None:
        """Offer to score the baseline too, where a scorer did not score it, or with other code."""
        read = self.client.experiment(experiment)
        others = [other for other in read["runs"] if other["variant"] != self.plan.variant]
        chosen = [other for other in others if other["variant"] == read["baseline"]] or others[-1:]
        used, before = versions_of(run), versions_of(chosen[0]) if chosen else {}
        stale = [scorer for scorer in self.plan.own if used.get(scorer.name) != before.get(scorer.name)]
        if chosen and stale:
            names = ", ".join(scorer.name for scorer in stale)
            self.plan.note(
                f"{chosen[0]['variant']} was not scored by this code of {names}. To compare these scores, score it "
                f"too: {score_command(chosen[0]['id'], stale)}"
            )

    def _ended(self, run: int) -> Mapping[str, Any]:
        if not self.plan.wait:
            return self.client.read_run(run)
        try:
            return self.client.wait("run", run, timeout=self.plan.timeout)
        except TimedOut as late:
            raise TimedOut(f"{late} All outputs and own scores are there.") from late
