"""What the settings of all kinds have in common whose scores are records."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluations.kinds.value import ValueConfig, numbered, passes


class RecordedConfig(ValueConfig):
    """A scale. Versions with another `identity` are not compared."""

    @property
    def identity(self) -> tuple[Any, ...]:
        """What makes scores comparable; another identity is another version."""
        labels = tuple(sorted(numbered(self.labels).items()))
        return self.direction, self.minimum, self.maximum, labels, self.threshold

    @property
    def has_means(self) -> bool:
        """Whether scores are numbers; those of words without numbers are places in their list."""
        return True

    def word(self, value: float) -> str | None:
        """The word that a score stands for, if scores are no numbers."""
        return None

    def verdicts(self, values: NDArray[np.float64]) -> NDArray[np.int8] | None:
        """Pass or fail for each value; None if there is no verdict."""
        judged = passes(self, values)
        return None if judged is None else np.asarray(judged, np.int8)
