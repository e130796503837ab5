"""Texts of the review page: cards, table, decisions, discussion and approval."""

from collections.abc import Iterable

from treaty.ui.texts.formatting import join_list, pluralize

NO_PROPOSAL = "No proposal named"
OPEN_DRAFT = "Open a draft from the inbox."
AUTHOR = "Author"
DRAFTED = "Drafted"
IN_FORCE = "In force now"
NOTHING_IN_FORCE = "nothing yet"
BY_HAND = "Written by hand: there is no suggestion to decide, the document below is the proposal"

SHOWN_AS = "Shown as"
AS_CARDS = "Cards"
AS_TABLE = "Table"
WHOLE_TABLE = "Whole table"
NO_MATCH = "No suggestion matches"
OTHER_FILTERS = "Choose other filters."
DOCUMENT = "The resulting contract (YAML)"

# A card.
METRIC = "metric"
KNOWN_VALUES = "Known values and their rows"
RINGED = " · ring: alarmed in the back-test"
REJECTED_BEFORE = ":material/history: Rejected before in this contract"
ACCEPT = "Accept"
EDIT = "Edit …"
ASK_REJECT = "Reject …"
REJECT = "Reject"
WHY_REJECT = "Why reject it?"
NOT_AGAIN = "It will not be suggested again without new evidence"
SAY_WHY = "Say why, so that the same suggestion does not come back"

# An edited check.
THE_CHECK = "The check"
WHY_OPTIONAL = "Why? (optional)"
ACCEPT_EDITED = "Accept as edited"
NO_MAPPING = "That is no YAML mapping: write the check as it stood, with other terms"
EDITED = ":material/edit: Edited; what was drafted is the sentence above"
OLD_AGAINST_NEW = "Old against new on what is stored"
NOTHING_STORED = "nothing is stored that it could be judged on"

# Discussion.
DISCUSSION = "Discussion"
SAY_SOMETHING = "Say something about it"
SAY_IT = "Say it"
NOTHING_SAID = "There is nothing to say yet"
COMMENT = "Comment …"
WHAT_TO_SAY = "What is there to say about it?"

# Bulk decisions.
CRITICAL = "a critical data element"
WAS_REJECTED = "rejected before"
NOT_COUNTED = "nobody counted its values"
NOT_EVERYWHERE = "did not hold everywhere"
SUGGESTIONS = "The suggestions"
CHOOSE_ROWS = "The suggestions; choose rows to decide about them"
HOLDOUT = "Held"
ON_ITS_CARD = "On its card"
CATCHES = "Catches"
WHY_REJECT_THEM = "Why reject them?"
SAY_WHY_ALL = "Say why, so that the same suggestions do not come back"

# The end of the review.
WITHDRAW = "Withdraw"
SUBMIT = "Submit for review"
NOT_SUBMITTED = "owners see it once it is submitted"
SOMEBODY_ELSE = "you wrote it, so somebody else must approve"
OWNER_APPROVES = "an owner approves it"
ALL_NEEDED = "approval needs them all"
ASK_REJECT_DRAFT = "Reject draft …"
REJECT_DRAFT = "Reject draft"
AUTHOR_READS = "Why? The author will read it."
SAY_WHY_DRAFT = "Say why: the author will read it"
APPROVE = "Approve"
SUBMITTED = "Submitted: an owner other than you decides now."
DECLINED = "Rejected. The author sees your reason."
WITHDRAWN = "Withdrawn."


def decided(accepted: int, rejected: int, pending: int) -> str:
    return f"{accepted:,} accepted, {rejected:,} rejected, {pending:,} pending"


def drafted_from(rows: int, partitions: int) -> str:
    return f"{rows:,} in {pluralize(partitions, 'partition')}"


def ended(state: str, by: str | None, why: str) -> str:
    return f"{state} by {by}{why}"


def program(clauses: int) -> str:
    return f"A program of {clauses} clauses, learned together: each alarms on what the others let pass."


def accept_program(clauses: int) -> str:
    return f"Accept the program: {pluralize(clauses, 'clause')}"


def accept_shown(number: int) -> str:
    return f"Accept the {number} shown that held everywhere"


def document_is(version: str, fingerprint: str) -> str:
    return f"Version {version} · fingerprint {fingerprint}"


def not_held(partitions: list[str]) -> str:
    return f"Not held on {join_list(partitions)}"


def on_stored(sentence: str) -> str:
    return f"On what is stored it {sentence}"


def seen_always(only: str) -> str:
    return f"Seen {only}"


def seen_between(low: str, high: str) -> str:
    return f"Seen {low} to {high}"


def seen_and_allowed(seen: str, allowed: str, ringed: str) -> str:
    return f"{seen} · allowed {allowed}{ringed}"


def news(told: str) -> str:
    return f"What its evidence says now and did not then: {told}"


def by(name: str) -> str:
    return f" by {name}"


def progress(done: int, total: int) -> str:
    return f"{done:,} of {total:,} decided"


def missing(approvals: str) -> str:
    return f"still missing: {approvals}"


def approve_version(number: str) -> str:
    return f"Approve version {number}"


def approves_exactly(fingerprint: str) -> str:
    return f"Approves exactly the document with the fingerprint {fingerprint}"


def still_missing(approvals: Iterable[str]) -> str:
    return f"Approved. Still missing: {'; '.join(approvals)}."


def approved_for_later(version: str) -> str:
    return f"Version {version} is approved. It comes into force later; the one in force stays until then."


def active_now(version: str) -> str:
    return f"Version {version} is active. Its first verification is under way."


def as_drafted(evidence: str) -> str:
    return f"As drafted: {evidence}"


def as_drafted_it(sentence: str) -> str:
    return f"As drafted it {sentence}"


def as_edited(replayed: str) -> str:
    return f"As edited: {replayed}"


def not_judged(reasons: str) -> str:
    return f"it could not be judged{f': {reasons}' if reasons else ''}"


def alerts_on_none(of: str) -> str:
    return f"it alerts on none of {of}"


def alerts_on(alerts: int, of: str, names: str, more: str) -> str:
    return f"it alerts on {alerts:,} of {of}: {names}{more}"


def accept_chosen(number: int) -> str:
    return f"Accept {pluralize(number, 'suggestion')}"


def reject_chosen(number: int) -> str:
    return f"Reject {pluralize(number, 'suggestion')}"


def left_out(done: str, why: Iterable[str]) -> str:
    return f"{done} Left as they are: {'; '.join(why)}."


def already(decision: str) -> str:
    return f"{decision} already"
