"""Connections, and the errors of their servers."""

from evaluations.clients import keys
from evaluations.numerals import grouped

CODES = {
    "address_not_allowed": (
        "Connections are not allowed to use this address.",
        "Use a public address, or ask the operator to add this one to EVALSITE_PROVIDER_ALLOWED_HOSTS.",
    ),
    "bad_answer": (
        "The server of a connection sent an invalid answer.",
        "Check the base URL: it usually ends with /v1. Try the connection's test button.",
    ),
    "bad_vector": (
        "A vector from the server of a connection is zero, not finite, or differs in size from the other one.",
        "Check the model and the texts of this example; then retry the run's errors.",
    ),
    "deadline": (
        "The server of a connection did not answer in time.",
        "Retry the run's errors. If it happens again, use shorter texts or a faster server.",
    ),
    "http_error": (
        "The server of a connection answered with an error status.",
        "Read the message and the server's own log.",
    ),
    "headers_required": (
        "The base URL changed, so the headers must be sent again: a new address never gets the old ones.",
        "Send headers together with base_url; an empty object removes them.",
    ),
    "invalid_api_version": (
        "The API version of a connection cannot be used.",
        "Copy it from Azure's page, such as 2024-10-21.",
    ),
    "invalid_headers": (
        "A header of a connection cannot be sent.",
        "Use names of letters, digits and hyphens, and values of plain ASCII; some headers belong to each request.",
    ),
    "invalid_key": (
        f"The key of a connection must have at most {grouped(keys.MAX_KEY)} printable ASCII characters.",
        "Look for a line break or a space that was copied with the key.",
    ),
    "invalid_query": (
        "A parameter of a connection's query cannot be sent.",
        "Use short names without blanks, and printable values.",
    ),
    "invalid_url": (
        "The base URL of a connection cannot be used.",
        "Enter the address as https://host/v1, without user name, query or fragment. A query has a field of its own.",
    ),
    "key_required": (
        "The base URL changed, so the key must be sent again: a new address never gets the old key.",
        "Send api_key together with base_url.",
    ),
    "key_unreadable": (
        "The key of a connection can no longer be decrypted.",
        "Enter the key again, or put the old secret key into EVALSITE_SECRET_KEY_FALLBACKS.",
    ),
    "no_connection": (
        "The project has no connection for embeddings.",
        "Create a connection in the project, then retry the run's errors.",
    ),
    "not_finite": (
        "A vector from the server of a connection contains NaN or infinity.",
        "Check the text of this example; then retry the run's errors.",
    ),
    "odd_size": (
        "The server of a connection sent vectors of different sizes.",
        "Check that the connection always serves the same model.",
    ),
    "proxy_refused": (
        "The proxy of the site asks for another user name or password.",
        "The operator corrects EVALSITE_PROXY; special characters in it are percent-encoded.",
    ),
    "rate_limited": (
        "The server of a connection answers 429: too many requests.",
        "No action needed: the call is retried later. If it persists, ask the provider for a higher limit.",
    ),
    "redirect": (
        "The server of a connection redirects. Redirects are not followed.",
        "Enter the address that the server redirects to.",
    ),
    "refused": (
        "The server of a connection refused the request. The message quotes it.",
        "Read the message; often the model's name is wrong, or a text is too long for it.",
    ),
    "scheme": (
        "The base URL of a connection must begin with http:// or https://.",
        "Begin the base URL with https://.",
    ),
    "timeout": (
        "The server of a connection did not answer in time.",
        "No action needed: the call is retried. If it persists, check the server.",
    ),
    "too_many": (
        "The server of a connection accepts fewer texts at once.",
        "No action needed: Evalsite sends smaller batches.",
    ),
    "unavailable": (
        "The server of a connection is not available.",
        "No action needed: the call is retried later. If it persists, check the server.",
    ),
    "unknown_connection": (
        "The project does not have this connection.",
        "Use one of the project's connections, or name none to use the default.",
    ),
    "unreachable": (
        "The server of a connection cannot be reached.",
        "Check the base URL, and whether this machine can reach it.",
    ),
}
