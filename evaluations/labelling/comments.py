"""Comments on examples, and on the answers of runs to them. Everybody who may read may write and read them."""

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from evaluations.errors import Invalid, NotFound
from evaluations.models import Comment, Example, Run

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


def listed(comments: QuerySet[Comment]) -> QuerySet[Comment]:
    """Comments whose example and run are not deleted, with what a list shows."""
    live = comments.filter(dataset__deleted_at=None).filter(Q(run=None) | Q(run__deleted_at=None))
    return live.select_related("created_by", "dataset", "run")


def position_of(comment: Comment) -> int | None:
    """The position of the example in the newest version of the dataset; None if it has left."""
    now = Example.objects.of_version(comment.dataset_id, comment.dataset.version)
    number = comment.example
    found = now.filter(Q(position=number, origin=None) | Q(origin=number)).values_list("position", flat=True)
    return found.first()
