"""Serve the pages as an ASGI application: Streamlit behind the sign-in gate. Run with `uvicorn treaty.ui.asgi:app`."""

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path
from threading import Thread

import httpx
import streamlit as st
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from treaty.registry.client import Client
from treaty.ui.server.auth_routes import AuthRoutes
from treaty.ui.server.security import SecureHeaders, SignInGate, own_scripts
from treaty.ui.server.settings import PageSettings, load
from treaty.ui.widgets import menu, panels

SCRIPT = Path(__file__).parent / "app.py"


def create_app(settings: PageSettings) -> st.App:
    """Create the application with these settings. Options and theme are read from `.streamlit/config.toml` next to the
    script."""
    wire = httpx.Client(base_url=settings.api_url, timeout=30)
    doors = AuthRoutes(
        lambda secret: Client(settings.api_url, secret, http=wire), settings.provider, settings.public_url
    )
    return st.App(
        SCRIPT,
        routes=[Route("/inbox", _home), *doors.routes()],
        middleware=[
            Middleware(SecureHeaders, scripts=own_scripts(), public_url=settings.public_url),
            Middleware(TrustedHostMiddleware, allowed_hosts=list(settings.hosts), www_redirect=False),
            Middleware(SignInGate, pages=menu.addresses(), public_url=settings.public_url),
        ],
        lifespan=warmed,
        on_script_error=panels.unexpected,
    )


@asynccontextmanager
async def warmed(_: st.App) -> AsyncIterator[None]:
    """Load pandas in the background, so that the first table does not wait for it."""
    Thread(target=_load, daemon=True).start()
    yield


def _load() -> None:
    import_module("pandas")
    # Loaded modules stay for good; excluding them keeps garbage collections short.
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


async def _home(_: Request) -> Response:
    """Redirect `/inbox` to the root, because Streamlit serves its first page only there."""
    return RedirectResponse("/", status_code=308)


app = create_app(load())
