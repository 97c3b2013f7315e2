"""The page of all error codes."""


def test_names_in_remedies_are_drawn_as_code(client, db):
    page = client.get("/api/codes/").content.decode()

    assert "`" not in page.partition("<main")[2].partition("</main>")[0]
