"""What the inbox says."""

from ui.words.writing import several

YOU_DECIDE = "You decide"
YOU_MAY_APPROVE = "These drafts are in review. You may approve them."
YOU_WAIT_FOR = "You wait for"
OTHERS_DECIDE = "Your own. Somebody else decides about them."
AFFECTS_YOU = "It affects you"
YOU_OWN_OR_USE = "For contracts that you own or use. Others decide about them."
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

BY_HAND = "written by hand"
PINNED = "You are pinned to what is not the newest."


def to_look_at(runs: int) -> str:
    return f"{several(runs, 'run')} to look at"


def to_answer(versions: int) -> str:
    return f"{several(versions, 'version')} to answer"


def to_decide(drafts: int) -> str:
    return f"{several(drafts, 'draft')} to decide"


def you_answer(questions: int) -> str:
    return f"You answer ({questions})"


def until(moment: str) -> str:
    return f"until {moment}"


def about(progress: str, author: str, contract: str) -> str:
    return f"{progress} · by {author} · {contract}"


def decided(number: int, of: int) -> str:
    return f"{number:,} of {several(of, 'suggestion')} decided"


def voided(progress: str) -> str:
    return f"{progress} · edited after you approved it"


def behind(subscriptions: int) -> str:
    return f"Behind ({subscriptions})"
