"""Progress on terminals and in logs."""

import io

from evalsite_client.progress import Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def shown(stream, *steps, **options):
    """The output of a progress for steps of (second, done, total, state)."""
    clock = Clock()
    progress = Progress("Run", stream, clock=clock, **options)
    for second, *amounts in steps:
        clock.now = second
        progress.update(*amounts)
    progress.close()
    return stream.getvalue()


def test_a_log_gets_a_plain_line_for_each_state_and_few_between():
    steps = [
        (0, 0, 100, "queued"),
        (1, 0, 100, "running"),
        (2, 10, 100, "running"),
        (17, 50, 100, "running"),
        (18, 100, 100, "completed"),
    ]

    text = shown(io.StringIO(), *steps)

    assert text.splitlines() == [
        "Run queued 0 of 100 0%",
        "Run running 0 of 100 0%",
        "Run running 50 of 100 50% 17 s left",
        "Run completed 100 of 100 100%",
    ]


def test_a_terminal_has_one_line_that_renews_itself():
    text = shown(Terminal(), (0, 0, 100, "running"), (1, 25, 100, "running"), (4, 100, 100, "completed"))

    assert text.count("\n") == 1
    assert text.endswith("\n")
    assert [part.rstrip("\n").removesuffix("\x1b[K") for part in text.split("\r")[1:]] == [
        "Run running [                        ] 0 of 100 0%",
        "Run running [██████                  ] 25 of 100 25% 3 s left",
        "Run completed [████████████████████████] 100 of 100 100%",
    ]


def test_the_time_left_counts_from_the_first_look():
    """The work began before the first look, at which 50 were done."""
    text = shown(io.StringIO(), (0, 50, 100, ""), (20, 60, 100, ""))

    assert text.splitlines()[-1].endswith("80 s left")


def test_an_unknown_total_is_counted_up():
    text = shown(io.StringIO(), (0, 0, 0), (1, 0, 0, "x"), (2, 5_000, 0, "y"), unit=" bytes")

    assert text.splitlines()[-1] == "Run y 5 000 bytes"


def test_the_end_is_printed_once():
    text = shown(io.StringIO(), (0, 100, 100, ""), (1, 100, 100, ""), (2, 100, 100, ""))

    assert text.count("\n") == 1
