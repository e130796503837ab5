"""Who judges the checks of a contract."""

import pytest
from support.contract_texts import ORDERS
from support.orders import check
from support.versions import contract, document

from treaty.contracts.document.reader import read
from treaty.engine.checks.executors import checks_with_runners
from treaty.engine.core.results import Runner
from treaty.registry.cli.main import main


def test_every_check_is_judged_here_or_elsewhere_or_by_people() -> None:
    (orders,) = read(ORDERS.encode()).objects
    found = {each.check.id: each.runner for each in checks_with_runners(orders)}
    assert [name for name, runner in found.items() if runner is Runner.ELSEWHERE] == ["elsewhere"]
    assert [name for name, runner in found.items() if runner is Runner.PEOPLE] == ["orders-text"]
    assert {each.id for each in orders.checks} < found.keys()


@pytest.mark.parametrize(
    ("entry", "runner", "reason"),
    [
        (check("size", mustBe=1), Runner.HERE, None),
        ({"id": "c", "metric": "rowCount", "mustBe": 1}, Runner.HERE, None),
        (
            {"id": "c", "metric": "rowCount", "unit": "percent", "mustBe": 1},
            Runner.ELSEWHERE,
            "rowCount does not support this unit",
        ),
        ({"id": "c", "type": "sql", "query": "DROP TABLE x", "mustBe": 1}, Runner.ELSEWHERE, "query"),
        ({"id": "c", "type": "custom", "engine": "soda", "implementation": "x"}, Runner.ELSEWHERE, "custom (soda)"),
        ({"id": "c", "type": "text", "description": "x"}, Runner.PEOPLE, "not evaluated automatically"),
        (check("meen", mustBe=1), Runner.ELSEWHERE, "unknown analyzer 'meen'"),
    ],
)
def test_a_check_says_why_it_is_not_judged_here(entry: dict[str, object], runner: Runner, reason: str | None) -> None:
    (found,) = checks_with_runners(contract(document(entry)).objects[0])
    assert found.runner is runner
    assert found.reason is None if reason is None else reason in (found.reason or "")


def test_the_command_shows_them(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(str(tmp_path))
    with open("orders.yaml", "w", encoding="utf-8") as file:
        file.write(ORDERS)
    told = {}
    for arguments in ("checks orders.yaml", "checks orders.yaml --json", "checks nowhere.yaml"):
        with pytest.raises(SystemExit) as ended:
            main(arguments.split())
        told[arguments] = (ended.value.code, "".join(capsys.readouterr()))
    assert told["checks orders.yaml"][0] == 0
    assert "checks evaluated by Treaty: 10, another engine: 1, people: 1" in told["checks orders.yaml"][1]
    assert '"runner": "people"' in told["checks orders.yaml --json"][1]
    assert told["checks nowhere.yaml"] == (3, "treaty: File not found: nowhere.yaml\n")
