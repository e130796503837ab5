"""What tests ask of Spark Connect, in a process of its own: pyspark serves one kind of session in a process."""

from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Any

from support.analyzer_cases import CASES
from support.analyzer_table import SCHEMA
from support.frames import case_frame

from treaty.contracts.document.reader import read
from treaty.engine.core.results import RunResult
from treaty.engine.session.verify import verify
from treaty.engine.spark.process.errors import is_cancelled, safe_message
from treaty.engine.spark.scan.scanner import scan
from treaty.engine.spark.sources.readers import schema_of
from treaty.engine.states.planning.scan_plan import plan

ORDERS = [
    (1, 5.0, "new", "a"),
    (2, 0.0, "paid", "a"),
    (3, 2.5, "paid", "b"),
    (4, None, "new", "b"),
    (4, 7.5, None, "b"),
]
COLUMNS = "id bigint, amount double, status string, day string"
_SESSIONS: list[Any] = []


@contextmanager
def connected(address: str) -> Iterator[Callable[..., Any]]:
    """Calls functions of this module in the process that has a session at the address, and hands back their answers."""
    pool = ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=_connect, initargs=(address,))
    with pool:
        yield lambda asked, *given: pool.submit(asked, *given).result()


def _connect(address: str) -> None:
    from treaty.engine.spark.process.session import start

    _SESSIONS.append(start(remote=address))


def kind() -> str:
    """Where the session's class is defined."""
    return type(_SESSIONS[0]).__module__


def schema_is_as_the_cases_name_it() -> bool:
    """Whether the cases' table has the types that they name."""
    return schema_of(case_frame(_SESSIONS[0])) == SCHEMA


def states_of_cases(partition_by: tuple[str, ...]) -> dict[str, bytes]:
    """The packed states of all cases, by partition."""
    asked = plan([case.analyzer.bind(SCHEMA) for case in CASES])
    found = scan(case_frame(_SESSIONS[0]), asked, partition_by=partition_by)
    return {name: states.pack() for name, states in found.items()}


def judged(contract: bytes, partition_by: tuple[str, ...] = ()) -> RunResult:
    """The run that judges the orders by the contract. Raises ContractError."""
    session = _SESSIONS[0]
    known = session.createDataFrame([(1,), (2,), (3,)], "id bigint")
    orders = session.createDataFrame(ORDERS, COLUMNS)
    return verify(orders, read(contract), partition_by=partition_by, other_datasets={"known": known})


def error_of(aggregate: str) -> tuple[str, bool]:
    """What is told of the error that the aggregate ends in, and whether that is someone's cancelling."""
    try:
        _SESSIONS[0].createDataFrame(ORDERS, COLUMNS).selectExpr(aggregate).collect()
    except Exception as error:
        return safe_message(error), is_cancelled(error)
    return "no error", False
