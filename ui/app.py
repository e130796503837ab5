"""Draw the frame of every page: navigation, the signed-in user, and errors."""

from collections.abc import Collection
from pathlib import Path

import streamlit as st

from treaty.registry.client import ClientError
from treaty.registry.core.enums import Permission
from treaty.registry.schemas import CurrentUserOut
from treaty.ui import texts as ui_texts
from treaty.ui.texts import pages
from treaty.ui.texts import sign_in as texts
from treaty.ui.widgets import loading, menu, panels, viewer

HERE = Path(__file__).parent
# A constant: the form posts from the page's own origin, which the route checks.
SIGN_OUT = f"""<form method="post" action="/sign-out"><button type="submit" style="font:inherit;font-size:.9rem;
color:inherit;background:none;border:0;padding:.25rem 0;cursor:pointer;text-decoration:underline">
{texts.SIGN_OUT}</button></form>"""
# Rules that the theme cannot express: readable text in selected segments, captions with code and shortcut hints, and
# a visible focus on links and buttons.
STYLE = """<style>
[data-testid="stButtonGroup"] button[data-selected="true"] p { color: light-dark(#0B5CAD, #7DBBF0) }
/* On a wide screen lines would be too long to be read, and what belongs together would lie far apart. */
:is([data-testid="stMainBlockContainer"], [data-testid="stBottomBlockContainer"]) { max-width: 104rem }
[data-testid="stCaptionContainer"] code { color: inherit; background: none }
kbd[aria-label^="Shortcut"], kbd[aria-label^="Shortcut"] * { color: inherit !important; opacity: 1 !important }
:is(a, button, summary, main):focus-visible { outline: 2px solid light-dark(#0B5CAD, #7DBBF0) !important }
</style>"""


def main() -> None:
    """Draw the frame and the page inside it."""
    st.set_page_config(page_title=pages.TREATY, page_icon=HERE / "static" / "icon.svg", layout="wide")
    st.logo(HERE / "static" / ("logo-dark.svg" if viewer.is_dark() else "logo.svg"), size="large")
    st.html(STYLE)
    with loading.shape():
        try:
            draw()
        except ClientError as error:
            panels.problem(error)


def draw() -> None:
    """Draw the page, or the sign-in prompt. Raises ClientError if the registry refuses."""
    if not viewer.signed_in():
        navigation(None)
        signed_out()
        return
    me = viewer.me()
    page = navigation(viewer.registry().inbox_counts().total, permissions=me.permissions)
    sidebar(me)
    loading.age()
    page.run()


def navigation(waiting: int | None, *, permissions: Collection[Permission] = ()) -> st.Page:
    """Return the page named by the URL.

    `waiting`: number of open inbox items, shown in the menu; None means that no one is signed in, and hides the
    menu."""
    sections: dict[str, list[st.Page]] = {}
    for entry in menu.ENTRIES:
        if entry.needs is None or entry.needs in permissions:
            sections.setdefault(entry.section or "", []).append(_page(entry, waiting or 0))
    return st.navigation(sections, position="hidden" if waiting is None else "sidebar", expanded=True)


def _page(entry: menu.MenuPage, waiting: int) -> st.Page:
    first = entry.name == menu.HOME
    return st.Page(
        HERE / "app_pages" / f"{entry.name}.py",
        title=f"{entry.title} ({ui_texts.count(waiting)})" if first and waiting else entry.title,
        icon=entry.icon,
        url_path=None if first else entry.name,
        default=first,
        visibility="hidden" if entry.section is None else "visible",
    )


def sidebar(me: CurrentUserOut) -> None:
    """Show the signed-in user and the sign-out button."""
    with st.sidebar, st.container(key="who", gap=None):
        st.caption(texts.SIGNED_IN_AS)
        st.markdown(f"**{ui_texts.esc(me.user.name)}**")
        st.caption(ui_texts.esc(", ".join(me.user.roles)))
        st.html(SIGN_OUT)


def signed_out() -> None:
    """Show the sign-in prompt for visitors without a session."""
    st.title(texts.SIGN_IN_TO_SEE)
    st.caption(texts.COME_BACK)
    panels.sign_in_again()


main()
