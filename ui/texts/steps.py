"""Texts about completed and failed steps."""

TITLES = {
    0: "The registry does not answer",
    401: "Your session has ended",
    403: "You may not do this",
    404: "There is nothing here for you",
    409: "Somebody changed this in the meantime",
    422: "That cannot be used as it is",
    503: "The registry is busy",
}
REMEDIES = {
    0: "Nothing was saved. Check that the API runs, then try again.",
    401: "What you had decided is kept. Sign in to go on.",
    403: "Ask an administrator if you should.",
    404: "It does not exist, or it is not yours to see.",
    409: "What you see now is the present state. Look again, then decide.",
    503: "Nothing was saved. Try again in a few seconds.",
}
DID_NOT_WORK = "That did not work"
WENT_WRONG = "Something went wrong"
TRY_AGAIN = "Try again. If it stays, give the reference to an administrator."
PAGE_WENT_WRONG = "Something went wrong on this page"
WHAT_IS_KEPT = "What was saved is kept, and stands here once the page is drawn again. Retry, or go to the inbox."
RETRY = "Retry"
GO_TO_INBOX = "Go to the inbox"
REFERENCE = "Reference"


def reference(named: str) -> str:
    return f" (reference {named})"


def line(where: str, number: int) -> str:
    return f"{where}, line {number}"


def taken_back(said: str) -> str:
    return f"Taken back: {said}"


def done(steps: int) -> str:
    return f"What you did ({steps})"
