"""The kind `sent`: scores that somebody else computes and sends; they are kept as records, never computed here."""

from typing import Annotated, Any

from pydantic import Field

from evaluations.kinds.config import Config
from evaluations.kinds.kind import Family, Kind
from evaluations.kinds.pairs import Pairs
from evaluations.kinds.recorded import RecordedConfig
from evaluations.kinds.scores import Scores
from evaluations.kinds.value import NotANumber, bounds, numbered
from evaluations.values import JSON, LONGEST_NAME

ABOUT = "These scores were sent by their author; nothing is computed here."


class Code(Config):
    """What the author's code was: the digest of a function, and the client that sent it."""

    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$", title="Digest of the code")]
    client: Annotated[str | None, Field(max_length=LONGEST_NAME, title="Client")] = None


class SentConfig(RecordedConfig):
    code: Annotated[
        Code | None,
        Field(title="Code", description="The digest of the function that scored, and its client."),
    ] = None

    @property
    def identity(self) -> tuple[Any, ...]:
        """Scores of other code are not comparable either."""
        return *super().identity, self.code.sha256 if self.code else None

    def read(self, value: JSON, label: str | None) -> float | None:
        """The number of a sent score, None if it has none; raises `NotANumber`, with a sentence."""
        sent = value if value is not None else label
        if sent is None or (isinstance(sent, str) and not sent.strip()):
            return None
        try:
            return self.number(sent, numbered(self.labels))
        except NotANumber as wrong:
            raise NotANumber(str(wrong).partition(": ")[2]) from wrong


def _never(config: SentConfig, pairs: Pairs) -> Scores:
    raise TypeError("Sent scores are read from their records, never computed.")


def _detail(config: SentConfig, actual: JSON, expected: JSON) -> dict[str, Any]:
    return {"note": ABOUT}


sent = Kind(
    key="sent",
    title="Sent scores",
    family=Family.OUTSIDE,
    summary="Scores that your own code, a judge elsewhere or a person sends",
    description="Scores that somebody else computes and sends to a run: a function of your own, a judge elsewhere, "
    "labels from a file. Numbers are used unchanged, true is 1, false is 0, and labels get the numbers that you "
    "assign.",
    source="The score is used as it was sent; nothing is computed.",
    version=1,
    Config=SentConfig,
    score=_never,
    detail=_detail,
    bounds=bounds,
    reads_text=False,
    parameters=(),
    is_recorded=True,
)
