"""Add upstream incidents to the gate's answer.

An upstream incident adds a reason. It changes the answer only if the contract defines so (`lineage:
{on_upstream_failed: warn}`)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from sqlmodel import Session, col, select

from treaty.contracts.document.reader import read
from treaty.registry.core.enums import ContaminationState, GateAnswer
from treaty.registry.datasets.contract_datasets import ContractObject
from treaty.registry.lineage.downstream import incident_downstream
from treaty.registry.lineage.downstream.incident_downstream import UpstreamIncident
from treaty.registry.tables import ContractVersionRow, DatasetContractRow
from treaty.registry.validation.gate.gate_answer import ORDER, ContractGateStatus

WORDS = {
    ContaminationState.CONTAMINATED: "affected by bad data from upstream (incident {})",
    ContaminationState.IN_FLIGHT: "bad data from upstream may reach it (incident {})",
}


def forewarned(session: Session, status: Sequence[ContractGateStatus]) -> tuple[ContractGateStatus, ...]:
    """Return the statuses with upstream incidents applied, the worst first.

    An upstream incident can only make an answer worse."""
    reasons = _reasons(session, {each.about.contract_id for each in status})
    statuses = [_with_warning(session, each, reasons[each.about]) if each.about in reasons else each for each in status]
    return tuple(sorted(statuses, key=lambda each: ORDER.index(each.answer), reverse=True))


def harmed(session: Session, contracts: Iterable[str]) -> frozenset[str]:
    """Return the contracts whose data is, or will be, affected by bad data from upstream."""
    return frozenset(each.contract_id for each in _upstream_incidents(session, contracts))


def _reasons(session: Session, contracts: Iterable[str]) -> Mapping[ContractObject, str]:
    """Return the reason by object, of its oldest upstream incident."""
    oldest_last = reversed(_upstream_incidents(session, contracts))
    return {ContractObject(each.contract_id, each.object): _words(each) for each in oldest_last}


def _upstream_incidents(session: Session, contracts: Iterable[str]) -> list[UpstreamIncident]:
    return incident_downstream.upstream_incidents(session, col(DatasetContractRow.contract_id).in_(list(contracts)))


def _words(incident: UpstreamIncident) -> str:
    return WORDS[incident.downstream.contamination].format(incident.incident.id)


def _with_warning(session: Session, status: ContractGateStatus, why: str) -> ContractGateStatus:
    answer = max(status.answer, _mildest(session, status), key=ORDER.index)
    return replace(status, answer=answer, reason="; ".join(filter(None, (status.reason, why))), upstream_failed=True)


def _mildest(session: Session, status: ContractGateStatus) -> GateAnswer:
    """Return the mildest answer that the contract permits while upstream data is bad."""
    row = ContractVersionRow
    query = select(row.body).where(row.contract_id == status.about.contract_id, row.version == status.version)
    body = session.exec(query).first()
    return GateAnswer(read(body).terms.lineage.on_upstream_failed) if body else GateAnswer.ALLOW
