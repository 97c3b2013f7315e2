"""User names that look like others: “аlice” with a Cyrillic а beside “alice”."""

import unicodedata

from django.contrib.auth.models import User

# After case folding: Cyrillic letters, Greek letters and digits that look like Latin letters in usual fonts.
PAIRS = (
    "аa вb еe һh іi јj кk ӏl мm нh оo рp сc тt уy хx ѕs ԁd ԛq ԝw ѵv гr пn "
    "αa βb εe γy ηn ιi κk νv οo ρp τt υu χx ωw 0o 1l"
)
LATIN = str.maketrans({pair[0]: pair[1] for pair in PAIRS.split()})


def skeleton(name: str) -> str:
    """Equal for names that look alike.

    >>> skeleton("аlice") == skeleton("Alice"), skeleton("alice") == skeleton("alina")
    (True, False)
    """
    plain = unicodedata.normalize("NFKD", name).casefold()
    letters = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return letters.translate(LATIN)


def is_taken(name: str) -> bool:
    """True when another name looks like this one and is not written with the same letters."""
    usernames = User.objects.values_list("username", flat=True).iterator()
    return any(skeleton(username) == skeleton(name) and username != name for username in usernames)
