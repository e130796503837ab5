"""Pieces of a predicate: Spark SQL, and what is known of its value.

Two laws hold for each: where one of its errors is true its value is null; and an error is never null itself. So a
null that comes of an error can always be told from one that the data hold.

Spark evaluates from left to right and leaves out what can no longer matter (`null < x`, the branches of a CASE that
are not taken): what is left out does not err. AND, OR and IN say more than Spark does: where one side decides, the
other may err on either hand."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from treaty.contracts.predicates.types import ANY, BOOLEAN


@dataclass(frozen=True, kw_only=True)
class SqlFragment:
    """A part of a predicate.

    `roots` are the values without which it is null; `risky` says that a null of it with all its roots there is an
    error; `definite_errors` are further errors, as conditions. `text` is the constant that a text stands for."""

    sql: str
    type: str = ANY
    closed: bool = True
    roots: tuple[str, ...] = ()
    risky: bool = False
    definite_errors: tuple[str, ...] = ()
    text: str | None = None

    @property
    def operand(self) -> str:
        """The SQL, in parentheses where it would not stand by itself."""
        return self.sql if self.closed else f"({self.sql})"

    @property
    def errors(self) -> tuple[str, ...]:
        """Conditions, one of which is true exactly for the rows where this could not be evaluated."""
        return (*self.definite_errors, _lost(self.roots, self)) if self.risky else self.definite_errors


NOTHING = SqlFragment(sql="NULL", roots=("NULL",))


def any_of(conditions: Iterable[str]) -> str:
    """The conditions joined by OR, each once; '' for none."""
    return " OR ".join(dict.fromkeys(conditions))


def _there(roots: Iterable[str]) -> list[str]:
    return [f"{root} IS NOT NULL" for root in dict.fromkeys(roots)]


def _lost(roots: Iterable[str], piece: SqlFragment) -> str:
    return f"({' AND '.join([*_there(roots), f'{piece.operand} IS NULL'])})"


def _guarded_by(roots: Sequence[str], condition: str) -> str:
    return f"({' AND '.join([*_there(roots), condition])})" if roots else condition


def leaf(sql: str, type_: str) -> SqlFragment:
    """A column: null where it is null."""
    return SqlFragment(sql=sql, type=type_, roots=(sql,))


def strict(
    sql: str, parts: Sequence[SqlFragment], type_: str, *, fails: bool = False, closed: bool = True
) -> SqlFragment:
    """What is null exactly where one of its parts is; with `fails` also where it cannot be evaluated itself."""
    roots = _roots(parts)
    # An error that can happen only with all roots there is found where the whole is lost.
    settled = _definite_errors(parts, beneath=roots)
    return SqlFragment(
        sql=sql,
        type=type_,
        closed=closed,
        roots=roots,
        risky=fails or any(part.risky for part in parts),
        definite_errors=settled,
    )


def _definite_errors(parts: Sequence[SqlFragment], beneath: tuple[str, ...] | None = None) -> tuple[str, ...]:
    found: list[str] = []
    for index, part in enumerate(parts):
        before = _roots(parts[:index])
        found += [_guarded_by(before, each) for each in part.definite_errors]
        if part.risky and (beneath is None or {*before, *part.roots} != {*beneath}):
            found.append(_lost((*before, *part.roots), part))
    return tuple(found)


def _roots(parts: Iterable[SqlFragment]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(root for part in parts for root in part.roots))


def loose(sql: str, parts: Sequence[SqlFragment], type_: str, *, closed: bool = True) -> SqlFragment:
    """What is null where one of its parts is, and may be null without an error for other reasons."""
    return _ended(SqlFragment(sql=sql, type=type_, closed=closed), _definite_errors(parts))


def concatenation(sql: str, parts: Iterable[SqlFragment], type_: str) -> SqlFragment:
    """What evaluates all its parts and is null where one of them is: concat."""
    return _ended(SqlFragment(sql=sql, type=type_), tuple(each for part in parts for each in part.errors))


def _ended(piece: SqlFragment, settled: tuple[str, ...]) -> SqlFragment:
    return SqlFragment(
        sql=piece.sql, type=piece.type, closed=piece.closed, roots=(piece.operand,), definite_errors=settled
    )


def guarded(sql: str, errors: Iterable[str], type_: str, *, closed: bool = True) -> SqlFragment:
    """What could have a value although a part of it erred: made null there."""
    found = any_of(errors)
    if not found:
        return _ended(SqlFragment(sql=sql, type=type_, closed=closed), ())
    return _ended(SqlFragment(sql=f"CASE WHEN {found} THEN NULL ELSE {sql} END", type=type_), (f"({found})",))


def eager(sql: str, parts: Iterable[SqlFragment], type_: str, *, closed: bool = True) -> SqlFragment:
    """What evaluates all its parts and may have a value although one of them is null: `<=>`, IS NULL, greatest."""
    return guarded(sql, [each for part in parts for each in part.errors], type_, closed=closed)


def connected(sql: str, parts: Iterable[SqlFragment]) -> SqlFragment:
    """Parts joined by AND or OR: an error counts where no other part decides."""
    found = any_of(each for part in parts for each in part.errors)
    return _ended(
        SqlFragment(sql=sql, type=BOOLEAN, closed=False), (f"(({sql}) IS NULL AND ({found}))",) if found else ()
    )


def membership(sql: str, subject: SqlFragment, members: Iterable[SqlFragment]) -> SqlFragment:
    """IN: a member that errs counts where no other member is equal."""
    found = any_of(each for member in members for each in member.errors)
    late = _guarded_by(subject.roots, f"({sql}) IS NULL AND ({found})")
    return _ended(
        SqlFragment(sql=sql, type=BOOLEAN, closed=False), (*subject.errors, *([f"({late})"] if found else []))
    )


def chosen(arms: Sequence[tuple[SqlFragment, SqlFragment]], default: SqlFragment, type_: str) -> SqlFragment:
    """CASE: the first value whose condition is true; only the conditions up to it and that value can err."""
    values = "".join(f"{_erring(test)} WHEN {test.sql} THEN {value.sql}" for test, value in arms)
    sql = f"CASE{values} ELSE {default.sql} END"
    if not any(each.errors for arm in arms for each in arm) and not default.errors:
        return _ended(SqlFragment(sql=sql, type=type_), ())
    errs = "".join(f"{_erring(test, 'TRUE')} WHEN {test.sql} THEN {_errs(value)}" for test, value in arms)
    return _ended(SqlFragment(sql=sql, type=type_), (f"CASE{errs} ELSE {_errs(default)} END",))


def _erring(test: SqlFragment, then: str = "NULL") -> str:
    return f" WHEN {any_of(test.errors)} THEN {then}" if test.errors else ""


def _errs(piece: SqlFragment) -> str:
    return any_of(piece.errors) or "FALSE"


def first(parts: Sequence[SqlFragment], sql: str, type_: str) -> SqlFragment:
    """coalesce: a part is evaluated where all before it are null."""
    found = ""
    for part in reversed(parts):
        later = f"({part.operand} IS NULL AND ({found}))" if found else ""
        found = any_of((*part.errors, *([later] if later else [])))
    return guarded(sql, [found] if found else [], type_)
