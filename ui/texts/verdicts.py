"""Texts of comments and change requests on a proposal."""

from treaty.ui.texts.formatting import join_list

NOBODY_APPROVES = "Nobody approves it until it is changed, or they ask no longer."
ASK_NO_LONGER = "Ask no longer"
REVIEW = "Review …"
SUMMARY = "What you say of it"
CONSUMERS_READ = "With your approval its author and the consumers read it, else those who take part in the review."
OTHERS_READ = "Those who take part in the review read it."
COMMENT = "Comment"
REQUEST_CHANGES = "Request changes"
ASKED_NO_LONGER = "You ask for no changes any more. What you said stays under Discussion."
NOTHING_SAID = "There is nothing to say yet: write what others should know"


def change_request_line(who: str | None, age: str, revision: int) -> str:
    return f"{f'{who} asks' if who else 'you ask'} for it · {age} · of revision {revision}"


def you_ask(proposal: str) -> str:
    return f"You ask for changes of {proposal}. Its author is told."


def asked_by(names: list[str]) -> str:
    return f"{join_list(names)} asked for changes"
