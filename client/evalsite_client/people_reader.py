"""The methods that read labels, passports and verdicts; a base class of `Client`."""

from collections.abc import Iterator
from typing import Any, cast

from .answers import Agreement, LabelTask, Passport
from .names import Reference, id_of
from .reader import Reader


class PeopleReader(Reader):
    """Reads what people and judges said, and what judges are worth."""

    def label_task(self, task: int) -> LabelTask:
        """A task with its progress, in labels."""
        return cast(LabelTask, self.transport.get(f"label-tasks/{task}/"))

    def labels(self, label_set: Reference, task: int | None = None) -> Iterator[dict[str, Any]]:
        """Every label of a set, also those that were taken back; raters are numbers."""
        number = id_of(self.transport, "label-sets", label_set)
        return self.transport.rows(f"label-sets/{number}/export/", {"task": task})

    def agreement(self, label_set: Reference, experiment: Reference | None = None) -> Agreement:
        """How far people agree with each other, and which evaluator agrees best with them."""
        number = id_of(self.transport, "label-sets", label_set)
        within = None if experiment is None else id_of(self.transport, "experiments", experiment)
        found = self.transport.get(f"label-sets/{number}/agreement/", {"experiment": within})
        return cast(Agreement, found)

    def opinions(
        self, run: int, label_set: Reference | None = None, *, estimate: str = "helped"
    ) -> list[dict[str, Any]]:
        """What people say of a run, by label set: the mean of their labels, helped by a judge checked against them.

        `estimate` "labels" counts the labels alone. A run without labels has what is transferred from other runs.
        """
        query = {"evaluator": None if label_set is None else str(label_set), "estimate": estimate}
        return cast(list[dict[str, Any]], self.transport.get(f"runs/{run}/people/", query)["opinions"])

    def judge_checks(self, judge: Reference) -> dict[str, Any]:
        """What is known of a judge without people: repeats, order of pairs, attacks, and the names of its models."""
        return cast(dict[str, Any], self.transport.get(f"evaluators/{self._evaluator(judge)}/checks/"))

    def verdicts(self, run: int, judge: Reference) -> Iterator[dict[str, Any]]:
        """What a judge said about the answers of a run, with its reasons, but for answers with sealed labels."""
        return self.transport.rows(f"runs/{run}/verdicts/", {"evaluator": self._evaluator(judge)})

    def passport(self, evaluator: Reference, label_set: Reference | None = None) -> Passport:
        """What the newest version of an evaluator is worth, checked against people's labels.

        Without `label_set`, the set with the most labels of its runs. While `held` is false, nobody knows.
        """
        number = None if label_set is None else id_of(self.transport, "label-sets", label_set)
        path = f"evaluators/{self._evaluator(evaluator)}/passport/"
        return cast(Passport, self.transport.get(path, {"label_set": number}))

    def _evaluator(self, evaluator: Reference) -> int:
        return id_of(self.transport, "evaluators", evaluator)
