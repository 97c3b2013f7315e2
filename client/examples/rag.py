"""A RAG pipeline: what it retrieves, what it answers, and whether the answer is in what it retrieved.

EVALSITE_URL=… EVALSITE_KEY=… python rag.py
"""

from typing import Any

from evalsite_client import Client, Score, scorer

DOCUMENTS = {
    "tea": "Green tea is brewed at 80 degrees.",
    "coffee": "Filter coffee is brewed at 93 degrees.",
    "bread": "Sourdough bread is baked at 230 degrees.",
}
QUESTIONS = {
    "At how many degrees is green tea brewed?": ("80", "tea"),
    "At how many degrees is sourdough baked?": ("230", "bread"),
    "How hot is filter coffee brewed?": ("93", "coffee"),
}
ROWS = [
    {"key": document, "inputs": {"question": question}, "reference": {"answer": answer, "document": document}}
    for question, (answer, document) in QUESTIONS.items()
]


def retrieve(question: str, most: int = 2) -> list[str]:
    """The documents that share most words with the question, best first."""
    words = set(question.lower().strip("?").split())
    return sorted(DOCUMENTS, key=lambda name: -len(words & set(DOCUMENTS[name].lower().split())))[:most]


def pipeline(inputs: dict[str, str]) -> dict[str, Any]:
    """Retrieve, then answer from the first document, as a model would."""
    found = retrieve(inputs["question"])
    numbers = [word for word in DOCUMENTS[found[0]].split() if word.isdigit()]
    return {"answer": numbers[0], "documents": found, "context": [DOCUMENTS[name] for name in found]}


@scorer(minimum=0, maximum=1)
def reciprocal_rank(output: dict[str, Any], reference: dict[str, str]) -> float:
    """1 for the right document in first place, ½ for the second, 0 for none."""
    found = output["documents"]
    return 1 / (found.index(reference["document"]) + 1) if reference["document"] in found else 0


@scorer(labels=["grounded", "made up"])
def grounded(output: dict[str, Any]) -> Score:
    is_there = any(output["answer"] in text for text in output["context"])
    return Score(label="grounded" if is_there else "made up")


@scorer(minimum=0, maximum=1)
def right(output: dict[str, Any], reference: dict[str, str]) -> bool:
    return bool(output["answer"] == reference["answer"])


with Client() as site:
    dataset = site.ensure_dataset("kitchen questions", ROWS)
    done = site.evaluate(dataset, pipeline, [reciprocal_rank, grounded, right], variant="first two documents")
    print(done.means())
