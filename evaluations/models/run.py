"""The tables of runs: outputs, jobs, chunks, scorings and blocks of scores."""

from datetime import timedelta

from django.db import models
from django.utils import timezone

from evaluations.values import LONGEST_NAME

from .dataset import ExampleQuerySet
from .evaluator import EvaluatorVersion
from .experiment import Experiment
from .fields import BinaryField, JSONTextField
from .leased import Leased
from .owned import Owned
from .project import Project
from .prompt import PromptVersion
from .spending import Budget
from .split import Split


class Run(Owned):
    """One variant of an experiment: its outputs for the examples, and their scores.

    `usage` has tokens, cost and latency of generated outputs, once all have arrived. `asked_rows` has a bit for each
    asked position (those of the `split` at the start of the run); null for all of the dataset version. `asked_version`
    is the version all of whose examples were asked, if the experiment uses another one since (`experiments/asked.py`).
    `revision` increases when scored outputs change, and only then; it is part of every cache key about outputs.
    With `for_gate`, a pipeline sent it to be checked by a gate: it is no variant of the experiment
    (`experiments/for_gates.py`).
    """

    class Status(models.TextChoices):
        DRAFT = "draft"
        GENERATING = "generating"
        QUEUED = "queued"
        RUNNING = "running"
        COMPLETED = "completed"
        FAILED = "failed"
        CANCELLED = "cancelled"

    OPEN = (Status.GENERATING, Status.QUEUED, Status.RUNNING)
    experiment = models.ForeignKey(Experiment, models.CASCADE, related_name="runs")
    variant = models.CharField(max_length=LONGEST_NAME)
    status = models.CharField(max_length=10, choices=Status, default=Status.DRAFT)
    output_count = models.PositiveIntegerField(default=0)
    asked_rows = BinaryField(null=True)
    asked_version = models.PositiveIntegerField(null=True)
    split = models.ForeignKey(Split, models.SET_NULL, null=True, related_name="runs")
    revision = models.PositiveIntegerField(default=0)
    for_gate = models.BooleanField(default=False, db_default=False)
    outputs_note = JSONTextField(default=dict)
    about = JSONTextField(default=dict)
    prompt_version = models.ForeignKey(PromptVersion, models.SET_NULL, null=True, related_name="runs")
    error = JSONTextField(null=True)
    usage = JSONTextField(null=True)
    queued_at = models.DateTimeField(null=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["status"], name="run_status")]

    def __str__(self) -> str:
        return self.variant

    @property
    def examples(self) -> ExampleQuerySet:
        """The examples of the dataset version that its experiment uses."""
        return self.experiment.examples

    @property
    def took(self) -> timedelta | None:
        """The time from its start to its end, at least none, however the clock was set meanwhile."""
        if self.finished_at is None:
            return None
        return max(timedelta(), self.finished_at - (self.started_at or self.created_at))

    @property
    def takes_file(self) -> bool:
        """Whether a worker reads a file into it; one file may fill several runs."""
        return "reading" in self.outputs_note or self.imports.exists()

    @property
    def is_sample(self) -> bool:
        """Whether it was meant for a part of the examples only: a split, a sample, or what an early stop left."""
        return self.asked_rows is not None and self.asked_version is None


class Output(models.Model):
    """The output of a run for one example: a text, or JSON as text (`is_json`).

    `partial` is what a server sent that is no answer: the text of a cut, filtered or refused one, or the text beside
    tool calls. `reasoning` is what a model thought before it answered. Neither is ever scored.
    `scores` are outside scores by name: numbers, labels or verdicts. The database has no foreign key, for the same
    reason as in `Example`.
    """

    pk = models.CompositePrimaryKey("run_id", "position")
    run = models.ForeignKey(
        Run, models.DO_NOTHING, related_name="outputs", db_constraint=False, db_index=False
    )
    position = models.PositiveIntegerField()
    text = models.TextField(null=True)
    is_json = models.BooleanField(default=False)
    error = models.TextField(null=True)
    partial = models.TextField(null=True)
    reasoning = models.TextField(null=True)
    latency_ms = models.PositiveIntegerField(null=True)
    tokens = models.PositiveIntegerField(null=True)
    scores = JSONTextField(null=True)

    class Meta:
        # finds the few outputs with an error among millions, for comparisons
        indexes = [
            models.Index(
                fields=["run", "position"], condition=models.Q(error__isnull=False), name="output_error"
            )
        ]


class Job(models.Model):
    """A request to score a run, to generate its outputs, to ask a trial or a judge; its chunks go when it ends.

    `lane` says who works on it, and with which other jobs it shares a limit; `kind` is the lane up to its colon
    (`engine/lanes.py`). Of its `total` examples, `done` were scored before its chunks were created; after a cancel,
    `done` includes those of finished chunks. Of a project, the job with the lowest `turn` is served next
    (`engine/turns.py`), unless it rests until `ready_at`. Evaluators that call a server pay from the `budget`; without
    one they use what was paid before.
    """

    class State(models.TextChoices):
        OPEN = "open"
        DONE = "done"
        CANCELLED = "cancelled"

    TEXT = "text"  # the lane of evaluators that call no server
    SERVER = "connection"  # the kind of lanes of evaluators that call a server
    GENERATE = "generate"  # the kind of lanes that generate answers; their chunks are ranges of ranks
    TRIAL = "trial"  # the kind of lanes that ask trials; a job of theirs has one chunk
    JUDGE = "judge"  # the kind of lanes that ask judges
    JUDGE_NOW = "judge_now"  # the kind of lanes that ask a judge while somebody writes its rubric

    run = models.ForeignKey(Run, models.CASCADE, null=True, related_name="jobs")
    trial = models.ForeignKey("Trial", models.CASCADE, null=True, related_name="jobs")
    judging = models.ForeignKey("Judging", models.CASCADE, null=True, related_name="jobs")
    project = models.ForeignKey(Project, models.CASCADE, related_name="+", db_index=False)
    lane = models.CharField(max_length=40, default=TEXT)
    kind = models.CharField(max_length=20, default=TEXT)
    budget = models.ForeignKey(Budget, models.SET_NULL, null=True, related_name="jobs")
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    total = models.PositiveIntegerField()
    done = models.PositiveIntegerField(default=0)
    turn = models.BigIntegerField(default=0)
    ready_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(run=None, trial=None, judging__isnull=False)
                | models.Q(run=None, trial__isnull=False, judging=None)
                | models.Q(run__isnull=False, trial=None, judging=None),
                name="job_of_one",
            )
        ]
        indexes = [
            models.Index(fields=["kind", "turn", "id"], condition=models.Q(state="open"), name="job_turn"),
            models.Index(
                fields=["project", "kind", "turn"],
                condition=models.Q(state="open"),
                name="job_turn_of_project",
            ),
            models.Index(
                fields=["project", "kind", "total", "id"],
                condition=models.Q(state="open"),
                name="job_smallest",
            ),
        ]

    @property
    def run_pk(self) -> int:
        """The id of its run, which every job has but those of trials and judges."""
        assert self.run_id is not None
        return self.run_id


class Share(models.Model):
    """How often jobs of a kind of lanes were served for a project, since it has any (`engine/turns.py`)."""

    kind = models.CharField(max_length=20)
    project = models.ForeignKey(Project, models.CASCADE, related_name="+")
    served = models.BigIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["kind", "project"], name="share_once")]
        indexes = [models.Index(fields=["kind", "served", "id"], name="share_served")]


class Chunk(Leased):
    """The unit of work: positions `first` to `last` of a job's run, with `total` examples.

    `usage` is what another worker continues from: the cost so far by scoring; of a launch, how often its examples were
    asked without an answer. `row` is the position that is scored alone, if the chunk has a history (`attempt` above 1).
    """

    job = models.ForeignKey(Job, models.CASCADE, related_name="chunks")
    first = models.PositiveIntegerField()
    last = models.PositiveIntegerField()
    total = models.PositiveIntegerField()
    usage = JSONTextField(null=True)
    row = models.PositiveIntegerField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["job", "first"], name="chunk_once")]
        indexes = [
            models.Index(fields=["job", "state"], name="chunk_state"),
            models.Index(fields=["attempt", "state"], name="chunk_history"),
            models.Index(fields=["lease_until"], condition=~models.Q(token=""), name="chunk_leased"),
        ]


class Scoring(models.Model):
    """One evaluator version applied to one run; `job` is the last job that computed it.

    `revision` increases when its scores change without a job, as when scores are sent; it is part of every cache key
    about scores.
    """

    run = models.ForeignKey(Run, models.CASCADE, related_name="scorings")
    job = models.ForeignKey(Job, models.SET_NULL, null=True, related_name="scorings")
    evaluator_version = models.ForeignKey(EvaluatorVersion, models.PROTECT, related_name="scorings")
    summary = JSONTextField(null=True)
    usage = JSONTextField(null=True)
    revision = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "evaluator_version"], name="scoring_once")]
        ordering = ["id"]

    @property
    def stamp(self) -> tuple[int, int | None, str, int]:
        """What changes whenever its scores do: the part of a cache key for this column."""
        return self.pk, self.job_id, self.created_at.isoformat(), self.revision


class Block(models.Model):
    """The scores of up to 4 000 positions, as packed arrays; only `scoring.columns` reads the bytes.

    `counts` are the sums behind corpus scores; null for evaluators without them, and in blocks older than the field.
    """

    pk = models.CompositePrimaryKey("scoring_id", "first")
    scoring = models.ForeignKey(Scoring, models.CASCADE, related_name="blocks", db_index=False)
    first = models.PositiveIntegerField()
    values = BinaryField()
    passed = BinaryField()
    status = BinaryField()
    counts = BinaryField(null=True)
    notes = JSONTextField(default=dict)
