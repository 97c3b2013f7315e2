"""Types of the server's answers. Servers may add fields; none is renamed or removed.

Times are texts in UTC (ISO 8601), latencies milliseconds, rates examples a second, shares and pass rates between 0
and 1, amounts of money texts in the currency of the project.
"""

from typing import Any, Literal, NotRequired, TypedDict

Verdict = Literal["better", "worse", "cannot_tell"]
Kind = Literal["dataset", "experiment", "run", "launch"]


class Progress(TypedDict):
    """Examples (of a launch: answers) done so far, out of the total."""

    done: int
    total: int


class Project(TypedDict):
    """The project of the key."""

    id: int
    name: str
    slug: str
    key: dict[str, Any]


class Dataset(TypedDict):
    """A dataset. `status` is importing, ready or failed; for a failed one, `errors` says why."""

    id: int
    name: str
    status: str
    version: int
    example_count: int
    most_comparisons: int | None
    columns: dict[str, list[str]]
    errors: list[dict[str, Any]]
    warnings: list[dict[str, Any]]
    experiment: int | None


class FilePreview(TypedDict):
    """A preview of a file; `size` is in bytes.

    It has a `table` with its suggested mapping, or the contents of another `tool`'s export; the other field is null.
    `same_content` is a dataset that was imported from the same bytes.
    """

    filename: str
    size: int
    sha256: str
    same_content: int | None
    tool: dict[str, Any] | None
    table: dict[str, Any] | None


class Change(TypedDict):
    """The changes a file made to a dataset, or a dry run would make, in examples; `first` shows some of each kind."""

    id: int
    status: str
    dry_run: bool
    filename: str
    version: int | None
    added: int
    changed: int
    removed: int
    same: int
    duplicates: int
    first: dict[str, list[dict[str, Any]]]
    warnings: list[dict[str, Any]]


class Source(TypedDict):
    """The source of an imported experiment.

    `figures` has the tool's own summary (`theirs`) beside `ours`, by variant and grader; `equal` is null if the tool
    lacks the figure. `graders` without an `evaluator` say why.
    """

    tool: str
    version: str
    graders: list[dict[str, Any]]
    figures: list[dict[str, Any]]
    notes: list[str]


class Imported(TypedDict):
    """A dataset made from another tool's file; `source` is null if the file is of no known tool."""

    dataset: Dataset
    source: Source | None


class Scoring(TypedDict):
    """One evaluator on a run. `mean` is over `n` scored examples, `interval` its 95 % interval."""

    evaluator: dict[str, Any]
    n: int
    mean: float | None
    interval: list[float] | None
    pass_rate: float | None
    counts: dict[str, int]


class Run(TypedDict):
    """The outputs of one variant. `status` is draft, generating, queued, running, completed, failed or cancelled."""

    id: int
    experiment: int
    variant: str
    status: str
    progress: Progress
    scorings: list[Scoring]
    output_count: int
    about: dict[str, Any]
    error: dict[str, Any] | None


class Experiment(TypedDict):
    """Variants on one dataset version; `runs` is set if a single experiment was requested."""

    id: int
    name: str
    dataset: int
    dataset_version: int
    evaluators: list[dict[str, Any]]
    baseline: str | None
    primary: int | None
    runs: list[Run]


class ReadingTaken(TypedDict):
    """Evaluators with their new `version` and the one `before`, and the runs that are scored."""

    versions: list[dict[str, int]]
    runs: list[int]


class Launch(TypedDict):
    """Prompts that answer a dataset. `status` is estimating, running, completed, decided, limit, failed or cancelled;
    `spent` never exceeds `budget`.
    """

    id: int
    experiment: int
    runs: list[int]
    status: str
    budget: str | None
    spent: str
    progress: Progress
    errors: dict[str, int]


class Entry(TypedDict):
    """One run against the baseline by one evaluator, over `n` pairs, in the unit of the evaluator. `interval` (95 %)
    and `p_corrected` hold for the family as a whole; `verdict` is null where there is none, and `reason` says why.
    """

    run: int
    variant: str
    evaluator: dict[str, Any]
    role: Literal["primary", "secondary"]
    mean: float | None
    baseline_mean: float | None
    n: int
    difference: float | None
    interval: list[float] | None
    p_corrected: float | None
    examples_needed: int | None
    verdict: Verdict | None
    reason: str | None


class Comparison(TypedDict):
    """Runs against a baseline. `sentence` has the result, `remarks` what that leaves out, `ranking` the best first."""

    baseline: int
    primary: int | None
    missing: Literal["worst", "exclude"]
    sentence: str
    remarks: str
    warnings: list[dict[str, Any]]
    ranking: list[dict[str, Any]]
    answers: list[dict[str, Any]]
    entries: list[Entry]
    measures: list[dict[str, Any]]


class Gate(TypedDict):
    """Criteria for runs against a baseline; `hash` covers everything that verdicts depend on except the run."""

    id: int
    name: str
    dataset: int
    dataset_version: int
    baseline: int | None
    criteria: list[dict[str, Any]]
    missing: Literal["worst", "exclude"]
    accepts_inconclusive: bool
    hash: str


class Criterion(TypedDict):
    """A criterion of a gate in words (`title`), the measured figure (`words`), and whether it holds."""

    title: str
    words: str
    verdict: Literal["pass", "fail", "inconclusive"]
    measured: float | None
    examples_needed: int | None


class Check(TypedDict):
    """A gate's verdict on a run. `green` says whether a pipeline may go on; `changes` why the verdict is "changed"."""

    id: int
    gate: int
    run: int
    verdict: Literal["pass", "fail", "inconclusive", "changed"]
    green: bool
    sentence: str
    criteria: list[Criterion]
    changes: list[str]
    examples_needed: int | None
    hash: str


class Result(TypedDict):
    """One example of a run; `scores` is by evaluator name."""

    position: int
    key: str | None
    output: Any
    output_error: str | None
    scores: dict[str, dict[str, Any]]


class Judging(TypedDict):
    """A judge that reads answers. `status` is running, completed, limit, failed or cancelled; progress in questions."""

    id: int
    run: int
    evaluator: int | None
    purpose: str
    status: str
    progress: dict[str, Any]
    spent: str


class Passport(TypedDict):
    """What a version of an evaluator is worth. Until `held`, `sealed` and `variants` are empty."""

    evaluator: dict[str, Any]
    label_set: dict[str, Any]
    held: bool
    worthless: bool
    sentence: str
    parts: list[dict[str, Any]]
    sealed: dict[str, Any] | None
    variants: list[dict[str, Any]]
    peers: dict[str, Any] | None
    openings: list[dict[str, Any]]
    unsealing: dict[str, Any] | None


class Agreement(TypedDict):
    """How far people agree (`peers`), and every evaluator, best first; `agreement` is null for a closed judge."""

    label_set: dict[str, Any]
    answers: int
    sealed: int
    peers: dict[str, Any] | None
    alpha: dict[str, Any]
    evaluators: list[dict[str, Any]]
    sentence: str


class LabelTask(TypedDict):
    """A sample of answers that people label; its progress is in labels."""

    id: int
    label_set: int
    runs: list[int]
    size: int
    progress: dict[str, int]
    closed_at: str | None


class NewLabel(TypedDict, total=False):
    """A label that somebody gave elsewhere; `key` or `position` names its example."""

    key: str
    position: int
    value: str | float | bool
    unsure: bool
    rater: str
    note: str


class NewOutput(TypedDict, total=False):
    """An output to send; `key` or `position` identifies its example. `latency_ms` is in milliseconds."""

    key: str | int
    position: int
    output: Any
    error: str | None
    latency_ms: int
    tokens: int


class ShareLink(TypedDict):
    """A link that needs no account. Only the answer that makes it has a `url`."""

    id: int
    object: Literal["experiment", "comparison", "report"]
    experiment: int
    texts: bool
    note: str
    expires_at: str
    opened: int
    last_opened_at: str | None
    url: NotRequired[str | None]
