"""Which pages there are: their names in addresses, and where and for whom they stand in the menu."""

from dataclasses import dataclass

from treaty.registry.core.enums import Permission
from treaty.ui.texts import pages

HOME = "inbox"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A page: the module of that name, under that name in addresses. `section` None: it shows one object, and is
    reached by links alone. `needs`: who lacks that permission is not led to it."""

    name: str
    title: str
    icon: str
    section: str | None = None
    needs: Permission | None = None


ENTRIES = (
    Entry(name="inbox", title=pages.INBOX, icon=":material/inbox:", section=""),
    Entry(name="incidents", title=pages.INCIDENTS, icon=":material/error:", section=""),
    Entry(name="contracts", title=pages.CONTRACTS, icon=":material/contract:", section=pages.CONTRACTS),
    Entry(name="catalog", title=pages.CATALOG, icon=":material/search:", section=pages.CONTRACTS),
    Entry(name="draft", title=pages.DRAFT, icon=":material/edit_note:", section=pages.CONTRACTS),
    Entry(name="metric", title=pages.METRICS, icon=":material/monitoring:", section=pages.DATA),
    Entry(name="profile", title=pages.PROFILE, icon=":material/table_chart:", section=pages.DATA),
    Entry(name="patterns", title=pages.PATTERNS, icon=":material/pattern:", section=pages.DATA),
    Entry(name="lineage", title=pages.LINEAGE, icon=":material/account_tree:", section=pages.DATA),
    Entry(name="subscriptions", title=pages.SUBSCRIPTIONS, icon=":material/notifications:", section=pages.YOURS),
    Entry(name="tasks", title=pages.TASKS, icon=":material/list_alt:", section=pages.RUNNING),
    Entry(name="audit", title=pages.AUDIT, icon=":material/history:", section=pages.RUNNING, needs=Permission.AUDIT),
    Entry(
        name="admin",
        title=pages.ADMINISTRATION,
        icon=":material/settings:",
        section=pages.RUNNING,
        needs=Permission.USERS,
    ),
    Entry(name="start", title=pages.START, icon=":material/rocket_launch:", section=pages.HELP),
    Entry(name="reference", title=pages.REFERENCE, icon=":material/menu_book:", section=pages.HELP),
    Entry(name="review", title=pages.REVIEW, icon=":material/rate_review:"),
    Entry(name="contract", title=pages.CONTRACT, icon=":material/contract:"),
    Entry(name="run", title=pages.RUN, icon=":material/fact_check:"),
)


def address(name: str) -> str:
    """The path of the page of that name; that of the first page is the root."""
    return "/" if name == HOME else f"/{name}"


def addresses() -> tuple[str, ...]:
    """The paths of all pages."""
    return tuple(address(each.name) for each in ENTRIES)
