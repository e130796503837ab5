"""`treaty export` and `treaty import` on files: what they write, and their exit codes."""

from pathlib import Path

import pytest
from support.contract_texts import ORDERS
from support.exchanged import DBT, DDL

from treaty.registry.cli.main import main


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("orders.yaml").write_text(ORDERS)
    Path("faulty.yaml").write_text("id: a\n")
    Path("orders.sql").write_text(DDL)
    Path("dbt").mkdir()
    Path("dbt/schema.yml").write_text(DBT)
    Path("both").mkdir()
    Path("both/a.yaml").write_text("id: a\n")
    Path("both/b.yaml").write_text("[")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ("export orders.yaml", 0, ORDERS),
        ("export orders.yaml --to dbt", 0, "# Not supported by dbt"),
        ("export orders.yaml --to html", 0, "<!doctype html>"),
        ("export orders.yaml --to markdown", 0, "# orders of the shop"),
        ("export orders.yaml --to htm", 3, "did you mean 'html'?"),
        ("export orders.yaml --record", 3, "a file has no approval record"),
        ("export nowhere.yaml", 3, "File not found: nowhere.yaml"),
        ("export faulty.yaml --to dbt", 3, "The contract has"),
        ("export orders.yaml -o no/where", 3, "Cannot write no/where"),
        ("import orders.yaml", 0, ORDERS),
        ("import orders.sql --from spark", 0, "physicalName: shop.orders"),
        ("import dbt --from dbt", 0, "\n---\n"),
        ("import dbt --from spark", 3, "contains 0 files"),
        ("import dbt --from excel", 3, "is not a format: use one of odcs, dbt, spark"),
        ("import both", 3, "a.yaml: odcs-missing-key"),
        ("import both", 3, "b.yaml: yaml-syntax"),
        ("import nowhere.yaml", 3, "Cannot read nowhere.yaml: No such file"),
    ],
)
def test_an_exchange_ends_with_its_code_and_words(
    arguments: str, code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments.split())
    told = capsys.readouterr()
    assert (ended.value.code, said in (told.err if code else told.out)) == (code, True), told


def test_a_file_is_written_for_each_contract_and_never_over_another() -> None:
    with pytest.raises(SystemExit) as first:
        main(["import", "dbt", "--from", "dbt", "-o", "made"])
    assert (first.value.code, sorted(each.name for each in Path("made").iterdir())) == (
        0,
        ["events-1.0.0.odcs.yaml", "orders-1.0.0.odcs.yaml"],
    )
    Path("made/events-1.0.0.odcs.yaml").unlink()
    with pytest.raises(SystemExit) as second:
        main(["import", "dbt", "--from", "dbt", "-o", "made"])
    assert (second.value.code, [each.name for each in Path("made").iterdir()]) == (3, ["orders-1.0.0.odcs.yaml"])


def test_an_export_is_written_byte_for_byte() -> None:
    with pytest.raises(SystemExit) as ended:
        main(["export", "orders.yaml", "-o", "copy.yaml"])
    assert (ended.value.code, Path("copy.yaml").read_bytes()) == (0, ORDERS.encode())
