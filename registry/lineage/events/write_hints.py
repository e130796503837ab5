"""Derive the partitions that a run wrote from its events, using the most reliable source.

The files or versions of the table take precedence over these hints (`treaty.engine.spark.sources.changes`)."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import product
from typing import Any

from treaty.contracts.document.computed_partitions import names as columns_of
from treaty.engine.core.partitions import partition_names
from treaty.engine.protocol.write_hints import DetectionMethod, WriteHint
from treaty.registry.datasets.names import LineageName, normalise, table_name
from treaty.registry.lineage.events.run_state import FoldedDataset, FoldedRun

# The values of partition columns, by column. A None value is null.
Values = Mapping[str, str | None]
LARGEST = 2**63 - 1
# A condition that is nested deeper, or has more combinations, yields no partitions.
DEEP, MANY = 16, 1024
_MOMENT = re.compile(r"\{(nominalStart|nominalEnd)(?::([^{}]*))?\}")
NOTHING = WriteHint()
# The most reliable method first.
LADDER = (DetectionMethod.SUBSET, DetectionMethod.PATH, DetectionMethod.SQL, DetectionMethod.NOMINAL)
_TIMES = {"nominalStart": "nominalStartTime", "nominalEnd": "nominalEndTime"}


def write_hint(
    run: FoldedRun, outputs: Sequence[FoldedDataset], partition_by: Sequence[str], nominal: Mapping[str, str]
) -> WriteHint:
    """Return the hint about a run's write to the dataset of `outputs`.

    `partition_by`: partition columns of the dataset. `nominal`: by partition column, the template that formats the
    run's nominal time ('{nominalStart:%Y-%m-%d}'). The hint names all partition columns, or no partition. Malformed
    events never raise an error."""
    version = _version(outputs)
    for method, values in _rungs(run, outputs, nominal) if partition_by and outputs else ():
        if names := _names(values, partition_by):
            return WriteHint(names, method, version)
    return WriteHint(version=version)


def joined(hints: Sequence[WriteHint]) -> WriteHint:
    """Merge the hints of several writes, using the least reliable method among them.

    Partitions are unknown if any hint lacks them, and so are versions."""
    partitions = [each.partitions for each in hints if each.partitions is not None]
    versions = sorted({version for each in hints for version in each.versions}, reverse=True)
    has_versions = bool(versions) and all(each.version is not None for each in hints)
    version, other_versions = (versions[0], tuple(versions[1:])) if has_versions else (None, ())
    if not partitions or len(partitions) < len(hints):
        return WriteHint(version=version, other_versions=other_versions)
    method = max((each.method for each in hints if each.method), key=LADDER.index)
    return WriteHint(tuple(sorted({name for names in partitions for name in names})), method, version, other_versions)


def outputs_of(run: FoldedRun, dataset: LineageName) -> tuple[FoldedDataset, ...]:
    """Return the run's outputs that are this dataset, by path, partition path or symlink.

    If none matches and all outputs belong to one dataset, all are returned."""
    matches = tuple(each for each in run.outputs if dataset in _identities(each))
    is_single = len({table_name(normalise(*_name(each))).dataset for each in run.outputs}) == 1
    return matches or (run.outputs if is_single else ())


def _rungs(
    run: FoldedRun, outputs: Sequence[FoldedDataset], nominal: Mapping[str, str]
) -> Iterator[tuple[DetectionMethod, Sequence[Values]]]:
    """Yield the partitions of each method, the most reliable first."""
    by_output = [_spoken(each) for each in outputs]
    partitions = [values for _, part in by_output for values in part]
    if all(part for _, part in by_output):
        yield (
            (
                DetectionMethod.SUBSET
                if all(method is DetectionMethod.SUBSET for method, _ in by_output)
                else DetectionMethod.PATH
            ),
            partitions,
        )
    yield DetectionMethod.SQL, _written(run, outputs)
    yield DetectionMethod.NOMINAL, _timed(run, nominal)


def _spoken(output: FoldedDataset) -> tuple[DetectionMethod, Sequence[Values]]:
    """Return the partitions in the output's subset facet or locations, or in its own path."""
    condition = output.own_facet("subset").get("outputCondition")
    if partitions := _condition(condition):
        return DetectionMethod.SUBSET, partitions
    locations = _locations(condition)
    paths = locations if locations is not None else [output.name]
    values = [partition_names.values(path.rstrip("/")) for path in paths]
    return DetectionMethod.PATH, values if all(values) else ()


def _condition(condition: Any, depth: int = 0) -> Sequence[Values] | None:
    """Return the partitions that the condition selects; None if it does not restrict them."""
    if not isinstance(condition, dict) or depth > DEEP:
        return None
    kind = condition.get("type")
    if kind == "partition":
        return _dimension_values(condition.get("partitions"))
    if kind == "compare":
        return _compared(condition)
    if kind == "binary":
        return _both(condition, depth + 1)
    return None


def _dimension_values(listed: Any) -> Sequence[Values] | None:
    items = listed if isinstance(listed, list) else []
    dimensions = [each.get("dimensions") for each in items if isinstance(each, dict)]
    values = [
        {str(column): _text(value) for column, value in each.items()} for each in dimensions if isinstance(each, dict)
    ]
    return values if values and len(values) == len(items) else None


def _compared(condition: Mapping[str, Any]) -> Sequence[Values] | None:
    sides = {str(each.get("type")): each for side in ("left", "right") if isinstance(each := condition.get(side), dict)}
    field, literal = sides.get("field", {}).get("field"), sides.get("literal", {})
    if condition.get("comparison") != "EQUAL" or not isinstance(field, str) or "value" not in literal:
        return None
    return [{field: _text(literal["value"])}]


def _both(condition: Mapping[str, Any], depth: int) -> Sequence[Values] | None:
    left, right = (_condition(condition.get(side), depth) for side in ("left", "right"))
    if condition.get("operator") == "OR":
        return [*left, *right] if left is not None and right is not None else None
    if condition.get("operator") != "AND" or left is None or right is None:
        # If only one side of an AND names partitions, they include all that the condition selects.
        return (left if right is None else right) if condition.get("operator") == "AND" else None
    if len(left) * len(right) > MANY:
        return None
    return [{**one, **other} for one, other in product(left, right) if _agree(one, other)]


def _agree(one: Values, other: Values) -> bool:
    return all(other.get(column, value) == value for column, value in one.items())


def _locations(condition: Any) -> list[str] | None:
    locations = condition.get("locations") if isinstance(condition, dict) else None
    if not isinstance(locations, list) or not locations or not all(isinstance(each, str) for each in locations):
        return None
    return locations


def _written(run: FoldedRun, outputs: Sequence[FoldedDataset]) -> Sequence[Values]:
    """Return the constant partitions in the job's SQL statement, for all writes to this table."""
    facet = run.job_facets.get("sql")
    writes = facet.value.get("writes") if facet else None
    entries = [each for each in writes if isinstance(each, dict)] if isinstance(writes, list) else []
    short = {re.split(r"[./]", name.name.rstrip("/"))[-1].lower() for each in outputs for name in _identities(each)}
    matches = [each for each in entries if each.get("table") in short]
    if not matches and len(run.outputs) == 1 and len({str(each.get("table")) for each in entries}) == 1:
        matches = entries
    values = [value for each in matches if isinstance(value := each.get("partition"), dict) and value]
    return values if len(values) == len(matches) else ()


def _timed(run: FoldedRun, nominal: Mapping[str, str]) -> Sequence[Values]:
    """Return the partition of the run's nominal time, formatted by the contract's templates."""
    facet = run.run_facets.get("nominalTime")
    if facet is None or not nominal:
        return ()
    try:
        return [{column: _moment(template, facet.value) for column, template in nominal.items()}]
    except (ValueError, OverflowError):
        return ()


def _moment(template: str, times: Mapping[str, Any]) -> str:
    """Return the template with the times inserted.

    A template without placeholders is a format of the nominal start. Raises ValueError for a missing or invalid
    time."""
    if not _MOMENT.search(template):
        return _instant(times.get("nominalStartTime")).strftime(template)
    return _MOMENT.sub(lambda match: _instant(times.get(_TIMES[match[1]])).strftime(match[2] or "%Y-%m-%d"), template)


def _instant(text: Any) -> datetime:
    if not isinstance(text, str):
        raise ValueError("expected a time")
    instant = datetime.fromisoformat(text)
    return instant.astimezone(UTC) if instant.tzinfo else instant


def _names(partitions: Iterable[Values], partition_by: Sequence[str]) -> tuple[str, ...]:
    """Return the engine's names of the partitions; () if one of them lacks a partition column."""
    columns, names = columns_of(partition_by), set()
    for values in partitions:
        by_column = {column.lower(): value for column, value in values.items()}
        if any(column.lower() not in by_column for column in columns):
            return ()
        names.add(
            partition_names.name(partition_by, [_partition_value(by_column[column.lower()]) for column in columns])
        )
    return tuple(sorted(names))


def _partition_value(value: str | None) -> str | None:
    """Return the value as in directory names, where empty values and null are the same."""
    return None if value in (None, "", partition_names.NULL) else value


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return str(value).lower() if isinstance(value, bool) else str(value)


def _version(outputs: Iterable[FoldedDataset]) -> int | None:
    """Return the greatest numeric version of the outputs; None if there is none."""
    texts = (str(each.facet("version").get("datasetVersion")) for each in outputs)
    numbers = [int(text) for text in texts if re.fullmatch(r"[0-9]{1,19}", text)]
    return max((each for each in numbers if each <= LARGEST), default=None)


def _identities(output: FoldedDataset) -> set[LineageName]:
    full = normalise(*_name(output))
    identifiers = output.facet("symlinks").get("identifiers")
    links = [each for each in identifiers if isinstance(each, dict)] if isinstance(identifiers, list) else []
    pairs = [(each.get("namespace"), each.get("name")) for each in links]
    aliases = {normalise(space, name) for space, name in pairs if isinstance(space, str) and isinstance(name, str)}
    return {full, table_name(full).dataset, *aliases}


def _name(output: FoldedDataset) -> tuple[str, str]:
    return output.namespace, output.name
