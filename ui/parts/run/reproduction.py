"""Reproduce a run elsewhere: a command and a Python program, pinned to version and partitions."""

from collections.abc import Sequence

from treaty.registry.schemas import RunOut
from treaty.ui.parts.metric import partition_comparison

# With more partitions, the program reads the whole table.
NAMED = 20
PROGRAM = """\
from pathlib import Path

from treaty.contracts.document.reader import read
from treaty.engine.session.verify import verify

table = spark.read.format({format}).load({location}){chosen}
contract = read(Path({file}).read_bytes())
run = verify(table, contract, object_name={object}, partition_by={by}, samples=20)
for result in run.results:
    print(result.outcome, result.check_id, "-", result.finding or result.reason)
"""


def file_name(run: RunOut) -> str:
    """Return the expected file name of the contract's version."""
    return f"{run.contract_id}-{run.version}.yaml"


def location(run: RunOut) -> str | None:
    """Return the location of the validated table; None if the registry does not know it."""
    return run.dataset.location or None if run.dataset else None


def command(run: RunOut, at: str) -> list[str]:
    """Return the command that validates the table with that version; it reads all partitions."""
    by = run.dataset.partition_by if run.dataset else ()
    columns = [part for column in by for part in ("--partition-by", column)]
    return ["treaty", "verify", at, "--contract", file_name(run), *columns]


def program(run: RunOut, at: str) -> str:
    """Return a Python program for a Spark session that validates exactly the run's partitions.

    With too many partitions it reads the whole table. Foreign texts are embedded as Python literals."""
    by = list(run.dataset.partition_by) if run.dataset else []
    return PROGRAM.format(
        format=repr((run.dataset.format if run.dataset else None) or "parquet"),
        location=repr(at),
        chosen=_chosen(run.partitions),
        file=repr(file_name(run)),
        object=repr(run.object),
        by=repr(by),
    )


def _chosen(partitions: Sequence[str]) -> str:
    conditions = [partition_comparison.condition(each) for each in partitions]
    if not conditions or len(conditions) > NAMED or not all(conditions):
        return ""
    return f".where({' OR '.join(f'({each})' for each in conditions)!r})"
