"""Texts of the inbox."""

from treaty.ui.texts.formatting import pluralize

NOTHING_WAITS = "Your inbox is empty"
DRAFTS_APPEAR = "Proposals to review and failed runs of your contracts appear here."
JUDGED_LAST = "Latest runs"

WAIT_FOR_CONSUMERS = "These approved versions wait for the acknowledgement of their consumers."
I_KNOW = "Acknowledge"
ASK_OBJECT = "Object …"
OBJECT = "Object"
OWNER_READS = "Reason (the owner will see it)"
SAY_WHY = "Enter a reason: the owner will see it."
OWNER_SEES_YOU_KNOW = "Acknowledged"
OWNER_SEES_OBJECTION = "Objection sent"

PINNED = "You are pinned to an older version."


def to_look_at(runs: int) -> str:
    return f"{pluralize(runs, 'run')} to check"


def to_answer(versions: int) -> str:
    return f"{pluralize(versions, 'version')} to acknowledge"


def to_change(drafts: int) -> str:
    return f"{pluralize(drafts, 'proposal')} to change"


def to_decide(drafts: int) -> str:
    return f"{pluralize(drafts, 'proposal')} to review"


def to_draft(requests: int) -> str:
    return f"{pluralize(requests, 'contract')} to draft"


def you_answer(questions: int) -> str:
    return f"Needs your acknowledgement ({questions:,})"


def until(moment: str) -> str:
    return f"due {moment}"


def behind(subscriptions: int) -> str:
    return f"Outdated pins ({subscriptions:,})"


def answered(answer: str, version: str) -> str:
    return f"{answer}: {version}. The owner can see your answer."
