"""Names of the Celery tasks in `tasks.py` and their queues, for those who send messages or choose queues."""

SCORE = "evaluations.work"  # chunks of scorings
EMBED = "evaluations.embed"  # chunks of scorings that call a server
GENERATE = "evaluations.generate"  # chunks of launches and trials
IMPORT_FILE = "evaluations.import_file"
COPY_OUTPUTS = "evaluations.copy_outputs"
DELIVER = "evaluations.deliver"
SWEEP = "evaluations.sweep"

# The Celery queue of each task. Workers of `work` also read `files`, in turn, so that no file waits behind the hints of
# many runs. Whatever waits for a model server is in `calls`; nothing in `sweeps` takes long.
QUEUES = {
    SCORE: "work",
    IMPORT_FILE: "files",
    COPY_OUTPUTS: "files",
    EMBED: "calls",
    GENERATE: "calls",
    DELIVER: "sweeps",
    SWEEP: "sweeps",
}
