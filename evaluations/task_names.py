"""Names of the Celery tasks in `tasks.py`, for those who send messages or choose queues."""

SCORE = "evaluations.work"  # chunks of scorings
GENERATE = "evaluations.generate"  # chunks of launches
IMPORT_FILE = "evaluations.import_file"
COPY_OUTPUTS = "evaluations.copy_outputs"
TRY_PROMPT = "evaluations.try_prompt"
DELIVER = "evaluations.deliver"
SWEEP = "evaluations.sweep"
