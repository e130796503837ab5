"""Whether measured states agree with a case of the analyzers' table."""

from math import isnan
from typing import Any

from support.analyzer_cases import CASES
from support.analyzer_table import NOW, SCHEMA, Case

from treaty.engine.states.bag import StateBag

BOUND = {case.id: case.analyzer.bind(SCHEMA) for case in CASES}


def agrees(states: StateBag, case: Case) -> bool:
    """The value of the case, and whatever else it names."""
    reading = BOUND[case.id].read(states.values, now=NOW)
    wanted = {name: getattr(case, name) for name in ("broken", "counted", "details")}
    assert {name: getattr(reading, name) for name, given in wanted.items() if given is not None} == {
        name: given for name, given in wanted.items() if given is not None
    }
    return same(reading.value, case)


def same(value: Any, case: Case) -> bool:
    """Whether the value is the expected one, of the same type, or as near as the case allows."""
    if isinstance(case.expected, float) and isnan(case.expected):
        return isinstance(value, float) and isnan(value)
    if case.within:
        return abs(value - case.expected) <= case.within
    return bool(value == case.expected) and type(value) is type(case.expected)
