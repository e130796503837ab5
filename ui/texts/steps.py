"""Texts about completed and failed steps."""

TITLES = {
    0: "The registry is not responding",
    401: "Your session has ended",
    403: "You do not have permission",
    404: "Not found",
    409: "This was changed in the meantime",
    422: "Invalid input",
    503: "The registry is busy",
}
REMEDIES = {
    0: "Nothing was saved. Check that the API is running, then try again.",
    401: "Your decisions are saved. Sign in to continue.",
    403: "Ask an administrator for access.",
    404: "It does not exist, or you may not see it.",
    409: "This page now shows the current state. Check it, then try again.",
    503: "Nothing was saved. Try again in a few seconds.",
}
DID_NOT_WORK = "The action failed"
WENT_WRONG = "Something went wrong"
TRY_AGAIN = "Try again. If it happens again, give the reference to an administrator."
PAGE_WENT_WRONG = "Something went wrong on this page"
WHAT_IS_KEPT = "Saved changes are not lost. Retry, or go to the inbox."
RETRY = "Retry"
GO_TO_INBOX = "Go to the inbox"
REFERENCE = "Reference"


def reference(named: str) -> str:
    return f" (reference {named})"


def line(where: str, number: int) -> str:
    return f"{where}, line {number}"


def taken_back(action: str) -> str:
    return f"Undone: {action}"


def done(steps: int) -> str:
    return f"Recent actions ({steps:,})"
