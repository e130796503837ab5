"""Fragments of a predicate: Spark SQL with the conditions under which it is null or an error.

Two laws apply to each fragment: if one of its errors is true, its value is null; and an error is never null itself. A
null caused by an error can therefore always be distinguished from a null in the data.

Spark evaluates from left to right and skips what can no longer matter (`null < x`, the branches of a CASE that are not
taken); skipped parts are no errors. AND, OR and IN are more tolerant than Spark: if one side decides the result, the
other side may fail, whichever side it is."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from treaty.contracts.predicates.types import ANY, BOOLEAN


@dataclass(frozen=True, kw_only=True)
class SqlFragment:
    """A part of a predicate.

    `roots`: values without which it is null. `risky`: if it is null while all roots are present, that is an error.
    `definite_errors`: further error conditions. `text`: the constant that a string literal represents."""

    sql: str
    type: str = ANY
    closed: bool = True
    roots: tuple[str, ...] = ()
    risky: bool = False
    definite_errors: tuple[str, ...] = ()
    text: str | None = None

    @property
    def operand(self) -> str:
        """Return the SQL, in parentheses if it needs them as an operand."""
        return self.sql if self.closed else f"({self.sql})"

    @property
    def errors(self) -> tuple[str, ...]:
        """Return the error conditions: one is true exactly for the rows that cannot be evaluated."""
        return (*self.definite_errors, _lost(self.roots, self)) if self.risky else self.definite_errors


NOTHING = SqlFragment(sql="NULL", roots=("NULL",))


def any_of(conditions: Iterable[str]) -> str:
    """Return the distinct conditions joined by OR; '' for none."""
    return " OR ".join(dict.fromkeys(conditions))


def _there(roots: Iterable[str]) -> list[str]:
    return [f"{root} IS NOT NULL" for root in dict.fromkeys(roots)]


def _lost(roots: Iterable[str], piece: SqlFragment) -> str:
    return f"({' AND '.join([*_there(roots), f'{piece.operand} IS NULL'])})"


def _guarded_by(roots: Sequence[str], condition: str) -> str:
    return f"({' AND '.join([*_there(roots), condition])})" if roots else condition


def leaf(sql: str, type_: str) -> SqlFragment:
    """Return the fragment of a column, which is null if the column is."""
    return SqlFragment(sql=sql, type=type_, roots=(sql,))


def strict(
    sql: str, parts: Sequence[SqlFragment], type_: str, *, fails: bool = False, closed: bool = True
) -> SqlFragment:
    """Return a fragment that is null exactly if one of its parts is.

    `fails`: it is also null if it cannot be evaluated itself."""
    roots = _roots(parts)
    # An error that requires all roots is already covered by the error of the whole.
    definite_errors = _definite_errors(parts, beneath=roots)
    return SqlFragment(
        sql=sql,
        type=type_,
        closed=closed,
        roots=roots,
        risky=fails or any(part.risky for part in parts),
        definite_errors=definite_errors,
    )


def _definite_errors(parts: Sequence[SqlFragment], beneath: tuple[str, ...] | None = None) -> tuple[str, ...]:
    errors: list[str] = []
    for index, part in enumerate(parts):
        before = _roots(parts[:index])
        errors += [_guarded_by(before, each) for each in part.definite_errors]
        if part.risky and (beneath is None or {*before, *part.roots} != {*beneath}):
            errors.append(_lost((*before, *part.roots), part))
    return tuple(errors)


def _roots(parts: Iterable[SqlFragment]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(root for part in parts for root in part.roots))


def loose(sql: str, parts: Sequence[SqlFragment], type_: str, *, closed: bool = True) -> SqlFragment:
    """Return a fragment that may be null without an error.

    It is null if one of its parts is, and may be null for other reasons."""
    return _ended(SqlFragment(sql=sql, type=type_, closed=closed), _definite_errors(parts))


def concatenation(sql: str, parts: Iterable[SqlFragment], type_: str) -> SqlFragment:
    """Return a fragment that evaluates all its parts and is null if one is (concat)."""
    return _ended(SqlFragment(sql=sql, type=type_), tuple(each for part in parts for each in part.errors))


def _ended(piece: SqlFragment, types: tuple[str, ...]) -> SqlFragment:
    return SqlFragment(
        sql=piece.sql, type=piece.type, closed=piece.closed, roots=(piece.operand,), definite_errors=types
    )


def guarded(sql: str, errors: Iterable[str], type_: str, *, closed: bool = True) -> SqlFragment:
    """Return a fragment that is null, rather than a value, if an error is true."""
    error = any_of(errors)
    if not error:
        return _ended(SqlFragment(sql=sql, type=type_, closed=closed), ())
    return _ended(SqlFragment(sql=f"CASE WHEN {error} THEN NULL ELSE {sql} END", type=type_), (f"({error})",))


def eager(sql: str, parts: Iterable[SqlFragment], type_: str, *, closed: bool = True) -> SqlFragment:
    """Return a fragment that evaluates all its parts and tolerates null ones.

    It may have a value although a part is null: `<=>`, IS NULL, greatest."""
    return guarded(sql, [each for part in parts for each in part.errors], type_, closed=closed)


def connected(sql: str, parts: Iterable[SqlFragment]) -> SqlFragment:
    """Return parts joined by AND or OR: an error counts only if no other part decides."""
    error = any_of(each for part in parts for each in part.errors)
    return _ended(
        SqlFragment(sql=sql, type=BOOLEAN, closed=False), (f"(({sql}) IS NULL AND ({error}))",) if error else ()
    )


def membership(sql: str, subject: SqlFragment, members: Iterable[SqlFragment]) -> SqlFragment:
    """Return the fragment of IN: an error in a member counts only if no other member is equal."""
    error = any_of(each for member in members for each in member.errors)
    late = _guarded_by(subject.roots, f"({sql}) IS NULL AND ({error})")
    return _ended(
        SqlFragment(sql=sql, type=BOOLEAN, closed=False), (*subject.errors, *([f"({late})"] if error else []))
    )


def chosen(arms: Sequence[tuple[SqlFragment, SqlFragment]], default: SqlFragment, type_: str) -> SqlFragment:
    """Return the fragment of CASE: the first value whose condition is true.

    Only the conditions up to that one and the chosen value can be errors."""
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
    """Return the fragment of coalesce: a part is evaluated if all parts before it are null."""
    error = ""
    for part in reversed(parts):
        later = f"({part.operand} IS NULL AND ({error}))" if error else ""
        error = any_of((*part.errors, *([later] if later else [])))
    return guarded(sql, [error] if error else [], type_)
