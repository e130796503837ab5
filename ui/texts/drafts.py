"""Texts about proposals in the inbox."""

from treaty.ui.texts.formatting import pluralize

CHANGE = "You change"
CHANGE_HELP = "Somebody asks for changes of your drafts. Nobody approves them until then."
DECIDE = "You decide"
DECIDE_HELP = "These drafts are in review. You may approve them."
WAIT = "You wait for"
WAIT_HELP = "Your own, and those of which you ask for changes. Somebody else decides about them."
AFFECTS = "It affects you"
AFFECTS_HELP = "For contracts that you own or use. Others decide about them."
BRING_BACK = "Bring back"
CHOOSE = "Choose drafts to do something about"
WHO_MAY = "Somebody who may decide about them and did not write them; nobody where it is empty."
BY_HAND = "written by hand"
VOIDED = "edited after you approved it"


def counted(title: str, number: int) -> str:
    return f"{title} ({number})"


def decided(number: int, total: int) -> str:
    return f"{number:,} of {pluralize(total, 'suggestion')} decided"


def by(author: str) -> str:
    return f"by {author}"


def with_whom(assignee: str) -> str:
    return f"given to {assignee}"


def asked_by(names: str) -> str:
    return f"{names} asked for changes"


def put_off(moment: str) -> str:
    return f"put off until {moment}; for others it waits on"


def waits_again(name: str) -> str:
    return f"{name} waits for you again."
