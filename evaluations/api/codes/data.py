"""Datasets, their files, versions, splits and mappings of columns."""

from evaluations.undo import UNDO
from evaluations.values import LONGEST_NAME, LONGEST_RATER

CODES = {
    "choice_needed": (
        "The file can be read in several ways, and `ask` wants to be asked.",
        "Send the field of each of the `choices` with one of its values, or leave out `ask` for the defaults.",
    ),
    "columns_left_out": (
        "Warning: columns, or fields inside columns, were left out, because the mapping does not name them.",
        "If you need them, upload again with a mapping that names them.",
    ),
    "comparisons_made": (
        "The number of comparisons on a dataset is declared before the first one is made.",
        "Declare it for a new dataset.",
    ),
    "dataset_deleted": (
        "The dataset of this object was deleted.",
        "Restore the dataset first.",
    ),
    "dataset_not_ready": (
        "The dataset is being imported, failed to import, or has no examples.",
        "Wait until its status is ready. If it failed, its errors say why.",
    ),
    "deleted": (
        "The object, or the object that it belongs to, was deleted in the meantime.",
        f"Restore it within {UNDO.days} days, then try again.",
    ),
    "duplicate_example": (
        "A row has the same contents as another example, and duplicates were refused.",
        "Leave out rows that repeat others, or keep duplicates.",
    ),
    "duplicate_examples": (
        "Warning: some examples have the same contents as an earlier example of the file.",
        "If this is not intended, upload again and skip duplicates.",
    ),
    "duplicate_key": (
        "An example with this key already exists.",
        "Give every example its own key, or edit the example that has it.",
    ),
    "duplicate_label": (
        "A rater labels an example twice in one file or body.",
        "Name the rater of each label, or keep one label of each.",
    ),
    "duplicate_output": (
        "An example has two outputs in one file or body.",
        "Keep one output for each example; further samples are runs of their own.",
    ),
    "duplicate_score": (
        "An example has two scores in one file or body.",
        "Keep one score for each example; samples are runs of their own.",
    ),
    "file_gone": (
        "The uploaded file is no longer in the storage.",
        "Upload the file again. If it happens again, check that web and workers share EVALSITE_STORAGE.",
    ),
    "file_too_large": (
        "The file is larger than the limit.",
        "Split the file, or upload it as Parquet or compressed with gzip.",
    ),
    "in_use": (
        "Work in progress uses this object.",
        "Wait until the work has ended, or cancel it.",
    ),
    "invalid_edit": (
        "The bulk edit does not say which examples to change, or how.",
        "Send `select` with a filter, keys, positions or all; api.md explains each.",
    ),
    "invalid_mapping": (
        "The column mapping is not valid.",
        "Correct the part of the mapping listed in `fields`; api.md describes the parts.",
    ),
    "columns_not_recognised": (
        "Warning: without a mapping, no column was recognised as input, reference or output; all became metadata.",
        "Send a mapping. If the file should have other columns, check its first line and its delimiter.",
    ),
    "invalid_schema": (
        "The schema of the dataset is not valid.",
        "Correct the part named in the message; schemas.md lists what a schema can contain.",
    ),
    "invalid_split": (
        "A field of the split is not valid.",
        "Correct the fields listed in `fields`; splits.md explains them.",
    ),
    "key_needed": (
        "The examples of the dataset have keys, but no column of the file is mapped to the key.",
        "Map the column with the keys.",
    ),
    "key_not_unique": (
        "Warning: a column named like a key repeats values, so it became metadata.",
        "Optional: give every row its own key and map the column as key.",
    ),
    "missing_column": (
        "The file does not have this column.",
        "Use one of the columns that the message lists; names must match exactly.",
    ),
    "most_changed": (
        "Warning: the file changes or removes more than half of the examples.",
        "Check that it is the right file, and that its columns are mapped like those of the dataset.",
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
        "This dataset has no failed import to retry.",
        f"Upload the file again; the file of a failed import is kept for {UNDO.days} days.",
    ),
    "no_roles": (
        "No column of the file is an input or the reference; as a warning: none was recognised.",
        "Choose the column that is the input or the reference.",
    ),
    "labels_do_not_fit": (
        "What raters said in a file cannot be the answers of a label set.",
        "Use two to nine answers without commas, or import the raters as repetitions.",
    ),
    "rows_as_labels": (
        "Warning: rows of one example became labels of raters, in a label set named like their column.",
        "The page of the label set says how far raters agree.",
    ),
    "rows_as_repetitions": (
        "Warning: several rows of each example became repetitions of one variant.",
        "Each repetition is a run; its `about` says which one.",
    ),
    "rows_repeat": (
        "Warning: rows repeat the key of an example, and each became an example of its own.",
        "Send `long` with the column of the key, and that of the variant, repetition or rater.",
    ),
    "scores_recognised": (
        "Warning: columns that are named like scores of a tool became outside scores, higher is better.",
        "Send a mapping with `lower_is_better`, or with these columns as metadata, if that is wrong.",
    ),
    "scores_without_output": (
        "Warning: columns are named like scores of a tool, but belong to no single column of outputs.",
        "They are metadata. To use them, map each with its variant: `scores`.",
    ),
    "not_deleted": (
        "The object is not deleted, so it cannot be restored.",
        "No action needed.",
    ),
    "nothing_matched": (
        "No row of the file matches an example.",
        "Check which column has the keys, and that they belong to this dataset.",
    ),
    "schema_mismatch": (
        "A value does not fit the schema of its column. `where` has the path and what the schema expects there.",
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
        f"The object was deleted more than {UNDO.days} days ago, so it cannot be restored.",
        "Restore a backup on another machine and export what you need.",
    ),
    "too_many_mappings": (
        "The project already has the maximum number of saved mappings.",
        "Delete one that is no longer needed.",
    ),
    "too_many_rows": (
        "An export has too many rows for an Excel file, or a dataset too many for variants of its columns.",
        "Filter the rows, or export CSV or Parquet; or upload the file again with other roles.",
    ),
    "too_many_splits": (
        "The dataset already has the maximum number of splits.",
        "Delete one that is no longer needed.",
    ),
    "two_keys": (
        "Several columns of the file are chosen as the key.",
        "Choose one column as the key.",
    ),
    "unknown_column": (
        "The dataset has no such metadata column.",
        "Name a column that the dataset lists under `columns.metadata`.",
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
        "A row of the file names no variant, or no rater.",
        f"Name the variant of every row in at most {LONGEST_NAME} characters, or the rater in at most {LONGEST_RATER}.",
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
