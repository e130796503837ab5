"""Define traits of texts: their case, digits, surrounding spaces. A new trait is one row in `TRAITS`.

Masks show the traits if all masks are known and none is cut off. Otherwise traits are counted, each with the metric
that a check of it measures."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from treaty.contracts.predicates.parser import quote
from treaty.contracts.schema import Schema
from treaty.engine.analyzers.bound import BoundAnalyzer
from treaty.engine.analyzers.rows import Implication
from treaty.engine.profile.facts import bound, is_valid_predicate


@dataclass(frozen=True)
class Trait:
    """A property of a text.

    `words`: description in the plural. `sql`: condition on a text `{0}`. `has`: test of a mask that is not cut off."""

    name: str
    words: str
    sql: str
    has: Callable[[str], bool]

    def condition(self, column: str) -> dict[str, str]:
        """Return the arguments of an implication: non-null texts have the trait."""
        quoted = quote(column)
        return {"condition": f"{quoted} IS NOT NULL", "predicate": self.sql.format(quoted)}


TRIMMED = Trait(
    "trimmed", "have no leading or trailing spaces", "{0} = trim({0})", lambda mask: mask == mask.strip(" ")
)
LOWER = Trait("lower_case", "have no upper-case letters", "{0} = lower({0})", lambda mask: "A" not in mask)
UPPER = Trait("upper_case", "have no lower-case letters", "{0} = upper({0})", lambda mask: "a" not in mask)
DIGITS = Trait("digits", "contain a digit", "{0} <> translate({0}, '0123456789', '')", lambda mask: "0" in mask)
TRAITS = (TRIMMED, LOWER, UPPER, DIGITS)


def traits_of(column: str, schema: Schema) -> Mapping[str, BoundAnalyzer]:
    """Return the shares of the column's texts with each trait, by the trait's name.

    Empty for columns that are not text, and if the column's name is not allowed in a predicate."""
    conditions = {each.name: each.condition(column) for each in TRAITS}
    analyzers = {
        name: Implication(**each) for name, each in conditions.items() if is_valid_predicate(each["predicate"])
    }
    return {name: measured for name, each in analyzers.items() if (measured := bound(each, schema))}
