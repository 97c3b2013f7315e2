"""Texts of users on pages: escaped, and with a way to the rest."""

from django.template import Context, Template

from evaluations.reading.reading import View, compare, read


def drawn(source, **context):
    return Template("{% load reading %}" + source).render(Context(context))


def test_a_text_is_escaped_and_leads_to_the_rest():
    html = drawn("{% reading r a %}", r=read("<b> " * 400, View(room=600)), a="/?open=3&a=1")

    assert "&lt;b&gt;" in html
    assert '<a class="link" href="/?open=3&amp;a=1">1\u202f001 more characters</a>' in html


def test_without_an_address_the_rest_is_counted_alone():
    html = drawn("{% reading r %}", r=read("word " * 400, View(room=600)))

    assert "<a" not in html
    assert "more characters" in html


def test_a_fold_opens_in_place_or_leads_to_the_open_example():
    older = f"{'One sentence of many. ' * 40}Yes."
    newer = f"{'One sentence of many. ' * 40}No."

    assert "<details" in drawn("{% reading r '/x' %}", r=compare(older, newer)[1])
    in_list = drawn("{% reading r '/x' %}", r=compare(older, newer, View(room=600))[1])
    assert "<details" not in in_list
    assert '<a class="same-fold" href="/x">' in in_list


def test_names_and_values_of_json_are_escaped():
    html = drawn("{% reading r %}", r=compare({"<i>": "<b>"}, {"<i>": "<c>"})[1])

    assert not {"<i>", "<b>", "<c>"} & set(html.replace("><", "> <").split())
    assert "&lt;c&gt;" in html


def test_the_rest_of_a_long_value_opens_without_a_script():
    assert "<details" in drawn("{% text value 100 %}", value="word " * 100)
    assert "<details" not in drawn("{% text value 100 %}", value="word")
