"""Texts of contract requests."""

REQUEST = "Request a contract …"
DATASET = "Which dataset?"
DATASET_EXAMPLE = "/data/shop/orders"
FILES = "file"
WHY = "Why do you need it?"
WHY_EXAMPLE = "our weekly report reads it"
WHO_IS_TOLD = "Whoever decides about the dataset finds it in the inbox, until there is a draft or they decline."
SUBMIT = "Ask for it"
MISSING = "Still missing: which dataset, and why"
SUBMITTED = "Asked. It stands in the inbox of those who decide about the dataset."

DRAFT_IT = "Draft it"
TAKE_BACK = "Take back"
TAKEN_BACK = "You ask for it no longer."
ASK_DECLINE = "Decline …"
DECLINE = "Decline"
READ_BY_AUTHOR = "Why? Who asked will read it."
SAY_WHY = "Say why: who asked will read it"
DECLINED = "Declined. Who asked is told why."


def asked_for(requests: int) -> str:
    return f"Contracts asked for ({requests})"


def why(author: str, reason: str) -> str:
    return f"{author}: {reason}"
