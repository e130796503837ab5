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
AUDIT = "Audit log"
ADMINISTRATION = "Administration"
START = "Getting started"
REFERENCE = "Reference"
REVIEW = "Review"
CONTRACT = "Contract"
RUN = "Run"

DATA = "Data"
YOURS = "Account"
RUNNING = "Operations"
HELP = "Help"

TREATY = "Treaty"
LOADING = "Loading page"
REFRESH = "Refresh"


def as_of(moment: str, age: str) -> str:
    return f"Updated {age} ({moment})"
