"""The entry script: who is asking, which pages there are, and what is shown when one fails."""

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
# A constant: what a browser posts from here carries the page's own origin, which the route checks.
SIGN_OUT = f"""<form method="post" action="/sign-out"><button type="submit" style="font:inherit;font-size:.9rem;
color:inherit;background:none;border:0;padding:.25rem 0;cursor:pointer;text-decoration:underline">
{texts.SIGN_OUT}</button></form>"""
# What no setting of the theme says: in the dark the chosen one of several has the colour of buttons, which cannot be
# read there; nor can the keys that a button takes; and of links and some nothing shows that they have the focus.
STYLE = """<style>
[data-testid="stButtonGroup"] button[data-selected="true"] p { color: light-dark(#0B5CAD, #7DBBF0) }
/* On a wide screen lines would be too long to be read, and what belongs together would lie far apart. */
:is([data-testid="stMainBlockContainer"], [data-testid="stBottomBlockContainer"]) { max-width: 104rem }
kbd[aria-label^="Shortcut"], kbd[aria-label^="Shortcut"] * { color: inherit !important; opacity: 1 !important }
:is(a, button, summary, main):focus-visible { outline: 2px solid light-dark(#0B5CAD, #7DBBF0) !important }
</style>"""


def main() -> None:
    """Draws the frame and the page inside it."""
    st.set_page_config(page_title=pages.TREATY, page_icon=HERE / "static" / "icon.svg", layout="wide")
    st.logo(HERE / "static" / ("logo-dark.svg" if viewer.is_dark() else "logo.svg"), size="large")
    st.html(STYLE)
    with loading.shape():
        try:
            draw()
        except ClientError as error:
            panels.problem(error)


def draw() -> None:
    """Draws the page, or the way to sign in. Raises ClientError where the registry refuses."""
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
    """The page that the address names; `waiting` None: nobody is signed in, and no menu is shown."""
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
    """Who is signed in, and the way out."""
    with st.sidebar, st.container(key="who", gap=None):
        st.caption(texts.SIGNED_IN_AS)
        st.markdown(f"**{ui_texts.esc(me.user.name)}**")
        st.caption(ui_texts.esc(", ".join(me.user.roles)))
        st.html(SIGN_OUT)


def signed_out() -> None:
    """What somebody sees who has no session."""
    st.title(texts.SIGN_IN_TO_SEE)
    st.caption(texts.COME_BACK)
    panels.sign_in_again()


main()
