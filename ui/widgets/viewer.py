"""The current viewer: their client, permissions, time zone and the ids in the URL."""

import time
from datetime import UTC, datetime
from urllib.parse import urlencode, urlsplit
from uuid import UUID

import httpx
import streamlit as st

from treaty.registry.client import Client
from treaty.registry.core.enums import Permission
from treaty.registry.schemas import CurrentUserOut, InboxOut, ProposalOut
from treaty.ui.server import settings
from treaty.ui.server.security import COOKIE, sign_in_link

ANSWERED, REVIEWED, VIEWER, UNITS = "_answered", "_reviewed", "_viewer", "_units"


def registry() -> Client:
    """Return a client with the viewer's own permissions."""
    return connect(st.context.cookies.get(COOKIE))


def connect(secret: str | None) -> Client:
    """Return a client for the secret of a session; None means an anonymous client."""
    address = settings.load().api_url
    return Client(address, secret, http=_wire(address))


@st.cache_resource  # type: ignore[untyped-decorator]
def _wire(address: str) -> httpx.Client:
    """Return the HTTP connections to the API, shared by all viewers: each request carries its own credentials."""
    return httpx.Client(base_url=address, timeout=30)


def me() -> CurrentUserOut:
    """Fetch the viewer and their permissions. Raises ClientError if the session has ended."""
    user = registry().me()
    st.session_state[VIEWER] = user
    return user


def may(permission: Permission) -> bool:
    """Return True if the viewer has the permission on at least one resource.

    Decides only whether a step is offered; the registry decides whether it may be taken."""
    user: CurrentUserOut = st.session_state.get(VIEWER) or me()
    return permission in user.permissions or any(permission in each.permissions for each in user.grants)


def inbox() -> InboxOut:
    """Fetch the viewer's inbox."""
    return registry().inbox()


def keep(answered: ProposalOut) -> None:
    """Show this response as the proposal on the next rendering, instead of fetching it again.

    `answered` may omit unchanged suggestions; they are taken from the current proposal."""
    changed, shown = {each.id: each for each in answered.suggestions}, current_proposal()
    every = tuple(changed.get(each.id, each) for each in shown.suggestions)
    st.session_state[ANSWERED] = answered.model_copy(update={"suggestions": every})


def answered() -> ProposalOut | None:
    """Return the proposal as the current step left it; None if the step was refused."""
    result: ProposalOut | None = st.session_state.get(ANSWERED)
    return result


def proposal(proposal_id: UUID) -> ProposalOut:
    """Return the proposal from the last step's response, or fetch it."""
    answered: ProposalOut | None = st.session_state.pop(ANSWERED, None)
    result = answered if answered and answered.id == proposal_id else registry().proposal(proposal_id)
    st.session_state[REVIEWED] = result
    return result


def current_proposal() -> ProposalOut:
    """Return the proposal on the page, for a partial rerun or a step."""
    if answered := st.session_state.pop(ANSWERED, None):
        st.session_state[REVIEWED] = answered
    result: ProposalOut = st.session_state[REVIEWED]
    return result


def unit_of(analyzer: str) -> str:
    """Return the unit of an analyzer's metric; "" if the analyzer is unknown."""
    if UNITS not in st.session_state:
        st.session_state[UNITS] = {each.name: each.unit for each in registry().analyzers()}
    units: dict[str, str] = st.session_state[UNITS]
    return units.get(analyzer, "")


def now() -> datetime:
    """Return the current time in UTC."""
    return datetime.fromtimestamp(time.time(), UTC)


def timezone() -> str:
    """Return the viewer's time zone as the browser reports it; UTC if it reports none."""
    return str(st.context.timezone or "UTC")


def is_dark() -> bool:
    """Return True if the viewer uses the dark theme; False while the browser has not reported it."""
    return bool(st.context.theme.type == "dark")


def asked_id(name: str) -> UUID | None:
    """Return the id in this parameter of the URL; None if it is missing or invalid."""
    try:
        return UUID(st.query_params.get(name, ""))
    except ValueError:
        return None


def signed_in() -> bool:
    """Return True if the browser has a session cookie, valid or not."""
    return bool(st.context.cookies.get(COOKIE))


def sign_in_address() -> str:
    """Return the sign-in URL that leads back to this page and object."""
    return sign_in_link(urlsplit(st.context.url or "/").path or "/", urlencode(st.query_params.to_dict()))
