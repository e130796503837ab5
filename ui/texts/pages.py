"""Titles of the pages and sections of the menu."""

INBOX = "Inbox"
INCIDENTS = "Incidents"
CONTRACTS = "Contracts"
CATALOG = "Catalog"
DRAFT = "Draft a contract"
METRICS = "Metrics"
PROFILE = "Profile"
PATTERNS = "Patterns"
LINEAGE = "Lineage"
SUBSCRIPTIONS = "Subscriptions"
TASKS = "Tasks"
AUDIT = "Audit"
ADMINISTRATION = "Administration"
START = "Getting started"
REFERENCE = "Reference"
REVIEW = "Review"
CONTRACT = "Contract"
RUN = "Run"

DATA = "Data"
YOURS = "Yours"
RUNNING = "Running"
HELP = "Help"

TREATY = "Treaty"
LOADING = "The page is loading"
REFRESH = "Show it as it is now"


def as_of(moment: str, age: str) -> str:
    return f"As it was {age}, on {moment}"
