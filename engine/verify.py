"""From states to a verdict: judge a contract on partitions whose states are known, without touching the data."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from contracts.document import Contract
from contracts.logical_types import Schema
from engine import states as bags
from engine.checks import BoundCheck, BoundChecks, bind
from engine.plan import ROWS
from engine.results import CheckResult, Measurement, Outcome, RunResult
from engine.states import Files, StateError, States
from engine.structure import judge_structure


def judge(
    contract: Contract,
    object_name: str,
    *,
    states: Mapping[str, bytes],
    delta: Sequence[str],
    started: datetime,
    finished: datetime,
    schema: Schema | None = None,
    files: Files | None = None,
) -> RunResult:
    """The run that judges what arrived. `states` holds every partition's packed bag; `delta` names the new ones.

    Checks of scope delta give a result per partition of `delta`, those of scope dataset one over all partitions.
    `schema` is that of the delta (None: as its first partition recorded it). Raises ContractError for faults of the contract, StateError for damaged states."""
    columns = schema if schema is not None else bags.described(states[delta[0]])[0]
    checks = bind(contract.object(object_name), columns)
    judged = [*_judge_delta(checks, states, delta, files), *_judge_dataset(checks, states, files)]
    results = (*judge_structure(checks.object, columns), *(result for result, _ in judged))
    measured = {(m.identity, m.partition): m for _, m in judged if m is not None}
    return RunResult(
        contract_id=contract.id,
        contract_version=contract.version,
        contract_fingerprint=contract.fingerprint,
        object=object_name,
        partitions=tuple(delta),
        rows=sum(_rows(states[partition]) for partition in delta),
        started=started,
        finished=finished,
        results=results,
        measurements=tuple(measured.values()),
    )


Judged = tuple[CheckResult, Measurement | None]


def _judge_delta(
    checks: BoundChecks, packed: Mapping[str, bytes], delta: Sequence[str], files: Files | None
) -> Iterator[Judged]:
    ours = [check for check in checks.checks if check.scope == "delta"]
    keys = _keys(ours)
    for partition in delta:
        bag = _unpacked(partition, packed[partition], files, keys)
        yield from (_judge(check, bag, partition) for check in ours)


def _judge_dataset(checks: BoundChecks, packed: Mapping[str, bytes], files: Files | None) -> Iterator[Judged]:
    ours = [check for check in checks.checks if check.scope == "dataset"]
    keys = _keys(ours)
    whole = bags.merge(_unpacked(name, each, files, keys) for name, each in packed.items()) if ours else None
    yield from (_judge(check, whole or States({}), None) for check in ours)


def _keys(checks: Sequence[BoundCheck]) -> frozenset[str]:
    return frozenset(part.key for check in checks if check.bound for part in check.bound.parts.values())


def _unpacked(partition: str, packed: bytes, files: Files | None, keys: frozenset[str]) -> States:
    try:
        return bags.unpack(packed, files, keys=keys)
    except StateError as error:
        raise StateError(f"partition {partition or 'of the whole table'}: {error}") from error


def _rows(packed: bytes) -> int:
    return bags.unpack(packed, keys=frozenset({ROWS.key})).rows


def _judge(check: BoundCheck, bag: States, partition: str | None) -> Judged:
    if check.bound is None or check.analyzer is None:
        return _result(check, partition, Outcome.NOT_EVALUATED, reason=check.reason), None
    try:
        value = check.bound.value(bag.values)
    except KeyError as missing:
        reason = bag.failures.get(str(missing.args[0]), "a part of the data has no state of this metric yet")
        return _result(check, partition, Outcome.NOT_EVALUATED, reason=reason), None
    measurement = Measurement(
        analyzer=check.analyzer.name,
        arguments=check.analyzer.arguments(),
        partition=partition,
        value=value,
        identity=check.analyzer.identity,
    )
    outcome, reason = _outcome(check, value)
    return _result(check, partition, outcome, reason=reason, value=value), measurement


def _outcome(check: BoundCheck, value: Any) -> tuple[Outcome, str | None]:
    if value is None:
        return Outcome.NOT_APPLICABLE, "there was nothing to measure: no matching row has a value"
    assert check.check.assertion is not None
    try:
        held = check.check.assertion.holds(value)
    except TypeError:
        return (
            Outcome.NOT_EVALUATED,
            "the measured value and the limit cannot be compared: one is text, the other a number",
        )
    return (Outcome.PASSED if held else Outcome.FAILED), None


def _result(
    check: BoundCheck, partition: str | None, outcome: Outcome, *, reason: str | None, value: Any = None
) -> CheckResult:
    return CheckResult(
        check_id=check.check.id,
        name=check.check.name,
        outcome=outcome,
        severity=check.check.severity,
        scope=check.scope,
        partition=partition,
        sentence=check.sentence,
        column=check.column,
        dimension=check.check.dimension,
        value=value,
        reason=reason,
        measurement=check.analyzer.identity if check.analyzer else None,
    )


def suffices(contract: Contract, object_name: str, packed: bytes) -> bool:
    """Whether a stored bag answers every check of the object. False for damaged bags and for those of an older version."""
    try:
        schema, keys = bags.described(packed)
    except StateError:
        return False
    return bind(contract.object(object_name), schema).plan.keys <= keys
