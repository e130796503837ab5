"""The search: contracts found by their words, counted by owner, domain, tag and state.

The index follows the contracts: whatever transaction changes one, a version of it or a proposal for it indexes it anew
before it commits. The words are the same on both databases (`treaty.registry.browse.document_text`), the index is that
of each (`treaty.registry.browse.search_index`)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Engine, delete, event, func, inspect, true
from sqlalchemy import select as columns_of
from sqlalchemy.orm import Session as AnySession
from sqlmodel import Session, col, select

from treaty.registry.browse import search_index
from treaty.registry.browse.document_text import DocumentText, described, index_words
from treaty.registry.core.database import lock, number_of, read_session, transaction
from treaty.registry.core.enums import LabelKind
from treaty.registry.core.pagination import PageRequest, RowPage, counted, skipped
from treaty.registry.core.state_machines import REVIEWED
from treaty.registry.tables import (
    ContractRow,
    ContractVersionRow,
    DatasetContractRow,
    DatasetRow,
    ProposalRow,
    SearchEntryRow,
    SearchLabelRow,
    UserRow,
)

PROPOSED = "proposed"
MOST_FACETS = 20
# What is told in the index: of each table the column that names the contract, and those whose change is noticed.
WATCHED: dict[type, tuple[str, tuple[str, ...]]] = {
    ContractRow: ("id", ("active_version", "owner_id", "name")),
    ContractVersionRow: ("contract_id", ("state",)),
    ProposalRow: ("contract_id", ("state", "base")),
}
TOUCHED = "treaty.touched"


@dataclass(frozen=True)
class SearchQuery:
    """What is looked for: words, of which the last may be the beginning of one, and labels."""

    text: str = ""
    labels: Mapping[LabelKind, str] = field(default_factory=dict)


@dataclass(frozen=True)
class SearchResult:
    """What was found: a portion of it, best first, how much in all, and of each kind of label how often which."""

    portion: RowPage[SearchEntryRow]
    total: int
    facets: Mapping[LabelKind, Sequence[tuple[str, int]]]


@dataclass(frozen=True, kw_only=True)
class _Source:
    """What of a contract is indexed."""

    name: str
    owner: str
    state: str
    version: str | None
    body: bytes


def find(
    session: Session, wanted: SearchQuery, asked: PageRequest, *, readable: ColumnElement[bool] | None = None
) -> SearchResult:
    """Entries that have all words and labels; of those, the ones that are `readable`. Without words by id.

    Raises Invalid for a cursor of another list."""
    hits = search_index.hits(session, wanted.text)
    chosen = (
        true() if readable is None else readable,
        *(_labelled(kind, value) for kind, value in wanted.labels.items()),
    )
    own = col(SearchEntryRow.contract_id)
    query = select(SearchEntryRow).join(hits, hits.c.contract_id == own).where(*chosen)
    portion = query.order_by(hits.c.rank, own).offset(skipped(asked)).limit(asked.limit + 1)
    facets = _facets(session, columns_of(own).join(hits, hits.c.contract_id == own).where(*chosen))
    shown = {kind: counts[:MOST_FACETS] for kind, counts in facets.items()}
    total = sum(count for _, count in facets[LabelKind.STATE])
    return SearchResult(counted(session.exec(portion).all(), asked), total, shown)


def index(session: Session, contract_id: str) -> None:
    """Has the contract found by what it says now: its version in force, else its newest one, else what is proposed.

    Whoever else indexes it waits for this transaction."""
    lock(session, number_of(f"search {contract_id}"))
    search_index.forget(session, contract_id)
    session.exec(delete(SearchLabelRow).where(col(SearchLabelRow.contract_id) == contract_id))
    session.exec(delete(SearchEntryRow).where(col(SearchEntryRow.contract_id) == contract_id))
    source = _source(session, contract_id)
    if source is not None:
        _keep(session, contract_id, source)


def complete(engine: Engine, *, anew: bool = False) -> int:
    """Indexes contracts that are not indexed, or all of them `anew`, each in a transaction of its own; how many."""
    with read_session(engine) as session:
        kept = set(session.exec(select(SearchEntryRow.contract_id)).all())
        there = set(session.exec(select(ContractRow.id)).all()) | set(session.exec(_in_review()).all())
    wanted = sorted(there | kept if anew else there - kept)
    for contract_id in wanted:
        with transaction(engine) as session:
            index(session, contract_id)
            session.commit()
    return len(wanted)


def _in_review() -> Any:
    return select(ProposalRow.contract_id).where(col(ProposalRow.state).in_(REVIEWED))


def _labelled(kind: LabelKind, value: str) -> ColumnElement[bool]:
    label = SearchLabelRow
    query = select(label.contract_id).where(label.kind == kind.value, label.value == value)
    return col(SearchEntryRow.contract_id).in_(query)


def _facets(session: Session, ids: Any) -> Mapping[LabelKind, list[tuple[str, int]]]:
    label, many = SearchLabelRow, func.count().label("many")
    query = select(label.kind, label.value, many).where(col(label.contract_id).in_(ids))
    found: dict[LabelKind, list[tuple[str, int]]] = {kind: [] for kind in LabelKind}
    for kind, value, times in session.exec(query.group_by(label.kind, label.value).order_by(many.desc(), label.value)):
        found[LabelKind(kind)].append((value, times))
    return found


def _keep(session: Session, contract_id: str, source: _Source) -> None:
    said = described(source.body)
    labels = [
        (LabelKind.OWNER, source.owner),
        (LabelKind.STATE, source.state),
        *((LabelKind.DOMAIN, each) for each in (said.domain,) if each),
        *((LabelKind.TAG, each) for each in said.tags),
    ]
    session.add(SearchEntryRow(contract_id=contract_id, summary=_shown(source, said)))
    session.add_all(SearchLabelRow(contract_id=contract_id, kind=kind.value, value=value) for kind, value in labels)
    session.flush()
    names = (contract_id, source.name, *said.names, *_datasets(session, contract_id))
    parts = (names, (*(value for _, value in labels), *said.people), said.prose)
    search_index.keep(session, contract_id, [index_words(each) for each in parts])


def _shown(source: _Source, said: DocumentText) -> dict[str, Any]:
    return {
        "name": source.name,
        "owner": source.owner,
        "state": source.state,
        "version": source.version,
        "domain": said.domain,
        "tags": list(said.tags),
        "objects": list(said.objects),
        "description": said.summary,
    }


def _datasets(session: Session, contract_id: str) -> Sequence[str]:
    link = DatasetContractRow
    named = select(DatasetRow.name).join(link, col(link.dataset_id) == col(DatasetRow.id))
    return session.exec(named.where(link.contract_id == contract_id)).all()


def _source(session: Session, contract_id: str) -> _Source | None:
    contract = session.get(ContractRow, contract_id)
    version = _version(session, contract) if contract else None
    if contract and version:
        return _Source(
            name=contract.name,
            owner=_name(session, contract.owner_id),
            state=version.state.value,
            version=version.version,
            body=version.body,
        )
    query = select(ProposalRow).where(ProposalRow.contract_id == contract_id, col(ProposalRow.state).in_(REVIEWED))
    proposal = session.exec(query.order_by(col(ProposalRow.created_at).desc()).limit(1)).first()
    if proposal is None:
        return None
    said = described(proposal.base).names
    return _Source(
        name=said[0] if said else contract_id,
        owner=_name(session, proposal.author_id),
        state=PROPOSED,
        version=None,
        body=proposal.base,
    )


def _version(session: Session, contract: ContractRow) -> ContractVersionRow | None:
    """The contract's version in force; where none is, its newest."""
    row = ContractVersionRow
    in_force = (col(row.version) == (contract.active_version or "")).desc()
    query = select(row).where(row.contract_id == contract.id).order_by(in_force, col(row.approved_at).desc())
    return session.exec(query.limit(1)).first()


def _name(session: Session, user_id: UUID) -> str:
    return session.get_one(UserRow, user_id).name


@event.listens_for(AnySession, "before_flush")
def _note(session: Any, *_: Any) -> None:
    """Notes which contracts the index must follow."""
    for row in (*session.new, *session.dirty):
        key, watched = WATCHED.get(type(row), ("", ()))
        if any(inspect(row).attrs[name].history.has_changes() for name in watched):
            session.info.setdefault(TOUCHED, set()).add(getattr(row, key))


# Before the audit is written to, for which all writers wait.
@event.listens_for(AnySession, "before_commit", insert=True)
def _follow(session: Any) -> None:
    if session.in_nested_transaction():
        return
    session.flush()
    for contract_id in sorted(session.info.pop(TOUCHED, ())):
        index(session, contract_id)
