"""What the index of patterns says to a principal: of columns of tables that they may read, and that are for every eye.

Patterns hold words that values share, and a name of a table may be telling: nothing is said of what only other columns
carry. Of a pattern that a column of theirs carries it is said how many columns of the lake have it."""

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
    """A column that carries a pattern, as an object of a contract that the principal may read has it."""

    about: ContractObject
    carrier: Carrier


@dataclass(frozen=True)
class PatternInfo:
    """A pattern with what the index says of it, its columns, the narrower and the wider ones."""

    carriers: PatternCarriers
    pattern_columns: tuple[PatternColumn, ...]


@dataclass(frozen=True)
class VisibleTable:
    """A table of the index: the objects about it that the principal may read, and its columns for every eye."""

    about: tuple[ContractObject, ...]
    columns: frozenset[str]


def top(session: Session, lake: PatternLake, limit: int, by: Principal) -> list[CommonPattern]:
    """The common domains, those of most columns first; none where nothing was learned yet."""
    try:
        return common_domains(lake, limit, _columns(_visible(session, by)))
    except UnreadableIndex:
        return []


def find(session: Session, lake: PatternLake, pattern: str, by: Principal) -> PatternInfo:
    """What carries the pattern. Raises Invalid for a text that is no pattern."""
    tables = _visible(session, by)
    try:
        found = pattern_carriers(lake, pattern, _columns(tables))
    except UnreadableIndex:
        found = PatternCarriers(None, (), (), ())
    except PatternError as error:
        raise InvalidRequest(str(error)) from None
    return PatternInfo(
        found, tuple(PatternColumn(about, each) for each in found.carriers for about in tables[each.table].about)
    )


def _columns(tables: Mapping[str, VisibleTable]) -> dict[str, frozenset[str]]:
    return {name: each.columns for name, each in tables.items()}


def _visible(session: Session, by: Principal) -> dict[str, VisibleTable]:
    found: dict[str, VisibleTable] = {}
    readable = select(DatasetRow).where(col(DatasetRow.location).is_not(None), visibility.datasets(by))
    for row in session.exec(readable.order_by(col(DatasetRow.location), col(DatasetRow.id))).all():
        about = tuple(_readable(session, row, by))
        for each in index_updates.lake_table(session, row) if about else ():
            found[each.name] = VisibleTable(about, frozenset(each.columns))
    return found


def _readable(session: Session, row: DatasetRow, by: Principal) -> Iterator[ContractObject]:
    for each in contract_datasets.objects_of(session, row.id):
        if by.may(Permission.READ, visibility.object_resource(session, *each)):
            yield each
