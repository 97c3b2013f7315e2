"""Templates filled from a row; expected texts are written by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluations.prompts import templates

COLUMNS = {"inputs": ["question", "doc", "doc.title", "full name"], "metadata": ["topic", "remark"]}
ROW = {
    "inputs": {
        "question": "Why?",
        "doc": {"id": 7, "tags": ["a", "b"], "title": "inner", "none": None},
        "doc.title": "outer",
        "full name": "Ada",
    },
    "metadata": {"topic": "law", "remark": None},
}


def user(content: object) -> list[templates.Message]:
    return [{"role": "user", "content": content}]


def filled(template: object, row: templates.Row = ROW, columns: templates.Columns = COLUMNS) -> object:
    messages = user(template)
    [message] = templates.rendered(messages, templates.paths_of(messages, columns), row)
    return message["content"]


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("Question: {{ question }}", "Question: Why?"),
        ("{{question}}{{question}}", "Why?Why?"),
        ("{{ full name }}", "Ada"),
        ("{{ doc.id }}", "7"),
        ("{{ doc.tags }}", '["a","b"]'),
        ("{{ doc.tags.1 }}", "b"),
        ("{{ doc.none }}", ""),
        ("Remarks: {{ metadata.remark }}", "Remarks: "),
        ("{{ doc.title }}", "outer"),  # a column's own name takes precedence over a path
        ("{{ metadata.topic }}", "law"),
        (r"\boxed{{{question}}}", r"\boxed{Why?}"),
        (r"\{{ question }}", "{{ question }}"),
        ('{"a": {"b": 1}}', '{"a": {"b": 1}}'),
        ("{{ question\n}}", "{{ question\n}}"),
        ("no variable", "no variable"),
    ],
)
def test_a_template_is_filled_from_the_row(template, expected):
    assert filled(template) == expected


def test_json_values_are_inserted_as_json_in_their_own_order():
    row = {"inputs": {"question": {"b": 1, "a": ["é", None, True, 2**70, 0.1]}}}

    assert filled("{{ question }}", row) == '{"b":1,"a":["é",null,true,1180591620717411303424,0.1]}'


@pytest.mark.long
@given(st.text())
def test_the_text_of_a_row_is_inserted_to_the_letter(text):
    row = {"inputs": {"question": text}}

    assert filled("<{{ question }}>", row) == f"<{text}>"


@pytest.mark.parametrize("text", ["{{ doc }}", r"\{{ doc }}", r"\1 \g<0>", "{% if x %}", "{{{{question}}}}"])
def test_template_syntax_in_a_value_is_not_filled(text):
    assert filled("{{ question }} {{ full name }}", {"inputs": {"question": text, "full name": "Ada"}}) == (
        f"{text} Ada"
    )


def test_every_text_of_a_content_of_parts_is_filled():
    parts = [
        {"type": "text", "text": "{{ question }}"},
        {"type": "image_url", "image_url": {"url": "data:{{ doc.id }}", "detail": "low"}},
    ]

    assert filled(parts) == [
        {"type": "text", "text": "Why?"},
        {"type": "image_url", "image_url": {"url": "data:7", "detail": "low"}},
    ]


def test_the_number_of_an_item_may_have_any_length():
    with pytest.raises(templates.Missing):
        filled(f"{{{{ doc.tags.{'9' * 5_000} }}}}")


def test_only_the_content_of_a_message_is_filled():
    calls = [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{{ question }}"}}]
    message = {"role": "assistant", "name": "{{ question }}", "tool_calls": calls}

    assert templates.variables([message]) == []
    assert templates.rendered([message], {}, ROW) == [message]


def test_variables_are_listed_once_in_their_order():
    messages = [
        {"role": "system", "content": r"{{ metadata.topic }} \{{ not.this }}"},
        {"role": "user", "content": "{{question}} {{ metadata.topic }} {{ nowhere }}"},
    ]

    assert templates.variables(messages) == ["metadata.topic", "question", "nowhere"]


@pytest.mark.parametrize(
    "name", ["nowhere", "Question", "topic", "metadata", "metadata.nowhere", "inputs.doc", ""]
)
def test_a_name_that_is_no_column_has_no_path(name):
    assert templates.path_of(name, COLUMNS) is None


def test_a_column_of_the_inputs_named_metadata_comes_before_the_metadata():
    columns = {"inputs": ["metadata"], "metadata": ["topic", "remark"]}

    assert templates.path_of("metadata.topic", columns) == templates.VariablePath(
        "inputs", "metadata", ("topic",)
    )


@pytest.mark.parametrize(
    "variable", ["doc.nowhere", "doc.tags.2", "doc.tags.x", "doc.tags.-1", "doc.id.x", "question.0", "gone"]
)
def test_a_path_that_leads_nowhere_in_the_row_is_named(variable):
    columns = COLUMNS | {"inputs": [*COLUMNS["inputs"], "gone"]}

    with pytest.raises(templates.Missing) as refusal:
        filled(f"{{{{ {variable} }}}}", columns=columns)

    assert refusal.value.variable == variable


@pytest.mark.parametrize("name", ["question.__class__", "doc.keys", "doc.tags.__len__", "doc.items.0"])
def test_a_variable_reaches_nothing_but_the_values_of_the_row(name):
    with pytest.raises(templates.Missing):
        filled(f"{{{{ {name} }}}}")
