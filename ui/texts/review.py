"""Texts of the review page: cards, table, decisions, discussion and approval."""

from collections.abc import Iterable

from treaty.ui.texts.formatting import join_list, pluralize

NO_PROPOSAL = "No proposal selected"
OPEN_DRAFT = "Open one from the inbox."
AUTHOR = "Author"
DRAFTED = "Created"
IN_FORCE = "Active version"
NOTHING_IN_FORCE = "none"
BY_HAND = "Written manually: there are no suggestions to decide. The document below is the proposal."

SHOWN_AS = "View"
AS_CARDS = "Cards"
AS_TABLE = "Table"
WHOLE_TABLE = "Whole table"
ADD_LITTLE = "These add little to the other suggestions of their column. They need no decision."
NO_MATCH = "No matching suggestions"
OTHER_FILTERS = "Choose other filters."
DOCUMENT = "Resulting contract (YAML)"

# A card.
METRIC = "metric"
KNOWN_VALUES = "Known values and their rows"
RINGED = " · ring: alarm in the backtest"
REJECTED_BEFORE = ":material/history: Rejected earlier for this contract"
ACCEPT = "Accept"
EDIT = "Edit …"
ASK_REJECT = "Reject …"
REJECT = "Reject"
WHY_REJECT = "Reason for rejection"
NOT_AGAIN = "It will not be suggested again without new evidence"
SAY_WHY = "Enter a reason, so that the same suggestion is not made again."

# An edited check.
THE_CHECK = "Check (YAML)"
WHY_OPTIONAL = "Reason (optional)"
ACCEPT_EDITED = "Accept as edited"
NO_MAPPING = "This is not a YAML mapping. Keep the structure of the check and change its values."
EDITED = ":material/edit: Edited. The sentence above describes the draft."
OLD_AGAINST_NEW = "Compare draft and edit on stored data"
NOTHING_STORED = "no stored data to evaluate it on"

# Discussion.
DISCUSSION = "Discussion"
SAY_SOMETHING = "Your comment"
SAY_IT = "Add comment"
NOTHING_SAID = "Enter a comment first."
COMMENT = "Comment …"
WHAT_TO_SAY = "Your comment"

# Bulk decisions.
CRITICAL = "critical data element"
WAS_REJECTED = "rejected before"
NOT_COUNTED = "values were not counted"
NOT_EVERYWHERE = "has violations"
SUGGESTIONS = "Suggestions"
CHOOSE_ROWS = "Suggestions; select rows to decide on them"
HOLDOUT = "Satisfied"
ON_ITS_CARD = "Decide individually"
CATCHES = "Detects"
WHY_REJECT_THEM = "Reason for rejection"
SAY_WHY_ALL = "Enter a reason, so that the same suggestions are not made again."

# The end of the review.
WITHDRAW = "Withdraw"
SUBMIT = "Submit for review"
NOT_SUBMITTED = "owners see it after you submit it"
SOMEBODY_ELSE = "you are the author: someone else must approve"
OWNER_APPROVES = "an owner must approve"
ALL_NEEDED = "decide all suggestions to approve"
ASK_REJECT_DRAFT = "Reject proposal …"
REJECT_DRAFT = "Reject proposal"
AUTHOR_READS = "Reason (the author will see it)"
SAY_WHY_DRAFT = "Enter a reason: the author will see it."
APPROVE = "Approve"
SUBMITTED = "Submitted. Another owner decides now."
DECLINED = "Rejected. The author can see your reason."
WITHDRAWN = "Withdrawn."


def more(number: int) -> str:
    return f"Show {number:,} more"


def decided(accepted: int, rejected: int, pending: int) -> str:
    return f"{accepted:,} accepted, {rejected:,} rejected, {pending:,} pending"


def drafted_from(rows: int, partitions: int) -> str:
    return f"{rows:,} in {pluralize(partitions, 'partition')}"


def ended(state: str, by: str | None, why: str) -> str:
    return f"{state} by {by}{why}"


def program(clauses: int) -> str:
    return f"A program of {pluralize(clauses, 'clause')}, learned together: each detects what the others miss."


def accept_program(clauses: int) -> str:
    return f"Accept program ({pluralize(clauses, 'clause')})"


def accept_shown(number: int) -> str:
    return f"Accept all {number:,} without violations"


def document_is(version: str, fingerprint: str) -> str:
    return f"Version {version} · fingerprint {fingerprint}"


def not_held(partitions: list[str]) -> str:
    return f"Violated on {join_list(partitions)}"


def on_stored(sentence: str) -> str:
    return f"On stored data, it {sentence}"


def seen_always(only: str) -> str:
    return f"Observed {only}"


def seen_between(low: str, high: str) -> str:
    return f"Observed {low} to {high}"


def seen_and_allowed(view: str, allowed: str, ringed: str) -> str:
    return f"{view} · allowed {allowed}{ringed}"


def news(text: str) -> str:
    return f"New evidence: {text}"


def by(name: str) -> str:
    return f" by {name}"


def progress(done: int, total: int) -> str:
    return f"{done:,} of {total:,} decided"


def missing(approvals: str) -> str:
    return f"approvals missing: {approvals}"


def approve_version(number: str) -> str:
    return f"Approve version {number}"


def approves_exactly(fingerprint: str) -> str:
    return f"Approves exactly the document with fingerprint {fingerprint}"


def still_missing(approvals: Iterable[str]) -> str:
    return f"Approved. Further approvals required: {'; '.join(approvals)}."


def approved_for_later(version: str) -> str:
    return f"Version {version} is approved. It becomes active later; until then the current version stays active."


def active_now(version: str) -> str:
    return f"Version {version} is active. Its first validation is running."


def as_drafted(evidence: str) -> str:
    return f"Draft: {evidence}"


def as_drafted_it(sentence: str) -> str:
    return f"Draft: it {sentence}"


def as_edited(replayed: str) -> str:
    return f"Edit: {replayed}"


def not_judged(reasons: str) -> str:
    return f"it could not be evaluated{f': {reasons}' if reasons else ''}"


def alerts_on_none(of: str) -> str:
    return f"it alerts on none of {of}"


def alerts_on(alerts: int, of: str, names: str, more: str) -> str:
    return f"it alerts on {alerts:,} of {of}: {names}{more}"


def accept_chosen(number: int) -> str:
    return f"Accept {pluralize(number, 'suggestion')}"


def reject_chosen(number: int) -> str:
    return f"Reject {pluralize(number, 'suggestion')}"


def left_out(done: str, why: Iterable[str]) -> str:
    return f"{done} Not included: {'; '.join(why)}."


def already(decision: str) -> str:
    return f"already {decision}"
