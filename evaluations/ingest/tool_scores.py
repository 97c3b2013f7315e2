"""Columns that look like scores of another tool by their names: of LangSmith, MLflow, Braintrust, Ragas, Opik, …"""

from collections.abc import Iterable, Sequence
from typing import Any

from .batch import Row
from .known_names import SCORES
from .likely import has_numbers

PREFIXES = tuple(f"{name}." for name in sorted(SCORES))
SUFFIXES = ("/score", "/value", "_score", ".score", " score")
# names of metrics that tools write beside an output
METRICS = {
    *("answer_correctness", "answer_relevance", "answer_relevancy", "answer_similarity", "aspect_critic"),
    *("ground_truth_agreement", "ground_truth_similarity"),
    *("bert_score", "bleu", "chrf", "coherence", "conciseness", "context_entity_recall", "context_precision"),
    *(
        "context_recall",
        "context_relevance",
        "correctness",
        "exact_match",
        "f1",
        "f1_score",
        "factual_correctness",
    ),
    *(
        "faithfulness",
        "fluency",
        "groundedness",
        "hallucination",
        "harmfulness",
        "helpfulness",
        "maliciousness",
    ),
    *("meteor", "noise_sensitivity", "rouge", "rouge1", "rouge2", "rougel", "score", "semantic_similarity"),
    *(
        "summarization_score",
        "toxicity",
        "bias",
        "acc",
        "acc_norm",
        "em",
        "ex",
        "exec_acc",
        "execution_accuracy",
        "accuracy",
        "quasi_exact_match",
        "similarity",
    ),
}
WORDS = {"true", "false"}


def find(columns: Iterable[str], rows: Sequence[Row]) -> dict[str, str]:
    """The columns of numbers or verdicts with such a name, by the name of the score.

    >>> find(["exact_match/v1/score", "feedback.tone", "year"], [{"exact_match/v1/score": 1, "feedback.tone": "0.5"}])
    {'exact_match/v1': 'exact_match/v1/score', 'tone': 'feedback.tone'}
    """
    scores: dict[str, str] = {}
    for column in columns:
        name = _name(column.strip())
        if name and _are_scores([row.get(column) for row in rows]):
            scores[column if name in scores else name] = column
    return scores


def _name(column: str) -> str:
    """The name of the score in such a column; "" for any other."""
    column = column.removeprefix("output.")
    lower = column.lower()
    prefix = next((prefix for prefix in PREFIXES if lower.startswith(prefix)), "")
    if prefix:
        return column[len(prefix) :].strip()
    if lower.endswith(("/score", "/value")):
        return column.rpartition("/")[0]
    is_metric = (
        lower.removeprefix("outputs.").rpartition(".")[2].replace(" ", "_").replace("-", "_") in METRICS
    )
    return column if is_metric or lower.endswith(SUFFIXES) else ""


def _are_scores(values: Sequence[Any]) -> bool:
    """Whether all present values are numbers or verdicts."""
    verdicts = [value for value in values if isinstance(value, str) and value.strip().lower() in WORDS]
    others = [value for value in values if not (isinstance(value, str) and value.strip().lower() in WORDS)]
    return has_numbers(others) or (bool(verdicts) and not any(value not in (None, "") for value in others))
