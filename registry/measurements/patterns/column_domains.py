"""Query the pattern index for a principal.

Only unclassified columns of tables that the principal may read are visible. Patterns contain words that values share,
and table names may be sensitive: patterns of other columns are not returned. For a pattern of a visible column, the
result includes the number of columns in the lake that match it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sqlmodel import Session, col, select

from treaty.engine.patterns.analysis import Carrier, CommonPattern, PatternCarriers, common_domains, pattern_carriers
from treaty.engine.patterns.index_file import UnreadableIndex
from treaty.engine.patterns.lake_index import PatternLake
from treaty.engine.patterns.language.pattern import PatternError
from treaty.registry.access import visibility
from treaty.registry.access.permissions import Principal
from treaty.registry.core.enums import Permission
from treaty.registry.core.errors import InvalidRequest
from treaty.registry.datasets import contract_datasets
from treaty.registry.datasets.contract_datasets import ContractObject
from treaty.registry.measurements.patterns import index_updates
from treaty.registry.tables import DatasetRow


@dataclass(frozen=True)
class PatternColumn:
    """A column that carries a pattern, with a readable contract object on its table."""

    about: ContractObject
    carrier: Carrier


@dataclass(frozen=True)
class PatternInfo:
    """A pattern with its statistics, its visible columns, and the narrower and wider patterns."""

    carriers: PatternCarriers
    pattern_columns: tuple[PatternColumn, ...]


@dataclass(frozen=True)
class VisibleTable:
    """A table of the index: readable contract objects on it, and its unclassified columns."""

    about: tuple[ContractObject, ...]
    columns: frozenset[str]


def top(session: Session, lake: PatternLake, limit: int, by: Principal) -> list[CommonPattern]:
    """Return the most common domains, those of most columns first; [] if there is no index yet."""
    try:
        return common_domains(lake, limit, _columns(_visible(session, by)))
    except UnreadableIndex:
        return []


def find(session: Session, lake: PatternLake, pattern: str, by: Principal) -> PatternInfo:
    """Return the visible columns that carry the pattern. Raises InvalidRequest for an invalid pattern."""
    tables = _visible(session, by)
    try:
        result = pattern_carriers(lake, pattern, _columns(tables))
    except UnreadableIndex:
        result = PatternCarriers(None, (), (), ())
    except PatternError as error:
        raise InvalidRequest(str(error)) from None
    return PatternInfo(
        result, tuple(PatternColumn(about, each) for each in result.carriers for about in tables[each.table].about)
    )


def _columns(tables: Mapping[str, VisibleTable]) -> dict[str, frozenset[str]]:
    return {name: each.columns for name, each in tables.items()}


def _visible(session: Session, by: Principal) -> dict[str, VisibleTable]:
    tables: dict[str, VisibleTable] = {}
    readable = select(DatasetRow).where(col(DatasetRow.location).is_not(None), visibility.datasets(by))
    for row in session.exec(readable.order_by(col(DatasetRow.location), col(DatasetRow.id))).all():
        about = tuple(_readable(session, row, by))
        for each in index_updates.lake_table(session, row) if about else ():
            tables[each.name] = VisibleTable(about, frozenset(each.columns))
    return tables


def _readable(session: Session, row: DatasetRow, by: Principal) -> Iterator[ContractObject]:
    for each in contract_datasets.objects_of(session, row.id):
        if by.may(Permission.READ, visibility.object_resource(session, *each)):
            yield each
