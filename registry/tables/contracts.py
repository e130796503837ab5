"""Tables of contracts: contracts, versions, datasets, proposals and reviews."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Index, UniqueConstraint
from sqlmodel import Field

from treaty.registry.core.enums import Decision, ProposalState, VersionState
from treaty.registry.tables.base import (
    BaseRow,
    big_integer_column,
    enum_column,
    foreign_key_column,
    json_column,
    time_column,
)


class ContractRow(BaseRow, table=True):
    """A contract by its ODCS id.

    `active_version`: None if none is in force. `domain`: that of its last version."""

    __tablename__ = "contract"
    id: str = Field(primary_key=True)
    name: str
    owner_id: UUID = foreign_key_column("user.id", index=True)
    active_version: str | None = None
    domain: str | None = Field(default=None, index=True)
    created_at: datetime = time_column()


class ContractVersionRow(BaseRow, table=True):
    """An approved version with its exact body. Only its lifecycle fields ever change.

    `group`: one version per group of a contract is in force. `effective_from`: None means immediately.
    `effective_until`: None means until another version replaces it. `successor_version`, `reason`: details of a
    deprecation or retirement."""

    __tablename__ = "contract_version"
    __table_args__ = (UniqueConstraint("contract_id", "version"),)
    id: UUID = Field(primary_key=True)
    contract_id: str = foreign_key_column("contract.id")
    version: str
    body: bytes
    fingerprint: str
    group: str = "main"
    state: VersionState = enum_column(VersionState, index=True)
    proposal_id: UUID | None = foreign_key_column("proposal.id", default=None, index=True)
    approved_by_id: UUID = foreign_key_column("user.id")
    approved_at: datetime = time_column()
    effective_from: datetime | None = time_column(default=None)
    effective_until: datetime | None = time_column(default=None)
    activated_at: datetime | None = time_column(default=None)
    ended_at: datetime | None = time_column(default=None)
    successor_version: str | None = None
    reason: str | None = None


class DatasetRow(BaseRow, table=True):
    """A dataset by its lineage name, with its location for Spark.

    `states_version`: number of changes of its states. `publishing_version`: version that a gate is about to publish;
    None if no publication is open. `last_scanned_at`: start of the latest scan with a stored outcome; None if there was
    none. `last_arrival_at`: latest arrival of data, as reported by its writer, else the time of its detection.
    `last_written_at`: latest write that a run reported, inspected or not. `dropped_at`: latest reported drop or rename;
    None if it was read since. `schema_declared_at`: time of the latest report of its columns, independent of its data.
    `read_version`: table version of the states with the table's id, for formats that have versions
    (`treaty.engine.protocol.write_hints.TableVersion`)."""

    __tablename__ = "dataset"
    __table_args__ = (UniqueConstraint("namespace", "name"), Index(None, "name"))
    id: UUID = Field(primary_key=True)
    namespace: str
    name: str
    location: str | None = None
    format: str | None = None
    partition_by: list[str] = json_column(default_factory=list)
    states_version: int = big_integer_column(default=0)
    publishing_version: int | None = big_integer_column(default=None)
    last_scanned_at: datetime | None = time_column(default=None)
    last_arrival_at: datetime | None = time_column(default=None)
    last_written_at: datetime | None = time_column(default=None)
    dropped_at: datetime | None = time_column(default=None)
    schema_declared_at: datetime | None = time_column(default=None)
    read_version: str | None = None


class DatasetContractRow(BaseRow, table=True):
    """A link from a dataset to a contract object that covers it. A dataset may have several."""

    __tablename__ = "dataset_contract"
    dataset_id: UUID = foreign_key_column("dataset.id", primary_key=True)
    contract_id: str = foreign_key_column("contract.id", primary_key=True, index=True)
    object: str = Field(primary_key=True)


class ProposalRow(BaseRow, table=True):
    """A document under review to become a version.

    `revision`: increases with every change of the proposal or its suggestions. `domain`: domain of the contract, or of
    the document for a new contract. `effective_from`, `effective_until`: period in which the version is to be in force;
    None means unlimited. `assignee_id`: user assigned to decide; None means unassigned."""

    __tablename__ = "proposal"
    id: UUID = Field(primary_key=True)
    contract_id: str = Field(index=True)
    domain: str | None = Field(default=None, index=True)
    title: str
    base: bytes
    source: dict[str, Any] | None = json_column(default=None)
    author_id: UUID = foreign_key_column("user.id", index=True)
    state: ProposalState = enum_column(ProposalState, index=True)
    revision: int = 1
    task_id: UUID | None = foreign_key_column("task.id", default=None, index=True)
    comment: str | None = None
    reason: str | None = None
    created_at: datetime = time_column()
    decided_by_id: UUID | None = foreign_key_column("user.id", default=None)
    decided_at: datetime | None = time_column(default=None)
    effective_from: datetime | None = time_column(default=None)
    effective_until: datetime | None = time_column(default=None)
    assignee_id: UUID | None = Field(default=None, index=True)


class ProposalSnoozeRow(BaseRow, table=True):
    """A user's snooze of a proposal until `snoozed_until`."""

    __tablename__ = "proposal_snooze"
    user_id: UUID = foreign_key_column("user.id", primary_key=True)
    proposal_id: UUID = foreign_key_column("proposal.id", primary_key=True)
    snoozed_until: datetime = time_column()


class ContractRequestRow(BaseRow, table=True):
    """A request for a contract on a dataset. `purpose`: the requester's reason.

    `ended_at`: time at which it was withdrawn or declined; None means open until there is a draft or contract.
    `reason`: reason of the refusal."""

    __tablename__ = "contract_request"
    __table_args__ = (Index(None, "namespace", "name"),)
    id: UUID = Field(primary_key=True)
    namespace: str
    name: str
    author_id: UUID = foreign_key_column("user.id")
    purpose: str
    created_at: datetime = time_column()
    ended_at: datetime | None = time_column(default=None)
    reason: str | None = None


class ProposalSuggestionRow(BaseRow, table=True):
    """A suggested check of a proposal, with the decision. `content`: the suggestion as drafted.

    `edited_patch`: patch that a user accepted instead of the drafted one. `new_evidence`: for a suggestion that was
    rejected before, the change in its evidence since then. `optional`: it adds little to the others of its column and
    needs no decision."""

    __tablename__ = "proposal_suggestion"
    __table_args__ = (UniqueConstraint("proposal_id", "identity"),)
    id: UUID = Field(primary_key=True)
    proposal_id: UUID = foreign_key_column("proposal.id")
    identity: str = Field(index=True)
    position: int
    content: dict[str, Any] = json_column()
    decision: Decision = enum_column(Decision, default=Decision.PENDING)
    reason: str | None = None
    rejected_before: bool = False
    optional: bool = False
    edited_patch: dict[str, Any] | None = json_column(default=None)
    new_evidence: str | None = None
    decided_by_id: UUID | None = foreign_key_column("user.id", default=None)
    decided_at: datetime | None = time_column(default=None)


class ProposalProfileRow(BaseRow, table=True):
    """The profile of the table from which a proposal was drafted (`treaty.engine.profile.format`)."""

    __tablename__ = "proposal_profile"
    proposal_id: UUID = foreign_key_column("proposal.id", primary_key=True)
    document: dict[str, Any] = json_column()
    created_at: datetime = time_column()


class ProposalRevisionRow(BaseRow, table=True):
    """One change of a proposal, by its resulting revision.

    `edited_document`: True if the author changed the proposed document."""

    __tablename__ = "proposal_revision"
    proposal_id: UUID = foreign_key_column("proposal.id", primary_key=True)
    revision: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    author_id: UUID = foreign_key_column("user.id")
    description: str
    edited_document: bool
    created_at: datetime = time_column()


class ProposalApprovalRow(BaseRow, table=True):
    """An owner's approval of the body with that fingerprint. `voided_at`: time of a later edit; None if valid."""

    __tablename__ = "proposal_approval"
    id: UUID = Field(primary_key=True)
    proposal_id: UUID = foreign_key_column("proposal.id", index=True)
    approver_id: UUID = foreign_key_column("user.id", index=True)
    version: str
    fingerprint: str
    revision: int
    approved_at: datetime = time_column()
    voided_at: datetime | None = time_column(default=None)


class ProposalCommentRow(BaseRow, table=True):
    """A comment on a revision of a proposal. Comments are never edited or deleted."""

    __tablename__ = "proposal_comment"
    id: UUID = Field(primary_key=True)
    proposal_id: UUID = foreign_key_column("proposal.id", index=True)
    author_id: UUID = foreign_key_column("user.id")
    revision: int
    text: str
    created_at: datetime = time_column()


class ProposalChangeRequestRow(BaseRow, table=True):
    """A comment's request for changes, which blocks the approval of the proposal.

    `ended_at`: time at which the proposal changed or the request was withdrawn; None means that it still blocks."""

    __tablename__ = "proposal_change_request"
    comment_id: UUID = foreign_key_column("proposal_comment.id", primary_key=True)
    proposal_id: UUID = foreign_key_column("proposal.id", index=True)
    author_id: UUID = foreign_key_column("user.id")
    ended_at: datetime | None = time_column(default=None)
