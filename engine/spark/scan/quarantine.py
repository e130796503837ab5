"""Write good and bad rows to separate folders with one scan of the table.

The output folder appears complete or not at all. Rows are written to a temporary folder, which is renamed in one step
on filesystems that can rename folders (a disk, HDFS, ABFS). On others (S3, GCS) it is copied once complete."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

from treaty.contracts.predicates.parser import literal
from treaty.engine.checks.bound_check import BoundChecks
from treaty.engine.core.errors import EngineError
from treaty.engine.core.filesystems import open_filesystem
from treaty.engine.protocol.row_requests import QuarantineResult, QuarantineTarget
from treaty.engine.spark.process.errors import is_cancelled, safe_message
from treaty.engine.spark.scan.row_predicates import OURS, row_tests
from treaty.engine.spark.scan.separate_statements import NONE, OtherDatasets
from treaty.engine.spark.scan.violating_rows import BROKEN, UNEVALUATED, flag_rows

OUTCOME = f"{OURS}outcome"
GOOD, BAD = "good", "bad"
FORMATS = {"parquet": {}, "orc": {}, "json": {}, "csv": {"header": "true"}}
RENAMING = frozenset({"local", "hdfs", "abfs"})


def quarantine(
    frame: Any,
    checks: BoundChecks,
    target: QuarantineTarget,
    *,
    other_datasets: OtherDatasets = NONE,
    partition_by: Sequence[str] = (),
) -> QuarantineResult:
    """Write every row once, below `out`, to `outcome=good` or `outcome=bad`, partitioned like the table.

    Both have the table's columns and `broken_checks` and `unevaluated_checks` (see `violating_rows.flag_rows`),
    which list all checks whatever their severity. In CSV these are texts with ids separated by spaces. A folder
    without rows is not written. Raises EngineError if `out` exists or if rows cannot be read or written; then
    nothing is left behind."""
    rows = flag_rows(frame, checks, other_datasets=other_datasets, partition_by=partition_by)
    ids = tuple(dict.fromkeys(each.check.id for each in checks.checks))
    with _aside(target) as folder:
        counts = _written(_outcomes(rows, checks, target), ids, folder, target, partition_by)
    broken, unevaluated = counts[2::2], counts[3::2]
    return QuarantineResult(
        good=counts[0] - counts[1],
        bad=counts[1],
        violating_rows={name: count for name, count in zip(ids, broken, strict=True) if count},
        unevaluated={name: count for name, count in zip(ids, unevaluated, strict=True) if count},
        not_evaluated=_unjudged(checks, other_datasets, partition_by),
    )


def _outcomes(rows: Any, checks: BoundChecks, target: QuarantineTarget) -> Any:
    from pyspark.sql import functions

    severe = [each.check.id for each in checks.checks if target.warnings or each.check.severity == "error"]
    named = ", ".join(map(literal, severe)) or "cast(null as string)"
    bad = f"coalesce(arrays_overlap(concat({BROKEN}, {UNEVALUATED}), array({named})), false)"
    return rows.select("*", functions.expr(f"CASE WHEN {bad} THEN '{BAD}' ELSE '{GOOD}' END").alias(OUTCOME))


def _written(
    rows: Any, ids: Sequence[str], folder: str, target: QuarantineTarget, partition_by: Sequence[str]
) -> list[int]:
    """Write the rows.

    Returns the number of rows, the number of bad rows, then per id the violating and the unevaluated rows."""
    from pyspark.sql import Observation, functions

    tests = [f"array_contains({column}, {literal(name)})" for name in ids for column in (BROKEN, UNEVALUATED)]
    counted = ["true", f"{OUTCOME} = '{BAD}'", *tests]
    observation = Observation()
    metrics = [functions.expr(f"count_if({test})").alias(f"c{at}") for at, test in enumerate(counted)]
    writer = _as_text(rows.observe(observation, *metrics), target).write.partitionBy(OUTCOME, *partition_by)
    try:
        writer.format(target.format).options(**FORMATS[target.format]).save(folder)
    except Exception as error:
        if is_cancelled(error):
            raise
        raise EngineError(
            f"the rows cannot be read or cannot be written to {target.out}: {safe_message(error)}"
        ) from error
    totals = observation.get
    return [int(totals[f"c{at}"]) for at in range(len(counted))]


def _as_text(rows: Any, target: QuarantineTarget) -> Any:
    from pyspark.sql import functions

    if target.format != "csv":
        return rows
    return rows.withColumns({name: functions.array_join(name, " ") for name in (BROKEN, UNEVALUATED)})


def _unjudged(checks: BoundChecks, other_datasets: OtherDatasets, partition_by: Sequence[str]) -> dict[str, str]:
    """Return by id why a check was evaluated on no row: it cannot be bound, or a dataset is missing."""
    unbound = {each.check.id: each.reason or "" for each in checks.checks if each.bound is None}
    return unbound | {test.id: test.reason for test in row_tests(checks, other_datasets, partition_by) if test.reason}


@contextmanager
def _aside(quarantine_target: QuarantineTarget) -> Iterator[str]:
    """Yield a temporary folder that replaces `out` on success and is deleted after an error."""
    out = quarantine_target.out.rstrip("/") if ":" in quarantine_target.out else os.path.abspath(quarantine_target.out)
    parent, _, name = out.rpartition("/")
    aside = f"{parent}/.{name}-{uuid4().hex[:12]}"
    filesystem, target = open_filesystem(out)
    _, written = open_filesystem(aside)
    try:
        _refuse_target(filesystem, target, quarantine_target)
        yield aside
        _name_outcomes(filesystem, written)
        _replace(filesystem, written, target)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else type(error).__name__
        raise EngineError(
            f"{quarantine_target.out} cannot be written ({reason}): check the path and its permissions"
        ) from error
    finally:
        if _is_there(filesystem, written):
            filesystem.delete_dir(written)


def _refuse_target(filesystem: Any, target: str, quarantine_target: QuarantineTarget) -> None:
    """Raise EngineError unless `out` is free or an earlier quarantine that may be overwritten."""
    import pyarrow.fs

    if not _is_there(filesystem, target):
        return
    inside = filesystem.get_file_info(pyarrow.fs.FileSelector(target)) if _is_folder(filesystem, target) else None
    names = [each.base_name for each in inside or () if not each.base_name.startswith(("_", "."))]
    if inside is None or set(names) - {_folder(GOOD), _folder(BAD)}:
        raise EngineError(
            f"{quarantine_target.out} already exists and contains other files: choose a new folder", retry=False
        )
    if not quarantine_target.overwrite:
        raise EngineError(f"{quarantine_target.out} already exists: choose another folder or overwrite it", retry=False)


def _folder(outcome: str) -> str:
    return f"outcome={outcome}"


def _name_outcomes(filesystem: Any, written: str) -> None:
    """Rename the outcome folders: Spark wrote them under a column name that no table has."""
    filesystem.create_dir(written, recursive=True)
    for outcome in (GOOD, BAD):
        if _is_there(filesystem, f"{written}/{OUTCOME}={outcome}"):
            _move(filesystem, f"{written}/{OUTCOME}={outcome}", f"{written}/{_folder(outcome)}")


def _replace(filesystem: Any, written: str, target: str) -> None:
    before = f"{written}-before"
    if _is_there(filesystem, target):
        _move(filesystem, target, before)
    try:
        _move(filesystem, written, target)
    except OSError:
        if _is_there(filesystem, before):
            _move(filesystem, before, target)
        raise
    if _is_there(filesystem, before):
        filesystem.delete_dir(before)


def _move(filesystem: Any, origin: str, target: str) -> None:
    import pyarrow.fs

    if filesystem.type_name in RENAMING:
        filesystem.move(origin, target)
    else:
        pyarrow.fs.copy_files(origin, target, source_filesystem=filesystem, destination_filesystem=filesystem)
        filesystem.delete_dir(origin)


def _is_there(filesystem: Any, path: str) -> bool:
    import pyarrow.fs

    return bool(filesystem.get_file_info(path).type != pyarrow.fs.FileType.NotFound)


def _is_folder(filesystem: Any, path: str) -> bool:
    import pyarrow.fs

    return bool(filesystem.get_file_info(path).type == pyarrow.fs.FileType.Directory)
