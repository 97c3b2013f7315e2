"""Datasets, their files, versions, splits and mappings of columns."""

CODES = {
    "columns_left_out": (
        "Warning: columns were left out, because the mapping does not name them.",
        "Nothing if they are not needed. Otherwise upload again with a mapping that names them.",
    ),
    "dataset_deleted": (
        "The dataset that this belongs to was deleted.",
        "Restore the dataset first.",
    ),
    "dataset_not_ready": (
        "The dataset is being imported, failed to import, or has no examples.",
        "Wait until its status is ready. If it failed, its errors say why.",
    ),
    "deleted": (
        "The thing, or what it belongs to, was deleted meanwhile.",
        "Restore it within 7 days, then try again.",
    ),
    "duplicate_example": (
        "A row has the same contents as another example, and duplicates were refused.",
        "Leave out rows that repeat others, or keep duplicates.",
    ),
    "duplicate_examples": (
        "Warning: examples have the contents of an earlier one in the file.",
        "Nothing if this is intended. Otherwise upload again and skip duplicates.",
    ),
    "duplicate_key": (
        "An example with this key already exists.",
        "Give every example its own key, or edit the example that has it.",
    ),
    "duplicate_output": (
        "An example has two outputs in one file.",
        "Keep one row for each example.",
    ),
    "file_gone": (
        "The uploaded file is no longer in the storage.",
        "Upload the file again. If it happens again, web and workers do not share EVALSITE_STORAGE.",
    ),
    "file_too_large": (
        "The file is larger than the limit.",
        "Split the file, or upload it as Parquet or compressed with gzip.",
    ),
    "in_use": (
        "Work in progress needs this.",
        "Wait until the work has ended, or cancel it.",
    ),
    "invalid_edit": (
        "An edit of many examples lacks the examples or the change.",
        "Send a filter, keys or positions in select, or all; api.md explains each.",
    ),
    "invalid_mapping": (
        "The mapping of columns cannot be used.",
        "Correct the part of the mapping that `fields` names; api.md lists the parts.",
    ),
    "invalid_schema": (
        "The schema of a dataset cannot be used.",
        "Correct the part that the message names; schemas.md says what a schema may use.",
    ),
    "invalid_split": (
        "A part of the split cannot be used.",
        "Correct the parts that `fields` names; splits.md explains them.",
    ),
    "key_needed": (
        "The examples of a dataset have keys, and the file names no column for them.",
        "Map the column with the keys.",
    ),
    "key_not_unique": (
        "Warning: the column taken for the key by its name repeats values; it is metadata instead.",
        "Nothing, or give every row a key of its own and name the column as key in the mapping.",
    ),
    "missing_column": (
        "The file has no such column.",
        "Use one of the columns that the message lists; names must match exactly.",
    ),
    "most_changed": (
        "Warning: the file changes or removes more than half of the examples.",
        "Check that it is the right file, and that its columns are mapped as those of the dataset are.",
    ),
    "name_needed": (
        "Deleting a project needs its name as a confirmation.",
        "Type the project's name exactly.",
    ),
    "name_taken": (
        "This name is already taken in the project.",
        "Choose another name, or use the object that has it. Names that differ only in case are the same.",
    ),
    "no_failed_import": (
        "There is no failed import of this dataset to repeat.",
        "Upload the file again; the file of a failed import is kept for 7 days.",
    ),
    "no_roles": (
        "No column of the file is an input or the reference.",
        "Choose the column that is the input or the reference.",
    ),
    "not_deleted": (
        "Only what was deleted can be restored.",
        "Nothing.",
    ),
    "nothing_matched": (
        "No row of the file matches an example.",
        "Check which column holds the keys, and that they belong to this dataset.",
    ),
    "schema_mismatch": (
        "A value does not fit the schema of its column. `where` has the path and what was expected.",
        "Correct the value, or change the schema of the dataset.",
    ),
    "split_empty": (
        "The split has no example in this version of the dataset.",
        "Change the split, or use another version of the dataset.",
    ),
    "split_overlap": (
        "An example would be in two splits of one group.",
        "Change one of the splits, or take one out of the group.",
    ),
    "too_late": (
        "A deletion can be undone for 7 days.",
        "Restore a backup on another machine and export what you need.",
    ),
    "too_many_mappings": (
        "A project has as many saved mappings as it may have.",
        "Delete one that is no longer needed.",
    ),
    "too_many_rows": (
        "An Excel file cannot hold so many rows here.",
        "Filter the rows, or export CSV or Parquet.",
    ),
    "too_many_splits": (
        "A dataset has as many splits as it may have.",
        "Delete one that is no longer needed.",
    ),
    "two_keys": (
        "Several columns of the file are chosen as the key.",
        "Choose one column as the key.",
    ),
    "unknown_example": (
        "The dataset version has no example with this key or position.",
        "Send keys or positions of the experiment's dataset version.",
    ),
    "unknown_mapping": (
        "The project has no saved mapping with this name or id.",
        "Send the name or id of a saved mapping, or a JSON object.",
    ),
    "unknown_split": (
        "The dataset has no split with this name or id.",
        "Send the name or id of one of the dataset's splits.",
    ),
    "upload_gone": (
        "The file is already being imported, or was discarded.",
        "Upload the file again. An unconfirmed file is kept for an hour.",
    ),
    "variant_missing": (
        "The row of a file names no variant.",
        "Name the variant of every row, in at most 200 characters.",
    ),
    "variant_needed": (
        "A column of outputs has no variant name.",
        "Name the variant.",
    ),
    "variant_twice": (
        "Two output columns have the same variant name.",
        "Give each variant its own name.",
    ),
}
