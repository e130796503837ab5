"""Render the HTML outside the pages: sign-in, sign-out, first set-up, and their errors."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from string import Template
from urllib.parse import quote, urlencode

import streamlit
from starlette.responses import HTMLResponse

from treaty.ui import texts as ui_texts
from treaty.ui.texts import sign_in as texts

HERE = Path(__file__).parent
STATIC = HERE.parent / "static"
PAGE = Template((HERE / "auth_pages.html").read_text(encoding="utf-8"))
LOGO = (STATIC / "logo.svg").read_text(encoding="utf-8")
ICON = "data:image/svg+xml," + quote((STATIC / "icon.svg").read_text(encoding="utf-8"))


def _font() -> str:
    """Return the URL of the pages' font; its file name changes with Streamlit's version."""
    static = Path(streamlit.__file__).parent / "static"
    files = sorted((static / "static" / "media").glob("SourceSansVF-Upright*.woff2"))
    return f"/{files[0].relative_to(static).as_posix()}" if files else ""


FONT = _font()


@dataclass(frozen=True, kw_only=True)
class FormField:
    """An input of a form; a hidden input has no label."""

    name: str
    label: str = ""
    kind: str = "text"
    value: str = ""
    autocomplete: str = "off"
    hint: str = ""
    minimum: int = 0


@dataclass(frozen=True, kw_only=True)
class AuthPage:
    """A page with a title, an introduction and an optional form.

    Without `fields` and `button` the page only shows a message. `link`: URL and label of a link below the form."""

    title: str
    intro: str
    action: str = ""
    button: str = ""
    fields: tuple[FormField, ...] = ()
    link: tuple[str, str] | None = None


def sign_in(next_path: str, *, name: str = "", elsewhere: bool = False) -> AuthPage:
    """Return the sign-in page, which leads to `next_path`.

    `elsewhere`: also offer sign-in through the identity provider."""
    through = (f"/sign-in/provider?{urlencode({'next': next_path})}", texts.ELSEWHERE)
    return AuthPage(
        title=ui_texts.SIGN_IN,
        intro=texts.INTRO,
        action="/sign-in",
        button=ui_texts.SIGN_IN,
        fields=(
            FormField(name="name", label=ui_texts.NAME, value=name, autocomplete="username"),
            FormField(name="password", label=texts.PASSWORD, kind="password", autocomplete="current-password"),
            FormField(name="next", kind="hidden", value=next_path),
        ),
        link=through if elsewhere else None,
    )


def sign_out() -> AuthPage:
    """Return the page that confirms the sign-out."""
    return AuthPage(
        title=texts.SIGN_OUT,
        intro=texts.DECISIONS_KEPT,
        action="/sign-out",
        button=texts.SIGN_OUT,
        link=("/", texts.BACK),
    )


def setup(token: str, *, name: str = "") -> AuthPage:
    """Return the page of the one-time link, which creates the first administrator."""
    return AuthPage(
        title=texts.SET_UP,
        intro=texts.ONE_TIME_LINK,
        action="/setup",
        button=texts.CREATE_ADMINISTRATOR,
        fields=(
            FormField(name="name", label=ui_texts.NAME, value=name, autocomplete="username"),
            FormField(
                name="password",
                label=texts.PASSWORD,
                kind="password",
                autocomplete="new-password",
                hint=texts.PASSWORD_LENGTH,
                minimum=12,
            ),
            FormField(name="token", kind="hidden", value=token),
        ),
    )


def notice(title: str, intro: str) -> AuthPage:
    """Return a page with a message and a link back to the pages."""
    return AuthPage(title=title, intro=intro, link=("/", texts.GO_ON))


def rendered(door: AuthPage, *, status: int = 200, problem: str = "", details: Sequence[str] = ()) -> HTMLResponse:
    """Render the page, with the problem above its form if there is one. Every text is escaped."""
    page = PAGE.substitute(
        title=escape(door.title),
        logo=LOGO,
        icon=ICON,
        font=escape(FONT),
        intro=escape(door.intro),
        alert=_alert(problem, details) if problem else "",
        form=_form(door) + _link(door),
    )
    return HTMLResponse(page, status_code=status, headers={"Cache-Control": "no-store"})


def _alert(problem: str, details: Sequence[str]) -> str:
    items = "".join(f"<li>{escape(each)}</li>" for each in details)
    return f'<div class="alert" role="alert">{escape(problem)}{f"<ul>{items}</ul>" if items else ""}</div>'


def _form(door: AuthPage) -> str:
    if not door.button:
        return ""
    inputs = "".join(_hidden(field) if field.kind == "hidden" else _labelled(field) for field in door.fields)
    button = f'<button type="submit">{escape(door.button)}</button>'
    return f'<form method="post" action="{escape(door.action)}">{inputs}{button}</form>'


def _hidden(field: FormField) -> str:
    return f'<input type="hidden" name="{field.name}" value="{escape(field.value)}">'


def _labelled(field: FormField) -> str:
    described = f' aria-describedby="{field.name}-hint"' if field.hint else ""
    hint = f'<p class="hint" id="{field.name}-hint">{escape(field.hint)}</p>' if field.hint else ""
    least = f' minlength="{field.minimum}"' if field.minimum else ""
    return (
        f'<label for="{field.name}">{escape(field.label)}</label>'
        f'<input id="{field.name}" name="{field.name}" type="{field.kind}" value="{escape(field.value)}" '
        f'autocomplete="{field.autocomplete}" autocapitalize="none" required{least}{described}>{hint}'
    )


def _link(door: AuthPage) -> str:
    return f'<p class="hint"><a href="{escape(door.link[0])}">{escape(door.link[1])}</a></p>' if door.link else ""
