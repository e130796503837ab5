"""Texts of comments and change requests on a proposal."""

from treaty.ui.texts.formatting import join_list

NOBODY_APPROVES = "The proposal cannot be approved until it is changed or the request is withdrawn."
ASK_NO_LONGER = "Withdraw request"
REVIEW = "Review …"
SUMMARY = "Summary"
CONSUMERS_READ = "If you approve, the author and the consumers will see it; otherwise the participants of the review."
OTHERS_READ = "The participants of the review will see it."
COMMENT = "Comment"
REQUEST_CHANGES = "Request changes"
ASKED_NO_LONGER = "Change request withdrawn. Its text stays under Discussion."
NOTHING_SAID = "Enter a summary first."


def change_request_line(who: str | None, age: str, revision: int) -> str:
    return f"{who or 'you'} requested changes · {age} · revision {revision}"


def you_ask(proposal: str) -> str:
    return f"Changes requested on {proposal}. The author is notified."


def asked_by(names: list[str]) -> str:
    return f"changes requested by {join_list(names)}"
