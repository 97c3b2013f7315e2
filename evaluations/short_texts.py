"""The beginning of a text that is too long for its place."""

IN_SENTENCE = 40  # letters of a name in a sentence; of a longer one the table below has the whole


def shortened(text: object, most: int) -> str:
    """A text of at most so many characters; no comma and no full stop stands before the dots of a cut one.

    >>> shortened("It is wrong. It is late.", 13), shortened("It is wrong.", 13)
    ('It is wrong…', 'It is wrong.')
    """
    whole = str(text)
    return whole if len(whole) <= most else going_on(whole[: most - 1])


def going_on(beginning: str) -> str:
    """The beginning of a text, with dots in place of its rest.

    >>> going_on("It is wrong."), going_on("It is wr")
    ('It is wrong…', 'It is wr…')
    """
    return f"{beginning.rstrip(' .,;:…')}…"


def in_sentence(name: str) -> str:
    """A name as sentences say it: a long one ends with a word, where one ends in its second half.

    >>> in_sentence("Label (account_access, billing and several others)")
    'Label (account_access, billing and…'
    >>> in_sentence("a-name-of-one-word-that-goes-on-and-on-and-on")
    'a-name-of-one-word-that-goes-on-and-on-…'
    """
    beginning = name[:IN_SENTENCE].rpartition(" ")[0]
    is_cut = len(name) > IN_SENTENCE and 2 * len(beginning) > IN_SENTENCE
    return shortened(name, len(beginning) + 1 if is_cut else IN_SENTENCE)
