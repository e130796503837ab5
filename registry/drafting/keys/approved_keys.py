"""Collect which columns owners declared unique: what a registry's key-name model is trained on.

Only approved versions count; of each object, the newest version that has it. An object in which owners declared no key
says nothing about its columns, except those whose uniqueness they rejected. Classified columns are left out, because a
model is for everybody; they only count as neighbors of others."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlmodel import Session, col, select

from treaty.contracts.document.classification import is_classified
from treaty.contracts.document.model import Contract, ContractCheck, DataObject, Property
from treaty.contracts.document.reader import read
from treaty.contracts.fingerprint import fingerprint
from treaty.contracts.schema import Column
from treaty.engine.analyzers.base import NotApplicableToTable
from treaty.engine.checks.odcs_metrics import translate_check
from treaty.engine.suggestions.keys.model import KEY_KINDS, shipped
from treaty.engine.suggestions.keys.name_features import FAMILIES, SchemaColumnName
from treaty.engine.suggestions.keys.registry_model import REGISTRY_RECIPE, KeyFacts
from treaty.engine.suggestions.keys.training import key_columns
from treaty.registry.core.enums import Decision, ProposalState
from treaty.registry.datasets.contract_datasets import ContractObject
from treaty.registry.drafting.keys.table_families import FamilyMember, families
from treaty.registry.tables import ContractVersionRow, DatasetContractRow, ProposalRow, ProposalSuggestionRow

# Metrics whose value shows that a column is unique, with a value just short of it.
UNIQUENESS = {"uniqueness": (1, 1 - 1e-9), "unique_value_ratio": (1, 1 - 1e-9), "duplicate_rows": (0, 1)}
# An owner decides about these proposals, and so about the rejected suggestions in them.
DECIDED = (ProposalState.APPROVED, ProposalState.REJECTED)
Rejections = frozenset[tuple[str, str, str]]


@dataclass(frozen=True)
class ApprovedObject:
    """An object of the newest approved version that has it. `datasets`: ids of its datasets."""

    contract_id: str
    object: DataObject
    datasets: frozenset[UUID]

    @property
    def about(self) -> ContractObject:
        """Return the contract's id and the object's name."""
        return ContractObject(self.contract_id, self.object.name)


def facts_fingerprint(session: Session) -> str:
    """Return the fingerprint of everything that a training reads; it costs no parsing."""
    row = ContractVersionRow
    versions = session.exec(select(row.contract_id, row.version, row.fingerprint)).all()
    links = session.exec(select(DatasetContractRow.dataset_id, DatasetContractRow.contract_id)).all()
    parts = (
        sorted(map(list, versions)),
        sorted([str(a), b] for a, b in links),
        sorted(map(list, _rejections(session))),
    )
    return fingerprint([*parts, shipped().title, REGISTRY_RECIPE])


def facts(session: Session) -> KeyFacts:
    """Return the columns to train on, in a fixed order, with their families."""
    rejections, objects = _rejections(session), _objects(session)
    masked = _masked(objects)
    labeled = [(each, column, label) for each in objects for column, label in _labels(each, rejections, masked)]
    used = list({each.about: each for each, _, _ in labeled}.values())
    family = dict(zip([each.about for each in used], families([_member(each) for each in used]), strict=True))
    rejected = sum((*each.about, column.name) in rejections for each, column, label in labeled if not label)
    return KeyFacts(
        columns=key_columns(
            [_named(each.object, column) for each, column, _ in labeled],
            [int(label) for _, _, label in labeled],
            [family[each.about] for each, _, _ in labeled],
        ),
        fingerprint=facts_fingerprint(session),
        tables=len(used),
        rejected=rejected,
    )


def _objects(session: Session) -> list[ApprovedObject]:
    row, link = ContractVersionRow, DatasetContractRow
    datasets: dict[tuple[str, str], set[UUID]] = {}
    for dataset_id, contract_id, name in session.exec(select(link.dataset_id, link.contract_id, link.object)):
        datasets.setdefault((contract_id, name), set()).add(dataset_id)
    newest: dict[tuple[str, str], DataObject] = {}
    query = select(row.body).order_by(row.contract_id, col(row.approved_at).desc(), col(row.id).desc())
    for contract in map(read, session.exec(query)):
        for each in _tables(contract):
            newest.setdefault((contract.id, each.name), each)
    return [ApprovedObject(key[0], newest[key], frozenset(datasets.get(key, ()))) for key in sorted(newest)]


def _tables(contract: Contract) -> Iterator[DataObject]:
    return (each for each in contract.objects if each.properties)


def _rejections(session: Session) -> Rejections:
    """Return contract, object and column of suggested keys that an owner rejected last."""
    row = ProposalSuggestionRow
    query = (
        select(ProposalRow.contract_id, row.content, row.decision)
        .join(ProposalRow, col(ProposalRow.id) == col(row.proposal_id))
        .where(col(ProposalRow.state).in_(DECIDED), col(row.decided_at).is_not(None))
        .where(row.content["kind"].as_string().in_(KEY_KINDS))
        .order_by(col(row.decided_at), col(row.id))
    )
    latest = {
        (contract, str(of["object"]), str(of["column"])): decision for contract, of, decision in session.exec(query)
    }
    return frozenset(key for key, decision in latest.items() if decision is Decision.REJECTED)


def _masked(objects: Sequence[ApprovedObject]) -> frozenset[tuple[UUID, str]]:
    """Return dataset and column of what any contract about the dataset classifies."""
    return frozenset(
        (dataset, column.name.casefold())
        for each in objects
        for column in each.object.properties
        if each.datasets and is_classified(each.object, (column.name,))
        for dataset in each.datasets
    )


def _labels(
    each: ApprovedObject, rejections: Rejections, masked: frozenset[tuple[UUID, str]]
) -> Iterator[tuple[Property, bool]]:
    """Yield each column about which owners decided, and whether it is unique."""
    keys, has_keys = _keys(each.object)
    for column in each.object.properties:
        shared = any((dataset, column.name.casefold()) in masked for dataset in each.datasets)
        if shared or is_classified(each.object, (column.name,)):
            continue
        if has_keys or (*each.about, column.name) in rejections:
            yield column, column.name in keys


def _keys(table: DataObject) -> tuple[frozenset[str], bool]:
    """Return the columns that are unique alone, and whether the table declares any key."""
    primary = [each.name for each in table.properties if each.primary_key]
    groups = [primary] if primary else []
    groups += [[each.name] for each in table.properties if each.unique]
    groups += [names for check in table.checks if (names := _unique_columns(check))]
    return frozenset(names[0] for names in groups if len(names) == 1), bool(groups)


def _unique_columns(check: ContractCheck) -> list[str]:
    """Return the columns that the check requires to be unique; [] if it requires something else."""
    try:
        translated = translate_check(check) if check.kind == "library" else check
    except NotApplicableToTable:
        return []
    values = UNIQUENESS.get(translated.analyzer)
    if values is None or translated.kind not in {"library", "treaty"} or translated.where or not translated.assertion:
        return []
    if not translated.assertion.holds(values[0]) or translated.assertion.holds(values[1]):
        return []
    named = translated.arguments.get("columns") or [translated.arguments.get("column") or translated.column]
    return [name for name in named if isinstance(name, str)]


def _named(table: DataObject, column: Property) -> SchemaColumnName:
    physical = Column(column.name, column.physical_type or "").base_type
    type_ = physical if physical in FAMILIES else column.logical_type or ""
    return SchemaColumnName(table.name, column.name, type_, tuple(each.name for each in table.properties))


def _member(each: ApprovedObject) -> FamilyMember:
    columns = tuple(column.name for column in each.object.properties)
    return FamilyMember(each.contract_id, each.object.name, columns, each.datasets)


def label_counts(of: KeyFacts) -> Mapping[str, int]:
    """Return what the facts consist of, for the audit log."""
    return {"tables": of.tables, "columns": len(of.columns.unique), "keys": int(of.columns.unique.sum())}
