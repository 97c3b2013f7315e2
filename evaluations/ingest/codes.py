"""Every code the import can answer with, and what to do about it: the docs list these tables.

A code is stable: programs compare it. The message of an error says what was found in this file; the hint,
kept here once per code, says how to repair it.
"""

FILE_ERRORS = {  # these end the file
    "binary_file": "Export the table as CSV, JSON Lines or Parquet and upload that file.",
    "bytes_limit": "Split the file, or upload it as Parquet or in several datasets.",
    "cell_too_large": "Shorten the cell, or check that no quote was left open before it.",
    "column_name_too_long": "Shorten the column's name.",
    "columns_limit": "Leave out columns that are not needed, or put the varying keys into one nested object.",
    "compressed_file": "Unpack the file, or compress a CSV, JSON or JSON Lines file with gzip.",
    "csv_unclosed_quote": 'Close the cell with a quote; a quote inside a quoted cell is doubled: "".',
    "duplicate_column": "Give every column its own name.",
    "empty_file": "Upload a file with a header and at least one row.",
    "encoding": "Save the file as UTF-8, or choose the encoding it was written in.",
    "excel_file": "In the spreadsheet program choose File, Save as, CSV UTF-8, and upload that file.",
    "format_option": "Choose one of the values that are offered.",
    "gzip_damaged": "Compress the file again, or upload it unpacked.",
    "json_not_an_array": "Wrap the objects in [ and ], or write one object per line (JSON Lines).",
    "json_unfinished": "The file was cut: export it again.",
    "json_after_end": "Put all objects into one array.",
    "no_columns": "Give the rows at least one column.",
    "no_rows": "Add at least one row of data below the header.",
    "parquet_memory": "Write the file with smaller row groups, or export it as CSV.",
    "parquet_not_installed": "Install the extra evalsite[parquet], or upload CSV or JSON Lines.",
    "parquet_type": "Cast the column to text or numbers before the export.",
    "parquet_unreadable": "Write the Parquet file again; this one is damaged or was cut.",
    "row_too_large": "Split the row; if it should be short, look for a quote that is never closed.",
    "rows_limit": "Split the file into several datasets.",
    "wrong_type": "Upload CSV, TSV, JSON Lines, a JSON array or Parquet.",
}

ROW_ERRORS = {  # these refuse one row; the rest of the file is still read
    "csv_field_count": "Put quotes around cells that contain the delimiter, a quote or a line break.",
    "csv_text_after_quote": 'Double a quote inside a quoted cell (""); nothing may follow the closing quote.',
    "json_comment": "JSON has no comments: remove the line.",
    "json_concatenated": "Write one object per line.",
    "json_duplicate_key": "Keep one of the two.",
    "json_invalid": "Correct the JSON at this place.",
    "json_not_an_object": 'Every row is an object with named fields: {"question": "…"}.',
    "json_number": "Write null, or a finite number.",
    "json_single_quotes": "JSON takes double quotes; in Python write the rows with json.dumps.",
    "json_too_deep": "Flatten the value, or keep it as a text.",
    "json_trailing_comma": "Remove the comma.",
    "json_unclosed": "Close the text or the bracket; a row may not be spread over several lines.",
    "number_not_finite": "Replace infinity by null or a finite number.",
    "text_not_utf8": "Write the text as UTF-8, or the column as binary.",
}

WARNINGS = {  # the row is kept
    "binary_as_base64": "Cast the column to text before the export if it holds text.",
    "blank_header": "Give the column a name.",
    "blank_lines": "Remove the blank lines.",
    "encoding_guessed": "Look at the preview; choose another encoding if characters look wrong.",
    "text_replaced": "Remove NUL characters and broken surrogates from the source.",
}

HINTS = FILE_ERRORS | ROW_ERRORS | WARNINGS
