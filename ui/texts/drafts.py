"""Texts about proposals in the inbox."""

from treaty.ui.texts.formatting import pluralize

CHANGE = "Needs your changes"
CHANGE_HELP = "Reviewers requested changes to your proposals. They cannot be approved until then."
DECIDE = "Needs your review"
DECIDE_HELP = "Proposals in review that you may approve."
WAIT = "Waiting for others"
WAIT_HELP = "Your own proposals, and those on which you requested changes. Others decide."
AFFECTS = "Affects you"
AFFECTS_HELP = "Proposals for contracts that you own or use. Others decide."
BRING_BACK = "End snooze"
CHOOSE = "Select proposals to act on them"
WHO_MAY = "A user who may decide and is not the author; leave empty to unassign."
BY_HAND = "written manually"
VOIDED = "changed after your approval"


def counted(title: str, number: int) -> str:
    return f"{title} ({number:,})"


def decided(number: int, total: int) -> str:
    return f"{number:,} of {pluralize(total, 'suggestion')} decided"


def by(author: str) -> str:
    return f"by {author}"


def with_whom(assignee: str) -> str:
    return f"assigned to {assignee}"


def asked_by(names: str) -> str:
    return f"changes requested by {names}"


def put_off(moment: str) -> str:
    return f"snoozed until {moment}, for you only"


def waits_again(name: str) -> str:
    return f"{name} is back in your inbox."
