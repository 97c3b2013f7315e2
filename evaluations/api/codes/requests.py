"""Mistakes in requests: body, parameters, headers."""

from evaluations.values import LONGEST_SEARCH

CODES = {
    "bad_multipart": (
        "The form cannot be read, or a field is sent twice.",
        "Send multipart/form-data as curl --form does, each field once.",
    ),
    "bad_request": (
        "The request cannot be understood.",
        "Read the message; it says what could not be understood.",
    ),
    "body_too_large": (
        "The body has more bytes, values or items than the limit.",
        "Send smaller batches, or send the data as a file.",
    ),
    "changed_meanwhile": (
        "The object has changed since the version given in If-Match.",
        "Read the object again, check the change, and send its new ETag as If-Match.",
    ),
    "duplicate_name": (
        "A JSON object has the same field twice.",
        "Keep one of the two fields.",
    ),
    "forbidden": (
        "The key lacks the permission to do this.",
        "Use a key with the scope that routes.md lists for the call, or ask for another role.",
    ),
    "head_too_large": (
        "The address and headers of the request have more than 64 kB together.",
        "Send long values in the body. In a browser, delete the cookies of this site.",
    ),
    "idempotency_mismatch": (
        "The Idempotency-Key was already used for a different request.",
        "Use a new Idempotency-Key for every new request.",
    ),
    "internal_error": (
        "The server failed. Its log has the details under the id of the request.",
        "Give the id of the request to the operator, and please report the error to us.",
    ),
    "invalid": (
        "A value is not valid. `fields` says which and why.",
        "Correct the values listed in `fields`.",
    ),
    "invalid_character": (
        "A text contains a character that cannot be stored: NUL, or half a surrogate pair.",
        "Remove the character; the message says where it is.",
    ),
    "invalid_choice": (
        "The value is not one of the choices.",
        "Use one of the values that the message lists.",
    ),
    "invalid_cursor": (
        "The cursor belongs to another list or to other filters.",
        "Follow the links of an answer, or start without a cursor.",
    ),
    "invalid_idempotency_key": (
        "An Idempotency-Key must have 1 to 255 printable ASCII characters.",
        "Send 1 to 255 printable characters, such as a UUID.",
    ),
    "invalid_if_match": (
        "If-Match must be * or ETags in double quotes.",
        "Send the ETag as you received it, quotes included.",
    ),
    "invalid_json": (
        "The body is not JSON.",
        "Correct the JSON where the message says. Evaluators of JSON need texts that are JSON.",
    ),
    "invalid_number": (
        "A number is not finite or has more than 64 bits.",
        "Send null, or a text in quotes.",
    ),
    "length_required": (
        "The request has a body but no Content-Length.",
        "Send a Content-Length header; most clients do unless the body is a stream.",
    ),
    "max_length": (
        "A text is longer than the limit.",
        "Shorten the text.",
    ),
    "method_not_allowed": (
        "This address does not support this method.",
        "See routes.md; the Allow header lists the methods of this address.",
    ),
    "not_acceptable": (
        "The API answers only with JSON.",
        "Send Accept: application/json.",
    ),
    "not_found": (
        "It does not exist, or this key cannot see it.",
        "Check the id, and that the key belongs to the project. Addresses end with a slash.",
    ),
    "object_expected": (
        "A JSON object is expected.",
        "Send an object: {…}.",
    ),
    "one_file_expected": (
        "Exactly one file is expected, in a part named “file”.",
        "Send one file, in a part named file.",
    ),
    "required": (
        "A value is missing.",
        "Send the values listed in `fields`.",
    ),
    "search_too_long": (
        f"A search can have at most {LONGEST_SEARCH} characters.",
        "Search for a shorter text.",
    ),
    "too_deep": (
        "The JSON is nested too deeply.",
        "Flatten the value, or send it as a text.",
    ),
    "too_large": (
        "The answer of a connection's server is larger than the limit.",
        "Check the base URL; no list of embeddings is this large.",
    ),
    "too_many_items": (
        "The request has more items than the limit.",
        "Send several requests.",
    ),
    "too_many_requests": (
        "Too many requests.",
        "Wait as many seconds as Retry-After says. The operator sets the limit, EVALSITE_API_RATE.",
    ),
    "too_much_work": (
        "Scoring the items of the request takes longer than the limit.",
        "Send fewer or shorter items, or upload them as a dataset and score a run.",
    ),
    "unauthorized": (
        "A valid key is needed: Authorization: Bearer evk_….",
        "Send the header Authorization: Bearer evk_… with a key that is neither revoked nor expired.",
    ),
    "unknown_field": (
        "The body has an unknown field.",
        "Remove the field or check its spelling; the message lists the known ones.",
    ),
    "unknown_filter": (
        "The query has an unknown parameter.",
        "Remove the parameter or check its spelling; the message lists the known ones.",
    ),
    "unknown_format": (
        "Unknown export format.",
        "Use csv, jsonl, json, parquet or xlsx.",
    ),
    "unknown_parameter": (
        "The evaluator kind does not have this parameter.",
        "Remove the parameter; the message lists those of the kind.",
    ),
    "unused_filter": (
        "A parameter of the query has no effect without another one.",
        "Add one of the parameters that the message names, or remove this one.",
    ),
    "unsupported_encoding": (
        "Bodies must be sent without Content-Encoding.",
        "Send the body uncompressed; a file in it can be gzipped.",
    ),
    "unsupported_media_type": (
        "The body has a type that this address does not read.",
        "Send application/json, or multipart/form-data where a file is accepted.",
    ),
    "unsupported_transfer_encoding": (
        "The request has a Transfer-Encoding that is not supported.",
        "Send the body with a Content-Length.",
    ),
}
