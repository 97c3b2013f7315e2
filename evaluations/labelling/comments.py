"""Comments on examples, and on the answers of runs to them. Everybody who may read may write and read them."""

from collections import defaultdict
from collections.abc import Iterable
from functools import reduce
from operator import or_

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from evaluations.errors import Invalid, NotFound
from evaluations.models import Comment, Dataset, Example, Output, Run

LONGEST = 10_000


def write(user: User | None, example: Example, text: str, run: Run | None = None) -> Comment:
    """Store a comment on an example, or on the answer of a run to it."""
    text = text.strip()
    if not 1 <= len(text) <= LONGEST:
        message = f"A comment has 1 to {LONGEST} characters."
        raise Invalid("invalid", message, fields={"text": [message]})
    if run and run.experiment.dataset_id != example.dataset_id:
        raise NotFound("not_found", "The run has no such example.")
    return Comment.objects.create(
        project=example.dataset.project,
        created_by=user,
        dataset=example.dataset,
        example=example.identity,
        run=run,
        text=text,
    )


def at_position(dataset: int, position: int, run: Run | None = None) -> QuerySet[Comment]:
    """The comments on the example at a position of a dataset (its id), the oldest first.

    With a run, those on answers of other runs are left out.
    """
    here = Example.objects.filter(dataset=dataset, position=position)
    identity = here.values_list(Coalesce("origin", "position"))[:1]
    stored = listed(Comment.objects.live().filter(dataset=dataset, example=Subquery(identity)))
    return (stored.filter(Q(run=None) | Q(run=run)) if run else stored).order_by("pk")


def mark(comment: Comment, is_done: bool) -> Comment:
    """Say that a comment is done, or open again; what is so already keeps its time."""
    if is_done != bool(comment.done_at):
        comment.done_at = timezone.now() if is_done else None
        comment.save(update_fields=["done_at"])
    return comment


def that_are(comments: QuerySet[Comment], done: bool | None) -> QuerySet[Comment]:
    """The comments that are done, those that are open, or with None all."""
    return comments if done is None else comments.filter(done_at__isnull=not done)


def listed(comments: QuerySet[Comment]) -> QuerySet[Comment]:
    """Comments whose example and run are not deleted, with what a list shows."""
    live = comments.filter(dataset__deleted_at=None).filter(Q(run=None) | Q(run__deleted_at=None))
    return live.select_related("created_by", "dataset", "run")


def position_of(comment: Comment) -> int | None:
    """The position of the example in the newest version of the dataset; None if it has left."""
    example = examples_of([comment]).get(comment.pk)
    return example.position if example else None


def examples_of(comments: Iterable[Comment]) -> dict[int, Example]:
    """By comment, its example in the newest version of the dataset; one that has left is missing."""
    by_dataset = defaultdict[Dataset, list[Comment]](list)
    for comment in comments:
        by_dataset[comment.dataset].append(comment)
    found: dict[int, Example] = {}
    for dataset, about in by_dataset.items():
        numbers = {comment.example for comment in about}
        now = Example.objects.of_version(dataset.pk, dataset.version)
        here = now.filter(Q(position__in=numbers, origin=None) | Q(origin__in=numbers))
        examples = {example.origin or example.position: example for example in here}
        found |= {c.pk: examples[c.example] for c in about if c.example in examples}
    return found


def answers_of(comments: Iterable[Comment], examples: dict[int, Example]) -> dict[int, str]:
    """By comment on a run's answer, that answer; missing if the example was edited since, or has no answer."""
    places = {(c.run_id, examples[c.pk].position): c.pk for c in comments if c.run_id and c.pk in examples}
    asked = reduce(or_, (Q(run=run, position=position) for run, position in places), Q(run=None))
    outputs = Output.objects.filter(asked, text__isnull=False) if places else ()
    return {places[output.run_id, output.position]: output.text or "" for output in outputs}
