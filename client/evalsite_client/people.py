"""The methods about people who read or label, and about judges that are checked against them; a base of `Client`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any, Literal, cast
from urllib.parse import urlencode

from .answers import Judging, LabelTask, NewLabel, Passport, ShareLink
from .errors import Mistaken
from .names import Reference, compared, evaluator_ids, id_of, run_ids
from .transport import OnBytes
from .uploader import Uploader
from .waiting import OnState

BATCH = 1_000  # labels per call


class People(Uploader):
    """Asks people, sends labels, shares comparisons with readers, and lets judges read answers."""

    # ---- readers ----

    def share(
        self,
        baseline: Reference,
        *runs: Reference,
        experiment: Reference | None = None,
        split: str | None = None,
        kept: bool = True,
        texts: bool = False,
        note: str = "",
        days: int = 30,
    ) -> ShareLink:
        """Make a link by which anyone reads this comparison without an account; its `url` is shown once.

        A `kept` link shows it as it is now, another one is always current. With `texts` the largest regressions are
        shown with their inputs and outputs.
        """
        chosen = run_ids(self.transport, [baseline, *runs], experiment)
        query = {name: value for name, value in (compared(chosen) | {"split": split}).items() if value}
        body = {
            "object": "report" if kept else "comparison",
            "query": urlencode(query),
            "texts": texts,
            "note": note,
            "expires_at": (datetime.now(UTC) + timedelta(days=days)).isoformat(),
        }
        return cast(ShareLink, self.transport.post("share-links/", body))

    def share_links(self) -> Iterator[ShareLink]:
        """The links of the project that still work."""
        return cast(Iterator[ShareLink], self.transport.rows("share-links/", {}))

    def end_share_link(self, link: int) -> None:
        """End a link: whoever opens it reads that it has ended."""
        self.transport.delete(f"share-links/{link}/")

    # ---- labels ----

    def ask_people(
        self,
        label_set: Reference,
        runs: Sequence[int],
        size: int,
        *,
        seed: int = 1,
        raters: int = 1,
        overlap: float = 0.2,
        by: str | None = None,
        drawn: Literal["random", "groups", "evenly", "differing", "trial"] | None = None,
        metadata: Mapping[str, str] | None = None,
        reference: bool = True,
        stop: Mapping[str, Any] | None = None,
    ) -> LabelTask:
        """Ask people about `size` random examples: every one of these runs' answers to each is labelled.

        `raters` people label an answer, and one more a share `overlap` of them. Each value of the metadata column `by`
        has its share of the sample, or with `drawn` "evenly" equally many examples; "differing" draws more of those on
        which scores differ, a "trial" never counts. With `metadata`, examples with these values are drawn from. Without
        `reference` raters do not see it. `stop` ends the task by itself, as in `POST label-tasks/`.
        """
        sample: dict[str, Any] = {
            "size": size,
            "seed": seed,
            "drawn": drawn or ("groups" if by else "random"),
        }
        sample |= {"by": by} if by else {}
        body = {
            "label_set": id_of(self.transport, "label-sets", label_set),
            "runs": list(runs),
            "sample": sample | ({"metadata": dict(metadata)} if metadata else {}),
            "raters": raters,
            "overlap": overlap,
            "reference": reference,
            "stop": stop,
        }
        return cast(LabelTask, self.transport.post("label-tasks/", body))

    def close_label_task(self, task: int) -> LabelTask:
        """End a task; its labels are in the columns of its runs."""
        return cast(LabelTask, self.transport.post(f"label-tasks/{task}/close/"))

    def add_labels(
        self, label_set: Reference, run: int, labels: Iterable[NewLabel], *, random: bool = False
    ) -> int:
        """Add labels that people gave elsewhere to the answers of a run, as labels of a label set (id or name).

        `random` says that the labelled examples are a random sample of those answered; other labels are no estimates
        and need a label set for reading. Returns the number of stored labels.
        """
        number = id_of(self.transport, "label-sets", label_set)
        remaining, stored = iter(labels), 0
        while batch := list(islice(remaining, BATCH)):
            body = {"run": run, "labels": batch, "random": random}
            stored += self.transport.post(f"label-sets/{number}/labels/", body)["stored"]
        return stored

    def add_label_file(
        self,
        label_set: Reference,
        run: int,
        file: str | Path,
        *,
        random: bool = False,
        on_bytes: OnBytes | None = None,
    ) -> dict[str, Any]:
        """Add labels from a file with a row for each: `key` or `position`, `label`, and `rater` and `note`."""
        number = id_of(self.transport, "label-sets", label_set)
        fields = {"run": str(run), "random": "true" if random else "false"}
        sent = self.transport.upload(f"label-sets/{number}/labels/", Path(file), fields, on_bytes)
        return cast(dict[str, Any], sent)

    # ---- judges ----

    def judge(
        self,
        judge: Reference,
        run: int,
        *,
        budget: str | None = None,
        max_calls: int | None = None,
        against: int | None = None,
        wait: bool = True,
        timeout: float | None = None,
        on_state: OnState = lambda state: None,
    ) -> Judging:
        """Let a judge read the answers of a run that it has not read, for at most `budget` (a text) or `max_calls`.

        A judge of pairs compares with the run `against`. An equal request is never paid twice.
        """
        [number] = evaluator_ids(self.transport, [judge])
        money = {"budget": budget, "max_calls": max_calls, "against": against}
        body = {"evaluators": [number]} | {name: value for name, value in money.items() if value is not None}
        if budget is None and max_calls is None:
            raise Mistaken("A judge is paid for each call: name a budget, or max_calls.")
        self.transport.post(f"runs/{run}/scorings/", body)
        newest: dict[str, str | int | None] = {
            "run": run,
            "evaluator": number,
            "purpose": "scores",
            "page_size": 1,
        }
        [judging] = self.transport.get("judgings/", newest)["results"]
        return self._ended(judging, timeout, on_state) if wait else cast(Judging, judging)

    def judge_cost(self, judge: Reference, run: int) -> dict[str, Any]:
        """What it would cost at most to let a judge read a run: texts, tokens and cost; nothing is asked."""
        [number] = evaluator_ids(self.transport, [judge])
        body = {"evaluators": [number], "estimate_only": True}
        [estimate] = self.transport.post(f"runs/{run}/scorings/", body)["estimates"]
        return cast(dict[str, Any], estimate)

    def check_judge(
        self,
        judge: Reference,
        run: int,
        purpose: Literal["repeats", "attacks"],
        positions: Sequence[int],
        *,
        budget: str | None = None,
        max_calls: int | None = None,
        against: int | None = None,
        wait: bool = True,
        timeout: float | None = None,
        on_state: OnState = lambda state: None,
    ) -> Judging:
        """Ask a judge for verdicts on the same answers again, or try ten attacks on it; no column changes."""
        [number] = evaluator_ids(self.transport, [judge])
        money = {"budget": budget, "max_calls": max_calls, "against": against}
        body: dict[str, Any] = {
            "purpose": purpose,
            "run": run,
            "positions": list(positions),
            "evaluator": number,
        }
        body |= {name: value for name, value in money.items() if value is not None}
        judging = self.transport.post("judgings/", body)
        return self._ended(judging, timeout, on_state) if wait else cast(Judging, judging)

    def _ended(self, judging: Mapping[str, Any], timeout: float | None, on_state: OnState) -> Judging:
        path = f"judgings/{judging['id']}/"
        return cast(Judging, self._until_ended("judging", path, timeout, on_state))

    def open_passport(self, evaluator: Reference, label_set: Reference) -> Passport:
        """Open the sealed labels for the newest version: every opening counts, and cannot be taken back."""
        body = {"label_set": id_of(self.transport, "label-sets", label_set)}
        path = f"evaluators/{self._evaluator(evaluator)}/passport/open/"
        return cast(Passport, self.transport.post(path, body))
