"""Every error code of API, pages and commands, with its meaning and remedy. Codes never change; their texts may.

Each module here has the codes of one room; those of files and their rows are in `evaluations.files.codes`.
`explained` lists all, for docs/troubleshooting.md and for the page to which the Link header of every error leads.
"""

from evaluations.files.codes import HINTS, MEANINGS

from . import access, connections, data, evaluators, experiments, launches, requests, site

ROOMS = (requests, access, data, evaluators, experiments, launches, connections, site)
CODES: dict[str, tuple[str, str]] = {code: texts for room in ROOMS for code, texts in room.CODES.items()}
MEANINGS_OF_FILES = {code: (meaning, HINTS[code]) for code, meaning in MEANINGS.items()}


def explained() -> list[tuple[str, str, str]]:
    """Code, meaning and remedy of every error, in alphabetical order."""
    return sorted((code, *texts) for code, texts in (CODES | MEANINGS_OF_FILES).items())


def meaning(code: str) -> str:
    return CODES[code][0]
