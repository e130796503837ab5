"""What a Spark process may be asked to do in tests of its limits: each is `verb(session, request)`, by its name."""

from typing import Any

ENDLESS = 10**13


def job(session: Any, rows: int) -> Any:
    """A Spark job that counts that many rows."""
    return session.range(rows).selectExpr("sum(id % 7)").collect()[0][0]


def jobs(session: Any, times: int) -> int:
    """Endless Spark jobs, one after another, whatever becomes of each."""
    failed = 0
    for _ in range(times):
        try:
            job(session, ENDLESS)
        except Exception:
            failed += 1
    return failed


def spin(_: Any, __: Any) -> None:
    """Work where no job runs that could be cancelled."""
    while True:
        pass


def hoard(_: Any, mebibytes: int) -> int:
    """Memory taken by Python in small pieces, and kept."""
    kept = []
    for _ in range(mebibytes):
        kept.append(bytearray(b"x" * 1024 * 1024))
    return len(kept)


def claim(_: Any, size: int) -> int:
    """Memory asked of the system by Python at once."""
    return len(bytearray(size))


def heap(session: Any, length: int) -> Any:
    """One text of that length in Java, several times over."""
    return session.range(1).selectExpr(f"length(concat(repeat(cast(id as string), {length}), id))").collect()


def leave(session: Any, code: int) -> None:
    """Ends Java from within."""
    session.sql(f"select reflect('java.lang.System', 'exit', {code})").collect()
