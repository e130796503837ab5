"""The pages as an ASGI application: Streamlit behind its gate, with the sign-in routes. `uvicorn ui.asgi:app`."""

from pathlib import Path

import httpx
import streamlit as st
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware

from registry.client import Client
from ui import panels
from ui.security import Gate, SecureHeaders, own_scripts
from ui.settings import Settings, load
from ui.sign_in import Doors

SCRIPT = Path(__file__).parent / "app.py"
PAGES = ("/", "/inbox", "/review", "/contracts", "/contract", "/run", "/draft")


def create_app(settings: Settings) -> st.App:
    """The application with these settings. Options and looks come from `.streamlit/config.toml` beside the script."""
    wire = httpx.Client(base_url=settings.api_url, timeout=30)
    return st.App(
        SCRIPT,
        routes=Doors(lambda secret: Client(settings.api_url, secret, http=wire)).routes(),
        middleware=[
            Middleware(SecureHeaders, scripts=own_scripts()),
            Middleware(TrustedHostMiddleware, allowed_hosts=list(settings.hosts), www_redirect=False),
            Middleware(Gate, pages=PAGES),
        ],
        on_script_error=panels.unexpected,
    )


app = create_app(load())
