"""The tables, one file per noun. Rows of users' texts are written by `bulk`, never one object at a time."""

from .audit import AuditEntry
from .connection import Connection, Embedding
from .dataset import Dataset, DatasetVersion, Example, FailedImport, Import, RefusedRow, SavedMapping, Upload
from .evaluator import Evaluator, EvaluatorVersion
from .experiment import Experiment, ExperimentEvaluator
from .price import Price
from .project import ApiKey, IdempotentAnswer, Invitation, Membership, Project, Pulse, Role, Scope, SignInLink
from .prompt import Prompt, PromptVersion
from .run import Block, Chunk, Job, Output, Run, Scoring

__all__ = [
    "ApiKey",
    "AuditEntry",
    "Block",
    "Chunk",
    "Connection",
    "Dataset",
    "DatasetVersion",
    "Embedding",
    "Evaluator",
    "EvaluatorVersion",
    "Example",
    "Experiment",
    "ExperimentEvaluator",
    "FailedImport",
    "IdempotentAnswer",
    "Import",
    "Invitation",
    "Job",
    "Membership",
    "Output",
    "Price",
    "Project",
    "Prompt",
    "PromptVersion",
    "Pulse",
    "RefusedRow",
    "Role",
    "Run",
    "SavedMapping",
    "Scope",
    "Scoring",
    "SignInLink",
    "Upload",
]
