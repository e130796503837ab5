"""Texts of the inbox."""

from treaty.ui.texts.formatting import pluralize

NOTHING_WAITS = "Nothing waits for you"
DRAFTS_APPEAR = "New drafts to review and failed runs of your contracts appear here."
JUDGED_LAST = "What was judged last"

WAIT_FOR_CONSUMERS = "Approved versions wait until their consumers know of them."
I_KNOW = "I know"
ASK_OBJECT = "Object …"
OBJECT = "Object"
OWNER_READS = "Why? The owner will read it."
SAY_WHY = "Say why: the owner will read it"
OWNER_SEES_YOU_KNOW = "The owner sees that you know."
OWNER_SEES_OBJECTION = "The owner sees your objection."

PINNED = "You are pinned to what is not the newest."


def to_look_at(runs: int) -> str:
    return f"{pluralize(runs, 'run')} to look at"


def to_answer(versions: int) -> str:
    return f"{pluralize(versions, 'version')} to answer"


def to_change(drafts: int) -> str:
    return f"{pluralize(drafts, 'draft')} to change"


def to_decide(drafts: int) -> str:
    return f"{pluralize(drafts, 'draft')} to decide"


def to_draft(requests: int) -> str:
    return f"{pluralize(requests, 'contract')} to draft"


def you_answer(questions: int) -> str:
    return f"You answer ({questions})"


def until(moment: str) -> str:
    return f"until {moment}"


def behind(subscriptions: int) -> str:
    return f"Behind ({subscriptions})"


def answered(said: str, version: str) -> str:
    return f"{said} ({version})"
