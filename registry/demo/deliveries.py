"""What the demo delivers: tables with a history that is there from the start, and deliveries that arrive one by one."""

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
    """One partition of one table, as it arrives: `make` gives its frame from a Spark session.

    `late_delivery`: why it arrives on another day than its own. `rows`: what is in it, of a table of the shop."""

    table: str
    partition: str
    make: Make
    incidents: tuple[DemoIncident, ...] = ()
    late_delivery: LateDelivery | None = None
    rows: Callable[[], list[Row]] = list

    @property
    def target(self) -> tuple[str, str]:
        """The table and the partition."""
        return self.table, self.partition


@dataclass(frozen=True, kw_only=True)
class DemoLake:
    """Tables, all partitioned by one column. `deliveries` are grouped by what arrives at the same time."""

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
    """The web shop: `history` days at once, then day by day, with the documented incidents of those days and what
    arrives out of turn."""
    names = {table.name: table for table in tables}
    past = tuple(_delivery(table, day, seed) for day in range(history) for table in tables)
    within = [each for each in out_of_order.TURNS if each.table in names and history <= each.day and each.on < days]
    known = (each for each in incidents.INCIDENTS if each.table in names and history <= each.day < days)
    arriving = tuple(_arriving(day, tables, within, seed) for day in range(history, days))
    return DemoLake(
        column="day",
        tables=tuple(names),
        history=past,
        deliveries=arriving,
        incidents=tuple(known),
        late_deliveries=tuple(within),
    )


def _arriving(
    day: int, tables: Sequence[ShopTable], within: Sequence[LateDelivery], seed: int
) -> tuple[DemoDelivery, ...]:
    """What arrives on a day: its own partitions but those that are late, then what is of other days."""
    late = {each.table for each in within if each.day == day and not each.is_repeat}
    of = {table.name: table for table in tables}
    own = (_delivery(table, day, seed) for table in tables if table.name not in late)
    return (*own, *(_delivery(of[each.table], each.day, seed, each) for each in within if each.on == day))


def _delivery(table: ShopTable, day: int, seed: int, turn: LateDelivery | None = None) -> DemoDelivery:
    """A day of the table; what is delivered again comes as the shop has it, whatever befell it the first time."""
    known = () if turn and turn.is_repeat else incidents.of(table.name, day)

    def rows() -> list[Row]:
        return incidents.befallen(known, shop_data.rows_of(table, day, seed=seed), seed=seed)

    def make(session: Any) -> Frame:
        frame = session.createDataFrame([tuple(row.values()) for row in rows()], table.columns)
        changed = {name: kind for each in known for name, kind in each.types.items()}
        return frame.withColumns({name: frame[name].cast(kind) for name, kind in changed.items()}) if changed else frame

    return DemoDelivery(
        table=table.name, partition=shop_data.day_name(day), make=make, incidents=known, late_delivery=turn, rows=rows
    )


def own_lake(session: Any, data: str, column: str, *, name: str | None = None) -> DemoLake:
    """A table of the user's own: the older part of its partitions is history, the newer ones arrive one by one.

    A folder of files, none of which has the column, is read as one partition a file, named by the file.
    Raises Unreadable, also for too few partitions."""
    from treaty.engine.core.errors import UnreadableTable

    table = name or Path(data).name.split(".")[0] or "table"
    found = _files(data, column, table) or _partitions(session, data, column, table)
    if len(found) < LEAST_PARTITIONS:
        raise UnreadableTable(
            f"{data} has {len(found)} partition(s) by {column}: the loop needs {LEAST_PARTITIONS} or more", retry=False
        )
    split = max(2, round(len(found) * SHARE_OF_HISTORY))
    return DemoLake(
        column=column,
        tables=(table,),
        history=tuple(found[:split]),
        deliveries=tuple((each,) for each in found[split:]),
    )


def _files(data: str, column: str, table: str) -> list[DemoDelivery]:
    """One delivery a file, for a flat folder of CSV files that do not have the column."""
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
        known = ", ".join(frame.columns)
        raise UnreadableTable(f"{data} has no column {column} to partition by; it has: {known}", retry=False)
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
    """CSV files landed as a loader would: with the types of the first ones; text that does not fit becomes null."""

    files: Sequence[str]
    learned_from: int = 10
    _types: dict[str, str] = field(default_factory=dict)

    def read(self, session: Any, path: str) -> Frame:
        """The file's frame; columns that the first files did not have are text."""
        from treaty.contracts.predicates.parser import quote

        types = self._types or self._learn(session)
        frame = session.read.options(header="true", multiLine="true", escape='"').csv(path)
        named = [name for name in frame.columns if name and not name.startswith("_c")]
        casts = [f"try_cast({quote(name)} as {types.get(name, 'string')}) as {quote(name)}" for name in named]
        return frame.selectExpr(*casts)

    def _learn(self, session: Any) -> dict[str, str]:
        options = {"header": "true", "inferSchema": "true", "multiLine": "true", "escape": '"'}
        for path in self.files[: self.learned_from]:
            for name, kind in session.read.options(**options).csv(path).dtypes:
                self._types[name] = wider(self._types.get(name, kind), kind)
        return self._types


def wider(one: str, other: str) -> str:
    """The type that holds values of both: whole numbers become double with fractions, all else text."""
    order = ("int", "bigint", "double")
    if one == other:
        return one
    return max(one, other, key=order.index) if one in order and other in order else "string"
