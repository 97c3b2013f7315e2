"""Prompts, their trials, and launches that generate answers."""

CODES = {
    "connection_removed": (
        "The connection or prompt of a launch was removed for good.",
        "Start a new launch with a prompt and a connection that exist.",
    ),
    "cut": (
        "A generated answer was cut at its length limit.",
        "Raise max_completion_tokens of the prompt, then continue or launch again.",
    ),
    "empty": (
        "A generated answer is empty.",
        "Check the prompt; some models return nothing instead of refusing.",
    ),
    "filtered": (
        "The content filter of a server removed a generated answer.",
        "Change the prompt or the example, or use another model.",
    ),
    "insufficient_quota": (
        "The provider refuses calls because the account has no money or quota left. The launch stops.",
        "Pay the provider or raise its limit, then continue the launch.",
    ),
    "invalid_amount": (
        "An amount of money cannot be read.",
        'Write it as a text such as "0.10": below a million, with up to six decimals.',
    ),
    "invalid_launch": (
        "A field of the launch is not valid.",
        "Correct the parts that `fields` names; prompts.md explains each.",
    ),
    "invalid_prompt": (
        "A part of the prompt cannot be sent to a model.",
        "Correct the parts that `fields` names; prompts.md explains each.",
    ),
    "invalid_trial": (
        "A field of the trial is not valid.",
        "Correct the parts that `fields` names; prompts.md explains each.",
    ),
    "launch_not_running": (
        "The launch is not generating answers.",
        "Check its status; continue/ resumes a launch that has stopped.",
    ),
    "launch_not_stopped": (
        "The launch has not stopped, so it cannot be continued.",
        "Wait for it to end, or cancel it first.",
    ),
    "limit_reached": (
        "The next call could exceed a budget.",
        "Raise the budget of the launch or the monthly limit, then continue.",
    ),
    "max_tokens_required": (
        "A budget needs a limit on the length of answers.",
        "Set max_completion_tokens in the parameters of the prompt or the variant.",
    ),
    "missing_value": (
        "An example has no value for a variable of the prompt.",
        "Add the value to the example, or leave the variable out.",
    ),
    "moderation": (
        "The provider's moderation refused a request. The launch stops, because providers close accounts for that.",
        "Change the prompt or remove the example, then continue the launch.",
    ),
    "nothing_failed": (
        "No answer of the trial failed.",
        "No action needed. For other examples or variants, start another trial.",
    ),
    "nothing_to_retry": (
        "No answer of this run or launch failed, or none failed with this cause.",
        "Leave out `cause` to retry failures of any cause.",
    ),
    "price_required": (
        "A budget needs a price for the model.",
        "Add a price to the connection, or limit the number of calls with max_calls.",
    ),
    "prompt_too_large": (
        "The version of the prompt is larger than the limit.",
        "Shorten the messages, the tools or the schema.",
    ),
    "refused_to_answer": (
        "A model refused to answer.",
        "Change the prompt or the example, or use another model.",
    ),
    "stopped": (
        "The trial was stopped before this answer arrived.",
        "Call again/ to request the answer again.",
    ),
    "stopped_early": (
        "Warning: a compared run stopped early, before all examples were answered.",
        "No action needed: its interval allows for all looks. For final results of other evaluators,"
        " launch without `stop`.",
    ),
    "too_many_failures": (
        "A launch ended because more answers failed than it tolerates, or its server answered nothing for minutes.",
        "Read `errors` of the launch, remove the cause, then continue it.",
    ),
    "trial_not_running": (
        "The trial has ended.",
        "No action needed: trials/{id}/ has its answers.",
    ),
    "unsupported_parameter": (
        "The server does not know a parameter of the prompt.",
        "Use the name that the message gives, such as max_tokens instead of max_completion_tokens.",
    ),
    "unknown_variable": (
        "The dataset has no column for a variable of the prompt.",
        "Use one of the columns that the hint lists, or add the column to the dataset.",
    ),
}
