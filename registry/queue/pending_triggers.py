"""What triggers said that no validation has covered yet: plain data, equal ones once, never more than so many."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

TriggerPayload = Mapping[str, Any]
# What is said beyond that is said of all: {"all": True}.
MOST = 64
RUNS = "runs"
# What a table's columns are now, and since when.
COLUMNS, AT = "columns", "at"
# By these, what one trigger said is told from what another one did.
SAYS = ("dataset", "partitions", "reads", "streaming", "all")


def added(before: Sequence[TriggerPayload], extra: TriggerPayload, seq: int) -> list[dict[str, Any]]:
    """What was said before and by this trigger, in the order of `seq`. `runs`: who said so, None where too many did."""
    new = {**extra, "seq": seq, RUNS: [extra["lineage_run_id"]] if "lineage_run_id" in extra else None}
    same = next((each for each in before if _says(each) == _says(new)), None)
    if same is not None:
        new |= {RUNS: _both(same[RUNS], new[RUNS])} | _defined(same, new)
    kept = [dict(each) for each in before if each is not same]
    return [*kept, new] if len(kept) < MOST else [{"all": True, "seq": seq, RUNS: None, "streaming": streams(kept)}]


def after(before: Iterable[TriggerPayload], seq: int) -> list[dict[str, Any]]:
    """What was said after that trigger."""
    return [dict(each) for each in before if each["seq"] > seq]


def without(before: Iterable[TriggerPayload], run: UUID) -> list[dict[str, Any]]:
    """What others than the run said, too."""
    left = ({**each, RUNS: each[RUNS] and [one for one in each[RUNS] if one != str(run)]} for each in before)
    return [each for each in left if each[RUNS] != []]


def streams(said: Iterable[TriggerPayload]) -> bool:
    """Whether it was said of something that is written all the time."""
    return any(each.get("streaming") for each in said)


def payload(said: TriggerPayload) -> dict[str, Any]:
    """What a task says of it."""
    return {key: value for key, value in said.items() if key not in {"seq", RUNS, "all", COLUMNS, AT}}


def columns(said: Iterable[TriggerPayload]) -> list[tuple[str, str]] | None:
    """The columns that a table was given, as was told of it last; [] where nobody said which, None where it was given
    none anew."""
    told = [each for each in said if COLUMNS in each]
    last = max(told, key=_age, default=None)
    return [(str(name), str(kind)) for name, kind in last[COLUMNS]] if last else None


def _defined(one: TriggerPayload, other: TriggerPayload) -> dict[str, Any]:
    """Of two that say the same, the columns of the one that is of a later time, whichever came first."""
    told = [each for each in (one, other) if COLUMNS in each]
    last = max(told, key=_age, default={})
    return {key: last[key] for key in (COLUMNS, AT) if key in last}


def _age(said: TriggerPayload) -> datetime:
    return datetime.fromisoformat(said[AT])


def _says(said: TriggerPayload) -> list[Any]:
    return [said.get(key) for key in SAYS]


def _both(one: Sequence[str] | None, other: Sequence[str] | None) -> list[str] | None:
    both = sorted({*one, *other}) if one is not None and other is not None else None
    return both if both is not None and len(both) <= MOST else None
