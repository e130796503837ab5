"""What the events of a run tell of the partitions that it wrote: the best of what producers say, never more than that.

What a table's files or versions say wins over all of it (`treaty.engine.spark.sources.changes`)."""

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

# The values of partition columns, by column; None is null.
Values = Mapping[str, str | None]
LARGEST = 2**63 - 1
# A condition that is nested deeper, or lists more than that, names no partitions that could be read one by one.
DEEP, MANY = 16, 1024
_MOMENT = re.compile(r"\{(nominalStart|nominalEnd)(?::([^{}]*))?\}")
NOTHING = WriteHint()
# The surest first.
LADDER = (DetectionMethod.SUBSET, DetectionMethod.PATH, DetectionMethod.SQL, DetectionMethod.NOMINAL)
_TIMES = {"nominalStart": "nominalStartTime", "nominalEnd": "nominalEndTime"}


def write_hint(
    run: FoldedRun, outputs: Sequence[FoldedDataset], partition_by: Sequence[str], nominal: Mapping[str, str]
) -> WriteHint:
    """What the run says of its write to a dataset, which is that of the `outputs`. `partition_by`: what parts it.

    `nominal`: by partition column, how its value is written of the run's nominal time ('{nominalStart:%Y-%m-%d}').
    A hint names all partition columns or no partition. Nothing that an event may hold makes it raise."""
    version = _version(outputs)
    for how, told in _rungs(run, outputs, nominal) if partition_by and outputs else ():
        if names := _names(told, partition_by):
            return WriteHint(names, how, version)
    return WriteHint(version=version)


def joined(hints: Sequence[WriteHint]) -> WriteHint:
    """What several writes together may have changed, told by the least sure; what one does not say, nobody knows."""
    told = [each.partitions for each in hints if each.partitions is not None]
    made = sorted({version for each in hints for version in each.versions}, reverse=True)
    known = bool(made) and all(each.version is not None for each in hints)
    version, others = (made[0], tuple(made[1:])) if known else (None, ())
    if not told or len(told) < len(hints):
        return WriteHint(version=version, other_versions=others)
    how = max((each.method for each in hints if each.method), key=LADDER.index)
    return WriteHint(tuple(sorted({name for names in told for name in names})), how, version, others)


def outputs_of(run: FoldedRun, dataset: LineageName) -> tuple[FoldedDataset, ...]:
    """The outputs of the run that are that dataset, by their path, that of a partition, or another of their names; all
    where the run wrote a single one under whatever name."""
    found = tuple(each for each in run.outputs if dataset in _identities(each))
    alone = len({table_name(normalise(*_name(each))).dataset for each in run.outputs}) == 1
    return found or (run.outputs if alone else ())


def _rungs(
    run: FoldedRun, outputs: Sequence[FoldedDataset], nominal: Mapping[str, str]
) -> Iterator[tuple[DetectionMethod, Sequence[Values]]]:
    """What is told, the surest first."""
    spoken = [_spoken(each) for each in outputs]
    told = [values for _, some in spoken for values in some]
    if all(some for _, some in spoken):
        yield (
            (
                DetectionMethod.SUBSET
                if all(how is DetectionMethod.SUBSET for how, _ in spoken)
                else DetectionMethod.PATH
            ),
            told,
        )
    yield DetectionMethod.SQL, _written(run, outputs)
    yield DetectionMethod.NOMINAL, _timed(run, nominal)


def _spoken(output: FoldedDataset) -> tuple[DetectionMethod, Sequence[Values]]:
    """The partitions that the output itself names: by its subset facet, by locations in it, or by its own path."""
    condition = output.own_facet("subset").get("outputCondition")
    if told := _condition(condition):
        return DetectionMethod.SUBSET, told
    located = _locations(condition)
    paths = located if located is not None else [output.name]
    values = [partition_names.values(path.rstrip("/")) for path in paths]
    return DetectionMethod.PATH, values if all(values) else ()


def _condition(condition: Any, depth: int = 0) -> Sequence[Values] | None:
    """The partitions that the condition admits; None where it does not say: all may be."""
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
    each_of = listed if isinstance(listed, list) else []
    told = [each.get("dimensions") for each in each_of if isinstance(each, dict)]
    found = [{str(column): _text(value) for column, value in each.items()} for each in told if isinstance(each, dict)]
    return found if found and len(found) == len(each_of) else None


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
        # Of two conditions that must both hold, the one that says something admits enough.
        return (left if right is None else right) if condition.get("operator") == "AND" else None
    if len(left) * len(right) > MANY:
        return None
    return [{**one, **other} for one, other in product(left, right) if _agree(one, other)]


def _agree(one: Values, other: Values) -> bool:
    return all(other.get(column, value) == value for column, value in one.items())


def _locations(condition: Any) -> list[str] | None:
    found = condition.get("locations") if isinstance(condition, dict) else None
    if not isinstance(found, list) or not found or not all(isinstance(each, str) for each in found):
        return None
    return found


def _written(run: FoldedRun, outputs: Sequence[FoldedDataset]) -> Sequence[Values]:
    """The partitions that the job's statement names by constants, of all its writes to this table."""
    told = run.job_facets.get("sql")
    writes = told.value.get("writes") if told else None
    known = [each for each in writes if isinstance(each, dict)] if isinstance(writes, list) else []
    short = {re.split(r"[./]", name.name.rstrip("/"))[-1].lower() for each in outputs for name in _identities(each)}
    mine = [each for each in known if each.get("table") in short]
    if not mine and len(run.outputs) == 1 and len({str(each.get("table")) for each in known}) == 1:
        mine = known
    values = [value for each in mine if isinstance(value := each.get("partition"), dict) and value]
    return values if len(values) == len(mine) else ()


def _timed(run: FoldedRun, nominal: Mapping[str, str]) -> Sequence[Values]:
    """The partition of the run's nominal time, as the contract's templates write it."""
    told = run.run_facets.get("nominalTime")
    if told is None or not nominal:
        return ()
    try:
        return [{column: _moment(template, told.value) for column, template in nominal.items()}]
    except (ValueError, OverflowError):
        return ()


def _moment(template: str, times: Mapping[str, Any]) -> str:
    """The template with the times in it; one that names none is a format of the nominal start. Raises ValueError."""
    if not _MOMENT.search(template):
        return _instant(times.get("nominalStartTime")).strftime(template)
    return _MOMENT.sub(lambda found: _instant(times.get(_TIMES[found[1]])).strftime(found[2] or "%Y-%m-%d"), template)


def _instant(text: Any) -> datetime:
    if not isinstance(text, str):
        raise ValueError("not a time")
    found = datetime.fromisoformat(text)
    return found.astimezone(UTC) if found.tzinfo else found


def _names(told: Iterable[Values], partition_by: Sequence[str]) -> tuple[str, ...]:
    """The partitions as the engine names them; () where one of them lacks a partition column."""
    columns, found = columns_of(partition_by), set()
    for values in told:
        by = {column.lower(): value for column, value in values.items()}
        if any(column.lower() not in by for column in columns):
            return ()
        found.add(partition_names.name(partition_by, [_partition_value(by[column.lower()]) for column in columns]))
    return tuple(sorted(found))


def _partition_value(value: str | None) -> str | None:
    """As folders have it: there is no name for an empty value, and one for null."""
    return None if value in (None, "", partition_names.NULL) else value


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return str(value).lower() if isinstance(value, bool) else str(value)


def _version(outputs: Iterable[FoldedDataset]) -> int | None:
    """The newest version that an output tells, of those that are counted."""
    told = (str(each.facet("version").get("datasetVersion")) for each in outputs)
    counted = [int(text) for text in told if re.fullmatch(r"[0-9]{1,19}", text)]
    return max((each for each in counted if each <= LARGEST), default=None)


def _identities(output: FoldedDataset) -> set[LineageName]:
    full = normalise(*_name(output))
    listed = output.facet("symlinks").get("identifiers")
    links = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    named = [(each.get("namespace"), each.get("name")) for each in links]
    others = {normalise(space, name) for space, name in named if isinstance(space, str) and isinstance(name, str)}
    return {full, table_name(full).dataset, *others}


def _name(output: FoldedDataset) -> tuple[str, str]:
    return output.namespace, output.name
