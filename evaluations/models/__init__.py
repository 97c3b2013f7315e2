"""The tables, one module per noun. Rows with users' texts are written by `bulk`, never one object at a time."""

from .arrays import ExampleArrays, MetadataCodes
from .audit import AuditEntry
from .comparison import CountedComparison
from .connection import Connection, Embedding, LocalServer, ServerLimit
from .dataset import Dataset, DatasetVersion, Example
from .evaluator import Evaluator, EvaluatorVersion
from .experiment import Experiment, ExperimentEvaluator, OutputCopy
from .gate import Gate, GateCheck
from .judge import Allowance, JudgeModel, Judging, Verdict
from .label import Comment, Label, LabelItem, LabelTask, Rater, RaterLink, Seat
from .launch import Answer, CachedAnswer, EarlyScores, Generation, Interim, Launch
from .passport import Opening, Unsealing
from .price import Price
from .project import ApiKey, IdempotentAnswer, Invitation, Membership, Project, Pulse, Role, Scope, SignInLink
from .prompt import Prompt, PromptLabel, PromptVersion
from .record import Record, RecordColumn
from .run import Block, Chunk, Job, Output, Run, Scoring
from .share import SavedView, ShareLink
from .signing_in import RecoveryCode, SecondFactor, Session
from .spending import Budget, Spending
from .split import Split
from .trial import PromptDraft, Trial, TrialAnswer
from .upload import DatasetImport, FailedImport, Import, RefusedRow, SavedMapping, Upload
from .webhook import Delivery, Webhook

__all__ = [
    "Allowance",
    "Answer",
    "ApiKey",
    "AuditEntry",
    "Block",
    "Budget",
    "CachedAnswer",
    "Chunk",
    "Comment",
    "Connection",
    "CountedComparison",
    "Dataset",
    "DatasetImport",
    "DatasetVersion",
    "Delivery",
    "EarlyScores",
    "Embedding",
    "Evaluator",
    "EvaluatorVersion",
    "Example",
    "ExampleArrays",
    "Experiment",
    "ExperimentEvaluator",
    "FailedImport",
    "Gate",
    "GateCheck",
    "Generation",
    "IdempotentAnswer",
    "Import",
    "Interim",
    "Invitation",
    "Job",
    "JudgeModel",
    "Judging",
    "Label",
    "LabelItem",
    "LabelTask",
    "Launch",
    "LocalServer",
    "Membership",
    "MetadataCodes",
    "Opening",
    "Output",
    "OutputCopy",
    "Price",
    "Project",
    "Prompt",
    "PromptDraft",
    "PromptLabel",
    "PromptVersion",
    "Pulse",
    "Rater",
    "RaterLink",
    "Record",
    "RecordColumn",
    "RecoveryCode",
    "RefusedRow",
    "Role",
    "Run",
    "SavedMapping",
    "SavedView",
    "Scope",
    "Scoring",
    "Seat",
    "SecondFactor",
    "ServerLimit",
    "Session",
    "ShareLink",
    "SignInLink",
    "Spending",
    "Split",
    "Trial",
    "TrialAnswer",
    "Unsealing",
    "Upload",
    "Verdict",
    "Webhook",
]
