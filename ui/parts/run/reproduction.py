"""How to judge the same data again elsewhere: a command and a piece of Python, pinned to version and partitions."""

from collections.abc import Sequence

from treaty.registry.schemas import RunOut
from treaty.ui.parts.metric import partition_comparison

# More partitions than that are not named one by one.
NAMED = 20
PROGRAM = """\
from pathlib import Path

from treaty.contracts.document.reader import read
from treaty.engine.session.verify import verify

table = spark.read.format({format}).load({location}){chosen}
contract = read(Path({file}).read_bytes())
run = verify(table, contract, object_name={object}, partition_by={by}, samples=20)
for result in run.results:
    print(result.outcome, result.check_id, "-", result.found or result.reason)
"""


def file_name(run: RunOut) -> str:
    """The file that the contract's version is expected in."""
    return f"{run.contract_id}-{run.version}.yaml"


def location(run: RunOut) -> str | None:
    """Where the table lies that was judged; None where the registry does not know."""
    return run.dataset.location or None if run.dataset else None


def command(run: RunOut, at: str) -> list[str]:
    """The command that judges the table at that place by that version; it looks at every partition that there is."""
    by = run.dataset.partition_by if run.dataset else ()
    columns = [part for column in by for part in ("--partition-by", column)]
    return ["treaty", "verify", at, "--contract", file_name(run), *columns]


def program(run: RunOut, at: str) -> str:
    """Python for a session of Spark that judges exactly the partitions of the run, where they are few enough to be
    named. Every foreign text stands in it as a literal of Python."""
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
