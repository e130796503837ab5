"""Which pages there are: their names in addresses, and where and for whom they stand in the menu."""

from dataclasses import dataclass

from registry.words import Permission

HOME = "inbox"


@dataclass(frozen=True)
class Entry:
    """A page: the module of that name, under that name in addresses. `section` None: it shows one object, and is
    reached by links alone. `needs`: who lacks that permission is not led to it."""

    name: str
    title: str
    icon: str
    section: str | None = None
    needs: Permission | None = None


ENTRIES = (
    Entry("inbox", "Inbox", ":material/inbox:", ""),
    Entry("incidents", "Incidents", ":material/error:", ""),
    Entry("contracts", "Contracts", ":material/contract:", "Contracts"),
    Entry("catalog", "Catalog", ":material/search:", "Contracts"),
    Entry("draft", "Draft a contract", ":material/edit_note:", "Contracts"),
    Entry("metric", "Metrics", ":material/monitoring:", "Data"),
    Entry("profile", "Profile", ":material/table_chart:", "Data"),
    Entry("patterns", "Patterns", ":material/pattern:", "Data"),
    Entry("lineage", "Lineage", ":material/account_tree:", "Data"),
    Entry("subscriptions", "Subscriptions", ":material/notifications:", "Yours"),
    Entry("tasks", "Tasks", ":material/list_alt:", "Running"),
    Entry("audit", "Audit", ":material/history:", "Running", Permission.AUDIT),
    Entry("admin", "Administration", ":material/settings:", "Running", Permission.USERS),
    Entry("start", "Getting started", ":material/rocket_launch:", "Help"),
    Entry("reference", "Reference", ":material/menu_book:", "Help"),
    Entry("review", "Review", ":material/rate_review:"),
    Entry("contract", "Contract", ":material/contract:"),
    Entry("run", "Run", ":material/fact_check:"),
)


def address(name: str) -> str:
    """The path of the page of that name; that of the first page is the root."""
    return "/" if name == HOME else f"/{name}"


def addresses() -> tuple[str, ...]:
    """The paths of all pages."""
    return tuple(address(each.name) for each in ENTRIES)
