"""Measure the shares of benign predicates that are refused and of hostile ones admitted.

The benign corpus is written from the documentation of Spark, dbt, Great Expectations, Soda, DQX, Deequ and data
contracts; the tests run each of its predicates on Spark."""

import sys
from pathlib import Path

from bench.core.figures import Line
from treaty.contracts.predicates.parser import PredicateError, parse

TESTS = Path(__file__).parents[2] / "tests"
GOAL = 1.0


def main() -> None:
    """Print the refused share of each family and of all, with every refused predicate."""
    sys.path.insert(0, str(TESTS))
    from support.predicate_corpus.families import FAMILIES, refusals

    refused = {family: refusals(family) for family in FAMILIES}
    for family, cases in FAMILIES.items():
        print(Line(f"refused of {len(cases)}: {family}", float(len(refused[family])), None, "predicates").text)
    total, of = sum(map(len, refused.values())), sum(map(len, FAMILIES.values()))
    print(Line(f"refused of all {of} benign predicates", 100 * total / of, GOAL, "%").text)
    for text, error in (pair for each in refused.values() for pair in each.items()):
        print(f"  {text}: {error.faults[0].remedy}")
    print(Line("admitted of the hostile predicates", float(_hostile()), 0, "predicates").text)


def _hostile() -> int:
    """Return the number of hostile predicates that are admitted."""
    from support.predicate_texts import COLUMNS, HOSTILE

    return sum(_is_admitted(entry["text"], COLUMNS) for entry in HOSTILE)


def _is_admitted(text: str, columns: tuple[str, ...]) -> bool:
    try:
        parse(text, columns)
    except PredicateError:
        return False
    return True
