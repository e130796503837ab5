"""Define the pages: their names in URLs, and their place and audience in the menu."""

from dataclasses import dataclass

from treaty.registry.core.enums import Permission
from treaty.ui.texts import pages

HOME = "inbox"


@dataclass(frozen=True, kw_only=True)
class MenuPage:
    """A page, named after its module.

    `name`: also its name in URLs. `section`: None means that the page shows one object and is reached by links only.
    `needs`: permission without which the page is not in the menu."""

    name: str
    title: str
    icon: str
    section: str | None = None
    needs: Permission | None = None


ENTRIES = (
    MenuPage(name="inbox", title=pages.INBOX, icon=":material/inbox:", section=""),
    MenuPage(name="incidents", title=pages.INCIDENTS, icon=":material/error:", section=""),
    MenuPage(name="contracts", title=pages.CONTRACTS, icon=":material/contract:", section=pages.CONTRACTS),
    MenuPage(name="catalog", title=pages.CATALOG, icon=":material/search:", section=pages.CONTRACTS),
    MenuPage(name="draft", title=pages.DRAFT, icon=":material/edit_note:", section=pages.CONTRACTS),
    MenuPage(name="metric", title=pages.METRICS, icon=":material/monitoring:", section=pages.DATA),
    MenuPage(name="profile", title=pages.PROFILE, icon=":material/table_chart:", section=pages.DATA),
    MenuPage(name="patterns", title=pages.PATTERNS, icon=":material/pattern:", section=pages.DATA),
    MenuPage(name="lineage", title=pages.LINEAGE, icon=":material/account_tree:", section=pages.DATA),
    MenuPage(name="subscriptions", title=pages.SUBSCRIPTIONS, icon=":material/notifications:", section=pages.YOURS),
    MenuPage(name="tasks", title=pages.TASKS, icon=":material/list_alt:", section=pages.RUNNING),
    MenuPage(name="audit", title=pages.AUDIT, icon=":material/history:", section=pages.RUNNING, needs=Permission.AUDIT),
    MenuPage(
        name="admin",
        title=pages.ADMINISTRATION,
        icon=":material/settings:",
        section=pages.RUNNING,
        needs=Permission.USERS,
    ),
    MenuPage(name="start", title=pages.START, icon=":material/rocket_launch:", section=pages.HELP),
    MenuPage(name="reference", title=pages.REFERENCE, icon=":material/menu_book:", section=pages.HELP),
    MenuPage(name="review", title=pages.REVIEW, icon=":material/rate_review:"),
    MenuPage(name="contract", title=pages.CONTRACT, icon=":material/contract:"),
    MenuPage(name="run", title=pages.RUN, icon=":material/fact_check:"),
)


def address(name: str) -> str:
    """Return the path of the page; that of the first page is the root."""
    return "/" if name == HOME else f"/{name}"


def addresses() -> tuple[str, ...]:
    """Return the paths of all pages."""
    return tuple(address(each.name) for each in ENTRIES)
