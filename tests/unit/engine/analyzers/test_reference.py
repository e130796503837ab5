"""The reference of analyzers: whole, from the classes alone, with examples that hold."""

from support.every import every

from treaty.contracts.document.reader import read
from treaty.contracts.schema import Schema
from treaty.engine.analyzers import ANALYZERS
from treaty.engine.analyzers.reference import AnalyzerReference, reference
from treaty.engine.checks.binding import bind

REFERENCE = {each.name: each for each in reference()}
HEAD = """\
apiVersion: v3.1.0
kind: DataContract
id: orders
name: orders
version: 1.0.0
status: active
schema:
  - name: orders
    logicalType: object
    quality:
"""


def test_every_analyzer_is_described() -> None:
    assert set(REFERENCE) == set(ANALYZERS)
    assert all(each.description and each.family for each in REFERENCE.values())


def test_families_stand_together() -> None:
    families = [each.family for each in reference()]
    assert families == sorted(families)


@every("name", sorted(ANALYZERS))
def test_an_example_is_a_check_that_a_contract_may_hold(name: str) -> None:
    text = HEAD + "".join(f"      {line}\n" for line in REFERENCE[name].example.splitlines())
    (check,) = read(text.encode()).object("orders").checks
    assert (check.analyzer, check.assertion is not None) == (name, True)
    bound = bind(read(text.encode()).object("orders"), Schema(()))
    assert [each.analyzer.name for each in bound.checks if each.analyzer] == [name]


def test_arguments_say_whether_they_are_required_and_what_they_take() -> None:
    found: AnalyzerReference = REFERENCE["approx_quantile"]
    assert [(each.name, each.required) for each in found.arguments] == [
        ("column", True), ("quantile", True), ("where", False),
    ]  # fmt: skip
    assert found.arguments[1].form == {"type": "number", "minimum": 0, "maximum": 1}
    assert found.arguments[1].description == "between 0 and 1"
