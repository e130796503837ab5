"""Who uses a contract and for what, who is behind, and whom an approved version waits for."""

from collections.abc import Sequence

import streamlit as st

from registry.api.schemas import AcknowledgementOut, ContractOut, SubscriptionIn, SubscriptionOut
from registry.words import Permission
from ui import panels, people_forms, readers, session, words


def draw(contract: ContractOut) -> None:
    """Who uses the contract and for what, who is behind, and whom an approved version waits for."""
    registry = session.registry()
    found = registry.subscriptions(contract_id=contract.id)
    if not found:
        panels.empty("No consumer yet", "Whoever reads the data can subscribe: here, or by treaty subscribe.")
    else:
        registered(found)
    if session.may(Permission.SUBSCRIBE) and not any(each.own for each in found):
        subscribe(contract)
    readers.suggested(contract.id)
    waited = registry.acknowledgements(contract_id=contract.id, waiting=True)
    if waited:
        st.subheader("An approved version waits for them")
        panels.table([asked(each) for each in waited], key="waited", alt="Consumers who have not acknowledged")


def subscribe(contract: ContractOut) -> None:
    """The form for whoever uses the data; what they read is everything until they say otherwise."""
    with st.form("subscribe", width=640):
        st.text_input("What do you use it for?", key="purpose", max_chars=200, placeholder="weekly revenue")
        st.text_input("Whom to ask about that", key="contact", max_chars=200, placeholder="reports@example.org")
        st.form_submit_button("Subscribe", icon=":material/notifications:", on_click=subscribed, args=(contract.id,))


def subscribed(contract_id: str) -> None:
    """Subscribes the viewer for what was typed."""
    purpose, contact = people_forms.typed("purpose"), people_forms.typed("contact")
    if not (purpose and contact):
        panels.tell("Still missing: what you use it for, and whom to ask", problem=True)
        return
    people_forms.attempt(
        lambda: session.registry().subscribe(SubscriptionIn(contract_id=contract_id, purpose=purpose, contact=contact)),
        done="You are asked before a version comes that breaks you.",
    )


def registered(found: Sequence[SubscriptionOut]) -> None:
    """Those who subscribed."""
    rows = [
        {
            "Consumer": each.subscriber,
            "Uses it for": each.purpose,
            "Contact": each.contact,
            "Reads": ", ".join(f"{name}.{column}" for name, columns in each.reads.items() for column in columns),
            "Checks of their own": str(each.checks),
            "Pinned to": each.pinned_to or "",
            "Behind": each.lagging or "",
        }
        for each in found
    ]
    panels.table(rows, key="consumers", alt="Consumers of the contract")


def asked(row: AcknowledgementOut) -> dict[str, str]:
    """What a consumer is asked, as a row."""
    return {
        "Consumer": row.subscriber,
        "Version": row.version,
        "Breaks them": "; ".join(row.breaks),
        "Answer": row.answer,
        "Said": row.comment or "",
        "Until": words.moment(row.deadline, timezone=session.timezone()) if row.deadline else "",
    }
