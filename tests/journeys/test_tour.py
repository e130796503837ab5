"""Pages of the docs, every line of them, in an empty folder; the Java that their commands find is one and warm.

The first tutorial also runs where the wheel is installed (`test_wheel`)."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.doc_blocks import blocks, python, shell
from support.plugins import install
from support.required import require
from support.warm import warm_java


@pytest.fixture(autouse=True, scope="module")
def java(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    require("java", available=shutil.which("java") is not None, reason="there is no Java")
    with warm_java(tmp_path_factory.mktemp("java")) as home, pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_HOME", str(home))
        yield


def test_every_line_about_streams_does_what_it_says(tmp_path: Path) -> None:
    (wrote,), (watched,) = blocks("sh", "streams"), blocks("python", "streams")
    shell(wrote, tmp_path)
    asked = """
from treaty.engine.states.bag import unpack
store = StateFolder("orders-states")
bags = {name: unpack(store.bag(entry.bag)) for name, entry in store.current().entries.items()}
days = {f"day={row['day']}": row["count"] for row in orders.groupBy("day").count().collect()}
print({name: bag.rows for name, bag in bags.items()} == days, spark.read.parquet("landed").count() == orders.count())
"""
    told = python(watched + asked, tmp_path).splitlines()
    assert [line.split()[1] for line in told[:-1]] == ["passed", "passed"]
    assert told[-1] == "True True"


def test_every_line_about_the_library_does_what_it_says(tmp_path: Path) -> None:
    (tmp_path / "packages").mkdir()
    install(tmp_path / "packages")
    wrote, explained, judged, parted = blocks("sh", "library")
    checked, function, written, bad, plugged = blocks("python", "library")
    shell(wrote, tmp_path)

    told = python(checked + function + written, tmp_path)
    assert told.startswith("failed\npassed size")
    assert "failed payment-contained_in" in told
    assert told.endswith("failed\n")

    assert "group" in shell(explained, tmp_path)
    assert "rows" in shell(judged, tmp_path)
    assert (tmp_path / "orders.xml").read_text(encoding="utf-8").startswith("<?xml")

    shell(parted, tmp_path)
    named = python(f"{bad}{checked}{plugged}", tmp_path)
    assert "amount-in_range" in named
    assert named.endswith("passed\n")
    with_plugin = judged.splitlines()[0].replace("--samples 3", "--plugins treaty-parity --report json")
    assert "treaty-parity 1.2.0" in shell(with_plugin, tmp_path)


def test_the_standard_s_checks_on_the_page_are_checks() -> None:
    from treaty.contracts.document.reader import read

    (schema,) = blocks("yaml", "library")
    head = "apiVersion: v3.1.0\nkind: DataContract\nid: orders\nversion: 1.0.0\nstatus: draft\n"
    checks = read(f"{head}{schema}".encode()).object("orders").checks
    assert {each.id for each in checks} == {"few-lost-customers", "no-free-orders"}


def test_every_line_about_the_gate_does_what_it_says(tmp_path: Path) -> None:
    wrote, asked = blocks("sh", "states")
    (published,) = blocks("python", "states")
    shell(wrote, tmp_path)
    assert python(published, tmp_path).endswith("passed passed\nfailed and nothing changed\n")
    assert "passed" in shell(asked, tmp_path)


def test_the_views_on_the_page_are_terms() -> None:
    from treaty.contracts.document.reader import read

    (terms,) = blocks("yaml", "states")
    head = "apiVersion: v3.1.0\nkind: DataContract\nid: orders\nversion: 1.0.0\nstatus: draft\n"
    assert [each.name for each in read(f"{head}{terms}".encode()).terms.views] == ["eu", "september"]
