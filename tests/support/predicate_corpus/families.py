"""The corpus of benign predicates by family: what people write, from the documentation of Spark and of other tools.

Written from facts and constructs; each is valid in Spark. Left out is what is no condition on a row (aggregates,
windows, subqueries), and what depends on when or where it runs (the current date, random numbers)."""

from support.predicate_corpus import (
    dbt,
    deequ,
    dqx,
    great_expectations,
    odcs,
    soda,
    spark_collections,
    spark_logic,
    spark_numbers,
    spark_texts,
    spark_times,
)
from support.predicate_corpus.table import SCHEMA

from treaty.contracts.predicates.parser import PredicateError, parse

FAMILIES: dict[str, tuple[str, ...]] = {
    module.__name__.rpartition(".")[2]: module.CASES
    for module in (
        spark_logic, spark_texts, spark_times, spark_numbers, spark_collections, dbt, great_expectations, soda, dqx,
        deequ, odcs,
    )
}  # fmt: skip


def refusals(family: str) -> dict[str, PredicateError]:
    """The predicates of a family that are refused, with the error."""
    found = {}
    for text in FAMILIES[family]:
        try:
            parse(text, schema=SCHEMA)
        except PredicateError as error:
            found[text] = error
    return found


def admitted(family: str) -> list[str]:
    """The predicates of a family that are admitted."""
    refused = refusals(family)
    return [text for text in FAMILIES[family] if text not in refused]
