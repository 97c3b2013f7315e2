"""Clients of other people's servers, behind one guarded way out."""

from evaluations.clients.addresses import Guard, check_url
from evaluations.clients.embeddings import EmbeddingResult, OpenAIClient, Probe
from evaluations.clients.errors import ServiceError
from evaluations.clients.server import check_key

__all__ = ["EmbeddingResult", "Guard", "OpenAIClient", "Probe", "ServiceError", "check_key", "check_url"]
