"""Consumers of a contract: subscriptions, inferred consumers and pending acknowledgements."""

from collections.abc import Sequence

import streamlit as st

from treaty.registry.core.enums import Permission
from treaty.registry.schemas import AcknowledgementOut, ContractOut, SubscriptionIn, SubscriptionOut
from treaty.ui import texts as ui_texts
from treaty.ui.parts.contract import inferred_consumers
from treaty.ui.texts import consumers as texts
from treaty.ui.widgets import notification_preferences, panels, people_forms, viewer


def draw(contract: ContractOut) -> None:
    """Draw the consumers, the subscription form and the pending acknowledgements."""
    registry = viewer.registry()
    subscriptions = registry.subscriptions(contract_id=contract.id)
    if not subscriptions:
        panels.empty(texts.NONE_YET, texts.WHO_CAN_SUBSCRIBE)
    else:
        registered(subscriptions)
    if viewer.may(Permission.SUBSCRIBE) and not any(each.is_own for each in subscriptions):
        subscribe(contract)
    inferred_consumers.suggested(contract.id)
    waited = registry.acknowledgements(contract_id=contract.id, waiting=True)
    if waited:
        st.subheader(texts.VERSION_WAITS)
        panels.table([acknowledgement_row(each) for each in waited], key="waited", alt=texts.NOT_ACKNOWLEDGED)


def subscribe(contract: ContractOut) -> None:
    """Draw the subscription form; without `reads` a subscription covers all columns."""
    with st.form("subscribe", width=640):
        st.text_input(texts.PURPOSE, key="purpose", max_chars=200, placeholder=texts.PURPOSE_EXAMPLE)
        st.text_input(texts.WHOM_TO_ASK, key="contact", max_chars=200, placeholder=texts.CONTACT_EXAMPLE)
        notification_preferences.choice()
        st.form_submit_button(
            texts.SUBSCRIBE, icon=":material/notifications:", on_click=subscribed, args=(contract.id,)
        )


def subscribed(contract_id: str) -> None:
    """Subscribe the viewer as typed."""
    purpose, contact = people_forms.input_text("purpose"), people_forms.input_text("contact")
    if not (purpose and contact):
        panels.flash(texts.PURPOSE_MISSING, problem=True)
        return
    notifications = notification_preferences.chosen()
    if notifications is None:
        panels.flash(texts.EVENTS_MISSING, problem=True)
        return

    def create_subscription() -> None:
        body = {"contract_id": contract_id, "purpose": purpose, "contact": contact, **notifications}
        viewer.registry().subscribe(SubscriptionIn.model_validate(body))

    people_forms.attempt(create_subscription, done=texts.ASKED_BEFORE)


def registered(subscriptions: Sequence[SubscriptionOut]) -> None:
    """Draw the subscriptions as a table."""
    rows = [
        {
            ui_texts.CONSUMER: each.subscriber,
            ui_texts.USES_IT_FOR: each.purpose,
            texts.CONTACT: each.contact,
            texts.READS: ", ".join(f"{name}.{column}" for name, columns in each.reads.items() for column in columns),
            texts.OWN_CHECKS: str(each.checks),
            texts.PINNED_TO: each.pinned_to or "",
            texts.IS_BEHIND: each.outdated_reason or "",
        }
        for each in subscriptions
    ]
    panels.table(rows, key="consumers", alt=texts.OF_THE_CONTRACT)


def acknowledgement_row(row: AcknowledgementOut) -> dict[str, str]:
    """Return a pending acknowledgement as a table row."""
    return {
        ui_texts.CONSUMER: row.subscriber,
        ui_texts.VERSION: row.version,
        ui_texts.BREAKS_THEM: "; ".join(row.breaking_reasons),
        texts.ANSWER: row.state,
        texts.COMMENT: row.comment or "",
        texts.DUE: ui_texts.moment(row.due_at, timezone=viewer.timezone()) if row.due_at else "",
    }
