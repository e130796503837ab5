"""Rewrite functions of dates and timestamps so that no row can fail the job.

`try_add` evaluates its first argument as a whole: where anything in it fails, the sum with nothing is null."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from treaty.contracts.predicates import grammar
from treaty.contracts.predicates.arguments import as_argument, refused_type
from treaty.contracts.predicates.casts import read_as
from treaty.contracts.predicates.date_formats import parsed_format, written_format
from treaty.contracts.predicates.fragments import NOTHING, SqlFragment, loose, strict
from treaty.contracts.predicates.types import INTEGRAL, WORDS, base, group

if TYPE_CHECKING:
    from treaty.contracts.predicates.rewriter import PredicateRewriter

Production = Callable[["PredicateRewriter", list[SqlFragment]], SqlFragment]
# Near the first and last representable timestamp Spark's functions overflow.
FIRST, LAST = "TIMESTAMP_NTZ '-290000-01-01 00:00:00'", "TIMESTAMP_NTZ '+290000-01-01 00:00:00'"
SECONDS = "yyyy-MM-dd HH:mm:ss"
MONTH_FIELDS, HOUR_FIELDS = frozenset({"YEAR", "MONTH"}), frozenset({"DAY", "HOUR", "MINUTE", "SECOND"})


def _covered(sql: str) -> str:
    return f"try_add({sql}, INTERVAL '0' SECOND)"


def _instant(writer: "PredicateRewriter", piece: SqlFragment) -> SqlFragment:
    """Return the fragment as a timestamp of the session's time zone."""
    moment = as_argument(writer, piece, "moment")
    return moment if base(moment.type) == "timestamp" else read_as(moment, "timestamp")


def _date_trunc(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
    unit, moment = parts[0], as_argument(writer, parts[1], "moment")
    if unit.text is None or unit.text.upper() not in grammar.TRUNCATED_TO:
        return writer.refuse("unit", "truncates to an unknown unit", "write date_trunc('day', x)")
    return strict(_covered(f"date_trunc({unit.sql}, {moment.sql})"), [moment], "timestamp", fails=True)


def _add_months(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
    day, months = as_argument(writer, parts[0], "date"), as_argument(writer, parts[1], "int")
    return strict(f"try_add(add_months({day.sql}, {months.sql}), 0)", [day, months], "date", fails=True)


def _months_between(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
    moments = [as_argument(writer, each, "moment") for each in parts[:2]]
    if parts[2:] and parts[2].sql not in {"TRUE", "FALSE"}:
        return writer.refuse("argument", "rounds months on a condition", "write true or false")
    within = " AND ".join(f"{each.operand} BETWEEN {FIRST} AND {LAST}" for each in moments)
    between = f"months_between({', '.join(each.sql for each in (*moments, *parts[2:]))})"
    return strict(f"CASE WHEN {within} THEN {between} END", moments, "double", fails=True)


def _make_date(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
    numbers = [as_argument(writer, each, "int") for each in parts]
    return strict(f"try_add(make_date({', '.join(each.sql for each in numbers)}), 0)", numbers, "date", fails=True)


def _next_day(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
    day = as_argument(writer, parts[0], "date")
    if (parts[1].text or "").upper() not in grammar.WEEKDAYS:
        return writer.refuse("unit", "names an unknown day of the week", "write next_day(x, 'MON')")
    return strict(f"next_day({day.sql}, {parts[1].sql})", [day], "date")


def date_part(writer: "PredicateRewriter", field: str, piece: SqlFragment) -> SqlFragment:
    """Return a field of a date, of a timestamp or of an interval."""
    name = field.upper()
    takes, yields = grammar.FIELDS.get(name, ("any", ""))
    if not yields:
        return writer.refuse("unit", "extracts an unknown field", "write extract(YEAR FROM x)")
    if group(piece.type) == "interval":
        return _interval_part(writer, name, piece)
    moment = as_argument(writer, piece, takes)
    return strict(f"extract({name} FROM {moment.sql})", [moment], yields)


def _interval_part(writer: "PredicateRewriter", name: str, piece: SqlFragment) -> SqlFragment:
    months = "month" in piece.type or "year" in piece.type
    if name not in (MONTH_FIELDS if months else HOUR_FIELDS):
        return refused_type(writer, "an interval without this field")
    return strict(f"extract({name} FROM {piece.sql})", [piece], "decimal" if name == "SECOND" else "int")


def _date_part(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
    return date_part(writer, parts[0].text or "", parts[1])


def difference(writer: "PredicateRewriter", unit: str, first: Any, last: Any) -> SqlFragment:
    """Return the whole units between two timestamps."""
    moments = [_instant(writer, writer.piece(each)) for each in (first, last)]
    return strict(f"timestampdiff({unit}, {moments[0].sql}, {moments[1].sql})", moments, "bigint")


def addition(writer: "PredicateRewriter", unit: str, amount: Any, moment: Any) -> SqlFragment:
    """Return the timestamp a number of units later."""
    number, start = as_argument(writer, writer.piece(amount), "int"), _instant(writer, writer.piece(moment))
    sql = _covered(f"timestampadd({unit}, {number.sql}, {start.sql})")
    return strict(sql, [number, start], "timestamp", fails=True)


def days_between(writer: "PredicateRewriter", name: str, parts: list[SqlFragment]) -> SqlFragment:
    """Return the days between two dates."""
    days = [as_argument(writer, each, "date") for each in parts]
    return strict(f"{name}({days[0].sql}, {days[1].sql})", days, "int")


def days_later(writer: "PredicateRewriter", name: str, parts: list[SqlFragment]) -> SqlFragment:
    """Return the date a number of days later or earlier."""
    day, days = as_argument(writer, parts[0], "date"), as_argument(writer, parts[1], "int")
    return strict(f"{name}({day.sql}, {days.sql})", [day, days], "date")


def with_unit(writer: "PredicateRewriter", name: str, nodes: list[Any]) -> SqlFragment:
    """Return the fragment of a function that may name a unit: `datediff(DAY, a, b)`."""
    between = name in {"datediff", "date_diff", "timestampdiff"}
    if len(nodes) == 2:
        return (days_between if between else days_later)(writer, name, [writer.piece(each) for each in nodes])
    unit = str(nodes[0].name).upper() if type(nodes[0]).__name__ in {"Column", "Var"} else ""
    if unit not in grammar.DIFFERENCES:
        return writer.refuse("unit", "counts in an unknown unit", f"write {name}(DAY, a, b)")
    return (difference if between else addition)(writer, unit, *nodes[1:])


def moment_in_format(target: str, *, attempt: bool) -> Production:
    """Return the production of to_date and its like with a format. `attempt`: an unreadable text is null, no error."""

    def production(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
        if not parsed_format(writer, parts[1]):
            return NOTHING
        kind = group(parts[0].type)
        if kind == "moment":
            return read_as(parts[0], target, attempt=attempt)
        if kind not in {None, "text"}:
            return refused_type(writer, WORDS[kind])
        sql = _covered(f"try_to_timestamp({parts[0].sql}, {parts[1].sql})")
        sql = f"CAST({sql} AS DATE)" if target == "date" else sql
        return loose(sql, parts[:1], target) if attempt else strict(sql, parts[:1], target, fails=True)

    return production


def _date_format(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
    moment = as_argument(writer, parts[0], "moment")
    if not written_format(writer, parts[1]):
        return NOTHING
    instant = moment if base(moment.type) == "timestamp_ntz" else _instant(writer, moment)
    return strict(f"date_format({instant.sql}, {parts[1].sql})", [instant], "string")


def _unix_timestamp(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
    text_format = parts[1] if parts[1:] else SqlFragment(sql=f"'{SECONDS}'", type="string", text=SECONDS)
    moment = moment_in_format("timestamp", attempt=False)(writer, [parts[0], text_format])
    return strict(f"unix_timestamp({moment.sql})", [moment], "bigint")


def unix_time(name: str) -> Production:
    """Return the production of unix_seconds and its like."""

    def production(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
        moment = _instant(writer, parts[0])
        return strict(f"{name}({moment.sql})", [moment], "bigint")

    return production


def timestamp_of(name: str) -> Production:
    """Return the production of timestamp_seconds and its like."""

    def production(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
        number = as_argument(writer, parts[0], "whole")
        number = number if base(number.type) in INTEGRAL else read_as(number, "bigint")
        return strict(_covered(f"{name}({number.sql})"), [number], "timestamp", fails=True)

    return production


def _from_unixtime(writer: "PredicateRewriter", parts: list[SqlFragment]) -> SqlFragment:
    moment = timestamp_of("timestamp_seconds")(writer, parts[:1])
    text_format = parts[1] if parts[1:] else SqlFragment(sql=f"'{SECONDS}'", type="string", text=SECONDS)
    return _date_format(writer, [moment, text_format])


DATE_FUNCTIONS: dict[str, Production] = {
    "date_trunc": _date_trunc, "add_months": _add_months, "months_between": _months_between, "make_date": _make_date,
    "next_day": _next_day, "date_part": _date_part, "datepart": _date_part, "date_format": _date_format,
    "from_unixtime": _from_unixtime, "unix_timestamp": _unix_timestamp, "to_unix_timestamp": _unix_timestamp,
    **{name: unix_time(name) for name in ("unix_seconds", "unix_millis", "unix_micros")},
    **{name: timestamp_of(name) for name in ("timestamp_seconds", "timestamp_millis", "timestamp_micros")},
    "date_sub": lambda writer, parts: days_later(writer, "date_sub", parts),
}  # fmt: skip
# With a second argument, the format.
FORMATTED_FUNCTIONS: dict[str, Production] = {
    "to_date": moment_in_format("date", attempt=False),
    "to_timestamp": moment_in_format("timestamp", attempt=False),
    "try_to_date": moment_in_format("date", attempt=True),
    "try_to_timestamp": moment_in_format("timestamp", attempt=True),
}
