"""Tables of contracts: what is promised, its versions, and the proposals on the way to the next one."""

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
    """A contract by its ODCS id. `active_version` None: nothing is in force. `domain` is that of its last version."""

    __tablename__ = "contract"
    id: str = Field(primary_key=True)
    name: str
    owner_id: UUID = foreign_key_column("user.id", index=True)
    active_version: str | None = None
    domain: str | None = Field(default=None, index=True)
    created_at: datetime = time_column()


class ContractVersionRow(BaseRow, table=True):
    """An approved version: its body, byte for byte. Only where it stands in its life ever changes.

    `group`: of each group of a contract one version is in force. `effective_from` None: at once; `effective_until`
    None: until another takes its place. `successor_version` and `reason` are what a deprecation or a retirement
    says."""

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
    """A dataset as lineage names it, and where Spark reads it.

    `states_version` counts the changes of its partitions' states. `publishing_version`: the version whose files a gate
    is about to publish; None: no publication is open. `last_scanned_at`: when the newest look at its files began whose
    outcome is kept; None: there was none. `last_arrival_at`: when data last came that were found, as told by who wrote
    them, else when they were found. `last_written_at`: when a run last said that it had written, whether anybody has
    looked since or not. `dropped_at`: when a run last said that it was dropped or renamed; None: it was read since.
    `schema_declared_at`: as of when its columns were told last, apart from its data. `read_version`: the version that
    the states are of, of a table format that has them, with the table's own id
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
    """That an object of a contract promises something about a dataset: several may, of one contract or of many."""

    __tablename__ = "dataset_contract"
    dataset_id: UUID = foreign_key_column("dataset.id", primary_key=True)
    contract_id: str = foreign_key_column("contract.id", primary_key=True, index=True)
    object: str = Field(primary_key=True)


class ProposalRow(BaseRow, table=True):
    """A document on its way to become a version. `revision` grows with every change of it or of its suggestions.

    `domain` is that of the contract; of one that is not there yet, that of the document.
    `effective_from` and `effective_until` are the window in which the version shall be in force; None: no limit.
    `assignee_id`: who is to decide about it; None: whoever may."""

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
    """That a user put a proposal off: until then it does not wait for them."""

    __tablename__ = "proposal_snooze"
    user_id: UUID = foreign_key_column("user.id", primary_key=True)
    proposal_id: UUID = foreign_key_column("proposal.id", primary_key=True)
    snoozed_until: datetime = time_column()


class ContractRequestRow(BaseRow, table=True):
    """That somebody asks for a contract about a dataset, for a reason that is `purpose`.

    `ended_at`: when they took that back, or it was declined; `reason`: why it was. None: it waits until there is a
    draft or a contract."""

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
    """A suggested check of a proposal and the decision about it. `content` is the suggestion as it was drafted.

    `edited_patch`: the patch that somebody accepted in place of the drafted one. `new_evidence`: of one that was
    rejected before, what its evidence says now and did not say then."""

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
    edited_patch: dict[str, Any] | None = json_column(default=None)
    new_evidence: str | None = None
    decided_by_id: UUID | None = foreign_key_column("user.id", default=None)
    decided_at: datetime | None = time_column(default=None)


class ProposalProfileRow(BaseRow, table=True):
    """What the table was like that a proposal was drafted of, in the format of `treaty.engine.profile.format`."""

    __tablename__ = "proposal_profile"
    proposal_id: UUID = foreign_key_column("proposal.id", primary_key=True)
    document: dict[str, Any] = json_column()
    created_at: datetime = time_column()


class ProposalRevisionRow(BaseRow, table=True):
    """One change of a proposal, by the revision that it made. `edited_document`: its author had a hand in what is
    proposed."""

    __tablename__ = "proposal_revision"
    proposal_id: UUID = foreign_key_column("proposal.id", primary_key=True)
    revision: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    author_id: UUID = foreign_key_column("user.id")
    description: str
    edited_document: bool
    created_at: datetime = time_column()


class ProposalApprovalRow(BaseRow, table=True):
    """One owner's consent to exactly the body of that fingerprint. `voided_at`: it was edited; None: it holds."""

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
    """What somebody said about a proposal, and about which revision. Nobody edits or deletes it."""

    __tablename__ = "proposal_comment"
    id: UUID = Field(primary_key=True)
    proposal_id: UUID = foreign_key_column("proposal.id", index=True)
    author_id: UUID = foreign_key_column("user.id")
    revision: int
    text: str
    created_at: datetime = time_column()


class ProposalChangeRequestRow(BaseRow, table=True):
    """That the comment asks for changes, without which its author does not approve. `ended_at`: the proposal was
    changed, or they ask no longer; None: it is not approved meanwhile."""

    __tablename__ = "proposal_change_request"
    comment_id: UUID = foreign_key_column("proposal_comment.id", primary_key=True)
    proposal_id: UUID = foreign_key_column("proposal.id", index=True)
    author_id: UUID = foreign_key_column("user.id")
    ended_at: datetime | None = time_column(default=None)
