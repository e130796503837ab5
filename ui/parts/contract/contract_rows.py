"""Table rows of the contract page: last results, text differences and activity."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import unified_diff
from itertools import chain
from urllib.parse import urlencode

from treaty.registry.core.enums import IncidentState
from treaty.registry.schemas import (
    CheckOut,
    CheckResultOut,
    ContractOut,
    IncidentOut,
    ProposalSummaryOut,
    RunSummaryOut,
    VersionOut,
)
from treaty.ui import texts as ui_texts
from treaty.ui.texts import contract as texts


@dataclass(frozen=True, kw_only=True)
class ActivityEvent:
    """An event in the life of a contract.

    `kind`: its kind, as displayed. `actor`: name of the user; "" for the system. `address`: URL of the page with
    details."""

    kind: str
    time: datetime
    actor: str
    description: str
    address: str


def last_result(contract_id: str, check: CheckOut, last: CheckResultOut | None) -> dict[str, str]:
    """Return the last outcome and value of the check, with the URL of its history.

    The cells are empty if `last` is None, the URL also if nothing was measured."""
    if last is None:
        return {ui_texts.LAST: "", ui_texts.MEASURED: "", texts.HISTORY: ""}
    shown = ui_texts.glyph(ui_texts.OUTCOMES[str(last.outcome)])
    at = address("metric", contract=contract_id, object=check.object, check=last.check_id) if last.measurement else ""
    return {ui_texts.LAST: shown, ui_texts.MEASURED: last.finding or ui_texts.value(last.value), texts.HISTORY: at}


def lines(older: str, newer: str, *, names: tuple[str, str]) -> str:
    """Return a unified diff with three lines of context; "" if the texts are equal."""
    difference = unified_diff(older.splitlines(), newer.splitlines(), *names, lineterm="")
    return "\n".join(difference)


def address(page: str, **parameters: str) -> str:
    """Return the URL of a page with these parameters."""
    return f"/{page}?{urlencode(parameters)}"


def activity(
    contract: ContractOut, proposals: Sequence[ProposalSummaryOut], incidents: Sequence[IncidentOut]
) -> list[ActivityEvent]:
    """Return the events of the contract, newest first, without runs that passed."""
    history = chain(
        map(_drafted, proposals),
        *(_of_version(contract.id, each) for each in contract.versions),
        (_run(each) for each in contract.runs if each.verdict != "passed"),
        *map(_of_incident, incidents),
    )
    return sorted(history, key=lambda each: each.time, reverse=True)


def _drafted(of: ProposalSummaryOut) -> ActivityEvent:
    state = ui_texts.PROPOSALS[of.state].word.lower()
    return ActivityEvent(
        kind=texts.DRAFT,
        time=of.created_at,
        actor=of.author,
        description=texts.put_forward(of.title, state),
        address=address("review", proposal=str(of.id)),
    )


def _of_version(contract_id: str, of: VersionOut) -> list[ActivityEvent]:
    at = address("contract", id=contract_id, tab=texts.VERSIONS, version=of.version)
    history = [
        ActivityEvent(
            kind=ui_texts.VERSION,
            time=of.approved_at,
            actor=of.approved_by,
            description=texts.approved_version(of.version),
            address=at,
        )
    ]
    if of.activated_at:
        history.append(
            ActivityEvent(
                kind=ui_texts.VERSION,
                time=of.activated_at,
                actor="",
                description=texts.came_into_force(of.version),
                address=at,
            )
        )
    if of.ended_at:
        why = f": {of.reason}" if of.reason else ""
        history.append(
            ActivityEvent(
                kind=ui_texts.VERSION,
                time=of.ended_at,
                actor="",
                description=texts.version_ended(of.version, of.state.value, why),
                address=at,
            )
        )
    return history


def _run(of: RunSummaryOut) -> ActivityEvent:
    verdict = ui_texts.VERDICTS[of.verdict].word.lower()
    return ActivityEvent(
        kind=texts.RUN,
        time=of.finished_at,
        actor="",
        description=texts.run_judged(of.object, verdict),
        address=address("run", id=str(of.id)),
    )


def _of_incident(of: IncidentOut) -> list[ActivityEvent]:
    at = address("incidents", id=str(of.id))
    history = [
        ActivityEvent(
            kind=texts.INCIDENT, time=of.opened_at, actor="", description=texts.incident_opened(of.object), address=at
        )
    ]
    if of.state is IncidentState.RESOLVED and of.resolved_at:
        why = ui_texts.RESOLUTIONS[of.resolution].lower() if of.resolution else texts.RECOVERED
        history.append(
            ActivityEvent(
                kind=texts.INCIDENT,
                time=of.resolved_at,
                actor=of.resolved_by or "",
                description=texts.incident_ended(of.object, why),
                address=at,
            )
        )
    return history
