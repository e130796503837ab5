"""Build the demo's lake: tables with a history, and deliveries that arrive one by one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from treaty.registry.demo import incidents, out_of_order, shop_data
from treaty.registry.demo.incidents import DemoIncident
from treaty.registry.demo.out_of_order import LateDelivery
from treaty.registry.demo.shop_data import Row, ShopTable

SEED = 7
SHARE_OF_HISTORY = 0.6
LEAST_PARTITIONS = 4
Frame = Any
Make = Callable[[Any], Frame]


@dataclass(frozen=True, kw_only=True)
class DemoDelivery:
    """One partition of one table as it arrives.

    `make`: creates its data frame from a Spark session.
    `late_delivery`: set if the partition arrives on another day than its own.
    `rows`: returns its rows; shop tables only."""

    table: str
    partition: str
    make: Make
    incidents: tuple[DemoIncident, ...] = ()
    late_delivery: LateDelivery | None = None
    rows: Callable[[], list[Row]] = list

    @property
    def target(self) -> tuple[str, str]:
        """Return the table and the partition."""
        return self.table, self.partition


@dataclass(frozen=True, kw_only=True)
class DemoLake:
    """Tables that are partitioned by one column.

    `deliveries`: grouped by deliveries that arrive at the same time."""

    column: str
    tables: tuple[str, ...]
    history: tuple[DemoDelivery, ...]
    deliveries: tuple[tuple[DemoDelivery, ...], ...]
    incidents: tuple[DemoIncident, ...] = field(default=())
    late_deliveries: tuple[LateDelivery, ...] = ()


def shop_lake(
    *,
    days: int = shop_data.DAYS,
    history: int = shop_data.HISTORY,
    seed: int = SEED,
    tables: Sequence[ShopTable] = shop_data.TABLES,
) -> DemoLake:
    """Build the web shop's lake: `history` days at once, then one day at a time.

    It includes the documented incidents and late deliveries of those days."""
    names = {table.name: table for table in tables}
    past = tuple(_delivery(table, day, seed) for day in range(history) for table in tables)
    late_deliveries = [
        each for each in out_of_order.TURNS if each.table in names and history <= each.day and each.on < days
    ]
    day_incidents = (each for each in incidents.INCIDENTS if each.table in names and history <= each.day < days)
    arriving = tuple(_arriving(day, tables, late_deliveries, seed) for day in range(history, days))
    return DemoLake(
        column="day",
        tables=tuple(names),
        history=past,
        deliveries=arriving,
        incidents=tuple(day_incidents),
        late_deliveries=tuple(late_deliveries),
    )


def _arriving(
    day: int, tables: Sequence[ShopTable], within: Sequence[LateDelivery], seed: int
) -> tuple[DemoDelivery, ...]:
    """Return a day's deliveries: its own partitions except late ones, then those of other days."""
    late = {each.table for each in within if each.day == day and not each.is_repeat}
    tables_by_name = {table.name: table for table in tables}
    own = (_delivery(table, day, seed) for table in tables if table.name not in late)
    return (*own, *(_delivery(tables_by_name[each.table], each.day, seed, each) for each in within if each.on == day))


def _delivery(table: ShopTable, day: int, seed: int, turn: LateDelivery | None = None) -> DemoDelivery:
    """Create the delivery of a table's day; a repeated delivery has no incidents."""
    day_incidents = () if turn and turn.is_repeat else incidents.of(table.name, day)

    def rows() -> list[Row]:
        return incidents.befallen(day_incidents, shop_data.rows_of(table, day, seed=seed), seed=seed)

    def make(session: Any) -> Frame:
        frame = session.createDataFrame([tuple(row.values()) for row in rows()], table.columns)
        changed = {name: kind for each in day_incidents for name, kind in each.types.items()}
        return frame.withColumns({name: frame[name].cast(kind) for name, kind in changed.items()}) if changed else frame

    return DemoDelivery(
        table=table.name,
        partition=shop_data.day_name(day),
        make=make,
        incidents=day_incidents,
        late_delivery=turn,
        rows=rows,
    )


def own_lake(session: Any, data: str, column: str, *, name: str | None = None) -> DemoLake:
    """Build a lake of the user's own table: older partitions are history, newer ones arrive.

    In a folder of CSV files without the column, each file is one partition with the file's name. Raises
    UnreadableTable if the table cannot be read or has too few partitions."""
    from treaty.engine.core.errors import UnreadableTable

    table = name or Path(data).name.split(".")[0] or "table"
    partitions = _files(data, column, table) or _partitions(session, data, column, table)
    if len(partitions) < LEAST_PARTITIONS:
        raise UnreadableTable(
            f"{data} has {len(partitions)} partition(s) by {column}. The demo needs at least {LEAST_PARTITIONS}.",
            retry=False,
        )
    split = max(2, round(len(partitions) * SHARE_OF_HISTORY))
    return DemoLake(
        column=column,
        tables=(table,),
        history=tuple(partitions[:split]),
        deliveries=tuple((each,) for each in partitions[split:]),
    )


def _files(data: str, column: str, table: str) -> list[DemoDelivery]:
    """Return one delivery per file of a flat folder of CSV files without the column."""
    folder = Path(data)
    files = sorted(each for each in folder.glob("*.csv") if each.stem[:1] not in "._") if folder.is_dir() else []
    if not files or column in files[0].read_text(errors="replace").partition("\n")[0].split(","):
        return []
    types = TypedFiles(tuple(str(each) for each in files))
    return [DemoDelivery(table=table, partition=each.stem, make=partial(types.read, path=str(each))) for each in files]


def _partitions(session: Any, data: str, column: str, table: str) -> list[DemoDelivery]:
    from treaty.contracts.predicates.parser import quote
    from treaty.engine.core.errors import UnreadableTable
    from treaty.engine.protocol.requests import TableSource
    from treaty.engine.spark.sources.readers import read

    frame = read(session, TableSource(data))
    if column not in frame.columns:
        names = ", ".join(frame.columns)
        raise UnreadableTable(f"{data} has no column {column} to partition by. Its columns: {names}", retry=False)
    text = f"cast({quote(column)} as string)"
    values = sorted(row[0] for row in frame.selectExpr(text).distinct().collect() if row[0] is not None)

    def of(value: str) -> Make:
        return lambda _: frame.where(_equals(text, value)).drop(column)

    return [DemoDelivery(table=table, partition=value, make=of(value)) for value in values]


def _equals(sql: str, value: str) -> str:
    from treaty.contracts.predicates.parser import literal

    return f"{sql} = {literal(value)}"


@dataclass
class TypedFiles:
    """CSV files cast to the types of the first files; values that do not fit become null.

    `learned_from`: number of files from which types are inferred."""

    files: Sequence[str]
    learned_from: int = 10
    _types: dict[str, str] = field(default_factory=dict)

    def read(self, session: Any, path: str) -> Frame:
        """Return the file's frame; columns that the first files lack are strings."""
        from treaty.contracts.predicates.parser import quote

        types = self._types or self._learn(session)
        frame = session.read.options(header="true", multiLine="true", escape='"').csv(path)
        columns = [name for name in frame.columns if name and not name.startswith("_c")]
        casts = [f"try_cast({quote(name)} as {types.get(name, 'string')}) as {quote(name)}" for name in columns]
        return frame.selectExpr(*casts)

    def _learn(self, session: Any) -> dict[str, str]:
        options = {"header": "true", "inferSchema": "true", "multiLine": "true", "escape": '"'}
        for path in self.files[: self.learned_from]:
            for name, kind in session.read.options(**options).csv(path).dtypes:
                self._types[name] = wider(self._types.get(name, kind), kind)
        return self._types


def wider(one: str, other: str) -> str:
    """Return the wider of two numeric types; string for any other pair of different types."""
    order = ("int", "bigint", "double")
    if one == other:
        return one
    return max(one, other, key=order.index) if one in order and other in order else "string"
