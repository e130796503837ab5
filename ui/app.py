"""The entry script: who is asking, which pages there are, and what is shown when one fails."""

from pathlib import Path

import streamlit as st

from registry.api.schemas import InboxOut, Me
from registry.client import ClientError
from registry.words import Permission
from ui import panels, session, words

HERE = Path(__file__).parent
# A constant: what a browser posts from here carries the page's own origin, which the route checks.
SIGN_OUT = """<form method="post" action="/sign-out"><button type="submit" style="font:inherit;font-size:.9rem;
color:#0B5CAD;background:none;border:0;padding:.25rem 0;cursor:pointer;text-decoration:underline">
Sign out</button></form>"""


def main() -> None:
    """Draws the frame and the page inside it."""
    st.set_page_config(page_title="Treaty", page_icon=HERE / "icon.svg", layout="wide")
    st.logo(HERE / "logo.svg", size="large")
    try:
        draw()
    except ClientError as error:
        panels.problem(error)


def draw() -> None:
    """Draws the page, or the way to sign in. Raises ClientError where the registry refuses."""
    if not session.signed_in():
        navigation(None)
        signed_out()
        return
    me, waiting = session.me(), session.inbox()
    page = navigation(waiting, audits=Permission.AUDIT in me.permissions)
    sidebar(me)
    page.run()


def navigation(waiting: InboxOut | None, *, audits: bool = False) -> st.Page:
    """The page that the address names; those that need an object are not in the menu."""
    count = len(waiting.to_decide) + len(waiting.failed_runs) if waiting else 0
    pages = [
        _page("inbox", f"Inbox ({count})" if count else "Inbox", ":material/inbox:", default=True),
        _page("contracts", "Contracts", ":material/contract:"),
        _page("catalog", "Catalog", ":material/search:"),
        _page("draft", "Draft a contract", ":material/edit_note:"),
        _page("incidents", "Incidents", ":material/error:"),
        _page("lineage", "Lineage", ":material/account_tree:"),
        _page("tasks", "Tasks", ":material/list_alt:"),
        *([_page("audit", "Audit", ":material/history:")] if audits else []),
        _page("reference", "Reference", ":material/menu_book:"),
        _page("profile", "Profile", ":material/table_chart:"),
        _page("review", "Review", ":material/rate_review:", hidden=True),
        _page("contract", "Contract", ":material/contract:", hidden=True),
        _page("run", "Run", ":material/fact_check:", hidden=True),
    ]
    return st.navigation(pages, position="sidebar" if waiting else "hidden")


def _page(name: str, title: str, icon: str, *, default: bool = False, hidden: bool = False) -> st.Page:
    return st.Page(
        HERE / "app_pages" / f"{name}.py",
        title=title,
        icon=icon,
        url_path=None if default else name,
        default=default,
        visibility="hidden" if hidden else "visible",
    )


def sidebar(me: Me) -> None:
    """Who is signed in, and the way out."""
    with st.sidebar, st.container(key="who", gap=None):
        st.caption("Signed in as")
        st.markdown(f"**{words.esc(me.user.name)}**")
        st.caption(words.esc(", ".join(me.user.roles)))
        st.html(SIGN_OUT)


def signed_out() -> None:
    """What somebody sees who has no session."""
    st.title("Sign in to see this page")
    st.caption("You come back to exactly here.")
    panels.sign_in_again()


main()
