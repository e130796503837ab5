"""Traits of texts: how they are cased, whether they have digits, or spaces around. A trait is one row of `TRAITS`.

A column's masks tell them where all of them are known and none is cut; else they are counted, each as the metric that a
check of it measures."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from treaty.contracts.predicates.parser import quote
from treaty.contracts.schema import Schema
from treaty.engine.analyzers.bound import BoundAnalyzer
from treaty.engine.analyzers.rows import Implication
from treaty.engine.profile.facts import bound, is_valid_predicate


@dataclass(frozen=True)
class Trait:
    """What a text may have: `words` say it of several, `sql` of a text `{0}`, `has` of a mask that is not cut."""

    name: str
    words: str
    sql: str
    has: Callable[[str], bool]

    def condition(self, column: str) -> dict[str, str]:
        """Which rows have a text, and whether it has the trait, as an implication's arguments."""
        quoted = quote(column)
        return {"condition": f"{quoted} IS NOT NULL", "predicate": self.sql.format(quoted)}


TRIMMED = Trait("trimmed", "have no spaces around them", "{0} = trim({0})", lambda mask: mask == mask.strip(" "))
LOWER = Trait("lower_case", "have no capital letter", "{0} = lower({0})", lambda mask: "A" not in mask)
UPPER = Trait("upper_case", "have no small letter", "{0} = upper({0})", lambda mask: "a" not in mask)
DIGITS = Trait("digits", "have a digit", "{0} <> translate({0}, '0123456789', '')", lambda mask: "0" in mask)
TRAITS = (TRIMMED, LOWER, UPPER, DIGITS)


def traits_of(column: str, schema: Schema) -> Mapping[str, BoundAnalyzer]:
    """The shares of the column's texts that have each trait, by the trait's name; {} for columns of other types and for
    those whose names no condition may hold."""
    made = {each.name: each.condition(column) for each in TRAITS}
    asked = {name: Implication(**each) for name, each in made.items() if is_valid_predicate(each["predicate"])}
    return {name: measured for name, each in asked.items() if (measured := bound(each, schema))}
