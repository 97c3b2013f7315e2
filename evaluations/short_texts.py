"""The beginning of a text that is too long for its place."""

IN_SENTENCE = 40  # letters of a name in a sentence; of a longer one the table below has the whole


def shortened(text: object, most: int) -> str:
    """A text of at most so many characters; no comma and no full stop stands before the dots of a cut one.

    >>> shortened("It is wrong. It is late.", 13), shortened("It is wrong.", 13)
    ('It is wrong…', 'It is wrong.')
    """
    whole = str(text)
    return whole if len(whole) <= most else f"{whole[: most - 1].rstrip(' .,;:…')}…"
