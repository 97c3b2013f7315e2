"""The search by name."""

from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.experiments import search

from ..routes import route
from ..serializers.search import MatchesSerializer, SearchQuery
from .base import View


@route("search/", "search")
class Search(View):
    serializer_class = MatchesSerializer
    query = SearchQuery

    def get(self, request: Request) -> Response:
        """Experiments, datasets, evaluators, prompts, gates and runs by a part of their name."""
        matches = search.matches(self.project, self.params["q"].strip(), self.params["of_each"])
        return Response(self.get_serializer({"results": matches}).data)
