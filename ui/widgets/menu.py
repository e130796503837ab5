"""Which pages there are: their names in addresses, and where and for whom they stand in the menu."""

from dataclasses import dataclass

from treaty.registry.core.enums import Permission
from treaty.ui.texts import pages

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
    Entry("inbox", pages.INBOX, ":material/inbox:", ""),
    Entry("incidents", pages.INCIDENTS, ":material/error:", ""),
    Entry("contracts", pages.CONTRACTS, ":material/contract:", pages.CONTRACTS),
    Entry("catalog", pages.CATALOG, ":material/search:", pages.CONTRACTS),
    Entry("draft", pages.DRAFT, ":material/edit_note:", pages.CONTRACTS),
    Entry("metric", pages.METRICS, ":material/monitoring:", pages.DATA),
    Entry("profile", pages.PROFILE, ":material/table_chart:", pages.DATA),
    Entry("patterns", pages.PATTERNS, ":material/pattern:", pages.DATA),
    Entry("lineage", pages.LINEAGE, ":material/account_tree:", pages.DATA),
    Entry("subscriptions", pages.SUBSCRIPTIONS, ":material/notifications:", pages.YOURS),
    Entry("tasks", pages.TASKS, ":material/list_alt:", pages.RUNNING),
    Entry("audit", pages.AUDIT, ":material/history:", pages.RUNNING, Permission.AUDIT),
    Entry("admin", pages.ADMINISTRATION, ":material/settings:", pages.RUNNING, Permission.USERS),
    Entry("start", pages.START, ":material/rocket_launch:", pages.HELP),
    Entry("reference", pages.REFERENCE, ":material/menu_book:", pages.HELP),
    Entry("review", pages.REVIEW, ":material/rate_review:"),
    Entry("contract", pages.CONTRACT, ":material/contract:"),
    Entry("run", pages.RUN, ":material/fact_check:"),
)


def address(name: str) -> str:
    """The path of the page of that name; that of the first page is the root."""
    return "/" if name == HOME else f"/{name}"


def addresses() -> tuple[str, ...]:
    """The paths of all pages."""
    return tuple(address(each.name) for each in ENTRIES)
