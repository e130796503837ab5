"""Who is looking: the registry as they may use it, their time zone, and the object that the address names."""

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

ANSWERED, REVIEWED, VIEWER = "_answered", "_reviewed", "_viewer"


def registry() -> Client:
    """The registry with the viewer's own rights."""
    return connect(st.context.cookies.get(COOKIE))


def connect(secret: str | None) -> Client:
    """A client that asks as the session of that secret; as nobody for None."""
    address = settings.load().api_url
    return Client(address, secret, http=_wire(address))


@st.cache_resource  # type: ignore[untyped-decorator]
def _wire(address: str) -> httpx.Client:
    """The connections to the API, shared by all viewers: rights go with each request, not with a connection."""
    return httpx.Client(base_url=address, timeout=30)


def me() -> CurrentUserOut:
    """The viewer and what they may do. Raises ClientError where the session has ended."""
    found = registry().me()
    st.session_state[VIEWER] = found
    return found


def may(permission: Permission) -> bool:
    """Whether the viewer has the permission, on some part of the registry at least: whether a step is offered. That was
    asked when the page was drawn; whether the step is taken is the registry's to say."""
    found: CurrentUserOut = st.session_state.get(VIEWER) or me()
    return permission in found.permissions or any(permission in each.permissions for each in found.grants)


def inbox() -> InboxOut:
    """What waits for the viewer."""
    return registry().inbox()


def keep(answered: ProposalOut) -> None:
    """Has the next look at the proposal show this answer, in which those suggestions may be left out that are as they
    were: what was just decided is not asked for again."""
    changed, known = {each.id: each for each in answered.suggestions}, current_proposal()
    every = tuple(changed.get(each.id, each) for each in known.suggestions)
    st.session_state[ANSWERED] = answered.model_copy(update={"suggestions": every})


def answered() -> ProposalOut | None:
    """The proposal as the step that is being taken left it; None where it was refused."""
    found: ProposalOut | None = st.session_state.get(ANSWERED)
    return found


def proposal(proposal_id: UUID) -> ProposalOut:
    """The proposal, as the step that was just taken answered it or else as it is now."""
    answered: ProposalOut | None = st.session_state.pop(ANSWERED, None)
    found = answered if answered and answered.id == proposal_id else registry().proposal(proposal_id)
    st.session_state[REVIEWED] = found
    return found


def current_proposal() -> ProposalOut:
    """The proposal that the page shows, for a part of it that is drawn anew, or a step that is taken there."""
    if answered := st.session_state.pop(ANSWERED, None):
        st.session_state[REVIEWED] = answered
    found: ProposalOut = st.session_state[REVIEWED]
    return found


def now() -> datetime:
    """The time; pages are the edge where it comes in."""
    return datetime.fromtimestamp(time.time(), UTC)


def timezone() -> str:
    """The viewer's time zone as the browser names it; UTC where it does not say."""
    return str(st.context.timezone or "UTC")


def is_dark() -> bool:
    """Whether the viewer sees the dark theme; False where the browser has not said yet."""
    return bool(st.context.theme.type == "dark")


def asked_id(name: str) -> UUID | None:
    """The id that the address names; None for none and for what is no id."""
    try:
        return UUID(st.query_params.get(name, ""))
    except ValueError:
        return None


def signed_in() -> bool:
    """Whether the browser has a session at all; whether it is good is the registry's to say."""
    return bool(st.context.cookies.get(COOKIE))


def sign_in_address() -> str:
    """The sign-in address that comes back to this page and object."""
    return sign_in_link(urlsplit(st.context.url or "/").path or "/", urlencode(st.query_params.to_dict()))
