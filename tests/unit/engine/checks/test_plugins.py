"""Plug-ins: found by entry point, loaded where they are named, refused with the reason where they cannot be used."""

import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from support.bags import bag
from support.plugins import NAME, install

from treaty.contracts import assertions
from treaty.contracts.document.reader import read
from treaty.contracts.errors import ContractError
from treaty.contracts.schema import Column, Schema
from treaty.engine.analyzers import ANALYZERS
from treaty.engine.checks import plugins
from treaty.engine.checks.binding import bind
from treaty.engine.evaluation.evaluator import evaluate
from treaty.engine.evaluation.request import EvaluationRequest

NOW = datetime(2026, 1, 5, tzinfo=UTC)
SCHEMA = Schema((Column("id", "bigint"),))
CONTRACT = """
apiVersion: v3.1.0
kind: DataContract
id: numbers
name: numbers
version: 1.0.0
status: active
schema:
  - name: numbers
    quality:
      - {id: even, type: custom, engine: treaty, implementation: {analyzer: even_share, column: id, mustBe: 1}}
      - {id: dozens, type: custom, engine: treaty, implementation: {analyzer: size, mustBeDivisibleBy: 3}}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on the path; whatever a plug-in adds to the tables is gone afterwards."""
    monkeypatch.syspath_prepend(str(tmp_path))
    for table in (ANALYZERS, assertions.OPERATORS, plugins._LOADED):
        for name in list(table):
            monkeypatch.setitem(table, name, table[name])
    before = [set(table) for table in (ANALYZERS, assertions.OPERATORS, plugins._LOADED)]
    yield tmp_path
    for table, known in zip((ANALYZERS, assertions.OPERATORS, plugins._LOADED), before, strict=True):
        for name in set(table) - known:
            del table[name]
    sys.modules.pop("treaty_parity", None)


def test_what_a_package_offers_is_judged_and_named_in_the_run(folder: Path) -> None:
    with pytest.raises(ContractError, match="unknown analyzer 'even_share'"):
        bind(read(CONTRACT.encode()).objects[0], SCHEMA)
    install(folder)
    plugins.load([NAME, NAME])
    contract = read(CONTRACT.encode())
    checks = bind(contract.objects[0], SCHEMA)
    assert [each.sentence for each in checks.checks] == ["all numbers in id are even", "size must be divisible by 3"]
    packed = bag(checks.plan, SCHEMA, {"id": [2, 4, 5, None]}).pack()
    run = evaluate(
        EvaluationRequest(
            contract=contract, object_name="numbers", states={"": packed}, delta=[""], started_at=NOW, finished_at=NOW
        )
    )
    assert [(each.outcome, each.value) for each in run.results] == [("failed", 2 / 3), ("failed", 4)]
    assert run.plugins == ("treaty-parity 1.2.0",)


def test_a_plugin_that_is_not_named_is_not_loaded(folder: Path) -> None:
    install(folder)
    plugins.load([])
    assert "even_share" not in ANALYZERS
    assert plugins.loaded_plugins() == ()


BROKEN = {
    "nothing of that name": (None, "is not installed"),
    "no entry point": ({}, "provides no plug-ins"),
    "no such module": ({"treaty.analyzers": {"a": "nowhere:A"}}, "raised ModuleNotFoundError"),
    "no analyzer": ({"treaty.analyzers": {"even_share": "treaty_parity:DIVISIBLE"}}, "is not an analyzer"),
    "another name": ({"treaty.analyzers": {"odd_share": "treaty_parity:EvenShare"}}, "use the same name"),
    "no operator": ({"treaty.assertions": {"divisible": "treaty_parity:DIVISIBLE"}}, "is not an operator"),
    "no assertion": ({"treaty.assertions": {"mustBeEven": "treaty_parity:EvenShare"}}, "is not an assertion"),
    "taken": ({"treaty.assertions": {"mustBe": "treaty_parity:DIVISIBLE"}}, "already exists"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_plugin_that_cannot_be_used_is_refused_with_the_reason(case: str, folder: Path) -> None:
    entry_points, reason = BROKEN[case]
    if entry_points is not None:
        install(folder, entry_points=entry_points, name="treaty-broken")
    with pytest.raises(plugins.PluginError, match=reason):
        plugins.load(["treaty-broken"])
    assert plugins.loaded_plugins() == ()
