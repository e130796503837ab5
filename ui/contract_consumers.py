"""Who uses a contract and for what, who is behind, and whom an approved version waits for."""

from collections.abc import Sequence

import streamlit as st

from registry.api.schemas import AcknowledgementOut, ContractOut, SubscriptionOut
from ui import panels, readers, session, words


def draw(contract: ContractOut) -> None:
    """Who uses the contract and for what, who is behind, and whom an approved version waits for."""
    registry = session.registry()
    found = registry.subscriptions(contract_id=contract.id)
    if not found:
        panels.empty("No consumer yet", "Whoever reads the data can subscribe: treaty subscribe, or the API.")
    else:
        registered(found)
    readers.suggested(contract.id)
    waited = registry.acknowledgements(contract_id=contract.id, waiting=True)
    if waited:
        st.subheader("An approved version waits for them")
        panels.table([asked(each) for each in waited], key="waited", alt="Consumers who have not acknowledged")


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
