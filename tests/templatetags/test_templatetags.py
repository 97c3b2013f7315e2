"""The formats of numbers, times, states, changes and differences on pages."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.conf import settings
from django.template import Context, Template

from evaluations.metrics.diff import diff as difference
from evaluations.templatetags import money
from tests.pages import text_of

NOW = datetime(2026, 3, 12, 9, 53, tzinfo=UTC)


def rendered(source: str, **context) -> str:
    return Template("{% load diffs evalsite launches verdicts %}" + source).render(Context(context))


def test_every_state_and_verdict_has_an_icon_that_is_drawn():
    states = ["draft", "queued", "running", "importing", "completed", "ready", "failed", "cancelled"]
    html = "".join(rendered("{{ x|state }}", x=state) for state in states)
    html += "".join(rendered("{{ x|sign }}", x=x) for x in ("better", "worse", "same", "cannot_tell"))

    icons_drawn = set(
        re.findall(r'<symbol id="(\w+)"', (settings.STATICFILES_DIRS[0] / "icons.svg").read_text())
    )

    assert set(re.findall(r"icons\.svg#(\w+)", html)) <= icons_drawn


@pytest.mark.parametrize(
    ("source", "value", "expected"),
    [
        ("{{ x|number }}", 0.5, "0.500"),
        ("{{ x|number:2 }}", -0.126, "−0.13"),
        ("{{ x|number }}", None, "–"),
        ("{{ x|number }}", float("nan"), "–"),
        ("{{ x|signed }}", 0.061, "+0.061"),
        ("{{ x|signed:1 }}", -0.04, "0.0"),
        ("{{ x|percent:0 }}", 0.5, "50\u202f%"),
        ("{{ x|count }}", 1_234_567, "1\u202f234\u202f567"),
        ("{{ x|counted:'run' }}", 1, "1 run"),
        ("{{ x|counted:'query,queries' }}", 2, "2 queries"),
        ("{{ x|bytes }}", 1_300_000, "1.3\u202fMB"),
        ("{{ x|bytes }}", 1, "1 byte"),
        ("{{ x|duration }}", 134, "2\u202fm 14\u202fs"),
        ("{{ x|duration }}", timedelta(hours=1), "1\u202fh"),
        ("{{ x|duration }}", timedelta(days=1, minutes=5), "1\u202fd"),
        ("{{ x|duration }}", 0.32, "320\u202fms"),
        ("{{ x|duration }}", 59.9, "1\u202fm"),
        ("{{ x|duration }}", 0.9996, "1.0\u202fs"),
        ("{{ x|duration }}", 9.96, "10\u202fs"),
        ("{{ x|bytes }}", 999_960, "1.0\u202fMB"),
        ("{{ x|duration }}", None, "–"),
    ],
)
def test_values_are_written_for_people(source, value, expected):
    assert rendered(source, x=value) == expected


def test_code_and_apostrophes_of_a_description_are_escaped_once():
    html = rendered("{{ x|coded }}", x="The baseline's `a<b`")

    assert html == "The baseline&#x27;s <code>a&lt;b</code>"


def test_a_compact_count_keeps_the_exact_one():
    assert (
        rendered("{{ x|count:'compact' }}", x=12_449)
        == '<data value="12449" title="12\u202f449">12.4k</data>'
    )


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        (timedelta(seconds=20), "just now"),
        (timedelta(seconds=-5), "just now"),
        (timedelta(minutes=12), "12 min ago"),
        (timedelta(seconds=3_590), "1 h ago"),
        (timedelta(seconds=86_300), "yesterday"),
        (timedelta(hours=5), "5 h ago"),
        (timedelta(hours=30), "yesterday"),
        (timedelta(days=3), "3 days ago"),
        (timedelta(days=30), "10 Feb"),
        (timedelta(days=365), "12 Mar 2025"),
    ],
)
def test_a_time_is_relative_and_exact_in_utc(before, expected):
    html = rendered("{{ x|ago:now }}", x=NOW - before, now=NOW)

    assert text_of(html) == expected
    assert f'datetime="{(NOW - before).strftime("%Y-%m-%dT%H:%M:%SZ")}"' in html


def test_a_change_says_its_verdict_and_its_interval():
    html = rendered("{% change -3.2 'better' 1 interval=bounds %}", bounds=(-4.0, -2.4))

    assert 'data-verdict="better"' in html
    assert text_of(html) == "−3.2 better, 95 % interval −4.0 to −2.4"


def test_a_change_of_nearly_all_answers_is_not_written_as_of_all():
    html = rendered("{% change x 'worse' interval=ends is_share=True %}", x=-0.9996, ends=(-1.0, -0.9972))

    assert text_of(html) == "−99.96 worse, 95 % interval −100.0 to −99.7"


@pytest.mark.parametrize("kept", ["−0.1 to +0.2", "n = 36", "n = 1\u202f234"])
def test_neither_an_interval_nor_a_number_of_examples_breaks(kept):
    html = rendered("{% load verdicts %}{{ sentence|whole_intervals }}", sentence=f"worse ({kept}).")

    assert html == f"worse ({kept.replace(' ', chr(0xA0))})."


def test_an_end_of_an_interval_beside_zero_does_not_look_like_zero():
    html = rendered("{% change x 'cannot_tell' interval=ends is_share=True %}", x=0.2, ends=(-0.0001, 0.432))

    assert text_of(html) == "+20.0 no clear difference, 95 % interval −0.01 to +43.2"
    assert rendered("{{ x|ends_of }}", x=(-0.007, 0.0003)) == "−0.007 to +0.0003"


def test_both_ends_of_an_interval_have_equally_many_decimals_and_zero_has_no_sign():
    html = rendered("{% change x 'cannot_tell' interval=ends is_share=True %}", x=0.2, ends=(-0.0, 0.432))

    assert text_of(html) == "+20.0 no clear difference, 95 % interval 0.0 to +43.2"


def test_a_difference_marks_changes_inside_a_word():
    html = rendered("{{ x|diff }}", x=difference("we can <refund> it", "we could <refunds> it"))
    visible_html = re.sub(r'<span class="unseen" dir="ltr">[^<]*</span>', "", html)

    assert "&lt;<del>refund</del><ins>refund<mark>s</mark></ins>&gt;" in visible_html
    assert text_of(re.sub(r"<del>.*?</del>", "", visible_html)).replace(" ", "") == "wecould<refunds>it"
    assert "[inserted: " in html


def test_a_copy_button_escapes_what_it_copies():
    assert 'data-copy="&quot;&lt;b&gt;"' in rendered("{% copy x %}", x='"<b>')


def test_a_sentence_cuts_a_long_name_whose_title_has_all_of_it():
    long, short = "a name of many words " * 4, "short"

    drawn = Template("{% load verdicts %}{% sentence parts %}").render(
        Context({"parts": [("name", long), ("", " and "), ("name", short)]})
    )

    cut = "a name of many words a…of many words "
    assert drawn == f'<b title="{long}">{cut}</b> and <b class="whole">{short}</b>'


@pytest.mark.parametrize(
    ("millionths", "drawn"),
    [
        (None, "–"),
        (0, "0.00"),
        (4_600_000, '<span title="0.0000046">&lt; 0.0001</span>'),
        (10**8, "0.00010"),
        (28_490_000_000, "0.028"),
    ],
)
def test_of_a_tiny_sum_the_title_has_the_digits(millionths, drawn):
    assert money.cost(millionths) == drawn


def test_a_limit_is_a_text_that_a_field_can_have():
    assert money.limit(4_600_000) == "0.0000046"
