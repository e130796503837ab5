"""Tables of contracts: what is promised, its versions, and the proposals on the way to the next one."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Index, UniqueConstraint
from sqlmodel import Field

from registry.tables.base import Table, big, data, moment, reference, word
from registry.words import Decision, ProposalState, VersionState


class Contract(Table, table=True):
    """A contract by its ODCS id. `active_version` None: nothing is in force. `domain` is that of its last version."""

    __tablename__ = "contract"
    id: str = Field(primary_key=True)
    name: str
    owner_id: UUID = reference("user.id", index=True)
    active_version: str | None = None
    domain: str | None = Field(default=None, index=True)
    created: datetime = moment()


class ContractVersion(Table, table=True):
    """An approved version: its body, byte for byte. Only `state` ever changes."""

    __tablename__ = "contract_version"
    __table_args__ = (UniqueConstraint("contract_id", "version"),)
    id: UUID = Field(primary_key=True)
    contract_id: str = reference("contract.id")
    version: str
    body: bytes
    fingerprint: str
    state: VersionState = word(VersionState)
    proposal_id: UUID | None = reference("proposal.id", default=None, index=True)
    approved_by_id: UUID = reference("user.id")
    approved_at: datetime = moment()


class Dataset(Table, table=True):
    """A dataset as lineage names it, and where Spark reads it.

    `states_version` counts the changes of its partitions' states. `publishing`: the version whose files a gate is
    about to publish; None: no publication is open. `seen`: when the newest look at its files began whose outcome is
    kept; None: there was none."""

    __tablename__ = "dataset"
    __table_args__ = (UniqueConstraint("namespace", "name"), Index(None, "name"))
    id: UUID = Field(primary_key=True)
    namespace: str
    name: str
    location: str | None = None
    format: str | None = None
    partition_by: list[str] = data(default_factory=list)
    states_version: int = big(default=0)
    publishing: int | None = big(default=None)
    seen: datetime | None = moment(default=None)


class DatasetContract(Table, table=True):
    """That an object of a contract promises something about a dataset: several may, of one contract or of many."""

    __tablename__ = "dataset_contract"
    dataset_id: UUID = reference("dataset.id", primary_key=True)
    contract_id: str = reference("contract.id", primary_key=True, index=True)
    object: str = Field(primary_key=True)


class Proposal(Table, table=True):
    """A document on its way to become a version. `revision` grows with every change of it or of its suggestions.

    `domain` is that of the contract; of one that is not there yet, that of the document."""

    __tablename__ = "proposal"
    id: UUID = Field(primary_key=True)
    contract_id: str = Field(index=True)
    domain: str | None = Field(default=None, index=True)
    title: str
    base: bytes
    source: dict[str, Any] | None = data(default=None)
    author_id: UUID = reference("user.id", index=True)
    state: ProposalState = word(ProposalState, index=True)
    revision: int = 1
    task_id: UUID | None = reference("task.id", default=None, index=True)
    comment: str | None = None
    reason: str | None = None
    created: datetime = moment()
    decided_by_id: UUID | None = reference("user.id", default=None)
    decided_at: datetime | None = moment(default=None)


class SuggestionRow(Table, table=True):
    """A suggested check of a proposal and the decision about it. `content` is the suggestion as it was drafted."""

    __tablename__ = "suggestion"
    __table_args__ = (UniqueConstraint("proposal_id", "identity"),)
    id: UUID = Field(primary_key=True)
    proposal_id: UUID = reference("proposal.id")
    identity: str = Field(index=True)
    position: int
    content: dict[str, Any] = data()
    decision: Decision = word(Decision, default=Decision.PENDING)
    reason: str | None = None
    rejected_before: bool = False
    decided_by_id: UUID | None = reference("user.id", default=None)
    decided_at: datetime | None = moment(default=None)
