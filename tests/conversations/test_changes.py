"""Differences between conversations, message by message."""

from evaluations.conversations.changes import between


def messages(*turns):
    return [{"role": role, "content": text} for role, text in turns]


def test_equal_messages_stand_together_and_changed_words_inside_one():
    before = messages(
        ("system", "Be brief."), ("user", "Weather?"), ("assistant", "It is warm in Rome today.")
    )
    after = messages(
        ("system", "Be brief."), ("user", "Weather?"), ("assistant", "It is cold in Rome today.")
    )

    same, changed = between(before, after)

    assert (same.kind, len(same.messages)) == ("equal", 2)
    assert ("replace", "warm", "cold") in [change[:3] for change in changed.words]


def test_an_added_and_a_removed_message_stand_whole():
    before = messages(("user", "One"), ("assistant", "Two"))
    after = messages(("developer", "Zero"), ("user", "One"))

    assert [(change.kind, change.messages[0].text) for change in between(before, after)] == [
        ("insert", "Zero"),
        ("equal", "One"),
        ("delete", "Two"),
    ]


def test_another_speaker_is_another_message():
    stretches = between(messages(("user", "Hello")), messages(("assistant", "Hello")))

    assert [stretch.kind for stretch in stretches] == ["delete", "insert"]


def test_values_that_say_the_same_or_are_no_conversations_have_no_changes():
    assert between(messages(("user", "One")), messages(("user", "One"))) is None
    assert between(messages(("user", "One")), "a text") is None


def test_messages_of_one_speaker_pair_up_beside_an_added_one():
    before = messages(("system", "Answer in one line."), ("user", "What is the weather?"))
    after = messages(("system", "Answer in two lines."), ("user", "What is the rain?"), ("user", "Be quick."))

    stretches = between(before, after)

    assert [(stretch.kind, stretch.messages[0].text) for stretch in stretches] == [
        ("replace", "Answer in two lines."),
        ("replace", "What is the rain?"),
        ("insert", "Be quick."),
    ]
