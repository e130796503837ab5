"""Texts of contract requests."""

REQUEST = "Request contract …"
DATASET = "Dataset"
DATASET_EXAMPLE = "/data/shop/orders"
FILES = "file"
WHY = "Reason"
WHY_EXAMPLE = "our weekly report reads it"
WHO_IS_TOLD = (
    "The request is in the inbox of those who decide about the dataset, until there is a draft or they decline."
)
SUBMIT = "Request contract"
MISSING = "Enter the dataset and a reason."
SUBMITTED = "Requested. It is now in the inbox of those who decide about the dataset."

DRAFT_IT = "Draft contract"
TAKE_BACK = "Withdraw"
TAKEN_BACK = "Request withdrawn."
ASK_DECLINE = "Decline …"
DECLINE = "Decline"
READ_BY_AUTHOR = "Reason (the requester will see it)"
SAY_WHY = "Enter a reason: the requester will see it."
DECLINED = "Declined. The requester will see your reason."


def asked_for(requests: int) -> str:
    return f"Contract requests ({requests:,})"


def why(author: str, reason: str) -> str:
    return f"{author}: {reason}"
