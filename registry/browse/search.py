"""Search contracts by words, with facets for owner, domain, tag and state.

Every transaction that changes a contract, its versions or its proposals updates the index before it commits. The words
are the same on both databases (`treaty.registry.browse.document_text`); the index is specific to each
(`treaty.registry.browse.search_index`)."""

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
# Columns to watch: for each table, the column with the contract id and the columns whose change requires reindexing.
WATCHED: dict[type, tuple[str, tuple[str, ...]]] = {
    ContractRow: ("id", ("active_version", "owner_id", "name")),
    ContractVersionRow: ("contract_id", ("state",)),
    ProposalRow: ("contract_id", ("state", "base")),
}
TOUCHED = "treaty.touched"


@dataclass(frozen=True)
class SearchQuery:
    """A search by words and labels.

    `text`: the last word matches as a prefix."""

    text: str = ""
    labels: Mapping[LabelKind, str] = field(default_factory=dict)


@dataclass(frozen=True)
class SearchResult:
    """One page of matches, best first, with the total and the facet counts."""

    portion: RowPage[SearchEntryRow]
    total: int
    facets: Mapping[LabelKind, Sequence[tuple[str, int]]]


@dataclass(frozen=True, kw_only=True)
class _Source:
    """The indexed content of a contract."""

    name: str
    owner: str
    state: str
    version: str | None
    body: bytes


def find(
    session: Session, search_query: SearchQuery, request: PageRequest, *, readable: ColumnElement[bool] | None = None
) -> SearchResult:
    """Return entries that have all words and labels, ordered by rank; by id if there are no words.

    `readable`: visibility filter; None returns all entries.
    Raises InvalidRequest if the cursor belongs to another list."""
    hits = search_index.hits(session, search_query.text)
    chosen = (
        true() if readable is None else readable,
        *(_labelled(kind, value) for kind, value in search_query.labels.items()),
    )
    own = col(SearchEntryRow.contract_id)
    query = select(SearchEntryRow).join(hits, hits.c.contract_id == own).where(*chosen)
    portion = query.order_by(hits.c.rank, own).offset(skipped(request)).limit(request.limit + 1)
    facets = _facets(session, columns_of(own).join(hits, hits.c.contract_id == own).where(*chosen))
    shown = {kind: counts[:MOST_FACETS] for kind, counts in facets.items()}
    total = sum(count for _, count in facets[LabelKind.STATE])
    return SearchResult(counted(session.exec(portion).all(), request), total, shown)


def index(session: Session, contract_id: str) -> None:
    """Index the version in force of a contract, else its newest version, else its proposal.

    Concurrent transactions that index the same contract wait for this one."""
    lock(session, number_of(f"search {contract_id}"))
    search_index.forget(session, contract_id)
    session.exec(delete(SearchLabelRow).where(col(SearchLabelRow.contract_id) == contract_id))
    session.exec(delete(SearchEntryRow).where(col(SearchEntryRow.contract_id) == contract_id))
    source = _source(session, contract_id)
    if source is not None:
        _keep(session, contract_id, source)


def complete(engine: Engine, *, rebuild: bool = False) -> int:
    """Index contracts that are missing from the index, or on request all contracts.

    Each contract is indexed in its own transaction. Returns the number of indexed contracts."""
    with read_session(engine) as session:
        indexed = set(session.exec(select(SearchEntryRow.contract_id)).all())
        existing = set(session.exec(select(ContractRow.id)).all()) | set(session.exec(_in_review()).all())
    pending = sorted(existing | indexed if rebuild else existing - indexed)
    for contract_id in pending:
        with transaction(engine) as session:
            index(session, contract_id)
            session.commit()
    return len(pending)


def _in_review() -> Any:
    return select(ProposalRow.contract_id).where(col(ProposalRow.state).in_(REVIEWED))


def _labelled(kind: LabelKind, value: str) -> ColumnElement[bool]:
    label = SearchLabelRow
    query = select(label.contract_id).where(label.kind == kind.value, label.value == value)
    return col(SearchEntryRow.contract_id).in_(query)


def _facets(session: Session, ids: Any) -> Mapping[LabelKind, list[tuple[str, int]]]:
    label, total = SearchLabelRow, func.count().label("many")
    query = select(label.kind, label.value, total).where(col(label.contract_id).in_(ids))
    facets: dict[LabelKind, list[tuple[str, int]]] = {kind: [] for kind in LabelKind}
    for kind, value, times in session.exec(query.group_by(label.kind, label.value).order_by(total.desc(), label.value)):
        facets[LabelKind(kind)].append((value, times))
    return facets


def _keep(session: Session, contract_id: str, source: _Source) -> None:
    document = described(source.body)
    labels = [
        (LabelKind.OWNER, source.owner),
        (LabelKind.STATE, source.state),
        *((LabelKind.DOMAIN, each) for each in (document.domain,) if each),
        *((LabelKind.TAG, each) for each in document.tags),
    ]
    session.add(SearchEntryRow(contract_id=contract_id, summary=_shown(source, document)))
    session.add_all(SearchLabelRow(contract_id=contract_id, kind=kind.value, value=value) for kind, value in labels)
    session.flush()
    names = (contract_id, source.name, *document.names, *_datasets(session, contract_id))
    parts = (names, (*(value for _, value in labels), *document.people), document.prose)
    search_index.keep(session, contract_id, [index_words(each) for each in parts])


def _shown(source: _Source, text: DocumentText) -> dict[str, Any]:
    return {
        "name": source.name,
        "owner": source.owner,
        "state": source.state,
        "version": source.version,
        "domain": text.domain,
        "tags": list(text.tags),
        "objects": list(text.objects),
        "description": text.summary,
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
    names = described(proposal.base).names
    return _Source(
        name=names[0] if names else contract_id,
        owner=_name(session, proposal.author_id),
        state=PROPOSED,
        version=None,
        body=proposal.base,
    )


def _version(session: Session, contract: ContractRow) -> ContractVersionRow | None:
    """Return the version in force; the newest version if none is in force."""
    row = ContractVersionRow
    in_force = (col(row.version) == (contract.active_version or "")).desc()
    query = select(row).where(row.contract_id == contract.id).order_by(in_force, col(row.approved_at).desc())
    return session.exec(query.limit(1)).first()


def _name(session: Session, user_id: UUID) -> str:
    return session.get_one(UserRow, user_id).name


@event.listens_for(AnySession, "before_flush")
def _note(session: Any, *_: Any) -> None:
    """Record the contracts to reindex."""
    for row in (*session.new, *session.dirty):
        key, watched = WATCHED.get(type(row), ("", ()))
        if any(inspect(row).attrs[name].history.has_changes() for name in watched):
            session.info.setdefault(TOUCHED, set()).add(getattr(row, key))


# Inserted first: the audit log's hook takes a lock that all writers wait for.
@event.listens_for(AnySession, "before_commit", insert=True)
def _follow(session: Any) -> None:
    if session.in_nested_transaction():
        return
    session.flush()
    for contract_id in sorted(session.info.pop(TOUCHED, ())):
        index(session, contract_id)
