"""What came from further up, said with the gate's answer: a reason, and no answer of its own unless the contract has it
so (`lineage: {on_upstream_failed: warn}`)."""

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

# What the contract's word makes of an answer, at the least.
LEAST = {"tell": GateAnswer.PASS, "warn": GateAnswer.WARN, "block": GateAnswer.BLOCK}
WORDS = {
    ContaminationState.CONTAMINATED: "bad data from further up came to it (incident {})",
    ContaminationState.IN_FLIGHT: "bad data from further up are on their way to it (incident {})",
}


def forewarned(session: Session, told: Sequence[ContractGateStatus]) -> tuple[ContractGateStatus, ...]:
    """The answers, the worst first, with what of bad data from further up concerns them. An answer may only become a
    worse one by it."""
    reasons = _reasons(session, {each.about.contract_id for each in told})
    found = [_with_warning(session, each, reasons[each.about]) if each.about in reasons else each for each in told]
    return tuple(sorted(found, key=lambda each: ORDER.index(each.answer), reverse=True))


def harmed(session: Session, contracts: Iterable[str]) -> frozenset[str]:
    """Those of the contracts to whose data bad ones came from further up, or are on their way."""
    return frozenset(each.contract_id for each in _upstream_incidents(session, contracts))


def _reasons(session: Session, contracts: Iterable[str]) -> Mapping[ContractObject, str]:
    """By object the first incident whose bad data came; of several the oldest."""
    came = reversed(_upstream_incidents(session, contracts))
    return {ContractObject(each.contract_id, each.object): _words(each) for each in came}


def _upstream_incidents(session: Session, contracts: Iterable[str]) -> list[UpstreamIncident]:
    return incident_downstream.upstream_incidents(session, col(DatasetContractRow.contract_id).in_(list(contracts)))


def _words(found: UpstreamIncident) -> str:
    return WORDS[found.downstream.contamination].format(found.incident.id)


def _with_warning(session: Session, told: ContractGateStatus, why: str) -> ContractGateStatus:
    least = LEAST[_terms(session, told)]
    answer = max(told.answer, least, key=ORDER.index)
    return replace(told, answer=answer, reason="; ".join(filter(None, (told.reason, why))), upstream_failed=True)


def _terms(session: Session, told: ContractGateStatus) -> str:
    row = ContractVersionRow
    query = select(row.body).where(row.contract_id == told.about.contract_id, row.version == told.version)
    body = session.exec(query).first()
    return read(body).terms.lineage.on_upstream_failed if body else "tell"
